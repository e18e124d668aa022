package composer

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/style"
)

func newComposer(w int) *Composer {
	th, _ := themes.Find(themes.Builtin(), themes.NoneName)
	c := New(style.New(th, termenv.Ascii))
	c.SetWidth(w)
	return c
}

// press presses keys: names of Bubble Tea, or single characters.
func press(t *testing.T, c *Composer, names ...string) Result {
	t.Helper()
	var last Result
	for _, name := range names {
		last = c.Key(keyOf(t, name), c.lastText.Add(time.Second))
	}
	return last
}

func keyOf(t *testing.T, name string) tea.KeyMsg {
	t.Helper()
	rest, alt := strings.CutPrefix(name, "alt+")
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	for k := tea.KeyType(-200); k < 200; k++ {
		if k != tea.KeyRunes && k.String() == rest && rest != "" {
			return tea.KeyMsg{Type: k, Alt: alt}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: alt}
}

func TestEditing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, start string
		keys        []string
		want        string // "|" is the cursor
	}{
		{"typing", "", []string{"a", "space", "b"}, "a b|"},
		{"a whole emoji goes", "a👩‍💻", []string{"backspace"}, "a|"},
		{"a whole accent goes", "e\u0301x", []string{"left", "backspace"}, "|x"},
		{"delete forward takes the cluster", "a👩‍💻b", []string{"home", "right", "delete"}, "a|b"},
		{"word back", "one two-three", []string{"ctrl+w"}, "one |"},
		{"word back and yank", "one two", []string{"ctrl+w", "home", "ctrl+y"}, "two|one "},
		{"word moves", "one two", []string{"alt+b", "alt+b", "alt+f"}, "one| two"},
		{"kill to the end", "one two", []string{"home", "alt+f", "ctrl+k"}, "one|"},
		{"kill a line break", "one\ntwo", []string{"up", "end", "ctrl+k"}, "one|two"},
		{"kill to the start", "one two", []string{"alt+b", "ctrl+u"}, "|two"},
		{"kill the next word", "one two", []string{"home", "alt+d"}, "| two"},
		{"new lines", "a", []string{"alt+enter", "b", "ctrl+j", "c"}, "a\nb\nc|"},
		{"backslash and Enter", `a\`, []string{"enter", "b"}, "a\nb|"},
		{"up and down keep the column", "abcdef\nx\nabcdef", []string{"left", "left", "up", "up"}, "abcd|ef\nx\nabcdef"},
		{"undo typing", "one", []string{"x", "y", "ctrl+_"}, "one|"},
		{"undo a kill", "one two", []string{"ctrl+w", "ctrl+_"}, "one two|"},
		{"keys at the edges do nothing", "a", []string{"right", "delete", "home", "left", "backspace"}, "|a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newComposer(40)
			c.SetDraft(tc.start)
			press(t, c, tc.keys...)
			got := string(c.buf.text[:c.buf.cur]) + "|" + string(c.buf.text[c.buf.cur:])
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestHistoryKeepsTheDraft(t *testing.T) {
	t.Parallel()
	c := newComposer(40)
	c.LoadHistory([]string{"first", "second\nline"})
	c.SetDraft("draft")
	for _, step := range []struct{ key, want string }{
		{"up", "second\nline"},
		{"up", "second\nline"},
		{"up", "first"},
		{"up", "first"},
		{"down", "second\nline"},
		{"down", "draft"},
		{"down", "draft"},
	} {
		press(t, c, step.key)
		if got := c.Draft(); got != step.want {
			t.Fatalf("after %s the draft is %q, want %q", step.key, got, step.want)
		}
	}
}

func TestSoftWrappedRowsAreWalked(t *testing.T) {
	t.Parallel()
	c := newComposer(12) // rows of 9 cells of text
	c.SetDraft("aaaa bbbb cccc dddd")
	if c.Rows() != 3 {
		t.Fatalf("%d rows, want 3", c.Rows())
	}
	seen := map[int]bool{}
	for range 3 {
		row, _ := place(c.layout(), c.buf.cur)
		seen[row] = true
		press(t, c, "up")
	}
	if len(seen) != 3 {
		t.Errorf("Up came through the rows %v, want all three", seen)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	c := newComposer(60)
	c.SetCandidates('/', []Candidate{
		{Insert: "/model", Label: clean.Trusted("/model"), Run: true},
		{Insert: "/mode", Label: clean.Trusted("/mode"), Run: true},
		{Insert: "/undo", Label: clean.Trusted("/undo"), Run: true},
	})
	c.SetCandidates('@', []Candidate{{Insert: "@a/main.go", Label: clean.Trusted("a/main.go")}})
	press(t, c, "/", "u", "n")
	if rows := c.PopupView(10); len(rows) != 1 || !strings.Contains(rows[0], "/undo") {
		t.Errorf("popup %q, want /undo alone", rows)
	}
	if r := press(t, c, "enter"); r != Submit || c.Draft() != "/undo" {
		t.Errorf("Enter gave %v with %q, want /undo sent", r, c.Draft())
	}
	c.SetDraft("")
	press(t, c, "/", "m", "o", "d", "e")
	if r := press(t, c, "enter"); r != Submit || c.Draft() != "/mode" {
		t.Errorf("Enter on a whole name gave %v with %q, want /mode sent", r, c.Draft())
	}
	c.SetDraft("")
	press(t, c, "x", "space", "/", "u")
	if c.Popping() {
		t.Error("a slash inside of the text offers commands")
	}
	press(t, c, "space", "@", "m", "a", "i", "tab", "y")
	if got, want := c.Draft(), "x /u @a/main.go y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.SetDraft("")
	press(t, c, "@", "m", "esc", "a")
	if c.Popping() {
		t.Error("the completion came back after Esc")
	}
	c.SetDraft("")
	press(t, c, "!", "x", "space", "@", "m")
	if c.Popping() {
		t.Error("files are offered in a command of the user's own")
	}
}

func TestViewIsExact(t *testing.T) {
	t.Parallel()
	for _, w := range []int{1, 3, 10, 40} {
		c := newComposer(w)
		c.SetDraft("ab 你好 👩‍💻\tx\n" + strings.Repeat("word ", 30))
		c.Paste(strings.Repeat("line\n", 50))
		for h := 1; h < 6; h++ {
			rows := c.View(h, true, clean.Text{})
			if len(rows) != h {
				t.Errorf("%d rows, want %d", len(rows), h)
			}
			for _, r := range rows {
				if got := cells.Width(r); got != w {
					t.Errorf("row %q is %d wide, want %d", r, got, w)
				}
			}
		}
	}
}

func FuzzLayout(f *testing.F) {
	f.Add("ab 你好 👩‍💻\tx\nline two", 9)
	f.Fuzz(func(t *testing.T, text string, w int) {
		if w < 4 || w > 200 {
			t.Skip()
		}
		var b buffer
		b.insert(clean.Block(text).String())
		lines := b.layout(w)
		var drawn strings.Builder
		for i, l := range lines {
			width := 0
			for _, g := range l.glyphs {
				width += g.w
				if g.text == cells.Spaces(cells.TabWidth) && b.text[g.at] == '\t' {
					drawn.WriteByte('\t')
					continue
				}
				drawn.WriteString(g.text)
			}
			if width > w-1 && len(l.glyphs) > 1 {
				t.Errorf("row %+v is %d wide, want at most %d", l.glyphs, width, w-1)
			}
			if i+1 < len(lines) && lines[i+1].start == l.end+1 {
				drawn.WriteByte('\n')
			}
			for _, g := range l.glyphs {
				row, col := place(lines, g.at)
				if row != i || offset(lines, row, col) != g.at {
					t.Errorf("offset %d is at %d:%d, which is offset %d", g.at, row, col, offset(lines, row, col))
				}
			}
		}
		if drawn.String() != string(b.text) {
			t.Errorf("drawn %q, want %q", drawn.String(), string(b.text))
		}
	})
}

// pasted is a paste that is long enough to be folded.
func pasted(name string) string {
	return name + strings.Repeat("\nmore of "+name, chipLines)
}

// A folded paste stays what it is wherever it goes: deleted and inserted again,
// undone, and left for an older prompt.
func TestPastesAreNotMixedUp(t *testing.T) {
	t.Parallel()
	t.Run("deleted before the draft was sent", func(t *testing.T) {
		t.Parallel()
		c := newComposer(40)
		c.Paste(pasted("A"))
		press(t, c, "ctrl+u", "h", "i")
		c.Take()
		c.Paste(pasted("B"))
		press(t, c, "ctrl+y")
		if got, want := c.Draft(), pasted("B")+pasted("A"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("undone after an older prompt", func(t *testing.T) {
		t.Parallel()
		c := newComposer(40)
		c.LoadHistory([]string{"older"})
		press(t, c, "s", "e", "e", "space")
		c.Paste(pasted("A"))
		press(t, c, "up", "ctrl+_", "ctrl+_")
		if got, want := c.Draft(), "see "+pasted("A"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("back from an older prompt", func(t *testing.T) {
		t.Parallel()
		c := newComposer(40)
		c.LoadHistory([]string{"older", pasted("old")})
		press(t, c, "s", "e", "e", "space")
		c.Paste(pasted("A"))
		before := strings.Join(c.View(1, false, clean.Text{}), "\n")
		press(t, c, "up", "up", "down", "down")
		if after := strings.Join(c.View(1, false, clean.Text{}), "\n"); after != before || !strings.Contains(ansi.Strip(before), "see [pasted") {
			t.Errorf("the draft %q came back as %q", before, after)
		}
		if got, want := c.Draft(), "see "+pasted("A"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("a draft that was kept, and another one sent", func(t *testing.T) {
		t.Parallel()
		c := newComposer(40)
		c.LoadHistory([]string{"older"})
		c.Paste(pasted("A"))
		press(t, c, "up")
		c.Take()
		c.Paste(pasted("B"))
		if got, want := c.Draft(), pasted("B"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// What no key can bring back is not held in memory.
func TestSentPastesAreLetGo(t *testing.T) {
	t.Parallel()
	c := newComposer(40)
	for range 3 {
		c.Paste(pasted("A"))
		c.Take()
	}
	held := 0
	for _, s := range c.buf.chips {
		held += len(s)
	}
	if held > 0 {
		t.Errorf("%d bytes of pastes are held", held)
	}
}
