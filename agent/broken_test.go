package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/safety"
	"mm/tools"
)

// editing is a core whose tool writes its text into a file, which parses while
// it holds no "bad".
func editing(t *testing.T, m *agenttest.Model) (agent.Options, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte("good"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := yolo(options(m, echo{run: func(_ context.Context, text string, _ tools.Sink) tools.Result {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
		if bytes.HasPrefix(before, []byte("bad")) && text == "good by sed" {
			return tools.Result{Text: "ran", Status: tools.OK} // nobody records it
		}
		return tools.Result{Text: "written", Status: tools.OK, Changes: []tools.Change{{Path: path, Before: before, After: []byte(text)}}}
	}}))
	o.Check = func(_ context.Context, c tools.Change) string {
		if bytes.Contains(c.Before, []byte("bad")) || !bytes.Contains(c.After, []byte("bad")) {
			return ""
		}
		return isBroken
	}
	return o, path
}

const isBroken = "main.go no longer parses: line 1: bad"

func TestBrokenFileIsMended(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Call("echo", `{"text":"bad"}`), agenttest.Say("Done."), forcedCall("bad again"), agenttest.Say("Done."), forcedCall("good"), agenttest.Say("Mended."))
	o, path := editing(t, m)
	events := agenttest.Run(t, o).Prompt("go")
	if got, _ := os.ReadFile(path); string(got) != "good" {
		t.Errorf("the file holds %q", got)
	}
	want := isBroken + ": the server was made to write the call"
	if got := notices(events, agent.Repair); !slices.Equal(got, []string{want, want}) {
		t.Errorf("repairs %q, want %q twice", got, want)
	}
	if got := notices(events, agent.Warn); len(got) > 0 {
		t.Errorf("the user is warned of a file that parses: %q", got)
	}
}

func TestBrokenFileIsTold(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Call("echo", `{"text":"bad"}`), agenttest.Say("Done."), agenttest.Say(`{"tool":"none"}`))
	o, _ := editing(t, m)
	events := agenttest.Run(t, o).Prompt("go")
	if got, want := notices(events, agent.Warn), isBroken+" (/undo takes the changes of the turn back)"; !slices.Equal(got, []string{want}) {
		t.Errorf("the user is told %q, want %q", got, want)
	}
}

// What counts is the file as it is, not as the last edit left it; and a file
// that was broken before is the user's affair.
func TestFileThatIsNotBrokenByTheTurn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before string
		calls  []string
	}{
		"mended by a command": {"good", []string{"bad", "good by sed"}},
		"broken before":       {"bad", []string{"bad too"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var replies []agenttest.Reply
			for _, text := range tc.calls {
				replies = append(replies, agenttest.Call("echo", fmt.Sprintf(`{"text":%q}`, text)))
			}
			m := onLlamaCpp(append(replies, agenttest.Say("Done."))...)
			o, path := editing(t, m)
			if err := os.WriteFile(path, []byte(tc.before), 0o600); err != nil {
				t.Fatal(err)
			}
			events := agenttest.Run(t, o).Prompt("go")
			if got := len(m.Requests()); got != len(tc.calls)+1 || len(notices(events, agent.Warn)) > 0 {
				t.Errorf("%d calls of the model, warnings %q; want %d and none", got, notices(events, agent.Warn), len(tc.calls)+1)
			}
		})
	}
}

// A user who refuses the call that would mend a file is not asked again.
func TestRefusedMendingIsNotForcedAgain(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Call("echo", `{"text":"bad"}`), agenttest.Say("Done."), forcedCall("good"), agenttest.Say("As you wish."))
	o, _ := editing(t, m)
	o.Policy.SetMode(safety.AskMode)
	r := agenttest.Run(t, o)
	asked := 0
	r.Answer(func(q agent.ApprovalAsked) agent.Decide {
		asked++
		if asked == 1 {
			return agent.Decide{ID: q.ID, Choice: agent.ChoiceAllow}
		}
		return agent.Decide{ID: q.ID, Choice: agent.ChoiceReject}
	})
	r.Prompt("go")
	if asked != 2 {
		t.Errorf("the user was asked %d times, want 2", asked)
	}
}

// A new file may be meant to be as it is.
func TestNewFileIsNotBroken(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("Done."))
	path := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := yolo(options(m, echo{run: func(context.Context, string, tools.Sink) tools.Result {
		return tools.Result{Text: "written", Status: tools.OK, Changes: []tools.Change{{Path: path, After: []byte("{")}}}
	}}))
	o.Check = func(context.Context, tools.Change) string { return "bad.json does not parse: line 1" }
	events := agenttest.Run(t, o).Prompt("go")
	if got := len(m.Requests()); got != 2 || len(notices(events, agent.Warn)) > 0 {
		t.Errorf("%d calls of the model, warnings %q; want 2 and none", got, notices(events, agent.Warn))
	}
}
