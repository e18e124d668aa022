package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mm/agent"
	"mm/fileedit"
	"mm/safety/clean"
)

var start = time.Unix(1000, 0)

func apply(events ...agent.Event) *State {
	s := &State{}
	for i, e := range events {
		s.Apply(e, start.Add(time.Duration(i)*time.Second))
	}
	return s
}

func text(chunks []clean.Text) string { return clean.Concat(chunks...).String() }

func TestAnswerTakesTheFinalText(t *testing.T) {
	t.Parallel()
	s := apply(
		agent.TextDelta{ID: "i1", Text: "he"}, agent.TextDelta{ID: "i1", Text: "llo"},
		agent.TextEnded{ID: "i1", Text: "hello"},
		agent.TextDelta{ID: "i2", Text: "Sure. <tool_call>{}"},
		agent.TextEnded{ID: "i2", Text: "Sure."},
	)
	same, cut := s.Items[0].(*Answer), s.Items[1].(*Answer)
	if text(same.Chunks) != "hello" || same.Epoch != 0 || !same.Ended {
		t.Errorf("got %q in epoch %d, want it as streamed", text(same.Chunks), same.Epoch)
	}
	if text(cut.Chunks) != "Sure." || cut.Epoch != 1 {
		t.Errorf("got %q in epoch %d, want the final text", text(cut.Chunks), cut.Epoch)
	}
}

func TestRunesCutBetweenDeltas(t *testing.T) {
	t.Parallel()
	s := apply(agent.TextDelta{ID: "i1", Text: "gr\xc3"}, agent.TextDelta{ID: "i1", Text: "\xbc\xc3\x9f\x1b["}, agent.TextDelta{ID: "i1", Text: "2Je"})
	if got := text(s.Items[0].(*Answer).Chunks); got != "grüße" {
		t.Errorf("got %q, want grüße", got)
	}
}

// Nothing that comes from outside keeps what could move the cursor.
func TestForeignTextIsCleaned(t *testing.T) {
	t.Parallel()
	const bad = "a\x1b[2J\x1b]52;c;eA==\x07\u202eb\rc\x00"
	diff := agent.DiffPreview{Files: []fileedit.FileDiff{{Path: bad, Warning: bad, Hunks: []fileedit.Hunk{{Lines: []fileedit.Line{{Op: '+', New: 1, Text: bad}}}}}}}
	s := apply(
		agent.SessionReady{Session: bad, Cwd: bad, Model: agent.ModelInfo{ID: bad, Provider: bad, BaseURL: bad, WindowSource: bad}, Skills: []agent.Skill{{Name: bad, Description: bad}}},
		agent.UserMessage{ID: "i1", Text: bad}, agent.TextDelta{ID: "i2", Text: bad}, agent.ReasoningDelta{ID: "i3", Text: bad},
		agent.CallStarted{ID: "c1", Tool: bad, ToolKind: "edit"},
		agent.CallPlanned{ID: "c1", Title: bad, Preview: diff, Repairs: []string{bad}},
		agent.CallOutput{ID: "c1", Text: bad},
		agent.ApprovalAsked{ID: "a1", Call: "c1", Tool: bad, Title: bad, Preview: diff, Dir: bad, Target: bad, Reasons: []string{bad}, Options: []agent.Option{{Label: bad}}},
		agent.CallEnded{ID: "c1", Status: "ok", Summary: bad, Output: bad, Preview: diff},
		agent.CallStarted{ID: "c2", Tool: bad}, agent.CallPlanned{ID: "c2", Preview: agent.TextPreview{Text: bad, Lang: bad}},
		agent.CallStarted{ID: "c3", Tool: bad}, agent.CallPlanned{ID: "c3", Preview: agent.ChecklistPreview{Steps: []agent.Step{{Text: bad}}}},
		agent.PlanUpdated{Steps: []agent.Step{{Text: bad}}}, agent.QueueChanged{Queued: []string{bad}},
		agent.Notice{Text: bad}, agent.Fault{Text: bad},
		agent.TitleChanged{Title: bad}, agent.FilesChanged{Files: []agent.FileChange{{Path: bad}}},
		agent.ShellStarted{Command: bad}, agent.ShellOutput{Text: bad},
		agent.ShellStarted{Command: bad}, agent.ShellEnded{Status: "ok", Summary: bad, Output: bad},
		agent.Compacted{Changed: true, Line: bad, Summary: bad}, agent.Compacted{Line: bad},
		agent.Retrying{Cause: bad}, agent.TurnEnded{Stop: "stuck", Text: bad},
	)
	dump := fmt.Sprintf("%+v", *s)
	for _, it := range s.Items {
		switch it := it.(type) {
		case *Call:
			it.Preview.Raw = "" // for editing and copying only
			dump += fmt.Sprintf("%+v", *it)
		case *Answer:
			dump += text(it.Chunks)
		case *Reasoning:
			dump += text(it.Chunks)
		default:
			dump += fmt.Sprintf("%+v", it)
		}
	}
	for _, r := range "\x1b\x07\r\x00\u202e" {
		if i := strings.IndexRune(dump, r); i >= 0 {
			t.Errorf("%U is left in …%q", r, dump[max(i-60, 0):i+10])
		}
	}
}

