package gauntlet

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/eval"
	"mm/agent/session"
	"mm/safety"
	"mm/tools"
)

const sample = `title: writes nothing
of: model
told: never said
stop: stuck
set: maxTurns=3 theme=none
-- prompt --
Write.
-- project/kept.txt --
kept
-- llm/1 --
say hi
-- llm/2 --
say more
-- want/a.txt --
a
-- check --
answer there
`

// talker builds a core that says one word and does nothing.
func talker(_ context.Context, s eval.Setup, _ string, _ map[string]string) (eval.Core, func(), error) {
	box, err := tools.NewToolbox(tools.ToolboxOptions{}, tools.Checklist{})
	if err != nil {
		return nil, nil, err
	}
	return agent.New(agent.Options{
		Model: agenttest.NewModel(agenttest.Say("hi")), Tools: s.Tools(box),
		Policy:  safety.NewPolicy(safety.Options{Mode: safety.Yolo}),
		Session: session.New(s.Dir, time.Now()), System: "x", MaxTurns: s.MaxTurns,
	}), func() {}, nil
}

// A row fails for each thing that is not as wanted, and names it.
func TestRowsCanFail(t *testing.T) {
	t.Parallel()
	f, err := Parse("sample", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	build := func(ctx context.Context, s eval.Setup, base string, set map[string]string) (eval.Core, func(), error) {
		settings = set
		return talker(ctx, s, base, set)
	}
	var out strings.Builder
	rows, err := Run(t.Context(), []Fault{f}, build, &out)
	if err != nil || len(rows) != 1 || rows[0].Passed {
		t.Fatalf("%+v, %v", rows, err)
	}
	why := strings.Join(rows[0].Why, "\n")
	for _, want := range []string{
		"a.txt: there is no such file", "the answer: nothing matches there",
		`ended with "answer", want "stuck"`, `was not told "never said"`, "2 sections of the script were not asked for",
	} {
		if !strings.Contains(why, want) {
			t.Errorf("%q is not among\n%s", want, why)
		}
	}
	if !strings.HasPrefix(out.String(), "FAIL  model") {
		t.Errorf("the table says %q", out.String())
	}
	if settings["maxTurns"] != "3" || settings["theme"] != "none" {
		t.Errorf("settings %v", settings)
	}
}

func TestWrongArchivesAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"of":     strings.Replace(sample, "of: model", "of: nobody", 1),
		"told":   strings.Replace(sample, "never said", "(", 1),
		"set":    strings.Replace(sample, "theme=none", "theme", 1),
		"script": strings.Replace(sample, "say hi", "sing hi", 1),
		"task":   strings.Replace(sample, "title", "tittle", 1),
	} {
		if _, err := Parse(name, []byte(text)); err == nil {
			t.Errorf("%s: a wrong archive was taken", name)
		}
	}
}

// Each fault that the specification names of a small model and of a server has
// a row.
func TestFaultsAreComplete(t *testing.T) {
	t.Parallel()
	faults, err := Faults()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range faults {
		names = append(names, f.Name)
	}
	for _, want := range []string{
		// The failures that the design answers.
		"hallucination", "imprecise-bytes", "loop", "derailed-arguments", "overlong-call", "long-reasoning", "small-window",
		"weak-routing", "malformed-json", "invented-tool", "call-as-text", "leaked-reasoning", "cut-answer",
		// The repairs and guards of the client.
		"cut-call", "hopeless-arguments", "repeated-text", "repeated-read", "double-braces", "skill-as-tool", "shows-a-call", "unknown-text-call", "edits-a-folder", "repeated-thoughts", "error-in-stream", "drop-in-text",
		"drop-in-call", "drop-after-tool", "no-stream", "empty-answer", "template-roles", "template-tools",
		"silence", "stall", "loading", "truncated-prompt",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no fault %s", want)
		}
	}
}

// Each fault wants more than that its script was asked for: an agent that says
// a word and does nothing passes none.
func TestFaultsWantSomething(t *testing.T) {
	t.Parallel()
	faults, err := Faults()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Run(t.Context(), faults, talker, io.Discard)
	if err != nil || len(rows) != len(faults) {
		t.Fatalf("%d rows of %d, %v", len(rows), len(faults), err)
	}
	for _, r := range rows {
		if strings.Contains(r.Title, "(skipped: ") {
			continue
		}
		wanted := slices.DeleteFunc(r.Why, func(why string) bool { return strings.HasSuffix(why, "sections of the script were not asked for") })
		if len(wanted) == 0 {
			t.Errorf("%s wants nothing", r.Fault)
		}
	}
}
