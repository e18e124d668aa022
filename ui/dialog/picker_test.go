package dialog

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

// lines draws a list in a room of w by h cells, without colours.
func lines(t *testing.T, p *Picker, w, h int) []string {
	t.Helper()
	th, _ := themes.Find(themes.Builtin(), themes.NoneName)
	p.SetSize(w, h)
	var rows []string
	for _, r := range p.View(style.New(th, termenv.Ascii)) {
		r = ansi.Strip(r)
		if got := cells.Width(r); got != w {
			t.Errorf("a row of %d cells in a room of %d: %q", got, w, r)
		}
		rows = append(rows, r)
	}
	return rows
}

func texts(list ...string) (out []clean.Text) {
	for _, s := range list {
		out = append(out, clean.Line(s))
	}
	return out
}

func models() *Picker {
	p := NewPicker("models", "Model", []Item{
		{ID: "a", Label: clean.Line("qwen3.5-4b"), Details: texts("8.2k", "4B", "Q4_K_M", "2.5 GB", "loaded")},
		{ID: "b", Label: clean.Line("a-name-of-thirty-characters-ok"), Details: texts("max 262.1k", "30B-A3B", "Q4_0", "18.6 GB", "")},
	}, "a")
	p.Heads = []string{"window", "params", "quant", "file", ""}
	return p
}

// The name, two cells for the sign, and each column with its distance of two
// need 30+2+12+9+8+9+8 = 78 cells; the frame takes four more.
func TestColumnsGoFromTheRight(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		w           int
		shows, hide []string
	}{
		{82, []string{"qwen3.5-4b", "a-name-of-thirty-characters-ok", "max 262.1k", "30B-A3B", "Q4_K_M", "18.6 GB", "loaded"}, nil},
		{40, []string{"a-name-of-thirty-char…", "max 262.1k", "8.2k"}, []string{"30B-A3B", "params", "Q4", "GB", "loaded"}},
		{20, []string{"qwen3", "max "}, []string{"params"}},
	} {
		rows := strings.Join(lines(t, models(), tc.w, 10), "\n")
		for _, text := range tc.shows {
			if !strings.Contains(rows, text) {
				t.Errorf("%d cells lack %q:\n%s", tc.w, text, rows)
			}
		}
		for _, text := range tc.hide {
			if strings.Contains(rows, text) {
				t.Errorf("%d cells show %q:\n%s", tc.w, text, rows)
			}
		}
	}
	for w := range 130 {
		lines(t, models(), w+8, 10)
	}
}

// Figures stand below each other's last character, under their head.
func TestColumnsAreAligned(t *testing.T) {
	t.Parallel()
	rows := lines(t, models(), 100, 10)
	for _, texts := range [][]string{{"window", "8.2k", "max 262.1k"}, {"params", "4B", "30B-A3B"}, {"file", "2.5 GB", "18.6 GB"}} {
		end := -1
		for i, text := range texts {
			at := strings.Index(rows[1+i], text)
			if at < 0 {
				t.Fatalf("%q is not in its row:\n%s", text, strings.Join(rows, "\n"))
			}
			if n := cells.Width(rows[1+i][:at+len(text)]); end >= 0 && n != end {
				t.Errorf("%q ends at %d, the one above at %d", text, n, end)
			} else {
				end = n
			}
		}
	}
}

func TestEmptyColumnTakesNoRoom(t *testing.T) {
	t.Parallel()
	p := NewPicker("models", "Model", []Item{
		{ID: "a", Label: clean.Line("name"), Details: texts("", "", "Q8_0")},
		{ID: "b", Label: clean.Line("other")},
	}, "")
	p.Heads = []string{"window", "params", "quant"}
	rows := lines(t, p, 60, 10)
	if !strings.HasPrefix(rows[2], "│ ▸ name    Q8_0 ") || strings.Contains(rows[1], "window") {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
}

// What is typed has precedence over the heads, and finds details too.
func TestTypingFiltersByAllColumns(t *testing.T) {
	t.Parallel()
	p := models()
	p.SetSize(82, 10)
	press := func(text string) {
		for _, r := range text {
			p.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}, time.Time{})
		}
	}
	press("q4_0")
	rows := lines(t, p, 82, 10)
	if !strings.Contains(rows[0], "1 of 1") || !strings.Contains(rows[2], "thirty") || !strings.Contains(rows[1], "window") {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
	press(strings.Repeat("x", 40))
	rows = lines(t, p, 82, 10)
	if !strings.Contains(rows[1], "q4_0"+strings.Repeat("x", 40)) || strings.Contains(rows[1], "window") {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
}

// The item in force is marked while the cursor is elsewhere.
func TestItemInForceIsMarked(t *testing.T) {
	t.Parallel()
	p := models()
	p.SetSize(82, 10)
	p.Key(tea.KeyMsg{Type: tea.KeyDown}, time.Time{})
	rows := lines(t, p, 82, 10)
	if !strings.HasPrefix(rows[2], "│ • qwen3.5-4b") || !strings.HasPrefix(rows[3], "│ ▸ a-name") {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
}

// After an item was deleted the cursor is on the one that took its place.
func TestCursorStaysWhenTheListIsReadAgain(t *testing.T) {
	t.Parallel()
	var items []Item
	for _, name := range []string{"a", "b", "c", "d"} {
		items = append(items, Item{ID: name, Label: clean.Line(name)})
	}
	p := NewPicker("sessions", "Conversations", nil, "")
	p.SetSize(40, 12)
	p.SetItems(items, "b")
	for _, step := range []struct {
		then func()
		want string
	}{
		{func() {}, "▸ b"},
		{func() { p.Key(tea.KeyMsg{Type: tea.KeyDown}, time.Time{}) }, "▸ c"},
		{func() { p.SetItems(append(items[:2:2], items[3]), "b") }, "▸ d"},
		{func() { p.SetItems(items[:2], "b") }, "▸ b"},
		{func() { p.SetItems(items[:0], "") }, "Enter"},
	} {
		step.then()
		if rows := strings.Join(lines(t, p, 40, 12), "\n"); !strings.Contains(rows, step.want) {
			t.Errorf("want %q in\n%s", step.want, rows)
		}
	}
}

// What did not work is shown whole, until a key is pressed.
func TestTroubleIsShown(t *testing.T) {
	t.Parallel()
	p := models()
	p.SetSize(40, 8)
	p.Trouble = clean.Line("the server at http://127.0.0.1:8080/v1 does not answer: is it there?")
	rows := lines(t, p, 40, 8)
	if text := strings.Join(rows, "\n"); len(rows) > 8 || !strings.Contains(text, "the server at") || !strings.Contains(text, "is it there?") || !strings.Contains(text, "▸ qwen") {
		t.Errorf("got\n%s", text)
	}
	p.Key(tea.KeyMsg{Type: tea.KeyDown}, time.Time{})
	if text := strings.Join(lines(t, p, 40, 8), "\n"); strings.Contains(text, "the server at") {
		t.Errorf("got\n%s", text)
	}
}
