package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mm/agent/session"
	"mm/llm"
)

// Public report H05: a second program resumes a session that is open. It is told
// and goes on with a copy; what both say is kept. A lock that a killed program
// left behind holds nobody off.
func TestSessionOpenElsewhere(t *testing.T) {
	a := onDemo(t)
	store, err := a.store(a.cwd)
	if err != nil {
		t.Fatal(err)
	}
	stored := session.New(a.cwd, time.Now())
	say := func(s *session.Session, text string) {
		s.Items = append(s.Items, session.Item{Message: llm.Message{Role: llm.User, Text: text}, Turn: 1})
		if err := store.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	say(stored, "before")
	left := filepath.Join(store.Dir(), "."+stored.ID+".lock")
	if err := os.WriteFile(left, []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.opts.resume = stored.ID

	first, err := a.open()
	if err != nil || len(first.said) > 0 || first.session.ID != stored.ID {
		t.Fatalf("behind a killed program: %q, %v", first.said, err)
	}
	say(first.session, "the first asks")
	second, err := a.open()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("session %s is open in another mm (pid %d): going on with a copy", stored.ID, os.Getpid())
	if len(second.said) != 1 || second.said[0] != want {
		t.Errorf("said %q, want %q", second.said, want)
	}
	say(second.session, "the second asks")
	say(first.session, "the first asks again")
	second.release()
	first.release()
	for id, want := range map[string]string{
		stored.ID:         "before, the first asks, the first asks again",
		second.session.ID: "before, the first asks, the second asks",
	} {
		got, err := store.Load(id)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, item := range got.Items {
			texts = append(texts, item.Text)
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("%s holds %q, want %q", id, got, want)
		}
	}
}
