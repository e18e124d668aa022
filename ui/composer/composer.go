// Package composer is the input: an editor for the next prompt with history,
// completion and folded pastes. It knows nothing of the conversation; what is
// sent goes to whoever asked.
package composer

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/keys"
	"mm/ui/style"
	"mm/ui/term"
)

// Pastes from these sizes on are folded into one token.
const (
	chipLines = 20
	chipBytes = 8 << 10
)

// Times of the burst rule, for terminals that do not mark pastes: an Enter so
// soon after a character was not typed. It waits a little for more text, and
// is a line break when some comes.
const (
	burstGap  = 10 * time.Millisecond
	BurstWait = 30 * time.Millisecond
	burstOver = 100 * time.Millisecond
)

// Result is what a key led to.
type Result int

// The results.
const (
	None    Result = iota
	Submit         // the draft is to be sent; Take returns it
	Wait           // call Due after BurstWait
	Ignored        // the key means nothing here
)

// Composer is the input. The zero value is not ready; call New.
type Composer struct {
	buf     buffer
	history history
	popup   popup
	sheet   *style.Sheet
	w       int
	lines   []line
	laid    int // version of lines
	goal    int // column that Up and Down keep, or -1

	pasting  []byte // pieces of a paste that has not ended
	lastText time.Time
	burst    bool
	pending  bool
}

// New returns an empty input.
func New(sheet *style.Sheet) *Composer {
	return &Composer{sheet: sheet, goal: -1, laid: -1}
}

// SetSheet changes the theme.
func (c *Composer) SetSheet(s *style.Sheet) { c.sheet = s }

// SetWidth changes the width of the pane in cells.
func (c *Composer) SetWidth(w int) {
	if w != c.w {
		c.w, c.laid = w, -1
	}
}

// Empty reports whether there is no draft.
func (c *Composer) Empty() bool { return c.buf.empty() }

// Draft returns the draft with pastes unfolded.
func (c *Composer) Draft() string { return c.buf.String() }

// SetDraft replaces the draft.
func (c *Composer) SetDraft(s string) {
	c.buf.set("")
	c.put(s)
	c.changed()
}

// SetText replaces the draft and folds nothing.
func (c *Composer) SetText(s string) {
	c.buf.set(clean.Block(s).String())
	c.changed()
}

// Take returns the draft, remembers it in the history and empties the input.
func (c *Composer) Take() string {
	s := c.buf.String()
	c.history.add(s)
	c.reset()
	return s
}

// Clear empties the input; Up brings the draft back.
func (c *Composer) Clear() {
	if !c.buf.empty() {
		c.history.add(c.buf.String())
	}
	c.reset()
}

func (c *Composer) reset() {
	c.buf.reset()
	c.history.draft = nil
	c.burst, c.pending = false, false
	c.changed()
}

// changed follows every change of the text.
func (c *Composer) changed() {
	c.goal = -1
	c.popup.refresh(c.word())
}

// Paste inserts pasted text: folded when it is long, never sent. Pieces of a
// long one are collected. It returns the size so far in bytes, and whether all
// of it has come.
func (c *Composer) Paste(s string) (size int, whole bool) {
	piece, goesOn := strings.CutSuffix(s, term.PasteGoesOn)
	c.pasting = append(c.pasting, piece...)
	if goesOn {
		return len(c.pasting), false
	}
	size = len(c.pasting)
	c.put(strings.TrimRight(string(c.pasting), "\r\n"))
	c.pasting = nil
	c.changed()
	return size, true
}

// put inserts text from outside, folded when it is long.
func (c *Composer) put(s string) {
	s = clean.Block(s).String()
	if len(s) >= chipBytes || strings.Count(s, "\n") >= chipLines-1 {
		c.buf.insertChip(s)
		return
	}
	c.buf.insert(s)
	c.buf.typing = false // typing is undone apart
}

// Due ends the wait after Wait.
func (c *Composer) Due() Result {
	if !c.pending {
		return None
	}
	c.pending = false
	return Submit
}

// Key takes a key press. busyPopup keys go to the completion first.
func (c *Composer) Key(msg tea.KeyMsg, now time.Time) Result {
	if msg.Paste {
		c.Paste(string(msg.Runes))
		return None
	}
	if text, ok := typed(msg); ok {
		c.typeText(text, now)
		return None
	}
	if used, result := c.popupKey(msg); used {
		return result
	}
	if keys.Is(msg, keys.Send) {
		return c.enter(now)
	}
	if c.pending {
		c.pending = false
		return Submit
	}
	return c.edit(msg)
}

// typed returns the text of a key press that writes some.
func typed(msg tea.KeyMsg) (string, bool) {
	switch {
	case msg.Alt:
		return "", false
	case msg.Type == tea.KeyRunes:
		return clean.Line(string(msg.Runes)).String(), true
	case msg.Type == tea.KeySpace:
		return " ", true
	}
	return "", false
}

func (c *Composer) typeText(text string, now time.Time) {
	if now.Sub(c.lastText) > burstOver {
		c.burst = false
	}
	if c.pending {
		c.pending, c.burst = false, true
		c.buf.insert("\n")
	}
	c.lastText = now
	c.buf.insert(text)
	c.changed()
}

// enter decides what an Enter means.
func (c *Composer) enter(now time.Time) Result {
	soon := now.Sub(c.lastText) < burstGap
	switch {
	case soon && (c.burst || c.pending):
		c.buf.insert("\n")
		c.changed()
		return None
	case soon:
		c.pending = true
		return Wait
	case c.backslash():
		return None
	}
	return Submit
}

