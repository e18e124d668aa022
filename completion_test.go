package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// script writes the completion script of a shell to a file.
func script(t *testing.T, shell string) string {
	t.Helper()
	var b strings.Builder
	if err := writeCompletion(&b, shell); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "mm."+shell)
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCompletionKnowsEveryFlagAndCommand(t *testing.T) {
	t.Parallel()
	for _, shell := range shellNames {
		data, err := os.ReadFile(script(t, shell))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range completables() {
			if !strings.Contains(string(data), f.Name) {
				t.Errorf("%s: no flag %s", shell, f.Name)
			}
		}
		for _, c := range commands {
			if !strings.Contains(string(data), c.name) {
				t.Errorf("%s: no command %s", shell, c.name)
			}
		}
		if check := map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish"}[shell]; check != "" {
			if _, err := exec.LookPath(check); err != nil {
				continue
			}
			if out, err := exec.Command(check, "-n", script(t, shell)).CombinedOutput(); err != nil {
				t.Errorf("%s does not take its script: %v\n%s", shell, err, out)
			}
		}
	}
}

// complete asks bash what it offers for a command line; the last word is the
// one being written. path goes before PATH.
func complete(t *testing.T, path string, words ...string) []string {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	cmd := exec.Command("bash", "-c", `source "$1"; shift
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mm; printf '%s\n' "${COMPREPLY[@]}"`, "bash", script(t, "bash"))
	cmd.Args = append(cmd.Args, words...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, want string }{
		{"mm -prov", "-provider"},
		{"mm --prov", "--provider"},
		{"mm -mode a", "ask accept-edits"},
		{"mm --mode y", "yolo"},
		{"mm -profile gemma", "gemma3 gemma4"},
		{"mm d", "doctor"},
		{"mm config ", "init schema trust"},
		{"mm -demo trust l", "list"},
		{"mm completion p", "powershell"},
		{"mm -base-url h", ""},
	} {
		if got := strings.Join(complete(t, "", strings.Split(tc.line, " ")...), " "); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.line, got, tc.want)
		}
	}
}

// TestCompletionRunsNothingFromAProject: the names of kept conversations are
// files of the project, and bash expands the words that it is given.
func TestCompletionRunsNothingFromAProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	fake := "#!/bin/sh\necho '20261130-101500-0123abcd  2026-11-30  2 messages'\necho '$(touch " + mark + ")  x'\n"
	if err := os.WriteFile(filepath.Join(dir, "mm"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := complete(t, dir, "mm", "-resume", ""); len(got) != 1 || got[0] != "20261130-101500-0123abcd" {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a file's name was run as a command")
	}
}
