package composer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/keys"
	"mm/ui/style"
)

// popupRows is the number of candidates in sight.
const popupRows = 8

// Candidate is one possible completion.
type Candidate struct {
	Insert string     // what is written, with its trigger
	Label  clean.Text // what is shown
	Help   clean.Text
	Run    bool // choosing it sends the draft at once
}

// popup offers completions for the word before the cursor.
type popup struct {
	sources map[rune][]Candidate
	word    word
	found   []Candidate
	sel     int
	closed  bool // until the word changes its beginning
}

// word is what is completed: a trigger at a word's start and what follows.
type word struct {
	trigger rune // 0 when there is none
	start   int  // rune offset of the trigger
	query   string
}

// SetCandidates sets what a trigger offers: '/' commands, at the start of the
// draft only; '@' files; '$' skills.
func (c *Composer) SetCandidates(trigger rune, list []Candidate) {
	if c.popup.sources == nil {
		c.popup.sources = map[rune][]Candidate{}
	}
	c.popup.sources[trigger] = list
	c.popup.refresh(c.word())
}

// Completing returns the trigger of the word at the cursor, or 0.
func (c *Composer) Completing() rune { return c.word().trigger }

// word finds the word before the cursor. In a command of the user's own "@" and
// "$" are the shell's.
func (c *Composer) word() word {
	b := &c.buf
	if len(b.text) > 0 && b.text[0] == '!' {
		return word{}
	}
	i := b.cur
	for i > 0 && !unicode.IsSpace(b.text[i-1]) {
		i--
	}
	if i >= b.cur {
		return word{}
	}
	switch t := b.text[i]; {
	case t == '/' && i == 0, t == '@', t == '$':
		return word{t, i, string(b.text[i+1 : b.cur])}
	}
	return word{}
}

// refresh looks for candidates anew.
func (p *popup) refresh(w word) {
	if w.trigger != p.word.trigger || w.start != p.word.start {
		p.closed = false
	}
	p.word, p.found, p.sel = w, nil, 0
	if w.trigger == 0 || p.closed {
		return
	}
	list := p.sources[w.trigger]
	if w.query == "" {
		p.found = list[:min(len(list), maxFound)]
		return
	}
	for _, m := range fuzzy.FindFrom(w.query, candidates(list)) {
		p.found = append(p.found, list[m.Index])
		if len(p.found) == maxFound {
			break
		}
	}
	// A candidate that begins with what was typed comes before one that
	// only holds it.
	slices.SortStableFunc(p.found, func(a, b Candidate) int {
		return boolInt(begins(b, w)) - boolInt(begins(a, w))
	})
}

// maxFound bounds the candidates that can be walked.
const maxFound = 100

func begins(c Candidate, w word) bool { return strings.HasPrefix(c.Insert, string(w.trigger)+w.query) }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

type candidates []Candidate

func (c candidates) String(i int) string { return c[i].Insert }
func (c candidates) Len() int            { return len(c) }

func (p *popup) open() bool { return len(p.found) > 0 && !p.closed }

func (p *popup) close() { p.closed, p.found = true, nil }

// Popping reports whether completions are shown.
func (c *Composer) Popping() bool { return c.popup.open() }

// ClosePopup hides the completions.
func (c *Composer) ClosePopup() { c.popup.close() }

// popupKey offers a key to the completion.
func (c *Composer) popupKey(msg tea.KeyMsg) (bool, Result) {
	p := &c.popup
	if !p.open() {
		return false, None
	}
	switch {
	case keys.Is(msg, keys.ItemUp):
		p.sel = (p.sel + len(p.found) - 1) % len(p.found)
	case keys.Is(msg, keys.ItemDown):
		p.sel = (p.sel + 1) % len(p.found)
	case keys.Is(msg, keys.Cancel):
		p.close()
	case keys.Is(msg, keys.Focus):
		c.accept()
	case keys.Is(msg, keys.Send):
		chosen := p.found[p.sel]
		if chosen.Insert == string(p.word.trigger)+p.word.query {
			p.close()
			return false, None // nothing left to complete: Enter is Enter
		}
		c.accept()
		if chosen.Run {
			return true, Submit
		}
	default:
		return false, None
	}
	return true, None
}

// accept writes the chosen candidate.
func (c *Composer) accept() {
	p := &c.popup
	chosen := p.found[p.sel].Insert
	c.buf.remove(p.word.start, c.buf.cur, false)
	if !p.found[p.sel].Run {
		chosen += " "
	}
	c.buf.insert(chosen)
	c.changed()
	p.close()
}

// PopupView draws the completions in at most h rows, none when there are none.
// Where some are out of sight the last row says so.
func (c *Composer) PopupView(h int) []string {
	p := &c.popup
	n := min(popupRows, h-1, len(p.found))
	if !p.open() || n <= 0 {
		return nil
	}
	first := min(max(p.sel-n/2, 0), len(p.found)-n)
	left := 0
	for _, cand := range p.found {
		left = max(left, min(cells.Width(cand.Label.String()), c.w/2))
	}
	rows := make([]string, 0, n)
	for i := first; i < first+n; i++ {
		rows = append(rows, candidateRow(c.sheet, p.found[i], left, c.w, i == p.sel))
	}
	if n < len(p.found) && n > 1 {
		where := fmt.Sprintf("    %d of %d · ↑↓ for more", p.sel+1, len(p.found))
		rows = append(rows, cells.Fit(c.sheet.Paint(themes.Dim, where), c.w))
	}
	return rows
}

func candidateRow(sheet *style.Sheet, cand Candidate, left, w int, chosen bool) string {
	label, help := cells.Fit(cand.Label.String(), left), cand.Help.String()
	if chosen {
		return sheet.Paint(themes.Select, cells.Fit("  ▸ "+label+"  "+help, w))
	}
	return cells.Fit("    "+sheet.Paint(themes.Accent, label)+"  "+sheet.Paint(themes.Dim, help), w)
}