// backslash makes "\" before Enter a line break, as in a shell, for terminals
// that have no other key for it.
func (c *Composer) backslash() bool {
	b := &c.buf
	if b.cur == 0 || b.text[b.cur-1] != '\\' {
		return false
	}
	b.remove(b.cur-1, b.cur, false)
	b.insert("\n")
	c.changed()
	return true
}

// edit takes the editing keys.
func (c *Composer) edit(msg tea.KeyMsg) Result {
	b := &c.buf
	before := b.version
	switch {
	case keys.Is(msg, keys.NewLine):
		b.insert("\n")
	case keys.Is(msg, keys.Up):
		return c.vertical(-1)
	case keys.Is(msg, keys.Down):
		return c.vertical(1)
	case keys.Is(msg, keys.Backspace):
		b.remove(b.before(b.cur), b.cur, false)
	case keys.Is(msg, keys.Delete):
		b.remove(b.cur, b.after(b.cur), false)
	case keys.Is(msg, keys.WordBack):
		b.remove(b.blankStart(), b.cur, true)
	case keys.Is(msg, keys.WordKill):
		b.remove(b.cur, b.wordEnd(), true)
	case keys.Is(msg, keys.KillStart):
		b.remove(b.lineStart(), b.cur, true)
	case keys.Is(msg, keys.KillEnd):
		end := b.lineEnd()
		if end == b.cur {
			end = b.after(end)
		}
		b.remove(b.cur, end, true)
	case keys.Is(msg, keys.Yank):
		b.yank()
	case keys.Is(msg, keys.Undo):
		b.revert()
	case keys.Is(msg, keys.Unfold):
		b.unfold()
	default:
		return c.move(msg)
	}
	if b.version != before {
		c.changed()
	}
	return None
}

// move takes the keys that only move the cursor.
func (c *Composer) move(msg tea.KeyMsg) Result {
	b := &c.buf
	switch {
	case keys.Is(msg, keys.Left):
		b.cur = b.before(b.cur)
	case keys.Is(msg, keys.Right):
		b.cur = b.after(b.cur)
	case keys.Is(msg, keys.WordLeft):
		b.cur = b.wordStart()
	case keys.Is(msg, keys.WordRight):
		b.cur = b.wordEnd()
	case keys.Is(msg, keys.LineStart):
		b.cur = b.lineStart()
	case keys.Is(msg, keys.LineEnd):
		b.cur = b.lineEnd()
	default:
		return Ignored
	}
	c.changed()
	return None
}

// vertical moves by rows; beyond the first and the last it walks the history.
func (c *Composer) vertical(n int) Result {
	lines := c.layout()
	row, col := place(lines, c.buf.cur)
	if c.goal < 0 {
		c.goal = col
	}
	if to := row + n; to >= 0 && to < len(lines) {
		c.buf.cur = offset(lines, to, c.goal)
		return None
	}
	if !c.history.walk(n, c.buf.text) {
		return None
	}
	if older, ok := c.history.entry(); ok {
		c.buf.set("")
		c.put(older)
	} else {
		c.buf.restore(c.history.draft)
	}
	c.changed()
	c.popup.close()
	return None
}

func (c *Composer) layout() []line {
	if c.laid != c.buf.version {
		c.lines = c.buf.layout(c.textWidth())
		c.laid = c.buf.version
	}
	return c.lines
}

func (c *Composer) textWidth() int { return max(c.w-2, 1) }

// Rows is the height that the draft needs.
func (c *Composer) Rows() int { return len(c.layout()) }

// View draws the draft in h rows around the cursor. active shows the cursor.
func (c *Composer) View(h int, active bool, hint clean.Text) []string {
	lines := c.layout()
	row, col := place(lines, c.buf.cur)
	first := 0
	if len(lines) > h {
		first = min(max(row-h/2, 0), len(lines)-h)
	}
	sign := c.sign(active)
	var rows []string
	for i := first; i < len(lines) && len(rows) < h; i++ {
		at := -1
		if active && i == row {
			at = col
		}
		text := c.row(lines[i], at)
		if c.buf.empty() {
			text += c.sheet.Paint(themes.Dim, hint.String())
		}
		rows = append(rows, cells.Fit(sign+" "+text, c.w))
		sign = " "
	}
	return cells.Pad(rows, c.w, h)
}

// sign stands before the first row: "!" for a command of the user's own.
func (c *Composer) sign(active bool) string {
	switch {
	case len(c.buf.text) > 0 && c.buf.text[0] == '!':
		return c.sheet.Paint(themes.Warn, "!")
	case active:
		return c.sheet.Paint(themes.Accent, ">")
	}
	return c.sheet.Paint(themes.Dim, ">")
}

// row draws one row with the cursor at a column, or without for -1.
func (c *Composer) row(l line, cursor int) string {
	var b strings.Builder
	col := 0
	for _, g := range l.glyphs {
		text := g.text
		switch {
		case cursor >= col && cursor < col+g.w:
			text = c.sheet.Paint(themes.Cursor, text)
		case g.chip:
			text = c.sheet.Paint(themes.Accent, text)
		}
		b.WriteString(text)
		col += g.w
	}
	if cursor >= col {
		b.WriteString(c.sheet.Paint(themes.Cursor, " "))
	}
	return b.String()
}
