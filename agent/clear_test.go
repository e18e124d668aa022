package agent_test

import (
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
)

func TestNewKeepsTheOldConversation(t *testing.T) {
	t.Parallel()
	store, err := session.Open(t.TempDir() + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	o := options(agenttest.NewModel(agenttest.Say("a"), agenttest.Say("b")), echo{})
	o.Store = store
	cleared := 0
	o.Cleared = func() { cleared++ }
	r := agenttest.Run(t, o)

	find := func(events []agent.Event) agent.Cleared {
		for _, e := range events {
			if c, ok := e.(agent.Cleared); ok {
				return c
			}
		}
		t.Fatalf("no Cleared in:\n%s", agenttest.Log(events))
		return agent.Cleared{}
	}
	if c := find(r.Do(agent.Clear{})); c.Forgotten != 0 || c.Kept != "" {
		t.Errorf("an empty conversation: %+v, want nothing kept", c)
	}
	r.Prompt("q")
	c := find(r.Do(agent.Clear{}))
	if c.Forgotten != 2 || c.Kept == "" || c.Session != o.Session.ID || cleared != 2 {
		t.Errorf("%+v, called back %d times; want question and answer forgotten, the old one kept, the id in force", c, cleared)
	}
	old, err := store.Load(c.Kept)
	if err != nil || len(old.Items) != 2 {
		t.Errorf("the old conversation: %+v, %v", old, err)
	}
	r.Prompt("q2")
	now, err := store.Load(o.Session.ID)
	if err != nil || len(now.Items) != 2 || now.Items[0].Text != "q2" {
		t.Errorf("the new conversation: %+v, %v", now, err)
	}
}
