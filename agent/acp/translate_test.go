package acp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/fileedit"
)

// lines are n numbered lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("x", i%7) + "\n")
	}
	return b.String()
}

func diffOf(before, after string) agent.DiffPreview {
	return agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("a.go", []byte(before), []byte(after))}}
}

// edit is a call of edit_file that goes well.
func edit(p agent.Preview) []agent.Event {
	return []agent.Event{
		agent.CallStarted{ID: "c1", Tool: "edit_file", ToolKind: "edit"},
		agent.CallPlanned{
			ID: "c1", Title: "a.go", RawArgs: `{"path":"a.go"}`, Preview: p,
			Locations: []agent.Location{{Path: "/work/a.go", Line: 2}},
		},
		agent.CallRunning{ID: "c1"},
		agent.CallEnded{ID: "c1", Status: agent.CallOK, Output: "[edited]", Preview: p},
	}
}

func plannedCall(tool string, kind agent.ToolKind, args string) []agent.Event {
	return []agent.Event{
		agent.CallStarted{ID: "c1", Tool: tool, ToolKind: kind},
		agent.CallPlanned{ID: "c1", Title: "as planned", RawArgs: args},
	}
}

// The updates of events, one a line, are in testdata/translate.
func TestTranslate(t *testing.T) {
	t.Parallel()
	const before, after = "one\ntwo\nthree\n", "one\n2\nthree\n"
	skipped := lines(100)
	for _, tc := range []struct {
		name   string
		replay bool
		disk   string // what /work/a.go holds
		events []agent.Event
	}{
		{name: "answer", events: []agent.Event{
			agent.TurnStarted{Turn: 1},
			agent.UserMessage{ID: "i1", Text: "hi"},
			agent.StepStarted{Step: 1},
			agent.PhaseChanged{Step: 1, Phase: "reading"},
			agent.PromptProgress{Step: 1, Done: 1, Total: 2},
			agent.ReasoningDelta{ID: "i2", Text: " hm\n"},
			agent.ReasoningEnded{ID: "i2"},
			agent.TextDelta{ID: "i3", Text: "  Hello"},
			agent.TextDelta{ID: "i3", Text: ""},
			agent.TextDelta{ID: "i3", Text: "\n\n<b> "},
			agent.TextEnded{ID: "i3", Text: "  Hello\n\n<b> "},
			agent.StepEnded{Step: 1, Usage: agent.Usage{Prompt: 10, Cached: 4, Completion: 2}},
			agent.ContextUsage{Used: 12, Limit: 100, Exact: true},
			agent.ContextUsage{Used: 14, Limit: 100},
			agent.Notice{Level: agent.Info, Text: "for the log"},
			agent.TurnEnded{Turn: 1, Stop: agent.StopAnswer},
			agent.Idle{},
		}},
		{name: "window unknown", events: []agent.Event{agent.StepEnded{Step: 1}, agent.ContextUsage{Used: 12}}},
		{name: "edit", disk: before, events: edit(diffOf(before, after))},
		{name: "edit carried out before it is shown", disk: after, events: edit(diffOf(before, after))},
		{name: "edit of a file that changed", disk: "else\n", events: edit(diffOf(before, after))},
		{
			name: "edit in two places", disk: "old\n" + skipped + "old",
			events: edit(diffOf("old\n"+skipped+"old", "new\nmore\n"+skipped+"new\r\n"))[:2],
		},
		{name: "new file", events: edit(agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("a.go", nil, []byte("hi\r\nho"))}})},
		{name: "new empty file", events: edit(agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("a.go", nil, []byte{})}})[:2]},
		{name: "deleted file", events: edit(agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("a.go", []byte("hi\n"), nil)}})[:2]},
		{name: "edit of nothing", disk: before, events: edit(agent.DiffPreview{Files: []fileedit.FileDiff{}})},
		{name: "edit that turned out otherwise", disk: "one\n2\n3\n", events: append(
			edit(diffOf(before, after))[:3],
			agent.CallEnded{ID: "c1", Status: agent.CallOK, Output: "[edited]", Preview: diffOf(before, "one\n2\n3\n")},
		)},
		{name: "failed edit", disk: before, events: append(
			edit(diffOf(before, after))[:3],
			agent.CallEnded{ID: "c1", Status: agent.CallFailed, Output: "[error: full]", Preview: diffOf(before, after)},
		)},
		{name: "refused", events: append(
			plannedCall("bash", "execute", `{"command":"ls"}`),
			agent.CallEnded{ID: "c1", Status: agent.CallDenied, Output: "[command rejected by the user]"},
		)},
		{name: "dropped while it was written", events: []agent.Event{
			agent.CallStarted{ID: "c1", Tool: "bash", ToolKind: "execute"},
			agent.CallArgs{ID: "c1", Text: `{"comm`},
			agent.CallEnded{ID: "c1", Status: agent.CallInvalid, Summary: "cut off"},
		}},
		{name: "plan", events: []agent.Event{
			agent.PlanUpdated{Steps: []agent.Step{{Text: "a", Status: "done"}, {Text: "b", Status: "odd"}}},
			agent.PlanUpdated{},
		}},
		{name: "stuck", events: []agent.Event{agent.TurnEnded{Stop: agent.StopStuck, Text: "stuck: it goes round"}}},
		{name: "failed", events: []agent.Event{agent.TurnEnded{Stop: agent.StopFailed, Text: "no server"}}},
		{name: "cancelled", events: []agent.Event{agent.TurnEnded{Stop: agent.StopCancelled, Text: "cancelled: kept"}}},
		{name: "compaction in a turn", events: []agent.Event{agent.Compacted{Changed: true, Line: "compressed", Summary: "sum"}}},
		{name: "replay", replay: true, events: []agent.Event{
			agent.SessionReady{Session: "s"},
			agent.TurnStarted{Turn: 1},
			agent.Compacted{Summary: "GOAL: x"},
			agent.UserMessage{ID: "i1", Text: "hi @a.go"},
			agent.TextDelta{ID: "i2", Text: "Yes."},
			agent.TextEnded{ID: "i2", Text: "Yes."},
			agent.CallStarted{ID: "c4", Tool: "write_file", ToolKind: "edit"},
			agent.CallPlanned{ID: "c4", Title: "a.go", RawArgs: `{"path":"a.go"}`},
			agent.CallEnded{ID: "c4", Status: agent.CallFailed, Output: "[error: full]"},
			agent.CallStarted{ID: "c5", Tool: "bash", ToolKind: "execute"},
			agent.CallPlanned{ID: "c5", Title: "ls", RawArgs: `{"command":"ls"}`},
			agent.CallEnded{ID: "c5", Status: agent.CallStopped, Summary: "no result"},
			agent.CallStarted{ID: "odd", Tool: "read_skill", ToolKind: "read"},
			agent.CallPlanned{ID: "odd", Title: "greetings", RawArgs: `{"name":"greetings"}`},
			agent.CallEnded{ID: "odd", Status: agent.CallOK, Output: "hello"},
			agent.TurnEnded{Turn: 1, Stop: agent.StopStuck, Text: "stuck"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tr := newTranslator("/work", &callIDs{})
			tr.replaying = tc.replay
			tr.read = func(path string) (string, error) {
				if path != "/work/a.go" || tc.disk == "" {
					return "", errors.New("not there")
				}
				return tc.disk, nil
			}
			var got []any
			for _, e := range tc.events {
				for _, u := range tr.translate(e, time.Time{}) {
					got = append(got, plain(t, u))
				}
			}
			if diff := cmp.Diff(golden(t, tc.name), got); diff != "" {
				t.Errorf("updates (-want +got):\n%s", diff)
			}
			if tc.replay {
				if id := tr.ids.next(); id != "call_6" {
					t.Errorf("the next id is %s", id)
				}
			}
		})
	}
}

