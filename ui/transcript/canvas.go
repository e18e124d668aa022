package transcript

import (
	"fmt"
	"time"

	"mm/themes"
	"mm/ui/cells"
	"mm/ui/markdown"
	"mm/ui/state"
	"mm/ui/style"
)

// canvas is what entries draw with.
type canvas struct {
	sheet   *style.Sheet
	md      *markdown.Renderer
	w       int
	epoch   int // changes with the width, the theme and what is unfolded
	now     time.Time
	preview int
	nextKey string

	openReasoning, openOutputs bool

	jobs []job
}

// entry draws one item of the conversation.
type entry interface {
	// sync takes over the new state of the item.
	sync(c *canvas)

	// count is the number of blocks, rows draws one of them in rows of
	// exactly the canvas's width.
	count() int
	rows(block int, c *canvas) []string

	// live reports whether time alone changes the look; stale forgets the
	// drawing of such an entry.
	live() bool
	stale()

	// folded reports whether toggle unfolds.
	folded(c *canvas) bool
	toggle()
	// source is a block's text for copying and searching.
	source(block int) string
}

func newEntry(it state.Item) entry {
	switch it := it.(type) {
	case *state.Answer:
		return &answer{item: it}
	case *state.Reasoning:
		return &reasoning{item: it}
	case *state.Call:
		return &call{item: it}
	default:
		return &plain{item: it}
	}
}

// drawing is a kept drawing of a block.
type drawing struct {
	epoch int
	rows  []string
}

// get returns the rows as kept, or draws them.
func (d *drawing) get(c *canvas, draw func() []string) []string {
	if d.rows == nil || d.epoch != c.epoch {
		d.rows, d.epoch = c.fit(draw()), c.epoch
	}
	return d.rows
}

func (d *drawing) forget() { d.rows = nil }

// fit makes all rows exactly as wide as the pane.
func (c *canvas) fit(rows []string) []string {
	for i, r := range rows {
		rows[i] = cells.Fit(r, c.w)
	}
	return rows
}

func (c *canvas) paint(role themes.Role, s string) string { return c.sheet.Paint(role, s) }

func (c *canvas) selected() string { return c.paint(themes.Accent, "▌") }

func (c *canvas) scrollBar() string { return c.paint(themes.Dim, "▐") }

// signed puts a sign before the first row and indents the others.
func signed(sign string, rows []string) []string {
	for i, r := range rows {
		if i == 0 {
			rows[i] = sign + " " + r
		} else {
			rows[i] = "  " + r
		}
	}
	return rows
}

// painted paints each row.
func (c *canvas) painted(role themes.Role, rows []string) []string {
	for i, r := range rows {
		rows[i] = c.paint(role, r)
	}
	return rows
}

// Duration writes a time span for people.
func Duration(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
