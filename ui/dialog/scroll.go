package dialog

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"mm/ui/keys"
)

// scroller is a window on rows.
type scroller struct {
	top, h, total int
	seen          int // rows that were in sight, counted from the first
}

// fit adapts to the number of rows and the height of the window.
func (s *scroller) fit(total, h int) {
	s.total, s.h = total, max(h, 0)
	s.top = max(min(s.top, total-s.h), 0)
	s.seen = max(s.seen, min(s.top+s.h, total))
}

// key scrolls, and reports whether the key was for that.
func (s *scroller) key(msg tea.KeyMsg) bool {
	page := max(s.h-1, 1)
	switch {
	case keys.Is(msg, keys.RowUp):
		s.top--
	case keys.Is(msg, keys.RowDown):
		s.top++
	case keys.Is(msg, keys.PageUp):
		s.top -= page
	case keys.Is(msg, keys.PageDown):
		s.top += page
	case keys.Is(msg, keys.PageHome):
		s.top = 0
	case keys.Is(msg, keys.PageEnd):
		s.top = s.total
	default:
		return false
	}
	s.fit(s.total, s.h)
	return true
}

// scroll moves by rows.
func (s *scroller) scroll(n int) {
	s.top += n
	s.fit(s.total, s.h)
}

// window returns the rows in sight.
func (s *scroller) window(rows []string) []string {
	return rows[min(s.top, len(rows)):min(s.top+s.h, len(rows))]
}

// fits reports whether all is in sight at once.
func (s *scroller) fits() bool { return s.total <= s.h }

// shift follows when n rows that were in sight come before the others, or no
// longer do.
func (s *scroller) shift(n int, come bool) {
	if !come {
		n = -n
	}
	s.seen = max(s.seen+n, 0)
	if s.top > 0 {
		s.top = max(s.top+n, 0)
	}
}

// where says what is in sight, or nothing when all is, for a frame of w cells.
func (s *scroller) where(w int) string {
	if s.fits() {
		return ""
	}
	if w < 60 {
		return fmt.Sprintf("%d–%d/%d ↑↓", s.top+1, min(s.top+s.h, s.total), s.total)
	}
	return fmt.Sprintf("line %d–%d of %d · ↑↓", s.top+1, min(s.top+s.h, s.total), s.total)
}

// Scroller is a dialog that the mouse wheel can scroll.
type Scroller interface{ Scroll(rows int) }
