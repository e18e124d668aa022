package configs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mm/configs"
)

func TestAllowKeepsTheFile(t *testing.T) {
	t.Parallel()
	const before = "# mine\nmodel: a # the small one\npermissions:\n  mode: ask\n  # from before\n  allow: [\"bash: go vet\"]\n"
	file := write(t, t.TempDir(), "agent.yaml", before)
	added, err := configs.Allow(file, []string{"bash: go vet", "bash: go test *"})
	if err != nil || strings.Join(added, ";") != "bash: go test *" {
		t.Fatalf("%q, %v", added, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# mine", "model: a # the small one", "mode: ask", "# from before", "bash: go vet", "bash: go test *"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is not in\n%s", want, data)
		}
	}
	l, err := configs.Load(configs.Sources{UserFile: file})
	if err != nil || len(l.Permissions.Allow) != 2 || l.Model != "a" {
		t.Errorf("%+v, %v", l, err)
	}
	link := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if _, err := configs.Allow(link, []string{"bash: make"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became a file: %v, %v", info, err)
	}
	if added, err := configs.Allow(file, []string{"bash: go test *", "bash: make"}); err != nil || len(added) != 0 {
		t.Errorf("the second time: %q, %v", added, err)
	}
}

func TestAllowMakesTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mm", "agent.yaml")
	if _, err := configs.Allow(file, []string{"write_file"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v: it is the user's alone", info.Mode(), err)
	}
	l, err := configs.Load(configs.Sources{UserFile: file})
	if err != nil || l.Permissions.Allow[0] != "write_file" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestAllowRefusesWhatItCannotKeep(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"permissions: [a]\n", "permissions: {allow: x}\n", "- a\n", "a: [\n"} {
		file := write(t, t.TempDir(), "agent.yaml", text)
		if _, err := configs.Allow(file, []string{"bash: x"}); err == nil {
			t.Errorf("%q was changed", text)
		}
		if data, err := os.ReadFile(file); err != nil || string(data) != text {
			t.Errorf("%q became %q, %v", text, data, err)
		}
	}
}