// plain is a value as its JSON says it.
func plain(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var p any
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func golden(t *testing.T, name string) []any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "translate", strings.ReplaceAll(name, " ", "-")+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for line := range strings.Lines(string(data)) {
		// "{lines}" stands for the text of a hundred lines.
		line = strings.ReplaceAll(line, "{lines}", strings.ReplaceAll(lines(100), "\n", `\n`))
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		want = append(want, v)
	}
	return want
}

// TestCallUnderAnotherName: a call that was resolved is shown as what it is.
func TestCallUnderAnotherName(t *testing.T) {
	t.Parallel()
	tr := newTranslator("/work", &callIDs{})
	tr.replaying = false
	tr.translate(agent.CallStarted{ID: "c1", Tool: "cat", ToolKind: "other"}, time.Time{})
	updates := tr.translate(agent.CallPlanned{ID: "c1", Tool: "read_file", Title: "a.go", RawArgs: `{"path":"a.go"}`}, time.Time{})
	if len(updates) != 1 {
		t.Fatalf("%d updates, want the call", len(updates))
	}
	if got := updates[0].(toolCall); got.Title != "read_file: a.go" || got.Kind != "read" {
		t.Errorf("got %q of kind %q", got.Title, got.Kind)
	}
}

func TestTitlesAndKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, kind, args, want string }{
		{"bash", "execute", `{"command":"go test ./..."}`, "execute bash: go test ./..."},
		{"bash", "execute", `{"command":"cat <<E\nhi\nE"}`, "execute bash: cat <<E⏎hi⏎E"},
		{"bash", "execute", `{"command":"ls \u202etxt.exe\u0007"}`, "execute bash: ls ⟨202E⟩txt.exe⟨0007⟩"},
		{"bash", "execute", `{"command":7}`, "execute bash: as planned"},
		{"read_file", "read", `{"path":"src/a.go","start":3}`, "read read_file: src/a.go"},
		{"write_file", "edit", `{"path":"/abs/a.go"}`, "edit write_file: /abs/a.go"},
		{"edit_file", "edit", `{"path":"a.go"}`, "edit edit_file: a.go"},
		{"read_skill", "read", `{"name":"greetings"}`, "read read_skill: greetings"},
		{"fetch_content", "fetch", `{"url":"https://example.com"}`, "fetch fetch_content: https://example.com"},
		{"plan", "think", `{"steps":[]}`, "think plan: as planned"},
		{"grep", "search", `{"pattern":"x"}`, "search grep: as planned"},
		{"lsp", "read", `{}`, "read lsp: as planned"},
		{"python", "other", `{"command":"x"}`, "execute python: as planned"},
		{"bash", "execute", `not JSON`, "execute bash: as planned"},
	} {
		t.Run(tc.want, func(t *testing.T) {
			t.Parallel()
			tr := newTranslator("/work", &callIDs{})
			tr.replaying = false
			var got toolCall
			for _, e := range plannedCall(tc.tool, agent.ToolKind(tc.kind), tc.args) {
				for _, u := range tr.translate(e, time.Time{}) {
					got = u.(toolCall)
				}
			}
			if line := string(got.Kind) + " " + got.Title; line != tc.want {
				t.Errorf("got %q, want %q", line, tc.want)
			}
		})
	}
}

