// Package transcript is the conversation pane: a virtual list of blocks, drawn
// once for each width and kept. A frame costs what is on the screen, however
// long the conversation is. It draws package state's items and knows nothing
// of events, keys or other panes.
package transcript

import (
	"time"

	"mm/ui/cells"
	"mm/ui/markdown"
	"mm/ui/state"
	"mm/ui/style"
)

// Columns around the rows: the mark of the chosen block, the scroll bar.
const margins = 2

// List is the pane. Sync and the scrolling methods change it, Layout settles
// what is visible, View only joins strings.
type List struct {
	c       canvas
	h       int
	entries []entry
	live    []int // entries whose look depends on the clock

	top     pos // the first visible row
	follow  bool
	unread  bool // text arrived below while not following
	cursor  pos  // the chosen block
	focused bool
	found   found

	visible []shown
}

// pos is a place in the list: a row of a block of an entry.
type pos struct{ entry, block, row int }

// shown is a visible row with its place.
type shown struct {
	text string
	pos
}

// Options are the settings of the pane.
type Options struct {
	PreviewLines int    // rows of an output while it is folded
	NextKey      string // goes on after a turn that was stopped
}

// New returns an empty list that follows its end.
func New(sheet *style.Sheet, o Options) *List {
	if o.PreviewLines <= 0 {
		o.PreviewLines = 8
	}
	l := &List{follow: true}
	l.c.preview, l.c.nextKey = o.PreviewLines, o.NextKey
	l.SetSheet(sheet)
	return l
}

// SetSheet changes the theme.
func (l *List) SetSheet(sheet *style.Sheet) {
	l.c.sheet, l.c.md = sheet, markdown.NewRenderer(sheet)
	l.c.epoch++
}

// SetSize changes the size of the pane in cells.
func (l *List) SetSize(w, h int) {
	l.h = max(h, 0)
	if inner := max(w-margins, 1); inner != l.c.w {
		l.c.w = inner
		l.c.epoch++
	}
}

// Clear empties the list.
func (l *List) Clear() {
	l.entries, l.live, l.visible = nil, nil, nil
	l.top, l.cursor, l.found = pos{}, pos{}, found{}
	l.follow, l.unread = true, false
}

// Sync takes over the items that changed. dirty holds their indices in rising
// order.
func (l *List) Sync(items []state.Item, dirty []int, now time.Time) {
	l.c.now = now
	if len(items) < len(l.entries) {
		l.Clear()
	}
	for _, i := range dirty {
		if i >= len(items) {
			continue
		}
		for len(l.entries) <= i {
			l.entries = append(l.entries, newEntry(items[len(l.entries)]))
			l.live = append(l.live, len(l.entries)-1)
		}
		l.entries[i].sync(&l.c)
	}
	l.settleLive()
	if len(dirty) > 0 && !l.follow {
		l.unread = true
	}
}

// Tick redraws what shows the time.
func (l *List) Tick(now time.Time) {
	l.c.now = now
	for _, i := range l.live {
		l.entries[i].stale()
	}
}

// settleLive forgets entries that will not change by themselves.
func (l *List) settleLive() {
	n := 0
	for _, i := range l.live {
		if l.entries[i].live() {
			l.live[n] = i
			n++
		}
	}
	l.live = l.live[:n]
}

// Live reports whether anything on it shows the time.
func (l *List) Live() bool { return len(l.live) > 0 }

// Empty reports whether there is no conversation yet.
func (l *List) Empty() bool { return len(l.entries) == 0 }

// Unread reports whether text arrived below the visible part.
func (l *List) Unread() bool { return l.unread && !l.follow }

// Following reports whether the end stays in sight.
func (l *List) Following() bool { return l.follow }

// rows draws a block. Rows that vanished since are no concern: a position
// behind the last row counts as the last.
func (l *List) rows(entry, block int) []string {
	return l.entries[entry].rows(block, &l.c)
}

// next returns the block after p's, false at the end.
func (l *List) next(p pos) (pos, bool) {
	if p.block+1 < l.entries[p.entry].count() {
		return pos{p.entry, p.block + 1, 0}, true
	}
	for e := p.entry + 1; e < len(l.entries); e++ {
		if l.entries[e].count() > 0 {
			return pos{e, 0, 0}, true
		}
	}
	return p, false
}