func TestCommandIsWrittenOutAndKept(t *testing.T) {
	t.Parallel()
	s := apply(agent.ApprovalAsked{ID: "a1", Preview: agent.CommandPreview{Command: "ls \u202ex\nrm y"}})
	p := s.Approvals[0].Preview
	if got, want := p.Command.String(), "ls ⟨202E⟩x⏎\nrm y"; got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
	if p.Raw != "ls \u202ex\nrm y" {
		t.Errorf("kept %q, want the command as it will run", p.Raw)
	}
}

func TestCallLife(t *testing.T) {
	t.Parallel()
	code := 1
	s := apply(
		agent.TurnStarted{Turn: 1},
		agent.CallStarted{ID: "c1", Tool: "bash", ToolKind: "execute"}, agent.CallArgs{ID: "c1", Text: `{"command":"x"}`},
		agent.CallPlanned{ID: "c1", Title: "x"}, agent.CallRunning{ID: "c1"},
		agent.CallOutput{ID: "c1", Text: "one\ntwo\tthree\n"},
	)
	c := s.Items[0].(*Call)
	if c.Status != CallRunning || c.Args != 15 || s.Now.Phase != Running || s.Now.Detail.String() != "two three" {
		t.Errorf("running: %v, %d bytes, activity %+v", c.Status, c.Args, s.Now)
	}
	s.Apply(agent.CallEnded{ID: "c1", Status: agent.CallFailed, Summary: "exit 1", Output: "final", ExitCode: &code, Elapsed: time.Second}, start)
	if c.Status != CallFailed || c.Output.Text().String() != "final" || *c.ExitCode != 1 || s.Now.Phase == Running {
		t.Errorf("ended: %+v in %+v", c, s.Now)
	}
}

func TestLiveOutputIsBounded(t *testing.T) {
	t.Parallel()
	s := apply(agent.CallStarted{ID: "c1"}, agent.CallRunning{ID: "c1"})
	for i := range 5000 {
		s.Apply(agent.CallOutput{ID: "c1", Text: fmt.Sprintf("%04d %s\n", i, strings.Repeat("x", 100))}, start)
	}
	o := &s.Items[0].(*Call).Output
	if n := o.Text().Len(); n < maxLive || n > 2*maxLive || !o.Cut || o.Lines != 5000 {
		t.Errorf("%d bytes kept of %d lines, cut %v", n, o.Lines, o.Cut)
	}
	if !strings.HasPrefix(o.Last().String(), "4999 ") {
		t.Errorf("last line %q", o.Last())
	}
}

