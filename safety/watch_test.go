package safety

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(t *testing.T, dir string)
		want []string
	}{
		{"nothing", func(*testing.T, string) {}, nil},
		{"ordinary files", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "main.go"), "other")
			write(t, filepath.Join(dir, ".git", "index"), "x")
			write(t, filepath.Join(dir, ".git", "hooks", "pre-push.sample"), "x")
		}, nil},
		{"a hook", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git", "hooks", "pre-commit"), "x")
		}, []string{".git/hooks/pre-commit"}},
		{"settings of git", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git", "config"), "[x]")
		}, []string{".git/config"}},
		{"the hook of a submodule", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git", "modules", "sub", "hooks", "post-checkout"), "x")
		}, []string{".git/modules/sub/hooks/post-checkout"}},
		{"the same size and time", func(t *testing.T, dir string) {
			name := filepath.Join(dir, ".envrc")
			fi, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, "new")
			if err := os.Chtimes(name, fi.ModTime(), fi.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, []string{".envrc"}},
		{"a mode", func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, ".envrc"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{".envrc"}},
		{"made and removed", func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, ".VSCode"), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, ".VSCode", "tasks.json"), "x")
			if err := os.Remove(filepath.Join(dir, ".envrc")); err != nil {
				t.Fatal(err)
			}
		}, []string{".VSCode/tasks.json", ".envrc (removed)"}},
		{"git's data becomes a link", func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "git2")); err != nil {
				t.Fatal(err)
			}
			link(t, "git2", filepath.Join(dir, ".git"))
		}, []string{".git"}},
		{"sessions", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".mm", "sessions", "x.json"), "x")
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, _ := project(t)
			for _, sub := range []string{".mm/sessions", ".git/modules/sub/hooks"} {
				if err := os.MkdirAll(filepath.Join(w.Dir(), sub), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(w.Dir(), ".git", "config"), "[core]")
			write(t, filepath.Join(w.Dir(), ".envrc"), "old")
			changed := w.Watch()
			tc.do(t, w.Dir())
			if got := changed(); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWatchOfANewRepository(t *testing.T) {
	t.Parallel()
	w, _ := project(t) // has .git/hooks and no settings yet
	changed := w.Watch()
	write(t, filepath.Join(w.Dir(), ".git", "config"), "[core]")
	if got := changed(); len(got) > 0 {
		t.Errorf("a repository that was just made: %q", got)
	}
}

func TestWatchNamesAFew(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	changed := w.Watch()
	for i := range 15 {
		write(t, filepath.Join(w.Dir(), ".git", "hooks", "hook"+string(rune('a'+i))), "x")
	}
	if got := changed(); len(got) != 11 || got[10] != "and 5 more" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkWatch(b *testing.B) {
	w, _ := project(b)
	for i := range 20 {
		write(b, filepath.Join(w.Dir(), ".git", "hooks", "hook"+string(rune('a'+i))), "x")
	}
	for b.Loop() {
		w.Watch()()
	}
}
