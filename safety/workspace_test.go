package safety

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// project makes a project folder beside an outside folder and returns the
// workspace and the outside folder.
func project(t testing.TB) (*Workspace, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside := filepath.Join(base, "proj"), filepath.Join(base, "proj2")
	for _, d := range []string{
		filepath.Join(dir, "src"), filepath.Join(dir, ".git", "hooks"), outside,
	} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "main.go"), "package main\n")
	write(t, filepath.Join(outside, "secret.txt"), "outside\n")
	w, err := NewWorkspace(dir, filepath.Join(base, "config"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, outside
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

func resolve(t *testing.T, w *Workspace, named string, op Op) Path {
	t.Helper()
	p, err := w.Resolve(named, op)
	if err != nil {
		t.Fatalf("Resolve(%q): %v", named, err)
	}
	return p
}

func TestResolveClasses(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	base := filepath.Dir(outside)
	dir := w.Dir()
	link(t, outside, filepath.Join(dir, "out"))
	link(t, filepath.Join(outside, "not-yet"), filepath.Join(dir, "dangling"))
	link(t, filepath.Join(dir, "main.go"), filepath.Join(dir, "absolute"))
	link(t, ".git/hooks/pre-commit", filepath.Join(dir, "innocent"))
	link(t, "loop", filepath.Join(dir, "loop"))
	write(t, filepath.Join(dir, "fixed.txt"), "x")
	if err := os.Chmod(filepath.Join(dir, "fixed.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		named string
		op    Op
		class Class
		real  string // relative to base; empty: not compared
	}{
		{"main.go", Read, Inside, "proj/main.go"},
		{"./src/../main.go", Write, Inside, "proj/main.go"},
		{dir + "/main.go", Read, Inside, "proj/main.go"},
		{"new/deep/file.go", Write, Inside, "proj/new/deep/file.go"},
		{"absolute", Write, Inside, "proj/main.go"},
		{".", Read, Inside, "proj"},
		{"src", Write, Refused, "proj/src"},
		{"../proj2/secret.txt", Read, Outside, "proj2/secret.txt"},
		{"../proj2", Read, Outside, "proj2"},
		{"out/secret.txt", Read, Outside, "proj2/secret.txt"},
		{"out/new.txt", Write, Outside, "proj2/new.txt"},
		{"dangling", Write, Outside, "proj2/not-yet"},
		{"/etc/passwd", Read, Outside, ""},
		{"..", Read, Outside, ""},
		{".env", Read, Secret, "proj/.env"},
		{".env.local", Read, Secret, ""},
		{"deploy/prod.env", Read, Secret, ""},
		{".env.example", Read, Inside, ""},
		{"id_ed25519", Read, Secret, ""},
		{"id_ed25519.pub", Read, Inside, ""},
		{"certs/server.key", Read, Secret, ""},
		{"src/credentials/store.go", Read, Inside, ""},
		{"~/.ssh/config", Read, Secret, ""},
		{"environment.go", Read, Inside, ""},
		{".git/config", Write, Protected, "proj/.git/config"},
		{"innocent", Write, Protected, "proj/.git/hooks/pre-commit"},
		{"sub/.GIT/hooks/post-checkout", Write, Protected, ""},
		{".git./config", Write, Protected, ""},
		{".git /config", Write, Protected, ""},
		{".g\u200cit/config", Write, Protected, ""},
		{"git~1/config", Write, Protected, ""},
		{"GITMOD~1", Write, Protected, ""},
		{".git::$INDEX_ALLOCATION/config", Write, Protected, ""},
		{".gitignore", Write, Inside, ""},
		{".github/workflows/ci.yml", Write, Inside, ""},
		{".vscode/settings.json", Write, Protected, ""},
		{".mm/skills/x.md", Write, Protected, ""},
		{"agent.yaml", Write, Protected, ""},
		{"../config/agent.yaml", Write, Protected, "config/agent.yaml"},
		{"../config", Read, Protected, "config"},
		{"fixed.txt", Write, Protected, ""},
		{"fixed.txt", Read, Inside, ""},
	} {
		p := resolve(t, w, tc.named, tc.op)
		if p.Class != tc.class {
			t.Errorf("%s %q: class %d (%s), want %d", tc.op, tc.named, p.Class, p.Reason, tc.class)
		}
		if want := filepath.Join(base, filepath.FromSlash(tc.real)); tc.real != "" && p.Real != want {
			t.Errorf("%s %q: real %s, want %s", tc.op, tc.named, p.Real, want)
		}
		if (p.Class == Inside) != (p.Reason == "") {
			t.Errorf("%s %q: class %d with reason %q", tc.op, tc.named, p.Class, p.Reason)
		}
	}
}

func TestResolveRefusesKernelTrees(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the trees are those of Linux")
	}
	w, _ := project(t)
	link(t, "/proc/self/root/etc", filepath.Join(w.Dir(), "etc"))
	for _, named := range []string{
		"/dev/null", "/dev/sda", "/proc/self/environ", "/sys/kernel",
		"/proc/self/root/etc/passwd", "/proc/self/cwd/x", "etc/passwd",
	} {
		if p := resolve(t, w, named, Read); p.Class != Refused {
			t.Errorf("%s: class %d, want refused", named, p.Class)
		}
	}
}

func TestResolveRefusesNames(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	link(t, "b", filepath.Join(w.Dir(), "a"))
	link(t, "a", filepath.Join(w.Dir(), "b"))
	for _, tc := range []struct {
		named string
		op    Op
		want  string
	}{
		{"", Read, "empty"},
		{"  ", Read, "empty"},
		{"a\x00b", Read, "control characters"},
		{"a\nb", Write, "control characters"},
		{"a\x1b[2J", Write, "control characters"},
		{"a\xff", Write, "control characters"},
		{"src/", Write, "folder"},
		{"a/x", Read, "too many links"},
	} {
		_, err := w.Resolve(tc.named, tc.op)
		if err == nil || !strings.Contains(err.Error(), tc.want) ||
			!strings.HasPrefix(err.Error(), "[error: ") {
			t.Errorf("Resolve(%q) = %v, want an error about %q", tc.named, err, tc.want)
		}
	}
}

func TestHomeIsExpanded(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	w.home = outside
	if got, want := resolve(t, w, "~/secret.txt", Read).Real, filepath.Join(outside, "secret.txt"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := resolve(t, w, "~x", Read).Real, filepath.Join(w.Dir(), "~x"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStrayed(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	for named, want := range map[string]string{
		"/main.go":           "main.go",
		"/new-thing.go":      "new-thing.go",
		"/src/new-thing.go":  "src/new-thing.go",
		"/etc/passwd":        "",
		"/no/such/folder/x":  "",
		"main.go":            "",
		"/tmp/mm-not-there":  "",
		w.Dir() + "/main.go": "",
	} {
		rel, ok := w.Strayed(resolve(t, w, named, Write))
		if !ok {
			rel = ""
		}
		if rel != want {
			t.Errorf("Strayed(%s) = %q, want %q", named, rel, want)
		}
	}
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	if got := w.Display(filepath.Join(w.Dir(), "src", "a.go")); got != "src/a.go" {
		t.Errorf("inside: %q", got)
	}
	if got := w.Display(outside); got != outside {
		t.Errorf("outside: %q, want %q: a sibling whose name starts alike is not inside", got, outside)
	}
}

// A resolved path below the project stays there whatever the name is made of.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"main.go", "../x", "out/../..", "a/../../b", "~/x", "/etc", "out/./y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, named string) {
		w, outside := project(t)
		link(t, outside, filepath.Join(w.Dir(), "out"))
		p, err := w.Resolve(named, Write)
		if err != nil {
			return
		}
		if p.Class != Inside {
			return
		}
		again, err := filepath.EvalSymlinks(filepath.Dir(p.Real))
		if err != nil {
			return // the folder does not exist yet
		}
		rel, err := filepath.Rel(w.Dir(), again)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			t.Errorf("%q is classed inside but leads to %s", named, p.Real)
		}
	})
}
