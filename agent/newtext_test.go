package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/safety"
	"mm/tools"
)

// onFile is a session whose tool is the real edit_file or write_file on a
// folder that holds a file.
func onFile(t *testing.T, make func(tools.Files) tools.Tool, args string) (r *agenttest.Runner, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := safety.NewWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	tool := make(tools.Files{Workspace: ws, Seen: tools.NewSeen()})
	name := tool.Spec().Name
	o := options(agenttest.NewModel(agenttest.Call(name, args), agenttest.Say("ok")), tool)
	o.Policy = safety.NewPolicy(safety.Options{})
	return agenttest.Run(t, o), file
}

// What the user writes in place of the model's text is what is written, and
// the model reads it.
func TestEditedTextIsWrittenAndTold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		make         func(tools.Files) tools.Tool
		args         string
		offered, put string
		want         string
	}{
		{"edit", tools.NewEditFile, `{"path":"a.txt","edits":[{"old":"two\n","new":"2\n"}]}`, "2\n", "zwei\n", "one\nzwei\n"},
		{"new file", tools.NewWriteFile, `{"path":"a.txt","content":"x\n"}`, "x\n", "y\n", "y\n"},
		{"unchanged", tools.NewEditFile, `{"path":"a.txt","edits":[{"old":"two\n","new":"2\n"}]}`, "2\n", "2\n", "one\n2\n"},
		{"several edits offer none", tools.NewEditFile, `{"path":"a.txt","edits":[{"old":"two","new":"2"},{"old":"one","new":"1"}]}`, "", "x", "1\n2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, file := onFile(t, tc.make, tc.args)
			if tc.name == "new file" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			var asked agent.ApprovalAsked
			r.Answer(func(q agent.ApprovalAsked) agent.Decide {
				asked = q
				return agent.Decide{Choice: agent.ChoiceAllow, NewText: tc.put}
			})
			got := calls(r.Prompt("go"))[0]
			data, err := os.ReadFile(file)
			if err != nil || string(data) != tc.want || asked.NewText != tc.offered {
				t.Errorf("file %q, %v, want %q; offered %q, want %q", data, err, tc.want, asked.NewText, tc.offered)
			}
			told := strings.Contains(got.Output, "the user changed the new text before it was written, to:\n"+tc.put)
			if want := tc.offered != "" && tc.put != tc.offered; told != want {
				t.Errorf("told %v, want %v: %q", told, want, got.Output)
			}
		})
	}
}

// The changes of a session are the net ones: of each file what it was against
// what it is.
func TestNetChanges(t *testing.T) {
	t.Parallel()
	contents := []string{"old", "half", "new"}
	step := 0
	tool := echo{run: func(context.Context, string, tools.Sink) tools.Result {
		step++
		return tools.Result{Status: tools.OK, Changes: []tools.Change{
			{Path: "/work/a", Before: []byte(contents[step-1]), After: []byte(contents[step])},
			{Path: "/work/back", Before: []byte(contents[2-step]), After: []byte(contents[step-1])},
		}}
	}}
	o := yolo(options(agenttest.NewModel(
		agenttest.Call("echo", `{"text":"a"}`), agenttest.Say("ok"), agenttest.Call("echo", `{"text":"b"}`), agenttest.Say("ok"),
	), tool))
	o.Session.Cwd = "/work"
	r := agenttest.Run(t, o)
	r.Prompt("one")
	r.Prompt("two")
	for _, e := range r.Do(agent.MapChanges{}) {
		m, ok := e.(agent.ChangesMapped)
		if !ok {
			continue
		}
		if len(m.Files) != 1 || m.Files[0].Path != "a" || m.Files[0].Added != 1 || m.Files[0].Removed != 1 {
			got, _ := json.Marshal(m.Files)
			t.Errorf("got %s, want the change of a from old to new", got)
		}
		return
	}
	t.Error("no answer")
}
