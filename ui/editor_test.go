package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestDraftInTheEditor(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the editor of this test is a shell script")
	}
	script := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf 'and more\\n' >> \"$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	e := &draftEditor{text: "a draft\n", command: []string{script, "-x"}}
	if err := e.Run(); err != nil || e.text != "a draft\nand more\n" {
		t.Errorf("got %q, %v", e.text, err)
	}
}

func TestEditorCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		vars map[string]string
		want []string
	}{
		{map[string]string{"VISUAL": "code --wait", "EDITOR": "vi"}, []string{"code", "--wait"}},
		{map[string]string{"EDITOR": "nano"}, []string{"nano"}},
	} {
		if got := editorCommand(func(name string) string { return tc.vars[name] }); !slices.Equal(got, tc.want) {
			t.Errorf("%v: got %v, want %v", tc.vars, got, tc.want)
		}
	}
}
