package safety

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A walk sees the classes that single look-ups see.
func TestFolderClassesAsResolveDoes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	names := []string{
		"a.go", ".env", ".env.example", "id_rsa", ".ssh/config", ".git/HEAD", ".docker/config.json", "docker/config.json",
		"sub/.vscode/x", "sub/deep/credentials", "own/x", ".config/gh", "x/GIT~1",
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, project := range []string{dir, t.TempDir()} {
		w, err := NewWorkspace(project, own)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		seen := 0
		var walk func(f *Folder)
		walk = func(f *Folder) {
			defer f.Close()
			entries, err := f.Entries()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				got, want := f.Entry(e.Name()), resolve(t, w, filepath.Join(f.Path().Real, e.Name()), Read)
				if got.Class != want.Class || got.Real != want.Real {
					t.Errorf("%s: class %d of %s, want %d of %s", e.Name(), got.Class, got.Real, want.Class, want.Real)
				}
				seen++
				if e.IsDir() {
					sub, err := f.Open(e.Name())
					if err != nil {
						t.Fatal(err)
					}
					walk(sub)
				}
			}
		}
		f, err := w.OpenFolder(resolve(t, w, dir, Read))
		if err != nil {
			t.Fatal(err)
		}
		walk(f)
		if seen < len(names) {
			t.Errorf("saw %d entries", seen)
		}
	}
}

func TestFolderDoesNotFollowLinksOut(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	f, err := w.OpenFolder(resolve(t, w, ".", Read))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(w.Dir(), "link")); err != nil {
		t.Skip(err)
	}
	if got, err := f.ReadFile("link", 0); err == nil {
		t.Errorf("read %q", got.Data)
	}
	if err := os.Symlink(outside, filepath.Join(w.Dir(), "away")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("away"); err == nil {
		t.Error("opened a folder outside")
	}
	if got, err := f.ReadFile("main.go", 7); err != nil || string(got.Data) != "package" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := f.ReadFile("src", 0); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := f.ReadFile("none", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}
