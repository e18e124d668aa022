package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mm/agent"
	"mm/ui/cells"
)

// numbered is an output of n lines, some of them others.
func numbered(n int, others map[int]string) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprint("line ", i+1)
		if other, ok := others[i+1]; ok {
			lines[i] = other
		}
	}
	return strings.Join(lines, "\n")
}

// What is found is shown: unfolded, scrolled to, and set off.
func TestFoundPlaceIsShown(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		w    int
		text string // of an output
		seek string
		want []string // the rows that hold what is set off, going upwards
		off  string   // what is set off
	}{
		"in a folded output":   {60, numbered(201, map[int]string{100: "a Needle here"}), "needle", []string{"a Needle here"}, "Needle"},
		"several in one block": {60, numbered(300, map[int]string{20: "a needle", 150: "needle needle", 290: "b needle"}), "needle", []string{"b needle", "needle needle", "needle needle", "a needle"}, "needle"},
		"across a cut line":    {40, numbered(100, map[int]string{50: strings.Repeat("x", 30) + "needle"}), "needle", []string{strings.Repeat("x", 30) + "need"}, "need"},
		"words":                {60, numbered(100, map[int]string{50: "the port is"}), "the  port", []string{"the port is"}, "the port"},
		"no pattern":           {60, numbered(100, map[int]string{49: "a.*b"}), ".*", []string{"a.*b"}, ".*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPane(tc.w, 12)
			p.apply(agent.CallStarted{ID: "c1", Tool: "t"}, agent.CallEnded{ID: "c1", Status: agent.CallOK, Output: tc.text})
			p.answers(10)
			p.Focus(true)
			for i, want := range tc.want {
				if which, of := p.Find(tc.seek, -1); which != len(tc.want)-i || of != len(tc.want) {
					t.Errorf("search %d: %d of %d, want %d of %d", i+1, which, of, len(tc.want)-i, len(tc.want))
				}
				p.Layout()
				at := slices.IndexFunc(p.visible, func(s shown) bool { return p.marked(s) != s.text })
				if at < 0 {
					t.Fatalf("search %d: nothing is set off in\n%s", i+1, strings.Join(p.text(), "\n"))
				}
				row := p.visible[at]
				if !strings.Contains(ansi.Strip(row.text), want) {
					t.Errorf("search %d: set off in %q, want %q", i+1, ansi.Strip(row.text), want)
				}
				if got := ansi.Strip(ansi.Cut(row.text, p.found.left, p.found.right)); got != tc.off {
					t.Errorf("search %d: set off is %q, want %q", i+1, got, tc.off)
				}
				if w := cells.Width(p.marked(row)); w != cells.Width(row.text) {
					t.Errorf("the marked row is %d wide, the other %d", w, cells.Width(row.text))
				}
			}
		})
	}
}

// The place moves with its text when the width changes, and is no longer set
// off when the search is left.
func TestFoundPlaceFollowsTheWidth(t *testing.T) {
	t.Parallel()
	p := newPane(80, 20)
	p.apply(agent.UserMessage{ID: "i1", Text: strings.Repeat("some words before it ", 15) + "needle"})
	p.Focus(true)
	p.Find("needle", -1)
	marked := func() (n int) {
		p.Layout()
		for _, s := range p.visible {
			if p.marked(s) != s.text {
				n++
				if !strings.Contains(ansi.Strip(s.text), "needle") {
					t.Errorf("set off is in %q", ansi.Strip(s.text))
				}
			}
		}
		return n
	}
	for _, w := range []int{80, 40, 100} {
		p.SetSize(w, 20)
		if n := marked(); n != 1 {
			t.Errorf("%d rows are set off at width %d, want 1", n, w)
		}
	}
	p.Focus(false)
	if n := marked(); n != 0 {
		t.Errorf("%d rows are set off after leaving", n)
	}
}

// The part of an answer that still streams is searched once, as it is drawn.
func TestStreamingTextIsSearched(t *testing.T) {
	t.Parallel()
	p := newPane(60, 20)
	p.apply(agent.TextDelta{ID: "i1", Text: "one needle\n\nanother needle\n\nand a nee"})
	p.apply(agent.TextDelta{ID: "i1", Text: "dle"})
	p.Focus(true)
	for _, want := range []struct {
		text      string
		which, of int
	}{{"needle", 3, 3}, {"needle", 2, 3}, {"absent", 0, 0}, {" ", 0, 0}} {
		if which, of := p.Find(want.text, -1); which != want.which || of != want.of {
			t.Errorf("%q: %d of %d, want %d of %d", want.text, which, of, want.which, want.of)
		}
	}
}
