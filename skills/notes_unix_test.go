//go:build unix

package skills

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestProjectNotesDoNotWaitForAPipe(t *testing.T) {
	t.Parallel()
	dir := tree(t, nil)
	if err := syscall.Mkfifo(filepath.Join(dir, "AGENTS.md"), 0o600); err != nil {
		t.Skip(err)
	}
	if text, _, err := ProjectNotes(dir, dir); err == nil || text != "" {
		t.Errorf("got %q, %v", text, err)
	}
}
