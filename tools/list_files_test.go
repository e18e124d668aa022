package tools

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/safety"
)

func TestListFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": "", "sub/a.go": "", "out/x.o": "", ".gitignore": "out/\n", ".git/HEAD": "", ".env": "KEY=1",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := safety.NewWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	got, err := ListFiles(t.Context(), ws, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".gitignore", "main.go", "sub/a.go"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := ListFiles(t.Context(), ws, 1); err != nil || len(got) != 1 {
		t.Errorf("at most one: %v, %v", got, err)
	}
}
