package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"mm/agent"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/state"
	"mm/ui/style"
)

// pane is a list with the state behind it.
type pane struct {
	*List
	st  state.State
	now time.Time
}

func newPane(w, h int) *pane {
	th, _ := themes.Find(themes.Builtin(), themes.DarkName)
	p := &pane{List: New(style.New(th, termenv.TrueColor), Options{}), now: time.Unix(0, 0)}
	p.SetSize(w, h)
	return p
}

func (p *pane) apply(events ...agent.Event) {
	for _, e := range events {
		p.st.Apply(e, p.now)
	}
	p.Sync(p.st.Items, p.st.TakeDirty(), p.now)
	p.Layout()
}

func (p *pane) text() []string {
	p.Layout()
	rows := p.View()
	for i, r := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return rows
}

func (p *pane) answers(n int) {
	for i := range n {
		text := fmt.Sprintf("answer %d has some words that need more than one row when the pane is narrow\n\nand a second block %d", i, i)
		id := agent.ItemID(fmt.Sprint("i", i))
		p.apply(agent.TextDelta{ID: id, Text: text}, agent.TextEnded{ID: id, Text: text})
	}
}

func firstText(rows []string) string {
	for _, r := range rows {
		if s := strings.TrimSpace(strings.Trim(r, "◆▐ ")); s != "" {
			return s
		}
	}
	return ""
}

// The first visible block stays the first one when the width changes.
func TestResizeKeepsThePlace(t *testing.T) {
	t.Parallel()
	p := newPane(80, 10)
	p.answers(100)
	p.Scroll(-150)
	p.Layout()
	before := firstText(p.text())
	for _, w := range []int{30, 120, 41, 80} {
		p.SetSize(w, 10)
		if got := firstText(p.text()); !strings.HasPrefix(before, strings.Join(strings.Fields(got)[:2], " ")) {
			t.Errorf("at width %d the first row is %q, was %q", w, got, before)
		}
	}
}

func TestScrollingComesBack(t *testing.T) {
	t.Parallel()
	p := newPane(60, 12)
	p.answers(40)
	end := strings.Join(p.text(), "\n")
	p.Home()
	if got := firstText(p.text()); !strings.HasPrefix(got, "answer 0") {
		t.Errorf("at the beginning: %q", got)
	}
	for range 500 {
		p.Scroll(1)
		p.Layout()
	}
	if !p.Following() || strings.Join(p.text(), "\n") != end {
		t.Errorf("scrolled down to\n%s\nwant the end", strings.Join(p.text(), "\n"))
	}
	for range 3 {
		p.Page(-1)
		p.Layout()
	}
	if p.Following() {
		t.Error("follows while scrolled up")
	}
	for range 3 {
		p.Page(1)
		p.Layout()
	}
	if !p.Following() {
		t.Error("does not follow after paging back to the end")
	}
}

func TestShortConversationDoesNotScroll(t *testing.T) {
	t.Parallel()
	p := newPane(60, 30)
	p.answers(2)
	before := strings.Join(p.text(), "\n")
	p.Scroll(-5)
	p.Page(-1)
	p.Scroll(3)
	if got := strings.Join(p.text(), "\n"); got != before || !p.Following() {
		t.Errorf("a short conversation moved:\n%s", got)
	}
}

func TestCursorWalksBlocksAndCopies(t *testing.T) {
	t.Parallel()
	p := newPane(60, 20)
	text := "Run this:\n\n```sh\ngo test ./...\n```\n\n- one\n- two"
	p.apply(agent.UserMessage{ID: "i1", Text: "how?"}, agent.TextDelta{ID: "i2", Text: text}, agent.TextEnded{ID: "i2", Text: text})
	p.Focus(true)
	var got []string
	for range 5 {
		got = append(got, p.Source())
		p.Move(-1)
	}
	want := []string{"- two", "- one", "go test ./...", "Run this:", "how?"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("block %d from the end is %q, want %q", i, got[i], want[i])
		}
	}
	if p.LastAnswer() != text {
		t.Errorf("the last answer is %q", p.LastAnswer())
	}
}

// Code that stands in an item is copied without the mark of the item.
func TestCodeInAnItemIsCopiedAlone(t *testing.T) {
	t.Parallel()
	p := newPane(60, 20)
	text := "- ```sh\n  go test\n  ```\n- [ ] look"
	p.apply(agent.TextDelta{ID: "i1", Text: text}, agent.TextEnded{ID: "i1", Text: text})
	p.Focus(true)
	if got := p.Source(); got != "- [ ] look" {
		t.Errorf("the item is %q", got)
	}
	p.Move(-1)
	if got := p.Source(); got != "go test" {
		t.Errorf("the code is %q", got)
	}
}