// prev returns the block before p's, false at the beginning.
func (l *List) prev(p pos) (pos, bool) {
	if p.block > 0 {
		return pos{p.entry, p.block - 1, 0}, true
	}
	for e := p.entry - 1; e >= 0; e-- {
		if n := l.entries[e].count(); n > 0 {
			return pos{e, n - 1, 0}, true
		}
	}
	return p, false
}

// last returns the last block.
func (l *List) last() (pos, bool) {
	for e := len(l.entries) - 1; e >= 0; e-- {
		if n := l.entries[e].count(); n > 0 {
			return pos{e, n - 1, 0}, true
		}
	}
	return pos{}, false
}

// valid brings a position back into the list after entries shrank.
func (l *List) valid(p pos) (pos, bool) {
	end, ok := l.last()
	if !ok {
		return pos{}, false
	}
	if p.entry >= len(l.entries) {
		return end, true
	}
	n := l.entries[p.entry].count()
	if n == 0 {
		if q, ok := l.next(p); ok {
			return q, true
		}
		return end, true
	}
	if p.block >= n {
		p.block, p.row = n-1, 0
	}
	p.row = max(min(p.row, len(l.rows(p.entry, p.block))-1), 0)
	return p, true
}

// Layout settles the visible rows. It is the only place that draws blocks.
func (l *List) Layout() {
	l.visible = l.visible[:0]
	end, ok := l.last()
	if !ok || l.h == 0 {
		return
	}
	if l.follow {
		l.top = l.above(pos{end.entry, end.block, len(l.rows(end.entry, end.block))}, l.h)
	}
	l.top, _ = l.valid(l.top)
	if f := l.found; f.pattern != nil && (f.epoch != l.c.epoch || f.rows != len(l.rows(f.entry, f.block))) {
		l.locate()
	}
	if l.fill() < l.h {
		l.top = l.above(pos{end.entry, end.block, len(l.rows(end.entry, end.block))}, l.h)
		l.fill()
		l.follow = true
	}
	if l.follow {
		l.unread = false
	}
}

// fill collects the rows from top on, and returns how many there are.
func (l *List) fill() int {
	l.visible = l.visible[:0]
	for p, ok := l.top, true; ok && len(l.visible) < l.h; p, ok = l.next(p) {
		rows := l.rows(p.entry, p.block)
		for i := min(p.row, len(rows)); i < len(rows); i++ {
			l.visible = append(l.visible, shown{rows[i], pos{p.entry, p.block, i}})
		}
	}
	l.visible = l.visible[:min(len(l.visible), l.h)]
	return len(l.visible)
}

// above returns the position n rows above p, or the beginning.
func (l *List) above(p pos, n int) pos {
	for n > p.row {
		n -= p.row
		q, ok := l.prev(p)
		if !ok {
			return pos{p.entry, p.block, 0}
		}
		p = q
		p.row = len(l.rows(p.entry, p.block))
	}
	p.row -= n
	return p
}

// below returns the position n rows below p, or the end.
func (l *List) below(p pos, n int) pos {
	for {
		rows := len(l.rows(p.entry, p.block))
		if p.row+n < rows {
			p.row += n
			return p
		}
		q, ok := l.next(p)
		if !ok {
			p.row = rows
			return p
		}
		n -= rows - p.row
		p = q
	}
}

// View returns the rows of the pane, as many and as wide as its size.
func (l *List) View() []string {
	rows := make([]string, 0, l.h)
	thumb := l.thumb()
	for i, s := range l.visible {
		mark, bar := " ", " "
		if l.focused && s.entry == l.cursor.entry && s.block == l.cursor.block {
			mark = l.c.selected()
		}
		if i == thumb {
			bar = l.c.scrollBar()
		}
		rows = append(rows, mark+l.marked(s)+bar)
	}
	for len(rows) < l.h {
		rows = append(rows, cells.Spaces(l.c.w+margins))
	}
	return rows
}

// thumb is the row of the scroll bar's mark, or -1 while the end is in sight.
// It goes by entries: their heights off the screen are not known.
func (l *List) thumb() int {
	if l.follow || l.h < 2 || len(l.entries) == 0 {
		return -1
	}
	done := float64(l.top.entry)
	if n := l.entries[l.top.entry].count(); n > 0 {
		done += float64(l.top.block) / float64(n)
	}
	return min(int(done/float64(len(l.entries))*float64(l.h)), l.h-1)
}
