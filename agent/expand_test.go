package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
)

func TestMentioned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"main.go", "a b.txt", "sub/x.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string][]string{
		"look at @main.go":             {"main.go"},
		"look at @main.go, then stop.": {"main.go"},
		"(see @sub/x.go)":              {"sub/x.go"},
		"@sub and @main.go, @main.go":  {"sub", "main.go"},
		`@"a b.txt" please`:            {"a b.txt"},
		"mail bob@main.go":             nil,
		"import @angular/core":         nil,
		"@nothere.go":                  nil,
		"@" + dir + "/main.go":         {"main.go"},
		"@":                            nil,
	} {
		var abs []string
		for _, w := range want {
			abs = append(abs, filepath.Join(dir, w))
		}
		if diff := cmp.Diff(abs, agent.Mentioned(text, dir)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestWhatTheModelReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"$greetings Bob":      "[skill: greetings — load it with read_skill and carry out its steps now; parameters: Bob]",
		"/greetings":          "[skill: greetings — load it with read_skill and carry out its steps now]",
		"$HOME is what?":      "$HOME is what?",
		"/etc/hosts, explain": "/etc/hosts, explain",
		"explain @go.mod":     "explain @go.mod\n[attached file: " + dir + "/go.mod]",
		"look in @.":          "look in @.\n[attached directory: " + dir + "]",
	} {
		m := agenttest.NewModel(agenttest.Say("ok"))
		o := options(m, echo{})
		o.Session.Cwd = dir
		o.Skills = []agent.Skill{{Name: "greetings"}}
		r := agenttest.Run(t, o)
		r.Prompt(typed)
		if got := lastText(m.Requests()[0]); got != want {
			t.Errorf("%q: the model reads %q, want %q", typed, got, want)
		}
	}
}

func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	s := agent.Surroundings{Cwd: "/w", System: "linux/amd64", Shell: "bash"}
	for _, variant := range []string{"full", "short"} {
		bare, err := agent.SystemPrompt(variant, s)
		if err != nil {
			t.Fatal(err)
		}
		all := s
		all.Bash, all.Edit, all.Skills = true, true, true
		whole, err := agent.SystemPrompt(variant, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"/w", "linux/amd64", "RULES", "unless a command in THIS answer returned it"} {
			if !strings.Contains(bare, want) {
				t.Errorf("%s lacks %q", variant, want)
			}
		}
		for _, section := range []string{"FILE EDITING", "SKILLS"} {
			if strings.Contains(bare, section) || !strings.Contains(whole, section) {
				t.Errorf("%s: section %s does not follow the tools", variant, section)
			}
		}
		if strings.Contains(whole, "\n\n\n") {
			t.Errorf("%s has a hole:\n%s", variant, whole)
		}
	}
	if _, err := agent.SystemPrompt("long", s); err == nil {
		t.Error("an unknown variant was taken")
	}
}