func TestFoldedOutput(t *testing.T) {
	t.Parallel()
	p := newPane(60, 50)
	var out strings.Builder
	for i := range 30 {
		fmt.Fprintf(&out, "line %d\n", i+1)
	}
	run := func(id agent.CallID, kind agent.ToolKind) {
		p.apply(agent.CallStarted{ID: id, Tool: "t", ToolKind: kind}, agent.CallRunning{ID: id},
			agent.CallEnded{ID: id, Status: agent.CallOK, Output: out.String()})
	}
	run("c1", "execute")
	all := strings.Join(p.text(), "\n")
	if !strings.Contains(all, "… 22 more lines above") || !strings.Contains(all, "line 30") || strings.Contains(all, "line 22\n") {
		t.Errorf("a command shows its end:\n%s", all)
	}
	p.Clear()
	p.st = state.State{}
	run("c2", "read")
	all = strings.Join(p.text(), "\n")
	if !strings.Contains(all, "… 22 more lines below") || strings.Contains(all, "line 9\n") {
		t.Errorf("a file shows its beginning:\n%s", all)
	}
	p.Focus(true)
	p.Toggle()
	if all = strings.Join(p.text(), "\n"); !strings.Contains(all, "line 22") {
		t.Errorf("unfolded:\n%s", all)
	}
}

func TestReasoningFolds(t *testing.T) {
	t.Parallel()
	p := newPane(60, 30)
	for i := range 400 {
		p.apply(agent.ReasoningDelta{ID: "i1", Text: fmt.Sprintf("thought %d. ", i)})
	}
	rows := p.text()
	if n := len(strings.Fields(strings.Join(rows, " "))); n > 60 || !strings.Contains(strings.Join(rows, " "), "thought 399.") {
		t.Errorf("%d words of running reasoning are shown:\n%s", n, strings.Join(rows, "\n"))
	}
	p.apply(agent.ReasoningEnded{ID: "i1", Elapsed: 12 * time.Second, Tokens: 480})
	if got := strings.TrimSpace(strings.Join(p.text(), "")); got != "💭 thought for 12 s · 480 tokens" {
		t.Errorf("folded: %q", got)
	}
	p.UnfoldReasoning()
	if got := strings.Join(p.text(), " "); !strings.Contains(got, "thought 399.") {
		t.Errorf("unfolded: %q", got)
	}
}

// A heavy block is drawn elsewhere and taken over when it is done.
func TestHeavyBlocksAreDrawnOutside(t *testing.T) {
	t.Parallel()
	p := newPane(80, 20)
	code := "```go\n" + strings.Repeat("func f() int { return 1 }\n", 400) + "```"
	p.apply(agent.TextDelta{ID: "i1", Text: code}, agent.TextEnded{ID: "i1", Text: code})
	before := p.text()
	jobs := p.Jobs()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs, want 1", len(jobs))
	}
	drawn := jobs[0]()
	coloured := func() bool { return strings.Contains(strings.Join(p.View(), ""), "\x1b[38;2;187;154;247mfunc") }
	if coloured() {
		t.Error("it was drawn at once")
	}
	p.Accept(drawn)
	p.Layout()
	if !coloured() {
		t.Error("the drawing was not taken over")
	}
	if got := p.text(); strings.Join(got, "\n") != strings.Join(before, "\n") {
		t.Error("the text moved when the colours came")
	}
	p.SetSize(60, 20)
	p.Layout()
	p.Accept(drawn)
	for _, r := range p.View() {
		if w := cells.Width(r); w != 60 {
			t.Fatalf("an old drawing was taken over: row of %d cells", w)
		}
	}
}

// What was unfolded by itself does not fold when all the others unfold, and
// the other way round.
func TestUnfoldingAllUnfoldsAll(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("word\n", 40))
	for name, tc := range map[string]struct {
		events []agent.Event
		all    func(p *pane) bool
	}{
		"reasoning": {[]agent.Event{
			agent.ReasoningDelta{ID: "i1", Text: "MIDDLE"},
			agent.ReasoningEnded{ID: "i1"},
			agent.ReasoningDelta{ID: "i2", Text: "MIDDLE"},
			agent.ReasoningEnded{ID: "i2"},
		}, func(p *pane) bool { return p.UnfoldReasoning() }},
		"outputs": {[]agent.Event{
			agent.CallStarted{ID: "c1", Tool: "t"},
			agent.CallEnded{ID: "c1", Status: agent.CallOK, Output: long + "\nMIDDLE\n" + long},
			agent.CallStarted{ID: "c2", Tool: "t"},
			agent.CallEnded{ID: "c2", Status: agent.CallOK, Output: long + "\nMIDDLE\n" + long},
		}, func(p *pane) bool { return p.UnfoldOutputs() }},
		"messages": {[]agent.Event{
			agent.UserMessage{ID: "i1", Text: long + "\nMIDDLE\n" + long}, agent.UserMessage{ID: "i2", Text: long + "\nMIDDLE\n" + long},
		}, func(p *pane) bool { return p.UnfoldOutputs() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPane(60, 400)
			p.apply(tc.events...)
			shown := func(when string, want int) {
				t.Helper()
				if got := strings.Count(strings.Join(p.text(), "\n"), "MIDDLE"); got != want {
					t.Errorf("%s %d are unfolded, want %d", when, got, want)
				}
			}
			shown("at first", 0)
			p.Focus(true)
			p.Toggle()
			shown("after Enter on one", 1)
			if !tc.all(p) {
				t.Error("all were folded, not unfolded")
			}
			shown("after the key for all", 2)
			p.Toggle()
			shown("after Enter on one", 1)
			tc.all(p)
			shown("after the key for all again", 0)
		})
	}
}
