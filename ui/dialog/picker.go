package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/keys"
	"mm/ui/style"
)

// Item is a line of a list.
type Item struct {
	ID    string
	Label clean.Text

	// Details stand in columns to the right, dim, the most telling first:
	// where there is no room for all, the last columns are left out.
	Details []clean.Text
}

// Picker is a list to choose from. Typing filters it.
type Picker struct {
	Of        string   // names the list in results
	Title     string   // trusted
	Heads     []string // of the columns, trusted; nil has none
	CanDelete bool
	Empty     clean.Text // shown for an empty list
	Trouble   clean.Text // what did not work, until the next key

	items   []Item
	chosen  string // the item in force
	found   []int
	query   string
	sel     int
	asked   string // the item whose deletion waits for a second press
	w, h    int
	top     int
	loading bool
}

// NewPicker returns a list. A nil list is one that is still being loaded.
func NewPicker(of, title string, items []Item, current string) *Picker {
	p := &Picker{Of: of, Title: title, loading: items == nil}
	p.SetItems(items, current)
	return p
}

// SetItems replaces the lines. The cursor is put on the current one; where
// there were lines before, it stays where it was.
func (p *Picker) SetItems(items []Item, current string) {
	again, at := len(p.items) > 0, p.sel
	p.items, p.chosen, p.loading = items, current, items == nil
	p.filter()
	if again {
		p.sel = max(min(at, len(p.found)-1), 0)
		return
	}
	for i, f := range p.found {
		if p.items[f].ID == current && current != "" {
			p.sel = i
		}
	}
}

// SetSize gives the room.
func (p *Picker) SetSize(w, h int) { p.w, p.h = w, h }

func (p *Picker) filter() {
	p.found, p.sel, p.top, p.asked = p.found[:0], 0, 0, ""
	if p.query == "" {
		for i := range p.items {
			p.found = append(p.found, i)
		}
		return
	}
	seen := map[int]bool{}
	for _, m := range fuzzy.FindFrom(p.query, labels(p.items)) {
		p.found, seen[m.Index] = append(p.found, m.Index), true
	}
	// A detail must hold what was typed as it stands.
	query := strings.ToLower(p.query)
	for i, it := range p.items {
		if !seen[i] && slices.ContainsFunc(it.Details, func(d clean.Text) bool {
			return strings.Contains(strings.ToLower(d.String()), query)
		}) {
			p.found = append(p.found, i)
		}
	}
}

type labels []Item

func (l labels) String(i int) string { return l[i].Label.String() }
func (l labels) Len() int            { return len(l) }

