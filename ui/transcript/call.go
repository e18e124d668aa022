package transcript

import (
	"fmt"
	"strings"

	"mm/fileedit"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/diffview"
	"mm/ui/state"
)

// call is a tool call: a title with its state, then what it did.
type call struct {
	item *state.Call
	open bool // other than all are
	d    drawing
	body []string // the diff, unfolded
	kept int      // its epoch
}

// foldedDiff is the number of rows of a diff while it is folded.
const foldedDiff = 16

func (t *call) sync(*canvas) {
	t.d.forget()
	t.body = nil
}

func (t *call) folded(c *canvas) bool { return t.open == c.openOutputs }
func (t *call) count() int            { return 1 }
func (t *call) live() bool            { return !t.item.Status.Over() }
func (t *call) stale()                { t.d.forget() }
func (t *call) toggle()               { t.open = !t.open; t.d.forget() }

func (t *call) source(int) string {
	it := t.item
	parts := []string{it.Title.String()}
	if !it.Preview.Command.IsEmpty() {
		parts = []string{"$ " + it.Preview.Raw}
	}
	for _, f := range it.Preview.Files {
		parts = append(parts, patch(f))
	}
	if out := it.Output.Text().String(); out != "" {
		parts = append(parts, out)
	}
	return strings.Join(parts, "\n")
}

func (t *call) rows(_ int, c *canvas) []string {
	return t.d.get(c, func() []string {
		rows := []string{"", t.head(c)}
		for _, r := range t.item.Repairs {
			for _, row := range cells.Wrap("repaired: "+r.String(), c.w-4) {
				rows = append(rows, "  "+c.paint(themes.Dim, "↻ "+row))
			}
		}
		return append(rows, t.detail(c)...)
	})
}

// head is the title row.
func (t *call) head(c *canvas) string {
	it := t.item
	m := marks[it.Status]
	right := m.word
	switch {
	case it.Status == state.CallComposing && it.Args > 0:
		right += " · " + Bytes(it.Args)
	case it.Status == state.CallRunning:
		right += " · " + Duration(c.now.Sub(it.Started))
	case it.Status.Over():
		right = t.outcome(m.word)
	}
	left := c.paint(m.role, m.sign) + " "
	switch {
	case it.Own:
		left += c.paint(themes.User, it.Tool.String()+" "+it.Title.String())
	case it.Title.IsEmpty() || it.Title == it.Tool:
		left += c.paint(themes.Tool, it.Tool.String())
	default:
		left += c.paint(themes.Tool, it.Tool.String()) + " " + it.Title.String()
	}
	tail := c.paint(m.role, right)
	if files := it.Preview.Files; it.Status == state.CallOK && len(files) > 0 {
		added, removed := 0, 0
		for _, f := range files {
			added, removed = added+f.Added, removed+f.Removed
		}
		tail = diffview.Stat(c.sheet, added, removed) + c.paint(themes.Dim, " · "+Duration(it.Elapsed))
	}
	return cells.Right(left, tail, c.w)
}

// mark is how a call's state is shown: a sign, its ink, and a word.
type mark struct {
	sign string
	role themes.Role
	word string
}

var marks = [...]mark{
	state.CallComposing: {"✎", themes.Dim, "writing"},
	state.CallWaiting:   {"?", themes.Warn, "waiting"},
	state.CallRunning:   {"⚙", themes.Accent, "running"},
	state.CallOK:        {"✓", themes.OK, ""},
	state.CallFailed:    {"✗", themes.Error, "failed"},
	state.CallDenied:    {"⊘", themes.Warn, "refused"},
	state.CallInvalid:   {"✗", themes.Error, "invalid call"},
	state.CallStopped:   {"■", themes.Warn, "stopped"},
}

// outcome is how the call ended, in words, with the time that it took.
func (t *call) outcome(word string) string {
	it := t.item
	if !it.Summary.IsEmpty() {
		word = it.Summary.String()
	}
	if it.Elapsed <= 0 {
		return word
	}
	if word != "" {
		word += " · "
	}
	return word + Duration(it.Elapsed)
}

