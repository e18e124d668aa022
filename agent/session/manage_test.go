package session_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"mm/agent/session"
	"mm/llm"
)

func saved(t *testing.T, s *session.Store, title, text string) *session.Session {
	t.Helper()
	sess := session.New("/work", time.Now())
	sess.Title = title
	sess.Items = []session.Item{{Message: llm.Message{Role: llm.User, Text: text}, Turn: 1}}
	if err := s.Save(sess); err != nil {
		t.Fatal(err)
	}
	return sess
}

func TestSearchRenameDelete(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	a, b := saved(t, s, "Flags", "rename the flag"), saved(t, s, "Tests", "mend the test")
	found, err := s.Search("the FLAG")
	if err != nil || len(found) != 1 || found[0].ID != a.ID {
		t.Errorf("found %+v, %v; want %s", found, err, a.ID)
	}
	if err := s.Rename(b.ID, "Other"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Load(b.ID); err != nil || got.Title != "Other" || len(got.Items) != 1 {
		t.Errorf("renamed: %+v, %v", got, err)
	}
	if err := s.Delete(a.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(a.ID); err == nil {
		t.Error("a deleted session loads")
	}
	if err := s.Delete(a.ID); err == nil {
		t.Error("a session was deleted twice")
	}
}

func TestLockIsForOne(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	sess := saved(t, s, "x", "y")
	release, err := s.Lock(sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Lock(sess.ID)
	inUse, ok := errors.AsType[*session.InUseError](err)
	if !ok || inUse.PID != os.Getpid() {
		t.Errorf("second lock: %v, want in use by %d", err, os.Getpid())
	}
	if err := s.Delete(sess.ID); err == nil {
		t.Error("a session in use was deleted")
	}
	release()
	release, err = s.Lock(sess.ID)
	if err != nil {
		t.Errorf("after release: %v", err)
	}
	release()
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	sess := session.New("/work", time.Now())
	sess.Title = "T"
	sess.Items = []session.Item{
		{Message: llm.Message{Role: llm.User, Text: "q\n[attached file: /x]"}, Shown: "q"},
		{Message: llm.Message{Role: llm.User, Text: "note"}, Note: true},
		{Message: llm.Message{Role: llm.Assistant, Text: "a", Calls: []llm.Call{{ID: "c1", Name: "bash"}}}},
		{Message: llm.Message{Role: llm.Tool, CallID: "c1", Text: "```\nout\n```\n"}, Tool: "bash", Title: "cat `x`", Status: "ok"},
	}
	want := "\n## You\n\nq\n\n## mm\n\na\n\n**bash** `cat 'x'`: ok\n\n````\n```\nout\n```\n````\n"
	if got := sess.Markdown(); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end with %q", got, want)
	}
}
