package dialog

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/themes"
	"mm/ui/keys"
	"mm/ui/style"
)

// Page is text to read.
type Page struct {
	Title    string           // trusted
	Approval agent.ApprovalID // the question that it belongs to, or empty
	Draw     func(sheet *style.Sheet, w int) []string

	w, h  int
	drawn []string
	atW   int
	sheet *style.Sheet
	view  scroller
}

// SetSize gives the room.
func (p *Page) SetSize(w, h int) { p.w, p.h = w, h }

// Key scrolls or closes.
func (p *Page) Key(msg tea.KeyMsg, _ time.Time) Result {
	if !p.view.key(msg) && (keys.Is(msg, keys.ClosePage) || keys.Is(msg, keys.Choose)) {
		return Closed{}
	}
	return nil
}

// Scroll moves by rows.
func (p *Page) Scroll(n int) { p.view.scroll(n) }

// View draws the page, as high as its text or its room.
func (p *Page) View(sheet *style.Sheet) []string {
	inner := max(p.w-4, 1)
	if p.drawn == nil || p.atW != inner || p.sheet != sheet {
		p.drawn, p.atW, p.sheet = p.Draw(sheet, inner), inner, sheet
	}
	p.view.fit(len(p.drawn), min(len(p.drawn), p.h-2))
	right := p.view.where(p.w)
	if right == "" {
		right = keys.Hint("closes", keys.ClosePage)
	}
	return frame(sheet, themes.Accent, p.Title, right, p.view.window(p.drawn), p.w)
}
