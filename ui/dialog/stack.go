// Package dialog holds what opens over the conversation: questions about tool
// calls, lists to choose from, pages to read, a line to enter. The top one
// gets all keys. What a dialog leads to is returned as a plain value; acting
// on it is not its business.
package dialog

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/themes"
	"mm/ui/cells"
	"mm/ui/style"
)

// Dialog is one of them.
type Dialog interface {
	// SetSize gives the room that it may take, in cells.
	SetSize(w, h int)

	// Key takes a key press. What it led to is nil, or one of the results
	// of this package.
	Key(msg tea.KeyMsg, now time.Time) Result

	// View returns its rows, each exactly as wide as the room.
	View(sheet *style.Sheet) []string
}

// Result is what a key led to.
type Result interface{ result() }

type (
	// Closed says that the dialog is done and nothing else follows.
	Closed struct{}

	// Unused says that the key belongs to whatever is below.
	Unused struct{}

	// Opened asks for another dialog on top.
	Opened struct{ Dialog Dialog }

	// Chosen says which item of a list was taken, Moved which one is now
	// under the cursor, Deleted which one is to go. Of is the list's name.
	Chosen  struct{ Of, ID string }
	Moved   struct{ Of, ID string }
	Deleted struct{ Of, ID string }

	// Left says that a list was closed without a choice.
	Left struct{ Of string }

	// Entered is the text of a line.
	Entered struct{ Of, Text string }
)

func (Closed) result()  {}
func (Unused) result()  {}
func (Opened) result()  {}
func (Chosen) result()  {}
func (Moved) result()   {}
func (Deleted) result() {}
func (Left) result()    {}
func (Entered) result() {}

// Stack is the open dialogs, the last one on top.
type Stack struct {
	open []Dialog
	w, h int
}

// Top returns the dialog that gets the keys, or nil.
func (s *Stack) Top() Dialog {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1]
}

// Push opens a dialog.
func (s *Stack) Push(d Dialog) {
	d.SetSize(s.w, s.h)
	s.open = append(s.open, d)
}

// Pop closes the top dialog.
func (s *Stack) Pop() {
	if len(s.open) > 0 {
		s.open = s.open[:len(s.open)-1]
	}
}

// Remove closes the dialogs that match.
func (s *Stack) Remove(match func(Dialog) bool) {
	var kept []Dialog
	for _, d := range s.open {
		if !match(d) {
			kept = append(kept, d)
		}
	}
	s.open = kept
}

// SetSize gives all dialogs their room.
func (s *Stack) SetSize(w, h int) {
	s.w, s.h = w, h
	for _, d := range s.open {
		d.SetSize(w, h)
	}
}

// Each visits the dialogs from the bottom up.
func (s *Stack) Each(visit func(Dialog)) {
	for _, d := range s.open {
		visit(d)
	}
}

// frame draws a border around rows of w-4 cells.
func frame(sheet *style.Sheet, role themes.Role, title, right string, rows []string, w int) []string {
	line := func(s string) string { return sheet.Paint(role, s) }
	top := edge(sheet, role, "╭", "╮", title, right, w)
	out := make([]string, 0, len(rows)+2)
	out = append(out, top)
	bar := line("│")
	for _, r := range rows {
		out = append(out, bar+" "+cells.Fit(r, w-4)+" "+bar)
	}
	return append(out, edge(sheet, role, "╰", "╯", "", "", w))
}

// edge draws the upper or the lower border, with a title in it.
func edge(sheet *style.Sheet, role themes.Role, l, r, title, right string, w int) string {
	left := l + "─"
	if title != "" {
		left += " " + cells.Clip(title, max(w-8, 0)) + " "
	}
	end := "─" + r
	if right != "" && cells.Width(left)+cells.Width(right)+5 < w {
		end = " " + right + " " + end
	}
	fill := w - cells.Width(left) - cells.Width(end)
	rule := ""
	for range max(fill, 0) {
		rule += "─"
	}
	return cells.Fit(sheet.Paint(role, left+rule+end), w)
}
