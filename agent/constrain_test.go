package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
)

func TestSecondBadCallIsWrittenByTheServer(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(
		agenttest.Call("write_file", `{"path":"a"}`),
		agenttest.Call("write_file", `{"path":"a","note":"second"}`),
		agenttest.Say(`{"path":"a","content":"x"}`),
		agenttest.Say("Done."))
	m.Served.Provider = "llamacpp"
	o, written := writing(t, m)
	events := agenttest.Run(t, o).Prompt("go")
	closedInOrder(t, events)
	if diff := cmp.Diff([]string{"x"}, *written); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	reqs := m.Requests()
	ask := reqs[2]
	if ask.ToolChoice != "none" || len(ask.Tools) != 1 || !ask.NoThinking || !strings.Contains(string(ask.Schema), `"content"`) {
		t.Errorf("asked with choice %q, %d tools, reasoning off %v, schema %s", ask.ToolChoice, len(ask.Tools), ask.NoThinking, ask.Schema)
	}
	n := len(reqs[1].Messages)
	if diff := cmp.Diff(reqs[1].Messages, ask.Messages[:n]); diff != "" {
		t.Errorf("the messages are not those of the call that failed:\n%s", diff)
	}
	for _, item := range o.Session.Items {
		for _, c := range item.Calls {
			if strings.Contains(c.Args, "second") {
				t.Errorf("the failed attempt is in the history: %s", c.Args)
			}
		}
	}
	wellFormed(t, o.Session.Items)
}

func TestBadArgumentsEndTheTurnAfterTwoHandBacks(t *testing.T) {
	t.Parallel()
	bad := agenttest.Call("write_file", `{}`)
	open := agenttest.Say("I would rather not.")
	for _, tc := range []struct {
		name, provider string
		off            bool
		replies        []agenttest.Reply
	}{
		{"a server without a grammar", "lmstudio", false, []agenttest.Reply{bad, bad, bad}},
		{"turned off", "llamacpp", true, []agenttest.Reply{bad, agenttest.Call("write_file", `{`), bad}},
		{"a grammar that fails open", "llamacpp", false, []agenttest.Reply{bad, bad, open, bad}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(tc.replies...)
			m.Served.Provider = tc.provider
			o, written := writing(t, m)
			o.Repairs.NoConstrain = tc.off
			events := agenttest.Run(t, o).Prompt("go")
			closedInOrder(t, events)
			end := ended(t, events)
			if end.Stop != agent.StopStuck || !strings.Contains(end.Text, "valid arguments for write_file in 3 tries") {
				t.Errorf("got %q %q, want stuck and the cause", end.Stop, end.Text)
			}
			if got := len(notices(events, agent.Repair)); got != 2 {
				t.Errorf("%d repairs were shown, want 2", got)
			}
			if got := len(m.Requests()); got != len(tc.replies) || len(*written) > 0 {
				t.Errorf("%d requests, want %d; written %q", got, len(tc.replies), *written)
			}
			wellFormed(t, o.Session.Items)
		})
	}
}

// TestGoodCallForgetsBadOnes: only failures in a row count.
func TestGoodCallForgetsBadOnes(t *testing.T) {
	t.Parallel()
	bad := agenttest.Call("write_file", `{}`)
	good := func(path string) agenttest.Reply {
		return agenttest.Call("write_file", `{"path":"`+path+`","content":"x"}`)
	}
	m := agenttest.NewModel(bad, good("a"), bad, good("b"), bad, agenttest.Say("Done."))
	o, written := writing(t, m)
	if got := ended(t, agenttest.Run(t, o).Prompt("go")).Stop; got != agent.StopAnswer || len(*written) != 2 {
		t.Errorf("stop %q, %d files; want an answer and 2", got, len(*written))
	}
}
