package ui

// The smallest screen that is drawn, and from what size on there is room for
// more, in cells.
const (
	minWidth   = 40
	minHeight  = 12
	sideFrom   = 110 // width
	ruleFrom   = 16  // height
	sideLeast  = 28
	sideMost   = 44
	inputShare = 3 // the input takes at most one part in so many
)

// layout is where the panes are. All of them are as wide as the screen but
// those that share the main part.
type layout struct {
	w, h int

	main  int // rows of the conversation
	list  int // its columns
	side  int // columns of the side pane, 0 without one
	rule  int // rows between conversation and activity: 0 or 1
	input int // rows
}

// tooSmall reports whether the screen cannot be drawn.
func (l layout) tooSmall() bool { return l.w < minWidth || l.h < minHeight }

// plan divides a screen. draft is the height that the input would like.
func plan(w, h, draft int, side bool) layout {
	l := layout{w: w, h: h, list: w}
	if l.tooSmall() {
		return l
	}
	if side && w >= sideFrom {
		l.side = min(max(w/4, sideLeast), sideMost)
		l.list = w - l.side - 2
	}
	if h >= ruleFrom {
		l.rule = 1
	}
	l.input = min(max(draft, 1), max(h/inputShare, 1))
	const header, activity, gauge = 1, 1, 1
	l.main = h - header - l.rule - activity - l.input - gauge
	return l
}
