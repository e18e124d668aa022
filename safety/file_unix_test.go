//go:build unix

package safety

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesAreRefusedAndNeverBlock(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	p := resolve(t, w, "pipe", Read) // as if it was made after the check
	if err := syscall.Mkfifo(filepath.Join(w.Dir(), "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadFile(p, 0); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v, want ErrNotRegular", err)
	}
	if got := resolve(t, w, "pipe", Read); got.Class != Refused {
		t.Errorf("class %d (%s), want refused", got.Class, got.Reason)
	}
}
