package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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

// TestLocksLeaveNothing: however many fight for a session, one has it at a time,
// and no file is left: neither by those that gave it back nor, after the next
// start, by one that was killed.
func TestLocksLeaveNothing(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	id := session.NewID(time.Now())
	var holders, had atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for had.Load() < 100 {
				release, err := s.Lock(id)
				if err != nil {
					continue // in use
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d have the lock", n)
				}
				had.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	if err := os.WriteFile(filepath.Join(dir, "."+session.NewID(time.Now())+".lock"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Open(dir); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.lock")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSweepLeavesLocksInUse: a start does not take away what another has open.
func TestSweepLeavesLocksInUse(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	id := session.NewID(time.Now())
	release, err := s.Lock(id)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	second, err := session.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Lock(id); err == nil {
		t.Error("a lock in use was taken after a sweep")
	}
}

func TestEmptySessionHasNoFile(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	sess := saved(t, s, "x", "y")
	sess.Items = nil
	for range 2 { // there is a file, then there is none
		if err := s.Save(sess); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	s.KeepEmpty = true
	if err := s.Save(sess); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(sess.ID); err != nil {
		t.Errorf("an empty session that is to be kept: %v", err)
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("listed: %v, %v", list, err)
	}
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
