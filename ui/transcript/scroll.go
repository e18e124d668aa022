package transcript

import "slices"

// Scroll moves by rows, down when n is positive. Scrolling up stops following;
// reaching the end follows again.
func (l *List) Scroll(n int) {
	top, ok := l.valid(l.top)
	if !ok {
		return
	}
	if n < 0 {
		up := l.above(top, -n)
		if up == top && l.follow {
			return // all is in sight
		}
		l.top, l.follow = up, false
		return
	}
	l.top = l.below(top, n)
	end, _ := l.last()
	limit := l.above(pos{end.entry, end.block, len(l.rows(end.entry, end.block))}, l.h)
	if !l.before(l.top, limit) {
		l.top, l.follow = limit, true
	}
}

// Page moves by n screens.
func (l *List) Page(n int) { l.Scroll(n * max(l.h-2, 1)) }

// Home goes to the beginning.
func (l *List) Home() {
	if end, ok := l.last(); !ok || end == (pos{}) && l.follow {
		return
	}
	l.top, l.follow = pos{}, false
}

// End goes to the end and follows it.
func (l *List) End() { l.follow, l.unread = true, false }

func (l *List) before(a, b pos) bool {
	if a.entry != b.entry {
		return a.entry < b.entry
	}
	if a.block != b.block {
		return a.block < b.block
	}
	return a.row < b.row
}

// Focus shows or hides the cursor. It starts on the last visible block that
// has something to copy.
func (l *List) Focus(on bool) {
	l.focused, l.found = on, found{}
	if !on || len(l.visible) == 0 {
		return
	}
	at := l.visible[len(l.visible)-1]
	for _, s := range slices.Backward(l.visible) {
		if l.entries[s.entry].source(s.block) != "" {
			at = s
			break
		}
	}
	l.cursor = pos{at.entry, at.block, 0}
}

// Focused reports whether the cursor is shown.
func (l *List) Focused() bool { return l.focused }

// Move moves the cursor by blocks and scrolls it into sight.
func (l *List) Move(n int) {
	cur, ok := l.valid(l.cursor)
	if !ok {
		return
	}
	step := l.next
	if n < 0 {
		step, n = l.prev, -n
	}
	for range n {
		cur, _ = step(cur)
	}
	l.cursor, l.found = pos{cur.entry, cur.block, 0}, found{}
	l.reveal()
}

// First moves the cursor to the first block, Last to the last one.
func (l *List) First() {
	if p, ok := l.valid(pos{}); ok {
		l.cursor, l.found = p, found{}
		l.reveal()
	}
}

// Last moves the cursor to the last block and follows the end.
func (l *List) Last() {
	if p, ok := l.last(); ok {
		l.cursor, l.found = p, found{}
		l.End()
	}
}

// reveal scrolls so that the beginning of the chosen block is in sight.
func (l *List) reveal() {
	height := len(l.rows(l.cursor.entry, l.cursor.block))
	start := pos{l.cursor.entry, l.cursor.block, 0}
	lowest := l.above(pos{start.entry, start.block, min(height, l.h)}, l.h)
	switch {
	case l.before(start, l.top):
		l.top, l.follow = start, false
	case l.before(l.top, lowest):
		l.top, l.follow = lowest, false
	}
}

// Toggle folds or unfolds the entry of the chosen block.
func (l *List) Toggle() {
	cur, ok := l.valid(l.cursor)
	if !ok {
		return
	}
	l.entries[cur.entry].toggle()
	l.cursor, _ = l.valid(l.cursor)
}

// Source returns the text of the chosen block as it was written.
func (l *List) Source() string {
	cur, ok := l.valid(l.cursor)
	if !ok {
		return ""
	}
	return l.entries[cur.entry].source(cur.block)
}

// UnfoldReasoning shows or folds all reasoning, also what was unfolded by
// itself, and returns which.
func (l *List) UnfoldReasoning() bool {
	l.c.openReasoning = !l.c.openReasoning
	l.c.epoch++
	for _, e := range l.entries {
		if r, ok := e.(*reasoning); ok {
			r.open = false
		}
	}
	return l.c.openReasoning
}

// UnfoldOutputs shows or folds all outputs of tools and long messages, also
// what was unfolded by itself, and returns which.
func (l *List) UnfoldOutputs() bool {
	l.c.openOutputs = !l.c.openOutputs
	l.c.epoch++
	for _, e := range l.entries {
		switch e := e.(type) {
		case *call:
			e.open = false
		case *plain:
			e.open = false
		}
	}
	return l.c.openOutputs
}

// LastAnswer returns the source of the last answer.
func (l *List) LastAnswer() string {
	for i := len(l.entries) - 1; i >= 0; i-- {
		if a, ok := l.entries[i].(*answer); ok {
			return a.whole()
		}
	}
	return ""
}