func TestDirtyItems(t *testing.T) {
	t.Parallel()
	s := apply(agent.UserMessage{ID: "i1"}, agent.TextDelta{ID: "i2", Text: "a"}, agent.CallStarted{ID: "c1"})
	s.TakeDirty()
	for _, e := range []agent.Event{
		agent.CallArgs{ID: "c1", Text: "x"},
		agent.TextDelta{ID: "i2", Text: "b"},
		agent.CallArgs{ID: "c1", Text: "y"},
		agent.Notice{Text: "n"},
		agent.TextDelta{ID: "i2", Text: "c"},
	} {
		s.Apply(e, start)
	}
	if got := s.TakeDirty(); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("got %v, want [1 2 3]", got)
	}
	if got := s.TakeDirty(); len(got) != 0 {
		t.Errorf("got %v after taking, want none", got)
	}
}

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		r    Reading
		want time.Duration
		ok   bool
	}{
		{Reading{Done: 1200, Cached: 200, Total: 3200, Elapsed: 4 * time.Second}, 8 * time.Second, true},
		{Reading{Done: 200, Cached: 200, Total: 3200, Elapsed: time.Second}, 0, false},
		{Reading{Done: 0, Total: 100}, 0, false},
		{Reading{Done: 100, Total: 100, Elapsed: time.Second}, 0, true},
	} {
		if got, ok := tc.r.Left(); got != tc.want || ok != tc.ok {
			t.Errorf("%+v: got %v, %v; want %v, %v", tc.r, got, ok, tc.want, tc.ok)
		}
	}
}

// What the core says of the cache holds for the request that it speaks of.
func TestBrokenCacheIsNoticed(t *testing.T) {
	t.Parallel()
	step := agent.StepEnded{Usage: agent.Usage{Prompt: 2000, Cached: 100}, Expected: 1900}
	lost := agent.CacheBroken{Step: 1, Again: 1800, Cause: "the tools changed (bash)"}
	own := agent.CacheBroken{Step: 1, Again: 1800, Cause: "old turns were summarised", Own: true}
	for _, tc := range []struct {
		name   string
		events []agent.Event
		want   string
		own    bool
	}{
		{"nothing was said", []agent.Event{step}, "", false},
		{"lost", []agent.Event{step, lost}, "the tools changed (bash)", false},
		{"on purpose", []agent.Event{step, own}, "old turns were summarised", true},
		{"mended by the next request", []agent.Event{step, lost, step}, "", false},
	} {
		g := apply(tc.events...).Gauge
		if g.Broken.String() != tc.want || g.Broken.String() != "" && g.BrokenOnPurpose != tc.own {
			t.Errorf("%s: got %q, %v; want %q, %v", tc.name, g.Broken, g.BrokenOnPurpose, tc.want, tc.own)
		}
	}
}

