//go:build unix

package session_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mm/agent/session"
	"mm/llm"
)

// fullDir tells the test binary to save a session in this directory, on a disk
// that is full for a while.
const fullDir = "MM_SESSION_TEST_FULL"

// saveOnFullDisk says what is wrong, or nothing. A limit on the size of files
// stands for the disk.
func saveOnFullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ) // a write then fails
	s, err := session.Open(dir)
	if err != nil {
		return err
	}
	sess := session.New("/work", time.Now())
	say := func(text string) {
		sess.Items = append(sess.Items, session.Item{Message: llm.Message{Role: llm.User, Text: text}, Turn: 1})
	}
	say("short")
	if err := s.Save(sess); err != nil {
		return err
	}
	var room syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	full := room
	full.Cur = 4 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	say(strings.Repeat("long ", 2000))
	if err := s.Save(sess); err == nil {
		return fmt.Errorf("a full disk took %d bytes", len(sess.Items[1].Text))
	}
	if got, err := s.Load(sess.ID); err != nil || len(got.Items) != 1 {
		return fmt.Errorf("what was saved before: %+v, %w", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp*")); len(left) > 0 {
		return fmt.Errorf("left behind: %v", left)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	if err := s.Save(sess); err != nil {
		return err
	}
	if got, err := s.Load(sess.ID); err != nil || len(got.Items) != 2 {
		return fmt.Errorf("with room again: %+v, %w", got, err)
	}
	return nil
}

// TestFullDisk: a session that does not fit stays as it was, nothing half is
// left, and with room again all of it is saved.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(fullDir); dir != "" {
		if err := saveOnFullDisk(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
	cmd.Env = append(os.Environ(), fullDir+"="+filepath.Join(t.TempDir(), ".mm", "sessions"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}
