package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// git runs git in a folder, without anybody's configuration.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// repository is a repository of git with some committed files.
func repository(t *testing.T, options ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	for i := 0; i < len(options); i += 2 {
		git(t, dir, "config", options[i], options[i+1])
	}
	write(t, filepath.Join(dir, "a.go"), "package a\n")
	write(t, filepath.Join(dir, "deep", "folder", "b.go"), "package b\n")
	write(t, filepath.Join(dir, "deep", "folder", "c.go"), "package c\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func TestBranch(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		options []string
		do      func(t *testing.T, dir string) (in string)
		want    string
	}{
		"clean":       {nil, func(_ *testing.T, dir string) string { return dir }, "main"},
		"in a folder": {nil, func(_ *testing.T, dir string) string { return filepath.Join(dir, "deep", "folder") }, "main"},
		"another branch": {nil, func(t *testing.T, dir string) string {
			git(t, dir, "checkout", "-q", "-b", "feature/x")
			return dir
		}, "feature/x"},
		"no branch": {nil, func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, ".git", "HEAD"), "0123456789abcdef0123456789abcdef01234567\n")
			return dir
		}, "01234567"},
		"changed": {nil, func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "deep", "folder", "c.go"), "package c // and more\n")
			return dir
		}, "main*"},
		"changed, of the same size": {nil, func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "a.go"), "package z\n")
			return dir
		}, "main*"},
		"written again as it was": {nil, func(t *testing.T, dir string) string {
			if err := os.Chtimes(filepath.Join(dir, "a.go"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "main"},
		"removed": {nil, func(t *testing.T, dir string) string {
			if err := os.Remove(filepath.Join(dir, "a.go")); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "main*"},
		"a new file is git's to add": {nil, func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "new.go"), "package a\n")
			return dir
		}, "main"},
		"index of version 4": {[]string{"index.version", "4"}, func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "deep", "folder", "c.go"), "package c // and more\n")
			return dir
		}, "main*"},
		"clean index of version 4": {[]string{"index.version", "4"}, func(_ *testing.T, dir string) string { return dir }, "main"},
		"worktree": {nil, func(t *testing.T, dir string) string {
			tree := filepath.Join(t.TempDir(), "tree")
			git(t, dir, "worktree", "add", "-q", "-b", "other", tree)
			write(t, filepath.Join(dir, "a.go"), "package changed\n") // not in the worktree
			return filepath.Join(tree, "deep")
		}, "other"},
		"submodule": {nil, func(t *testing.T, dir string) string {
			outer := repository(t)
			git(t, outer, "submodule", "--quiet", "add", "-b", "main", dir, "sub")
			git(t, outer, "checkout", "-q", "-b", "outer")
			write(t, filepath.Join(outer, "sub", "a.go"), "package changed\n")
			return filepath.Join(outer, "sub")
		}, "main*"},
		"damaged index": {nil, func(t *testing.T, dir string) string {
			name := filepath.Join(dir, ".git", "index")
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, string(data[:len(data)/2]))
			return dir
		}, "main"},
		"a file that leads nowhere": {nil, func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "deep", ".git"), "gitdir: ../nowhere\n")
			return filepath.Join(dir, "deep")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t, tc.options...)
			if got := branch(tc.do(t, dir)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if runtime.GOOS != "windows" {
		if got := branch("/"); got != "" {
			t.Errorf("outside of repositories: %q", got)
		}
	}
}