func TestLongTitleIsCut(t *testing.T) {
	t.Parallel()
	title := titleOf("bash", "", `{"command":"`+strings.Repeat("x", 5000)+`"}`)
	if n := len([]rune(title)); n != 1025 || !strings.HasSuffix(title, "…") {
		t.Errorf("the title has %d runes and ends in %q", n, title[len(title)-5:])
	}
}

// A file too large for a whole text is shown by its hunks.
func TestLargeFilesAreShownByHunks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	before := strings.Repeat("line\n", maxWhole/5+1)
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	tr := newTranslator(dir, &callIDs{})
	got := tr.diffs(diffOf(before, "first\n"+before), nil, planned)
	want := []content{diffContent{Type: "diff", Path: path, OldText: new("line\nline\nline\n"), NewText: "first\nline\nline\nline\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Both texts of a change come back from either of them.
func FuzzWhole(f *testing.F) {
	f.Add("a\nb\n", "a\n")
	f.Add("", "a\r\n")
	f.Add("a", "a\n")
	f.Add(lines(50), "x\n"+lines(20)+"\n"+lines(29))
	f.Fuzz(func(t *testing.T, before, after string) {
		if before == after {
			return
		}
		d := fileedit.Diff("a.go", []byte(before), []byte(after))
		if got, ok := rewrite(before, d.Hunks, fileedit.Delete); !ok || got != after {
			t.Errorf("forth: %q, %v; want %q", got, ok, after)
		}
		if got, ok := rewrite(after, d.Hunks, fileedit.Insert); !ok || got != before {
			t.Errorf("back: %q, %v; want %q", got, ok, before)
		}
	})
}
