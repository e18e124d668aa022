package safety

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRemoveOnlyWhatWasSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := NewWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := w.Resolve("a.txt", Write)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]byte{nil, []byte("old"), []byte("new!")} {
		if err := w.Remove(p, other); !errors.Is(err, ErrChanged) {
			t.Errorf("Remove with %q seen: %v, want ErrChanged", other, err)
		}
	}
	if err := w.Remove(p, []byte("new")); err != nil {
		t.Error(err)
	}
	if err := w.Remove(p, []byte("new")); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that is gone: %v, want ErrChanged", err)
	}
}
