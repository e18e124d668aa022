package main

import (
	"strings"
	"testing"

	"mm/configs"
	"mm/llm/doctor"
	"mm/safety/sandbox"
)

func TestDoctorOnTheSandbox(t *testing.T) {
	t.Parallel()
	works, none := sandbox.Report{Works: true, Kind: "Landlock"}, sandbox.Report{Why: "an old kernel"}
	for _, tc := range []struct {
		setting string
		report  sandbox.Report
		status  doctor.Status
		text    string
	}{
		{"auto", works, doctor.OK, "Landlock"},
		{"required", works, doctor.OK, "Landlock"},
		{"off", works, doctor.Warning, "off: commands run with all your rights"},
		{"auto", none, doctor.Warning, "none (an old kernel): commands run with all your rights"},
		{"required", none, doctor.Broken, "none (an old kernel), and the configuration requires one"},
	} {
		f := sandboxFinding(tc.setting, tc.report)
		if f.Status != tc.status || f.Text != tc.text || (f.Advice == "") != (tc.status == doctor.OK) {
			t.Errorf("%s, %+v: got %+v", tc.setting, tc.report, f)
		}
	}
}

func TestDoctorOnLanguageServers(t *testing.T) {
	t.Parallel()
	cfg := &configs.Loaded{}
	cfg.LSP = map[string]configs.LSP{
		"go":   {Command: []string{"no-such-server-anywhere"}},
		"text": {},
		"this": {Command: []string{"go"}},
	}
	a := &app{cfg: cfg}
	found := map[string]doctor.Finding{}
	for _, f := range a.languageServers() {
		language, _, _ := strings.Cut(f.Text, ":")
		found[language] = f
	}
	if f := found["go"]; f.Status != doctor.Warning || f.Text != "go: no-such-server-anywhere is not in PATH" {
		t.Errorf("got %+v", f)
	}
	if f := found["this"]; f.Status != doctor.OK {
		t.Errorf("go itself is in PATH: %+v", f)
	}
	if f, ok := found["text has no command"]; !ok || f.Status != doctor.Warning {
		t.Errorf("got %+v", found)
	}
}
