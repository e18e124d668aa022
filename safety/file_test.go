package safety

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadFileStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	f, err := w.ReadFile(resolve(t, w, "main.go", Read), 7)
	if err != nil || string(f.Data) != "package" || f.Size != 13 || f.Whole() {
		t.Errorf("limited: %+v, %v", f, err)
	}
	f, err = w.ReadFile(resolve(t, w, "main.go", Read), 0)
	if err != nil || string(f.Data) != "package main\n" || !f.Whole() {
		t.Errorf("whole: %+v, %v", f, err)
	}
}

func TestReadFileErrors(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	if _, err := w.ReadFile(resolve(t, w, "missing", Read), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := w.ReadFile(resolve(t, w, "src", Read), 0); !errors.Is(err, ErrNotRegular) {
		t.Errorf("folder: %v", err)
	}
}

func TestReadDir(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	for named, want := range map[string]string{".": "main.go", outside: "secret.txt"} {
		entries, err := w.ReadDir(resolve(t, w, named, Read))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, e := range entries {
			found = found || e.Name() == want
		}
		if !found {
			t.Errorf("%s: %v does not hold %s", named, entries, want)
		}
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReplaceMakesFilesAndFolders(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	for _, named := range []string{"a/b/c.txt", filepath.Join(outside, "x", "y.txt")} {
		p := resolve(t, w, named, Write)
		if err := w.Replace(p, []byte("new"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := content(t, p.Real); got != "new" {
			t.Errorf("%s holds %q", named, got)
		}
	}
}

func TestReplaceKeepsModeAndLinks(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	script := filepath.Join(w.Dir(), "run.sh")
	write(t, script, "old")
	if err := os.Chmod(script, 0o751); err != nil {
		t.Fatal(err)
	}
	link(t, script, filepath.Join(w.Dir(), "link"))
	hard := filepath.Join(outside, "hard")
	if err := os.Link(script, hard); err != nil {
		t.Skip("no hard links here:", err)
	}
	p := resolve(t, w, "link", Write)
	if err := w.Replace(p, []byte("new"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(script)
	if err != nil || fi.Mode() != 0o751 {
		t.Errorf("mode %v, %v; want 0751", fi.Mode(), err)
	}
	if got := content(t, script); got != "new" {
		t.Errorf("target holds %q", got)
	}
	if to, err := os.Readlink(filepath.Join(w.Dir(), "link")); err != nil || to != script {
		t.Errorf("the link became %q, %v", to, err)
	}
	if got := content(t, hard); got != "old" {
		t.Errorf("the outside name of the file holds %q, want its old content", got)
	}
}

func TestReplaceNoticesChanges(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	main := filepath.Join(w.Dir(), "main.go")
	for _, tc := range []struct {
		name, named string
		before      []byte
		meddle      func(t *testing.T)
	}{
		{"other content", "main.go", []byte("package mine\n"), func(*testing.T) {}},
		{"appeared", "main.go", nil, func(*testing.T) {}},
		{"vanished", "gone.go", []byte("x"), func(*testing.T) {}},
		{"became a link out", "src/late.go", nil, func(t *testing.T) {
			link(t, filepath.Join(outside, "secret.txt"), filepath.Join(w.Dir(), "src", "late.go"))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := resolve(t, w, tc.named, Write)
			tc.meddle(t)
			if err := w.Replace(p, []byte("mine"), tc.before, 0o644); !errors.Is(err, ErrChanged) {
				t.Errorf("got %v, want ErrChanged", err)
			}
		})
	}
	if got := content(t, main); got != "package main\n" {
		t.Errorf("main.go holds %q", got)
	}
	if got := content(t, filepath.Join(outside, "secret.txt")); got != "outside\n" {
		t.Errorf("the outside file holds %q", got)
	}
	leftovers(t, w.Dir())
}

// A folder that was replaced by a link to the outside after the check must not
// lead the write there.
func TestReplaceStaysInsideWhenAFolderIsSwapped(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	p := resolve(t, w, "src/secret.txt", Write)
	src := filepath.Join(w.Dir(), "src")
	if err := os.Remove(src); err != nil {
		t.Fatal(err)
	}
	link(t, outside, src)
	if err := w.Replace(p, []byte("pwned"), []byte("outside\n"), 0o644); err == nil {
		t.Error("the write was carried out")
	}
	// The same without the first check, as if the swap came right after it.
	l := place{root: w.root, rel: p.Real[len(w.Dir())+1:]}
	if err := l.replace([]byte("pwned"), []byte("outside\n"), 0o644); err == nil {
		t.Error("the opened root followed the link out")
	}
	if got := content(t, filepath.Join(outside, "secret.txt")); got != "outside\n" {
		t.Errorf("the outside file holds %q", got)
	}
}

func TestRefusedPathsAreNotOpened(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	p := resolve(t, w, "src", Write)
	if err := w.Replace(p, []byte("x"), nil, 0o644); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v, want ErrNotRegular", err)
	}
}

func leftovers(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{".mm-*", "*/.mm-*"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 {
			t.Errorf("temporary files left: %v", found)
		}
	}
}