// Key moves, filters, chooses or closes.
func (p *Picker) Key(msg tea.KeyMsg, _ time.Time) Result {
	p.Trouble = clean.Text{}
	switch {
	case keys.Is(msg, keys.Close):
		return Left{p.Of}
	case keys.Is(msg, keys.Choose):
		if id, ok := p.current(); ok {
			return Chosen{p.Of, id}
		}
		return nil
	case keys.Is(msg, keys.ItemUp):
		return p.move(-1)
	case keys.Is(msg, keys.ItemDown):
		return p.move(1)
	case keys.Is(msg, keys.PageUp):
		return p.move(-max(p.rows()-1, 1))
	case keys.Is(msg, keys.PageDown):
		return p.move(max(p.rows()-1, 1))
	case p.CanDelete && keys.Is(msg, keys.DeleteItem):
		return p.remove()
	case keys.Is(msg, keys.Backspace):
		if r := []rune(p.query); len(r) > 0 {
			p.query = string(r[:len(r)-1])
		}
	case keys.Is(msg, keys.KillStart):
		p.query = ""
	case (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt:
		p.query += clean.Line(string(msg.Runes)).String()
	default:
		return nil
	}
	p.filter()
	return p.Under()
}

func (p *Picker) current() (string, bool) {
	if p.sel >= len(p.found) {
		return "", false
	}
	return p.items[p.found[p.sel]].ID, true
}

// Under says which item is under the cursor, as Moved, or nothing.
func (p *Picker) Under() Result {
	if id, ok := p.current(); ok {
		return Moved{p.Of, id}
	}
	return nil
}

func (p *Picker) move(n int) Result {
	p.sel = max(min(p.sel+n, len(p.found)-1), 0)
	p.asked = ""
	return p.Under()
}

// Scroll moves by lines.
func (p *Picker) Scroll(n int) { p.move(n) }

// remove asks once, then deletes.
func (p *Picker) remove() Result {
	id, ok := p.current()
	switch {
	case !ok:
		return nil
	case p.asked != id:
		p.asked = id
		return nil
	}
	p.asked = ""
	return Deleted{p.Of, id}
}

// rows is the number of lines in sight.
func (p *Picker) rows() int { return max(p.h-4, 1) }

// View draws the list.
func (p *Picker) View(sheet *style.Sheet) []string {
	inner := max(p.w-4, 1)
	cols := p.columns(inner - markWidth)
	rows := []string{p.head(sheet, cols)}
	var trouble []string
	if !p.Trouble.IsEmpty() {
		trouble = cells.Wrap(p.Trouble.String(), inner)
		trouble = trouble[:min(len(trouble), p.rows())]
	}
	n := p.rows() - len(trouble)
	p.top = max(min(p.top, p.sel), p.sel-n+1)
	switch {
	case p.loading:
		rows = append(rows, sheet.Paint(themes.Dim, "loading…"))
	case len(p.items) == 0 && len(trouble) > 0:
	case len(p.items) == 0:
		rows = append(rows, sheet.Paint(themes.Dim, p.Empty.String()))
	case len(p.found) == 0:
		rows = append(rows, sheet.Paint(themes.Dim, "nothing matches"))
	}
	for i := p.top; i < min(p.top+n, len(p.found)); i++ {
		rows = append(rows, p.line(sheet, p.items[p.found[i]], i == p.sel, cols, inner))
	}
	for _, r := range trouble {
		rows = append(rows, sheet.Paint(themes.Warn, r))
	}
	rows = append(rows, sheet.Paint(themes.Dim, p.hint(inner)))
	right := ""
	if len(p.items) > 0 {
		right = fmt.Sprintf("%d of %d", min(p.sel+1, len(p.found)), len(p.found))
	}
	return frame(sheet, themes.Accent, p.Title, right, rows, p.w)
}

// hint names the keys, as many as there is room for.
func (p *Picker) hint(w int) string {
	if p.asked != "" {
		return keys.Hint("again deletes it", keys.DeleteItem)
	}
	hint := keys.Hint("chooses", keys.Choose) + " · " + keys.Hint("closes", keys.Close)
	more := []string{"typing filters"}
	if p.CanDelete {
		more = []string{keys.Hint("deletes", keys.DeleteItem), "typing filters"}
	}
	for _, part := range more {
		if longer := hint + " · " + part; cells.Width(longer) <= w {
			hint = longer
		}
	}
	return hint
}

const (
	markWidth = 2 // of the sign before a label
	gap       = 2 // between columns
)

// columns are the widths of the labels and of the details that there is room
// for; 0 is a column in which nothing stands.
type columns struct {
	label   int
	details []int
	table   bool // figures, which stand at their column's right
}

// columns shares w cells out. Labels give way down to half of the room before a
// column is left out; the last column that is left gives way itself.
func (p *Picker) columns(w int) columns {
	var c columns
	for _, it := range p.items {
		c.label = max(c.label, cells.Width(it.Label.String()))
		for i, d := range it.Details {
			if i == len(c.details) {
				c.details = append(c.details, 0)
			}
			c.details[i] = max(c.details[i], cells.Width(d.String()))
		}
	}
	c.table = len(c.details) > 1
	for i := range c.details {
		if c.details[i] > 0 && i < len(p.Heads) {
			c.details[i] = max(c.details[i], cells.Width(p.Heads[i]))
		}
	}
	for len(c.details) > 1 && min(c.label, w/2)+c.right() > w {
		c.details = c.details[:len(c.details)-1]
	}
	c.label = min(c.label, max((w-gap)/2, w-c.right()))
	if len(c.details) == 1 && c.details[0] > 0 {
		c.details[0] = max(min(c.details[0], w-c.label-gap), 0)
	}
	return c
}

// right is the room that the details take.
func (c columns) right() int {
	n := 0
	for _, w := range c.details {
		if w > 0 {
			n += gap + w
		}
	}
	return n
}

// row lays a line's details out.
func (c columns) row(text func(i int) string) string {
	var b strings.Builder
	for i, w := range c.details {
		if w == 0 {
			continue
		}
		t := cells.Clip(text(i), w)
		if c.table {
			t = cells.Spaces(w-cells.Width(t)) + t
		}
		b.WriteString(cells.Spaces(gap) + cells.Fit(t, w))
	}
	return b.String()
}

// head is what was typed, and the heads of the columns where it leaves them
// room.
func (p *Picker) head(sheet *style.Sheet, c columns) string {
	typed := sheet.Paint(themes.Accent, "/ ") + p.query + sheet.Paint(themes.Cursor, " ")
	if p.Heads == nil || cells.Width(typed) > markWidth+c.label {
		return typed
	}
	heads := c.row(func(i int) string {
		if i < len(p.Heads) {
			return p.Heads[i]
		}
		return ""
	})
	return cells.Fit(typed, markWidth+c.label) + sheet.Paint(themes.Dim, heads)
}

func (p *Picker) line(sheet *style.Sheet, it Item, under bool, c columns, w int) string {
	label := cells.Fit(it.Label.String(), c.label)
	details := c.row(func(i int) string {
		if i < len(it.Details) {
			return it.Details[i].String()
		}
		return ""
	})
	switch {
	case under:
		return sheet.Paint(themes.Select, cells.Fit("▸ "+label+details, w))
	case it.ID == p.chosen && p.chosen != "":
		label = "• " + label
	default:
		label = "  " + label
	}
	return label + sheet.Paint(themes.Dim, details)
}
