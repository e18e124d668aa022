package dialog

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/keys"
	"mm/ui/state"
	"mm/ui/style"
)

type (
	// Dropped says that a tool's output is to leave the context.
	Dropped struct{ Call agent.CallID }

	// Pinned says that a tool's output is to stay, or no longer.
	Pinned struct {
		Call agent.CallID
		Off  bool
	}
)

func (Dropped) result() {}
func (Pinned) result()  {}

// Fill shows what fills the context window, and lets outputs be dropped.
type Fill struct {
	fill state.Fill
	sel  int
	note string
	w, h int
	view scroller
}

// NewFill returns the dialog.
func NewFill(f state.Fill) *Fill { return &Fill{fill: f} }

// Set takes newer figures over; the cursor stays.
func (d *Fill) Set(f state.Fill) {
	d.fill = f
	d.sel = min(d.sel, max(len(f.Parts)-1, 0))
}

// SetSize gives the room.
func (d *Fill) SetSize(w, h int) { d.w, d.h = w, h }

// Scroll moves by lines.
func (d *Fill) Scroll(n int) { d.move(n) }

func (d *Fill) move(n int) { d.sel = max(min(d.sel+n, len(d.fill.Parts)-1), 0) }

// Key moves, drops, pins or closes.
func (d *Fill) Key(msg tea.KeyMsg, _ time.Time) Result {
	d.note = ""
	switch {
	case keys.Is(msg, keys.ClosePage):
		return Closed{}
	case keys.Is(msg, keys.RowUp):
		d.move(-1)
	case keys.Is(msg, keys.RowDown):
		d.move(1)
	case keys.Is(msg, keys.PageUp):
		d.move(-max(d.view.h-1, 1))
	case keys.Is(msg, keys.PageDown):
		d.move(max(d.view.h-1, 1))
	case keys.Is(msg, keys.DropOutput), keys.Is(msg, keys.PinOutput):
		return d.act(keys.Is(msg, keys.DropOutput))
	}
	return nil
}

// act drops or pins the chosen output.
func (d *Fill) act(drop bool) Result {
	if d.sel >= len(d.fill.Parts) {
		return nil
	}
	p := d.fill.Parts[d.sel]
	switch {
	case p.Call == "":
		d.note = "only outputs of tools can be dropped or pinned"
	case drop && p.Masked:
		d.note = "it is dropped already"
	case drop:
		return Dropped{p.Call}
	default:
		return Pinned{p.Call, p.Pinned}
	}
	return nil
}

// View draws the parts with their shares.
func (d *Fill) View(sheet *style.Sheet) []string {
	inner := max(d.w-4, 1)
	rows := make([]string, len(d.fill.Parts))
	most := 1
	for _, p := range d.fill.Parts {
		most = max(most, p.Tokens)
	}
	for i, p := range d.fill.Parts {
		rows[i] = partRow(sheet, p, most, inner, i == d.sel)
	}
	d.view.fit(len(rows), max(min(len(rows), d.h-3), 1))
	if d.sel < d.view.top || d.sel >= d.view.top+d.view.h {
		d.view.top = max(d.sel-d.view.h/2, 0)
		d.view.fit(len(rows), d.view.h)
	}
	hint := keys.Hint("drops an output", keys.DropOutput) + " · " + keys.Hint("pins it", keys.PinOutput) + " · " + keys.Hint("closes", keys.ClosePage)
	if d.note != "" {
		hint = d.note
	}
	shown := append(d.view.window(rows), sheet.Paint(themes.Dim, hint))
	right := fmt.Sprintf("%d of %d tokens", d.fill.Used, d.fill.Limit)
	if d.fill.Limit == 0 {
		right = fmt.Sprintf("%d tokens", d.fill.Used)
	}
	return frame(sheet, themes.Accent, "Context", right, shown, d.w)
}

// partRow draws one part: name, marks, bar, tokens.
func partRow(sheet *style.Sheet, p state.FillPart, most, w int, chosen bool) string {
	const bar = 10
	full := (p.Tokens*bar + most - 1) / most
	mark := ""
	switch {
	case p.Masked:
		mark = " dropped"
	case p.Pinned:
		mark = " pinned"
	case p.Frees > 0:
		mark = fmt.Sprintf(" −%d if dropped", p.Frees)
	}
	figure := fmt.Sprintf("%6d", p.Tokens)
	left := "  " + p.Name.String() + mark
	if chosen {
		left = "▸ " + p.Name.String() + mark
		return sheet.Paint(themes.Select, cells.Right(left, strings.Repeat("█", full)+strings.Repeat(" ", bar-full)+figure, w))
	}
	if mark != "" {
		left = "  " + p.Name.String() + sheet.Paint(themes.Dim, mark)
	}
	blocks := sheet.Paint(themes.Accent, strings.Repeat("█", full)) + strings.Repeat(" ", bar-full)
	return cells.Right(left, blocks+figure, w)
}
