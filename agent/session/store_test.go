package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent/session"
	"mm/llm"
)

func open(t *testing.T) (*session.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".mm", "sessions")
	s, err := session.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	sess := session.New("/work", time.Now())
	sess.Title = "hello"
	sess.Items = []session.Item{
		{Message: llm.Message{Role: llm.User, Text: "q\x00\xff <&>"}, Turn: 1},
		{Message: llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c1", Name: "bash", Args: `{"command":`}}}, Turn: 1},
		{Message: llm.Message{Role: llm.Tool, CallID: "c1", Text: "out"}, Turn: 1, Tool: "bash", Status: "ok"},
	}
	sess.Turns = []session.Turn{{Number: 1, Model: "m", Changes: []session.Change{{Path: "/x", Before: nil, After: []byte{0, 255}}}}}
	if err := s.Save(sess); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load(sess.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := *sess
	want.Items[0].Text = "q\x00\uFFFD <&>" // JSON holds no broken UTF-8
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, perm := range map[string]os.FileMode{".": 0o700, sess.ID + ".json": 0o600, "../.gitignore": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != perm {
			t.Errorf("%s: mode %v, %v; want %v", name, info.Mode().Perm(), err, perm)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".tmp*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Public report H03: files that are empty, of NUL bytes alone, or cut.
func TestDamagedSessionsAreListedAndKept(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	files := map[string]string{
		"20260101-000000-aaaaaaaa": "",
		"20260101-000001-bbbbbbbb": "\x00\x00\x00\x00",
		"20260101-000002-cccccccc": `{"version":1,"items":[{"role":"us`,
		"20260101-000003-dddddddd": `{"version":99}`,
		"20260101-000004-eeeeeeee": `{}`,
	}
	for id, text := range files {
		if err := os.WriteFile(filepath.Join(dir, id+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	good := session.New("/work", time.Now())
	good.Items = []session.Item{{Message: llm.Message{Role: llm.User, Text: "q"}}}
	if err := s.Save(good); err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil || len(list) != len(files)+1 {
		t.Fatalf("list %v, %v; want all %d", list, err, len(files)+1)
	}
	if list[0].ID != good.ID || list[0].Err != nil {
		t.Errorf("first is %+v, want the good one", list[0])
	}
	for _, e := range list[1:] {
		if e.Err == nil {
			t.Errorf("%s: no error, want the reason", e.ID)
		}
		if got, err := os.ReadFile(filepath.Join(dir, e.ID+".json")); err != nil || string(got) != files[e.ID] {
			t.Errorf("%s was changed", e.ID)
		}
	}
	if latest, err := s.Latest(); err != nil || latest.ID != good.ID {
		t.Errorf("latest %v, %v; want the good one", latest, err)
	}
}

func TestDamagedSessionsAreSetAside(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	bad, newer := "20260101-000000-aaaaaaaa.json", "20260101-000001-bbbbbbbb.json"
	for name, text := range map[string]string{bad: `{"version":1,"it`, newer: `{"version":99}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := s.SetAside()
	if len(said) != 1 || !strings.Contains(said[0], bad+".corrupt") {
		t.Errorf("said %q, want one line that names the file", said)
	}
	if got, err := os.ReadFile(filepath.Join(dir, bad+".corrupt")); err != nil || string(got) != `{"version":1,"it` {
		t.Errorf("set aside: %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(dir, newer)); err != nil {
		t.Error("a session of a newer version was moved")
	}
	// One that is damaged once more leaves what was set aside before.
	for i, text := range []string{"second", "third"} {
		if err := os.WriteFile(filepath.Join(dir, bad), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := s.SetAside()
		name := fmt.Sprintf("%s.corrupt-%d", bad, i+2)
		if len(said) != 1 || !strings.Contains(said[0], name) {
			t.Errorf("said %q, want one line that names %s", said, name)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, bad+".corrupt")); err != nil || string(got) != `{"version":1,"it` {
		t.Errorf("the first one is now %q, %v", got, err)
	}
}

// Those of a session that somebody has open may be being written.
func TestLeftTemporaryFilesAreSwept(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	const held, killed = "20260101-000000-aaaaaaaa", "20260101-000001-bbbbbbbb"
	release, err := s.Lock(held)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := os.WriteFile(filepath.Join(dir, "."+killed+".lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{
		".tmp-old": time.Hour, ".tmp-new": 0, ".tmp-" + held + "-1": 0, ".tmp-" + killed + "-1": 0,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := session.Open(dir); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".tmp*"))
	if len(left) != 2 || filepath.Base(left[0]) != ".tmp-"+held+"-1" || filepath.Base(left[1]) != ".tmp-new" {
		t.Errorf("left: %v, want those that may be being written", left)
	}
}

func TestLatestOfNone(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	if _, err := s.Latest(); !errors.Is(err, session.ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
}

func TestIDsThatEscapeAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for _, id := range []string{"", "../x", "20260101-000000-AAAAAAAA", "20260101-000000-aaaaaaaa/../../x"} {
		if _, err := s.Load(id); err == nil || !strings.Contains(err.Error(), "not a session id") {
			t.Errorf("Load(%q): %v", id, err)
		}
		if err := s.Save(&session.Session{ID: id}); err == nil {
			t.Errorf("Save(%q) wrote", id)
		}
	}
}

func TestLinksAreRefused(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	link := filepath.Join(dir, ".mm")
	if err := os.Symlink(outside, link); err != nil {
		t.Skip("no links here: ", err)
	}
	if _, err := session.Open(filepath.Join(link, "sessions")); err == nil {
		t.Error("a directory behind a link was taken")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("something was made behind the link: %v", left)
	}
}

// TestUndoIsBounded is report H10: twenty edits of a file of 2 MB, in one turn
// and in twenty, and one of a file that is too large by itself. The stored
// session stays small, and what it keeps for undo is whole turns, the newest.
func TestUndoIsBounded(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	content := func(n, size int) []byte { return bytes.Repeat([]byte{byte('a' + n)}, size) }
	for _, tc := range []struct {
		name          string
		turns, edits  int
		size          int
		kept, dropped int // turns
		before, after int // contents of the last turn's only change
	}{
		{"one turn", 1, 20, 2 * mb, 1, 0, 0, 20},
		{"twenty turns", 20, 1, 2 * mb, 2, 18, 19, 20},
		{"small ones", 20, 1, mb / 10, 20, 0, 19, 20},
		{"too large", 1, 3, 5 * mb, 0, 1, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, dir := open(t)
			sess := session.New("/work", time.Now())
			sess.Items = []session.Item{{Message: llm.Message{Role: llm.User, Text: "q"}}}
			edit := 0
			for turn := range tc.turns {
				sess.Turns = append(sess.Turns, session.Turn{Number: turn + 1})
				for range tc.edits {
					sess.Record(session.Change{Path: "/f", Before: content(edit, tc.size), After: content(edit+1, tc.size)})
					edit++
				}
			}
			if err := s.Save(sess); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(filepath.Join(dir, sess.ID+".json")); err != nil || info.Size() > 16*mb {
				t.Errorf("the file has %d bytes, %v", info.Size(), err)
			}
			kept, dropped := 0, 0
			for _, turn := range sess.Turns {
				if turn.Dropped {
					dropped++
				} else if len(turn.Changes) == 1 {
					kept++
				}
			}
			if kept != tc.kept || dropped != tc.dropped {
				t.Errorf("%d turns are kept and %d dropped, want %d and %d", kept, dropped, tc.kept, tc.dropped)
			}
			if tc.kept == 0 {
				return
			}
			last := sess.Turns[len(sess.Turns)-1].Changes[0]
			if !bytes.Equal(last.Before, content(tc.before, tc.size)) || !bytes.Equal(last.After, content(tc.after, tc.size)) {
				t.Error("the last turn's change is not from before its first edit to after its last")
			}
		})
	}
}

// TestRecordKeepsChangesOfOthersApart: what was changed in between by somebody
// else is no part of the change.
func TestRecordKeepsChangesOfOthersApart(t *testing.T) {
	t.Parallel()
	sess := session.New("/work", time.Now())
	sess.Turns = []session.Turn{{Number: 1}}
	first := session.Change{Path: "/f", After: []byte("a")}
	second := session.Change{Path: "/f", Before: []byte("b"), After: []byte("c")}
	sess.Record(first)
	sess.Record(second)
	if diff := cmp.Diff([]session.Change{first, second}, sess.Turns[0].Changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestForkKeepsBoth(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	sess := session.New("/work", time.Now())
	sess.Items = []session.Item{{Message: llm.Message{Role: llm.User, Text: "q"}}}
	id, err := s.Fork(sess)
	if err != nil || id == sess.ID {
		t.Fatalf("fork %q, %v", id, err)
	}
	if got, err := s.Load(id); err != nil || len(got.Items) != 1 {
		t.Errorf("the copy: %+v, %v", got, err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"version":1,"items":[{"role":"user","text":"q"}],"turns":[{"changes":[{"before":"AA=="}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, dir := open(t)
		id := "20260101-000000-aaaaaaaa"
		if err := os.WriteFile(filepath.Join(dir, id+".json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		sess, err := s.Load(id)
		if err == nil && s.Save(sess) != nil {
			t.Error("a session that loads does not save")
		}
	})
}

// Sessions once marked whole turns as undone.
func TestUndoneTurnsOfOldSessions(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	const id = "20260101-000000-00000000"
	old := `{"version":1,"id":"` + id + `","items":[],"turns":[
		{"number":1,"undone":true,"changes":[{"path":"/a"},{"path":"/b"}]},
		{"number":2,"undone":true,"changes":[{"path":"/a","undone":true},{"path":"/b"}]},
		{"number":3,"changes":[{"path":"/a"}]}]}`
	if err := os.WriteFile(filepath.Join(dir, id+".json"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	sess, err := s.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, turn := range sess.Turns {
		for _, ch := range turn.Changes {
			got = append(got, ch.Undone)
		}
	}
	if want := []bool{true, true, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("undone %v, want %v", got, want)
	}
}
