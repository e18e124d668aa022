//go:build unix

package session_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mm/agent/session"
	"mm/llm"
)

// unprivilegedDir tells the test binary to give up root's rights, and to check
// in this directory.
const unprivilegedDir = "MM_SESSION_TEST_UNPRIVILEGED"

const nobody = 65534

// unprivileged runs a test in a directory of its own, without root's rights,
// for which no permission of a file counts.
func unprivileged(t *testing.T, check func(t *testing.T, dir string)) {
	t.Helper()
	if os.Getuid() != 0 {
		check(t, t.TempDir())
		return
	}
	if dir := os.Getenv(unprivilegedDir); dir != "" {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			t.Fatal(err)
		}
		check(t, dir)
		return
	}
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o711), os.Chown(dir, nobody, nobody)); err != nil {
		t.Skip("there is no other user here: ", err)
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), unprivilegedDir+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v:\n%s", err, out)
	}
}

// chmod changes what may be done with a file until the test ends.
func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, info.Mode().Perm()) }) // to be removed
}

// TestSessionThatMayNotBeReadStays: it is not damaged.
func TestSessionThatMayNotBeReadStays(t *testing.T) {
	t.Parallel()
	unprivileged(t, func(t *testing.T, dir string) {
		s, err := session.Open(filepath.Join(dir, "sessions"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(s.Dir(), saved(t, s, "x", "y").ID+".json")
		chmod(t, path, 0)
		said := s.SetAside()
		if len(said) != 1 || !strings.Contains(said[0], "permission denied") || strings.Contains(said[0], "corrupt") {
			t.Errorf("said %q, want one line that tells why it cannot be read", said)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("it was moved: %v", err)
		}
	})
}

// TestReadOnlyDirectory: what is there can be read, nothing is changed, and each
// try to write says why it fails.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	unprivileged(t, func(t *testing.T, dir string) {
		if s, err := session.Open(filepath.Join(dir, "sessions")); err != nil {
			t.Fatal(err)
		} else {
			saved(t, s, "x", "y")
		}
		dir = filepath.Join(dir, "sessions")
		if err := os.WriteFile(filepath.Join(dir, "20260101-000000-aaaaaaaa.json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		fresh := session.New("/work", time.Now())
		fresh.Items = []session.Item{{Message: llm.Message{Role: llm.User, Text: "q"}}}
		before := names(t, dir)
		chmod(t, dir, 0o500)
		s, err := session.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		sess, err := s.Latest()
		if err != nil || len(sess.Items) != 1 {
			t.Fatalf("what is kept is read as %+v, %v", sess, err)
		}
		_, locked := s.Lock(sess.ID)
		_, forked := s.Fork(sess)
		_, opened := session.Open(filepath.Join(dir, "sessions"))
		for what, err := range map[string]error{
			"save": s.Save(sess), "save a new one": s.Save(fresh), "lock": locked, "fork": forked,
			"rename": s.Rename(sess.ID, "z"), "delete": s.Delete(sess.ID), "open a new directory": opened,
		} {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v, want that it is not permitted", what, err)
			}
		}
		if said := s.SetAside(); len(said) != 1 || !strings.Contains(said[0], "could not be set aside") {
			t.Errorf("said %q of the damaged one", said)
		}
		if after := names(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
			t.Errorf("the directory holds %q, before %q", after, before)
		}
	})
}

// names are the files of a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
}
