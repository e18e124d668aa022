package main

import (
	"os"
	"strings"
	"testing"

	"mm/configs"
	"mm/safety"
)

// "/permissions" shows the rules before "/permissions save" writes them.
func TestPermissionsAreShownThenSaved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("AppData", dir)
	a := &app{}
	if _, err := a.permissions(""); err == nil {
		t.Error("there is no conversation")
	}
	policy := safety.NewPolicy(safety.Options{})
	a.asked.Store(policy)
	if text, err := a.permissions(""); err != nil || !strings.Contains(text, "nothing was allowed") {
		t.Errorf("%q, %v", text, err)
	}
	policy.Remember(safety.Action{Tool: "bash", Op: safety.Execute, Command: "go test ./..."})
	policy.Remember(safety.Action{Tool: "bash", Op: safety.Execute, Command: "a | b"})
	text, err := a.permissions("")
	if err != nil || !strings.Contains(text, "  bash: go test *\n") || !strings.Contains(text, "this session alone, since no rule should allow it:\n  a | b\n") {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(configs.UserFile()); err == nil {
		t.Fatal("showing has written")
	}
	if _, err := a.permissions("everything"); err == nil {
		t.Error("an unknown word was taken")
	}
	if text, err := a.permissions("save"); err != nil || !strings.Contains(text, "bash: go test *") || strings.Contains(text, "a | b") {
		t.Errorf("%q, %v", text, err)
	}
	l, err := configs.Load(configs.Sources{UserFile: configs.UserFile()})
	if err != nil || len(l.Permissions.Allow) != 1 {
		t.Errorf("%+v, %v", l.Permissions, err)
	}
	if text, err := a.permissions("save"); err != nil || text != "nothing new to save" {
		t.Errorf("%q, %v", text, err)
	}
}
