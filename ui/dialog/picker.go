package dialog

import (
	"fmt"
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
	ID     string
	Label  clean.Text
	Detail clean.Text // to the right, dim
}

// Picker is a list to choose from. Typing filters it.
type Picker struct {
	Of        string // names the list in results
	Title     string // trusted
	CanDelete bool
	Empty     clean.Text // shown for an empty list

	items   []Item
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

// SetItems replaces the lines and puts the cursor on the current one.
func (p *Picker) SetItems(items []Item, current string) {
	p.items, p.loading = items, items == nil
	p.filter()
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
		if !seen[i] && strings.Contains(strings.ToLower(it.Detail.String()), query) {
			p.found = append(p.found, i)
		}
	}
}

type labels []Item

func (l labels) String(i int) string { return l[i].Label.String() }
func (l labels) Len() int            { return len(l) }

// Key moves, filters, chooses or closes.
func (p *Picker) Key(msg tea.KeyMsg, _ time.Time) Result {
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
	return p.moved()
}

func (p *Picker) current() (string, bool) {
	if p.sel >= len(p.found) {
		return "", false
	}
	return p.items[p.found[p.sel]].ID, true
}

func (p *Picker) moved() Result {
	if id, ok := p.current(); ok {
		return Moved{p.Of, id}
	}
	return nil
}

func (p *Picker) move(n int) Result {
	p.sel = max(min(p.sel+n, len(p.found)-1), 0)
	p.asked = ""
	return p.moved()
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
	rows := []string{sheet.Paint(themes.Accent, "/ ") + p.query + sheet.Paint(themes.Cursor, " ")}
	n := p.rows()
	p.top = max(min(p.top, p.sel), p.sel-n+1)
	switch {
	case p.loading:
		rows = append(rows, sheet.Paint(themes.Dim, "loading…"))
	case len(p.items) == 0:
		rows = append(rows, sheet.Paint(themes.Dim, p.Empty.String()))
	case len(p.found) == 0:
		rows = append(rows, sheet.Paint(themes.Dim, "nothing matches"))
	}
	for i := p.top; i < min(p.top+n, len(p.found)); i++ {
		rows = append(rows, p.line(sheet, p.items[p.found[i]], i == p.sel, inner))
	}
	rows = append(rows, sheet.Paint(themes.Dim, p.hint()))
	right := ""
	if len(p.items) > 0 {
		right = fmt.Sprintf("%d of %d", min(p.sel+1, len(p.found)), len(p.found))
	}
	return frame(sheet, themes.Accent, p.Title, right, rows, p.w)
}

func (p *Picker) hint() string {
	if p.asked != "" {
		return "Ctrl+D again deletes it"
	}
	parts := []string{"Enter chooses", "Esc closes", "typing filters"}
	if p.CanDelete {
		parts = append(parts, "Ctrl+D deletes")
	}
	return strings.Join(parts, " · ")
}

func (p *Picker) line(sheet *style.Sheet, it Item, chosen bool, w int) string {
	if chosen {
		return sheet.Paint(themes.Select, cells.Right("▸ "+it.Label.String(), cells.Clip(it.Detail.String(), w*2/3), w))
	}
	return cells.Right("  "+it.Label.String(), sheet.Paint(themes.Dim, cells.Clip(it.Detail.String(), w*2/3)), w)
}
