package transcript

import (
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mm/themes"
	"mm/ui/cells"
)

// found is the place where a searched text stands, one of several in a block.
type found struct {
	pattern      *regexp.Regexp // nil when nothing was found
	entry, block int
	fromEnd      int // places below it in the block

	// Where it is drawn, for the rows that were looked at.
	epoch, rows int
	at          pos
	left, right int // cells
}

// searched matches a text, letter case and the breaking of lines aside.
func searched(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile("(?i)" + strings.Join(words, `\s*`))
}

// places counts where a block holds what is searched.
func (l *List) places(p pos, pattern *regexp.Regexp) int {
	return len(pattern.FindAllStringIndex(l.words(p), -1))
}

// words is the text of a block to search in.
func (l *List) words(p pos) string {
	e := l.entries[p.entry]
	if a, ok := e.(*answer); ok && p.block >= len(a.blocks) {
		text, _ := l.plain(p) // only the part that is still open
		return text
	}
	return e.source(p.block)
}

// Find goes to the next place that holds a text, letter case aside, and shows
// it; backwards when step is negative. It goes round at the end. It returns
// which place of how many that is, counted from the beginning, or zeros.
func (l *List) Find(text string, step int) (which, of int) {
	cur, ok := l.valid(l.cursor)
	if !ok || strings.TrimSpace(text) == "" {
		return 0, 0
	}
	pattern := searched(text)
	var all []found
	next, after := -1, -1 // the nearest place before the cursor, and behind it
	for p, ok := l.valid(pos{}); ok; p, ok = l.next(p) {
		n := l.places(p, pattern)
		for i := range n {
			f := found{pattern: pattern, entry: p.entry, block: p.block, fromEnd: n - 1 - i}
			switch l.compare(f, cur, step) {
			case -1:
				next = len(all)
			case 1:
				if after < 0 {
					after = len(all)
				}
			}
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	if step < 0 && next < 0 {
		next = len(all) - 1
	}
	if step > 0 {
		next = max(after, 0)
	}
	l.found = all[next]
	l.cursor = pos{l.found.entry, l.found.block, 0}
	l.show()
	return next + 1, len(all)
}

// compare tells whether a place is before (-1) or behind (1) the one that was
// found last, which is neither. Without one the chosen block counts as not yet
// searched.
func (l *List) compare(f found, cur pos, step int) int {
	a, b := pos{f.entry, f.block, 0}, pos{cur.entry, cur.block, 0}
	switch {
	case l.before(a, b):
		return -1
	case l.before(b, a):
		return 1
	case l.found.pattern == nil || l.found.entry != f.entry || l.found.block != f.block:
		return step
	case f.fromEnd > l.found.fromEnd:
		return -1
	case f.fromEnd < l.found.fromEnd:
		return 1
	}
	return 0
}

// show unfolds the entry if the place is folded away, and scrolls to its row.
func (l *List) show() {
	f := &l.found
	p := pos{f.entry, f.block, 0}
	text, _ := l.plain(p)
	drawn := len(f.pattern.FindAllStringIndex(text, -1))
	if e := l.entries[f.entry]; drawn < l.places(p, f.pattern) && e.folded(&l.c) {
		e.toggle()
	}
	l.locate()
	bottom := l.below(l.top, l.h)
	if l.before(f.at, l.top) || !l.before(f.at, bottom) {
		l.top, l.follow = l.above(f.at, l.h/2), false
	}
}

// plain returns the drawn text of a block, and the row of each line. Rows that
// were cut for want of width are one line.
func (l *List) plain(p pos) (text string, starts []int) {
	var b strings.Builder
	for _, row := range l.rows(p.entry, p.block) {
		starts = append(starts, b.Len())
		line := strings.TrimRight(ansi.Strip(row), " ")
		b.WriteString(content(line))
		if cells.Width(line) < l.c.w-1 {
			b.WriteByte('\n')
		}
	}
	return b.String(), starts
}

// content is a drawn row without the signs at its left edge.
func content(row string) string { return strings.TrimLeft(row, " │") }

// locate finds the row and the cells of what was found.
func (l *List) locate() {
	f := &l.found
	p := pos{f.entry, f.block, 0}
	rows := l.rows(f.entry, f.block)
	f.epoch, f.rows, f.at, f.left, f.right = l.c.epoch, len(rows), p, 0, 0
	text, starts := l.plain(p)
	hits := f.pattern.FindAllStringIndex(text, -1)
	if len(hits) == 0 {
		return
	}
	hit := hits[max(len(hits)-1-f.fromEnd, 0)]
	for i, start := range starts {
		if start <= hit[0] {
			f.at.row = i
		}
	}
	row := strings.TrimRight(ansi.Strip(rows[f.at.row]), " ")
	start := len(row) - len(content(row)) + hit[0] - starts[f.at.row]
	f.left = cells.Width(row[:start])
	f.right = f.left + cells.Width(row[start:min(start+hit[1]-hit[0], len(row))])
}

// marked is a visible row, with what was found in it set off.
func (l *List) marked(s shown) string {
	if f := l.found; f.pattern != nil && f.right > f.left && s.pos == f.at {
		return ansi.Cut(s.text, 0, f.left) + l.c.paint(themes.Select, ansi.Strip(ansi.Cut(s.text, f.left, f.right))) + ansi.Cut(s.text, f.right, l.c.w)
	}
	return s.text
}
