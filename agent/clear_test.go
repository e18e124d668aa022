package agent_test

import (
	"strings"
	"syscall"
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

// fullStore is a store on a disk that is full for so many saves.
type fullStore struct {
	fails int
	saved int // messages of the last save that worked
}

func (s *fullStore) Save(sess *session.Session) error {
	if s.fails--; s.fails >= 0 {
		return syscall.ENOSPC
	}
	s.saved = len(sess.Items)
	return nil
}

func (s *fullStore) Fork(*session.Session) (string, error) { return "", syscall.ENOSPC }

// TestSessionThatCannotBeSaved: the turn goes on, one line tells, and once there
// is room all of it is saved. /new forgets nothing that is kept nowhere.
func TestSessionThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	store := &fullStore{fails: 3}
	o := yolo(options(agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("done")), echo{}))
	o.Store = store
	r := agenttest.Run(t, o)
	events := r.Prompt("go")
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want the answer", got)
	}
	said := notices(events, agent.Warn)
	if len(said) != 1 || !strings.Contains(said[0], "no space left") || !strings.Contains(said[0], "sessions.enabled: false") {
		t.Errorf("said %q, want one line that says what to do", said)
	}
	if want := 4; store.saved != want || len(o.Session.Items) != want {
		t.Errorf("%d messages saved of %d, want %d", store.saved, len(o.Session.Items), want)
	}
	r.Do(agent.Clear{})
	if len(o.Session.Items) == 0 {
		t.Error("a conversation was forgotten that could not be kept")
	}
}
