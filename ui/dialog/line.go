package dialog

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/composer"
	"mm/ui/keys"
	"mm/ui/style"
)

// Line asks for a line of text.
type Line struct {
	Of    string // names it in results
	Title string // trusted
	Hint  clean.Text

	edit *composer.Composer
	w, h int
}

// NewLine returns an empty line.
func NewLine(of, title string, hint clean.Text, sheet *style.Sheet) *Line {
	return &Line{Of: of, Title: title, Hint: hint, edit: composer.New(sheet)}
}

// SetSize gives the room.
func (l *Line) SetSize(w, h int) {
	l.w, l.h = w, h
	l.edit.SetWidth(w - 4)
}

// Key edits, enters or closes.
func (l *Line) Key(msg tea.KeyMsg, now time.Time) Result {
	if keys.Is(msg, keys.Close) {
		return Left{l.Of}
	}
	if keys.Is(msg, keys.Send) {
		return Entered{l.Of, clean.Line(l.edit.Draft()).String()}
	}
	l.edit.Key(msg, now)
	return nil
}

// View draws the line.
func (l *Line) View(sheet *style.Sheet) []string {
	l.edit.SetSheet(sheet)
	rows := l.edit.View(min(l.edit.Rows(), max(l.h-3, 1)), true, l.Hint)
	rows = append(rows, cells.Fit(sheet.Paint(themes.Dim, keys.Hint("accepts", keys.Send)+" · "+keys.Hint("closes", keys.Close)), l.w-4))
	return frame(sheet, themes.Accent, l.Title, "", rows, l.w)
}
