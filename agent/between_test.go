package agent_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/tools"
)

// The list of files says what each one is against the beginning, by every way
// that changes them, and again when the session is taken up.
func TestFilesChanged(t *testing.T) {
	t.Parallel()
	a := func(before, after string) tools.Change {
		return tools.Change{Path: "/work/a", Before: []byte(before), After: []byte(after)}
	}
	edits := []tools.Change{a("1\n2\n", "1\n3\n"), a("1\n3\n", "1\n3\n4\n"), {Path: "/work/b", After: []byte("new\n")}, a("1\n3\n4\n", "1\n2\n")}
	var script []agenttest.Reply
	for range edits {
		script = append(script, agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("ok"))
	}
	rest := edits
	tool := echo{run: func(context.Context, string, tools.Sink) tools.Result {
		ch := rest[0]
		rest = rest[1:]
		return tools.Result{Status: tools.OK, Changes: []tools.Change{ch}}
	}}
	o := yolo(options(agenttest.NewModel(script...), tool))
	o.Restore = func(string, []byte, []byte) error { return nil }
	r := agenttest.Run(t, o)
	oneLine := agent.FileChange{Path: "a", Added: 1, Removed: 1}
	twoLines := agent.FileChange{Path: "a", Added: 2, Removed: 1}
	created := agent.FileChange{Path: "b", Added: 1, Created: true}
	for i, step := range []struct {
		name string
		cmd  agent.Command
		want []agent.FileChange
	}{
		{"a line", agent.Prompt{Text: "1"}, []agent.FileChange{oneLine}},
		{"one more line of the same file", agent.Prompt{Text: "2"}, []agent.FileChange{twoLines}},
		{"a new file", agent.Prompt{Text: "3"}, []agent.FileChange{twoLines, created}},
		{"back to the beginning", agent.Prompt{Text: "4"}, []agent.FileChange{created}},
		{"the way back is undone", agent.Undo{}, []agent.FileChange{twoLines, created}},
		{"the new file is undone", agent.Undo{}, []agent.FileChange{twoLines}},
		{"and is there again", agent.Redo{}, []agent.FileChange{twoLines, created}},
	} {
		got := of[agent.FilesChanged](r.Do(step.cmd))
		if want := []agent.FilesChanged{{Files: step.want}}; !cmp.Equal(got, want) {
			t.Errorf("step %d, %s: %s", i, step.name, cmp.Diff(want, got))
		}
	}
	again := options(agenttest.NewModel(), echo{})
	again.Session = o.Session
	got := of[agent.FilesChanged](agenttest.Run(t, again).Start)
	if want := []agent.FilesChanged{{Files: []agent.FileChange{twoLines, created}}}; !cmp.Equal(got, want) {
		t.Errorf("taken up again: %s", cmp.Diff(want, got))
	}
	for range 3 {
		r.Do(agent.Undo{})
	}
	fresh := options(agenttest.NewModel(), echo{})
	fresh.Session = o.Session
	if got := of[agent.FilesChanged](agenttest.Run(t, fresh).Start); len(got) > 0 {
		t.Errorf("nothing is other, and told is %+v", got)
	}
}