// detail is what stands below the title.
func (t *call) detail(c *canvas) []string {
	it := t.item
	open := !t.folded(c)
	failed := it.Status >= state.CallFailed
	switch {
	case it.Status == state.CallWaiting || it.Status == state.CallComposing:
		return nil // what it would do is in the question
	case len(it.Preview.Files) > 0 && !failed:
		return t.diff(c, open)
	case len(it.Preview.Steps) > 0 && !failed:
		return checklist(c, it.Preview.Steps)
	}
	var rows []string
	if open && strings.Contains(it.Preview.Command.String(), "\n") {
		rows = quoted(c, themes.Code, cells.Wrap(it.Preview.Command.String(), c.w-4))
	}
	return append(rows, t.output(c, open)...)
}

// diff draws the changes of files.
func (t *call) diff(c *canvas, open bool) []string {
	if t.body == nil || t.kept != c.epoch {
		t.body, t.kept = nil, c.epoch
		for _, f := range t.item.Preview.Files {
			if len(t.item.Preview.Files) > 1 {
				t.body = append(t.body, c.paint(themes.Dim, f.Path))
			}
			t.body = append(t.body, diffview.Rows(c.sheet, f, c.w-2)...)
		}
	}
	n := len(t.body)
	if !open && n > foldedDiff {
		n = foldedDiff - 1
	}
	rows := make([]string, 0, n+1)
	for _, r := range t.body[:n] {
		rows = append(rows, "  "+r)
	}
	if n < len(t.body) {
		rows = append(rows, more(c, len(t.body)-n, "below"))
	}
	return rows
}

// output draws what the tool printed: of a command its end, of other tools the
// beginning, while it is folded.
func (t *call) output(c *canvas, open bool) []string {
	it := t.item
	text := strings.TrimRight(it.Output.Text().String(), "\n")
	if text == "" {
		return nil
	}
	all := cells.Chop(text, c.w-4)
	if it.Status >= state.CallFailed && it.Kind != "execute" {
		all = cells.Wrap(text, c.w-4) // an explanation in sentences
	}
	var rows []string
	switch {
	case open || len(all) <= c.preview+1:
		rows = quoted(c, themes.Dim, all)
		if it.Output.Cut {
			rows = append([]string{"  " + c.paint(themes.Dim, "… the beginning comes when it has ended")}, rows...)
		}
	case it.Kind == "execute" || it.Status == state.CallRunning:
		rows = append(rows, more(c, len(all)-c.preview, "above"))
		rows = append(rows, quoted(c, themes.Dim, all[len(all)-c.preview:])...)
	default:
		rows = append(quoted(c, themes.Dim, all[:c.preview]), more(c, len(all)-c.preview, "below"))
	}
	if it.Truncated && open {
		rows = append(rows, "  "+c.paint(themes.Dim, "the model read an excerpt"))
	}
	return rows
}

// quoted draws rows behind a bar.
func quoted(c *canvas, role themes.Role, rows []string) []string {
	out := make([]string, len(rows))
	bar := "  " + c.paint(themes.Faint, "│") + " "
	for i, r := range rows {
		out[i] = bar + c.paint(role, r)
	}
	return out
}

// more stands for rows that are folded away.
func more(c *canvas, n int, where string) string {
	s := "s"
	if n == 1 {
		s = ""
	}
	return "  " + c.paint(themes.Faint, "│") + " " + c.paint(themes.Dim, fmt.Sprintf("… %d more line%s %s", n, s, where))
}

func checklist(c *canvas, steps []state.Step) []string {
	var rows []string
	for _, s := range steps {
		sign, role := StepMark(s.Status)
		for _, r := range signed(sign, cells.Wrap(s.Text.String(), c.w-6)) {
			rows = append(rows, "  "+c.paint(role, r))
		}
	}
	return rows
}

// StepMark is the sign and the ink of a step of the plan.
func StepMark(s state.StepStatus) (string, themes.Role) {
	switch s {
	case state.Done:
		return "☑", themes.Dim
	case state.InProgress:
		return "▸", themes.Accent
	}
	return "☐", themes.Text
}

// patch writes a diff for copying.
func patch(f fileedit.FileDiff) string {
	var b strings.Builder
	b.WriteString("--- " + f.Path + "\n+++ " + f.Path + "\n")
	for _, h := range f.Hunks {
		b.WriteString("@@\n")
		for _, l := range h.Lines {
			b.WriteString(string(rune(l.Op)) + l.Text + "\n")
		}
	}
	return b.String()
}
