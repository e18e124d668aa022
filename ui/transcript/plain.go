package transcript

import (
	"fmt"
	"strings"

	"mm/agent"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/state"
)

// plain draws the items that come whole and do not change: the user's words,
// notices, the ends of turns.
type plain struct {
	item state.Item
	open bool // other than all are
	d    drawing
}

func (p *plain) sync(*canvas) { p.d.forget() }
func (p *plain) count() int   { return 1 }
func (p *plain) live() bool   { return false }
func (p *plain) stale()       {}

func (p *plain) folded(c *canvas) bool { return p.open == c.openOutputs }

func (p *plain) toggle() {
	p.open = !p.open
	p.d.forget()
}

func (p *plain) rows(_ int, c *canvas) []string {
	return p.d.get(c, func() []string {
		switch it := p.item.(type) {
		case *state.User:
			return p.user(c, it)
		case *state.Notice:
			return notice(c, it)
		case *state.TurnEnd:
			return turnEnd(c, it)
		case *state.Summary:
			return p.summary(c, it)
		}
		return []string{""}
	})
}

func (p *plain) source(int) string {
	switch it := p.item.(type) {
	case *state.User:
		return it.Text.String()
	case *state.Notice:
		return it.Text.String()
	case *state.TurnEnd:
		return it.Text.String()
	case *state.Summary:
		return it.Text.String()
	}
	return ""
}

// foldedUser is the number of rows of a long message while it is folded.
const foldedUser = 12

func (p *plain) user(c *canvas, it *state.User) []string {
	text := cells.Wrap(strings.TrimRight(it.Text.String(), "\n"), c.w-2)
	rest := 0
	if len(text) > foldedUser && p.folded(c) {
		rest = len(text) - foldedUser + 1
		text = text[:foldedUser-1]
	}
	rows := append([]string{""}, signed(c.paint(themes.User, "›"), c.painted(themes.User, text))...)
	if rest > 0 {
		rows = append(rows, more(c, rest, "below"))
	}
	return rows
}

func notice(c *canvas, it *state.Notice) []string {
	sign, role := "·", themes.Dim
	switch it.Level {
	case state.Repair:
		sign = "↻"
	case state.Warning:
		sign, role = "!", themes.Warn
	case state.Failure:
		sign, role = "✗", themes.Error
	}
	rows := signed(c.paint(role, sign), c.painted(role, cells.Wrap(it.Text.String(), c.w-2)))
	if it.Level == state.Failure {
		rows = append([]string{""}, rows...)
	}
	return rows
}

func turnEnd(c *canvas, it *state.TurnEnd) []string {
	words := map[agent.Stop]string{
		agent.StopAnswer:    "done",
		agent.StopCancelled: "cancelled",
		agent.StopMaxTurns:  "stopped at the limit of steps",
		agent.StopStuck:     "stopped: the model repeats itself",
		agent.StopMaxTokens: "stopped: the answer was cut off",
		agent.StopRefused:   "stopped: nobody could be asked",
		agent.StopFailed:    "stopped by an error",
	}
	word, ok := words[it.Stop]
	if !ok {
		word = "stopped"
	}
	sign, role := "■", themes.Warn
	switch it.Stop {
	case agent.StopAnswer:
		sign, role = "·", themes.Dim
	case agent.StopFailed:
		role = themes.Error
	}
	word += " after " + Duration(it.Elapsed)
	if it.Tokens > 0 {
		word += " · " + Count(it.Tokens) + " tokens"
	}
	switch it.Next {
	case state.GoOn:
		word += " · " + c.nextKey + " goes on"
	case state.AskAgain:
		word += " · " + c.nextKey + " asks again"
	}
	rows := append([]string{""}, signed(c.paint(role, sign), c.painted(role, cells.Wrap(word, c.w-2)))...)
	if !it.Text.IsEmpty() {
		for _, r := range cells.Wrap(it.Text.String(), c.w-2) {
			rows = append(rows, "  "+r)
		}
	}
	return rows
}

func (p *plain) summary(c *canvas, it *state.Summary) []string {
	title := it.Line.String()
	if title == "" {
		title = fmt.Sprintf("%d messages became a summary", it.Before-it.After+1)
	}
	rows := []string{"", c.paint(themes.Dim, "⋯ "+title)}
	if !p.folded(c) {
		rows = append(rows, quoted(c, themes.Dim, cells.Wrap(it.Text.String(), c.w-4))...)
	}
	return rows
}

// Count writes a number of tokens: "480", "12.0k".
func Count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	if n < 1_000_000 {
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Bytes writes a size: "480 B", "1.2 KiB".
func Bytes(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	if n >= 1<<20 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/1024)
}
