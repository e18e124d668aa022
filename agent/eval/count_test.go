package eval

import (
	"maps"
	"slices"
	"testing"

	"mm/agent"
	"mm/fileedit"
	"mm/llm"
	"mm/tools"
)

// The kinds are read off the notes that the tools and the agent really write.
func TestRepairKinds(t *testing.T) {
	t.Parallel()
	list := []tools.Tool{
		tools.NewBash(tools.BashOptions{}), tools.NewReadFile(tools.Files{}), tools.NewEditFile(tools.Files{}),
	}
	box, err := tools.NewToolbox(tools.ToolboxOptions{Repair: repairArgs}, list...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, args string
		want       []string
	}{
		{"bash", `{"command":"ls"}`, nil},
		{"shell", `{"command":"ls"}`, []string{"tool name"}},
		{"functions.bash", `{"cmd":"ls"}`, []string{"tool name", "field name"}},
		{"bash", `{'command': 'ls'}`, []string{"json"}},
		{"bash", `{"arguments":{"command":"ls"}}`, []string{"shape"}},
		{"bash", `["{\"command\":\"ls\"}"]`, []string{"shape"}},
		{"bash", `"ls"`, []string{"shape"}},
		{"bash", `{"command":["ls","-l"]}`, []string{"type"}},
		{"bash", `{"command":"ls","timeout":"20"}`, []string{"type"}},
		{"bash", `{"command":"ls","timeout":"20s"}`, []string{"type"}},
		{"edit_file", `{"path":"a","old":"b","new":"c"}`, []string{"shape"}},
		{"edit_file", `{"path":"a","edits":{"old":"b","new":"c"}}`, []string{"type"}},
		{"edit_file", `{"edits":[{"path":"a","old":"b","new":"c"}]}`, []string{"shape"}},
	} {
		_, _, notes, err := box.Resolve(tc.name, tc.args)
		if err != nil {
			t.Errorf("%s %s: %v", tc.name, tc.args, err)
			continue
		}
		var got []string
		for _, n := range notes {
			got = append(got, repairKind(n))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s %s: got %q, want %q; the notes are %q", tc.name, tc.args, got, tc.want, notes)
		}
	}
}

// A repair is counted by its kind, whatever its line says.
func TestRepairKindsOfNotices(t *testing.T) {
	t.Parallel()
	c := counts{repairs: map[string]int{}}
	c.count(agent.Notice{Level: agent.Repair, Mended: "bad arguments", Text: "the arguments of bash were cut and not valid"})
	c.count(agent.Notice{Level: agent.Warn, Text: "a call was cut"})
	if want := map[string]int{"bad arguments": 1}; !maps.Equal(c.repairs, want) {
		t.Errorf("got %v, want %v", c.repairs, want)
	}
}

// The number of loose matches is read off the report that an edit really
// makes.
func TestFuzzyMatchesAreCounted(t *testing.T) {
	t.Parallel()
	src := []byte("func f() {\n\tif x {\n\t\ty()\n\t}\n}\n\nfunc g() {\n\tz()\n}\n")
	for name, tc := range map[string]struct {
		edits []fileedit.Edit
		want  int
	}{
		"exact": {[]fileedit.Edit{{Old: "\t\ty()", New: "\t\tq()"}}, 0},
		"one":   {[]fileedit.Edit{{Old: "    if x {\n        y()", New: "    if x {\n        q()"}}, 1},
		"two": {[]fileedit.Edit{
			{Old: "    if x {\n        y()", New: "    if x {\n        q()"},
			{Old: "func g() {\n    z()", New: "func g() {\n    q()"},
		}, 2},
	} {
		r, err := fileedit.Apply(src, tc.edits, fileedit.Options{Path: "a.go"})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, before := range []string{"", "[\"file\" was taken for \"path\"]\n"} {
			c := counts{repairs: map[string]int{}}
			c.count(agent.CallEnded{Status: agent.CallOK, Output: before + r.Report()})
			if c.fuzzy != tc.want {
				t.Errorf("%s: got %d, want %d:\n%s", name, c.fuzzy, tc.want, before+r.Report())
			}
		}
	}
}

// A file that speaks of loops or of matches is none.
func TestQuotationsDoNotCount(t *testing.T) {
	t.Parallel()
	c := counts{repairs: map[string]int{}}
	c.count(agent.CallEnded{Status: agent.CallOK, Output: "1|x\n2|a.go: 1 edit applied, 3 matched ignoring whitespace\n3|see [LOOP_DETECTED: ...]"})
	if c.fuzzy != 0 || c.loops != 0 || c.tools != 1 {
		t.Errorf("fuzzy %d, loops %d, tools %d; want 0, 0, 1", c.fuzzy, c.loops, c.tools)
	}
}

func TestRetriesAndRefusalsCount(t *testing.T) {
	t.Parallel()
	c := counts{repairs: map[string]int{}}
	for _, e := range []agent.Event{
		agent.StepStarted{},
		agent.StepEnded{},
		agent.Retrying{},
		agent.StepStarted{},
		agent.StepEnded{Finish: llm.FinishStop},
		agent.CallEnded{Status: agent.CallDenied},
		agent.CallEnded{Status: agent.CallInvalid},
		agent.Notice{Level: agent.Warn, Text: "the answer was empty"},
	} {
		c.count(e)
	}
	if c.calls != 2 || c.answers != 1 || c.repairs["retry"] != 1 || c.refused != 1 || c.invalid != 1 || len(c.repairs) != 1 {
		t.Errorf("got %+v", c)
	}
}