func TestFilesChanged(t *testing.T) {
	t.Parallel()
	a, b := agent.FileChange{Path: "a", Added: 2, Removed: 1}, agent.FileChange{Path: "b", Added: 1, Created: true}
	first, second := agent.FilesChanged{Files: []agent.FileChange{a}}, agent.FilesChanged{Files: []agent.FileChange{a, b}}
	for _, tc := range []struct {
		name   string
		events []agent.Event
		want   []FileChange
	}{
		{"one more", []agent.Event{first, second}, []FileChange{{clean.Line("a"), 2, 1, false}, {clean.Line("b"), 1, 0, true}}},
		{"one is as it was", []agent.Event{second, first}, []FileChange{{clean.Line("a"), 2, 1, false}}},
		{"all are as they were", []agent.Event{second, agent.FilesChanged{}}, nil},
		{"another conversation", []agent.Event{second, agent.Cleared{}}, nil},
	} {
		if got := apply(tc.events...).Files; !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	ready, changed := agent.SessionReady{Title: "first words"}, agent.TitleChanged{Title: "the port"}
	for _, tc := range []struct {
		events []agent.Event
		want   string
	}{
		{[]agent.Event{ready}, "first words"},
		{[]agent.Event{ready, changed}, "the port"},
		{[]agent.Event{ready, changed, agent.Cleared{}}, ""},
	} {
		if got := apply(tc.events...).Title.String(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

// A command of the user's own is a call like those of the model: it grows while
// it runs, and each one is an item of its own.
func TestOwnCommand(t *testing.T) {
	t.Parallel()
	code := 3
	s := apply(
		agent.ShellStarted{Command: "make\nmake test"}, agent.ShellOutput{Text: "one\n\x1b[3"}, agent.ShellOutput{Text: "1mtwo\r50 %"},
	)
	c := s.Items[0].(*Call)
	if got := c.Output.Text().String(); !c.Own || c.Status != CallRunning || got != "one\ntwo\n50 %" {
		t.Errorf("running: %+v with %q", c, got)
	}
	if !s.Busy || s.Now.Phase != Running || s.Now.Tool.String() != "! make⏎make test" || s.Now.Detail.String() != "50 %" {
		t.Errorf("running: busy %v with %+v", s.Busy, s.Now)
	}
	s.Apply(agent.ShellEnded{Status: agent.CallFailed, Summary: "exit 3", Output: "whole", ExitCode: &code, Elapsed: time.Second}, start)
	if c.Status != CallFailed || c.Output.Text().String() != "whole" || c.Summary.String() != "exit 3" || c.Elapsed != time.Second {
		t.Errorf("ended: %+v", c)
	}
	if s.Busy || s.Now.Phase != Resting {
		t.Errorf("ended: busy %v with %+v", s.Busy, s.Now)
	}
	s.Apply(agent.ShellStarted{Command: "ls"}, start)
	if len(s.Items) != 2 || c.Status != CallFailed || s.Items[1].(*Call).Output.Text() != (clean.Text{}) {
		t.Errorf("the next command is not an item of its own: %+v", s.Items)
	}
}

func TestCleared(t *testing.T) {
	t.Parallel()
	s := apply(
		agent.SessionReady{Session: "s1", Model: agent.ModelInfo{ID: "m"}}, agent.TextDelta{ID: "i1", Text: "old"},
		agent.Cleared{Session: "s2", Kept: "s1", Forgotten: 4}, agent.TextDelta{ID: "i1", Text: "new"},
	)
	if len(s.Items) != 2 || s.Model.ID.String() != "m" || s.ID.String() != "s2" {
		t.Fatalf("%d items, model %q, session %q", len(s.Items), s.Model.ID, s.ID)
	}
	if got := text(s.Items[1].(*Answer).Chunks); got != "new" {
		t.Errorf("an old id was taken for a new one: %q", got)
	}
}

// The time that a question waited for its answer is the user's, not the turn's.
func TestWaitingForTheUserIsNotCounted(t *testing.T) {
	t.Parallel()
	var s State
	at := func(seconds int, events ...agent.Event) {
		for _, e := range events {
			s.Apply(e, start.Add(time.Duration(seconds)*time.Second))
		}
	}
	at(0, agent.TurnStarted{})
	at(2, agent.ApprovalAsked{ID: "a1"})
	at(5, agent.ApprovalAsked{ID: "a2"})
	at(30, agent.ApprovalSettled{ID: "a1"})
	at(42, agent.ApprovalSettled{ID: "a2"})
	at(52, agent.TurnEnded{Stop: agent.StopCancelled, Elapsed: 52 * time.Second})
	if end := s.last().(*TurnEnd); end.Elapsed != 12*time.Second {
		t.Errorf("the turn took %v, want 12s: from 2 to 42 it waited", end.Elapsed)
	}
	at(60, agent.TurnStarted{})
	at(63, agent.TurnEnded{Stop: agent.StopCancelled, Elapsed: 3 * time.Second})
	if end := s.last().(*TurnEnd); end.Elapsed != 3*time.Second {
		t.Errorf("the next turn took %v, want 3s", end.Elapsed)
	}
}

// A fault that ended a turn is said once.
func TestFaultIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := apply(agent.TurnStarted{}, agent.Fault{Text: "no room"}, agent.TurnEnded{Stop: agent.StopFailed, Text: "no room"})
	if end, ok := s.last().(*TurnEnd); !ok || !end.Text.IsEmpty() {
		t.Errorf("got %+v, want an end without the text", s.last())
	}
	s = apply(agent.TurnStarted{}, agent.Fault{Text: "no room"}, agent.TurnEnded{Stop: agent.StopFailed, Text: "try this"})
	if end := s.last().(*TurnEnd); end.Text.String() != "try this" {
		t.Errorf("got %+v, want the advice", end)
	}
}
