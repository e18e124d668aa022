package agent_test

import (
	"strings"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
)

func TestContextMap(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Call("echo", `{"text":"aa"}`), agenttest.Say("ok"), agenttest.Say("again"))
	o := small(m, speaks)
	m.Served.ContextWindow = 100_000
	r := agenttest.Run(t, o)
	r.Prompt("look")
	mapped := func(events []agent.Event) agent.ContextMapped {
		for _, e := range events {
			if m, ok := e.(agent.ContextMapped); ok {
				return m
			}
		}
		t.Fatalf("no map in:\n%s", agenttest.Log(events))
		return agent.ContextMapped{}
	}
	var names []string
	var output agent.Part
	for _, p := range mapped(r.Do(agent.MapContext{})).Parts {
		names = append(names, p.Name)
		if p.Call != "" {
			output = p
		}
	}
	if got, want := strings.Join(names, "; "), "system prompt; tool echo; turn 1: look; output of aa"; got != want {
		t.Errorf("parts %q, want %q", got, want)
	}
	// 200 lines of 3 characters at 3.5 a token are 172 tokens, and the server
	// was not asked for its count; the stub takes a dozen.
	if output.Call != "c1" || output.Tokens < 150 || output.Frees < 130 {
		t.Errorf("the output: %+v", output)
	}
	of := func(events []agent.Event) agent.Part {
		for _, p := range mapped(events).Parts {
			if p.Call == "c1" {
				return p
			}
		}
		t.Fatal("the output is not in the map")
		return agent.Part{}
	}
	if p := of(r.Do(agent.DropOutput{Call: "c1"})); !p.Masked || p.Tokens >= output.Tokens || p.Frees != 0 {
		t.Errorf("dropped: %+v", p)
	}
	r.Prompt("again")
	reqs := m.Requests()
	if got := reqs[len(reqs)-1].Messages[3].Text; !strings.HasPrefix(got, `[output of "aa" left out`) {
		t.Errorf("the dropped output is sent as %q", got)
	}
	if p := of(r.Do(agent.PinOutput{Call: "c1"})); p.Masked || !p.Pinned {
		t.Errorf("pinned: %+v", p)
	}
}
