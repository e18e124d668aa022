package ui

import (
	"strings"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/gauge"
	"mm/ui/keys"
)

// View joins the rows of the panes.
func (m *Model) View() string {
	if m.lay.tooSmall() {
		return tooSmall(m.lay.w, m.lay.h)
	}
	rows := make([]string, 0, m.lay.h)
	rows = append(rows, gauge.Header(m.look.sheet, &m.st, m.where(), m.out.branch, m.lay.w))
	rows = append(rows, m.middle()...)
	rows = append(rows, m.comp.View(m.lay.input, m.inputActive(), m.hint())...)
	rows = append(rows, gauge.Context(m.look.sheet, &m.st, m.opt.ContextMarks, m.lay.w))
	view := strings.Join(rows, "\n")
	if m.out.setup.ASCII {
		view = cells.ASCII(view)
	}
	return view
}

// tooSmall is all that is drawn below the minimum.
func tooSmall(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	text := cells.Wrap("mm: window too small, needs 40×12", w)
	return strings.Join(cells.Pad(text, w, h), "\n")
}

// middle draws what is between the header and the input.
func (m *Model) middle() []string {
	rows := m.conversation()
	if m.lay.rule == 1 {
		rows = append(rows, m.rule())
	}
	rows = append(rows, m.activity())
	rows = m.cover(rows, m.comp.PopupView(len(rows)-1))
	if top := m.dialogs.Top(); top != nil {
		rows = m.cover(rows, top.View(m.look.sheet))
	}
	return rows
}

// cover lays rows over the lower end of others.
func (m *Model) cover(rows, over []string) []string {
	if len(over) > len(rows) {
		over = over[len(over)-len(rows):]
	}
	return append(rows[:len(rows)-len(over)], over...)
}

// conversation draws the list with the side pane.
func (m *Model) conversation() []string {
	var rows []string
	if m.list.Empty() {
		rows = m.welcome(m.lay.list, m.lay.main)
	} else {
		rows = m.list.View()
		for len(rows) < m.lay.main { // a question covers the rest
			rows = append(rows, cells.Spaces(m.lay.list))
		}
	}
	if m.lay.side == 0 {
		return rows
	}
	side := gauge.Side(m.look.sheet, &m.st, clean.Line(m.opt.Version), m.lay.side, m.lay.main)
	bar := m.look.sheet.Paint(themes.Faint, "│ ")
	for i := range rows {
		rows[i] += bar + side[i]
	}
	return rows
}

// rule is the line above the activity. It announces new text below.
func (m *Model) rule() string {
	s := m.look.sheet
	line := func(n int) string { return s.Paint(themes.Faint, strings.Repeat("─", max(n, 0))) }
	if !m.list.Unread() {
		return line(m.lay.w)
	}
	mark := s.Paint(themes.Warn, " "+newText()+" ")
	return line(m.lay.w-cells.Width(mark)-2) + mark + line(2)
}

// activity is the line above the input: a hint, or what goes on.
func (m *Model) activity() string {
	s := m.look.sheet
	if !m.moods.flash.IsEmpty() {
		role := themes.Accent
		if m.moods.flashBad {
			role = themes.Warn
		}
		return cells.Fit(s.Paint(role, m.moods.flash.String()), m.lay.w)
	}
	if m.lay.rule == 0 && m.list.Unread() {
		return cells.Fit(s.Paint(themes.Warn, newText()), m.lay.w)
	}
	if m.out.trying {
		return cells.Fit(s.Paint(themes.Accent, gauge.Spin(m.now())+" looking for the server"), m.lay.w)
	}
	if m.list.Focused() && !m.st.Busy && len(m.st.Queue) == 0 && m.st.Asked.Name.IsEmpty() {
		return cells.Fit(s.Paint(themes.Dim, conversationKeys()), m.lay.w)
	}
	escape := keys.Hint("cancels", keys.Cancel)
	if m.list.Focused() {
		escape = keys.Hint("back", keys.Focus)
	}
	return gauge.Activity(s, &m.st, m.now(), escape, m.lay.w)
}

// newText announces what came below the rows in sight.
func newText() string { return "↓ new text below · " + keys.Name(keys.Follow) }

// conversationKeys are the keys of the conversation while nothing goes on.
func conversationKeys() string {
	return strings.Join([]string{
		keys.Hint("move", keys.BlockDown, keys.BlockUp), keys.Hint("unfolds", keys.Open), keys.Hint("copies", keys.Copy),
		keys.Hint("searches", keys.Search), keys.Hint("back", keys.Focus),
	}, " · ")
}

// inputActive reports whether keys go to the input.
func (m *Model) inputActive() bool { return m.dialogs.Top() == nil && !m.list.Focused() }

// hint stands in the empty input.
func (m *Model) hint() clean.Text {
	switch {
	case m.dialogs.Top() != nil:
		return clean.Text{}
	case m.core == nil && !m.out.trying:
		return clean.Trusted("no server yet")
	case m.lay.w < 60:
		return clean.Line(keys.Hint("sends", keys.Send))
	case m.st.Busy:
		return clean.Line("type ahead: " + keys.Hint("queues the message", keys.Send))
	}
	return clean.Line(keys.Hint("sends", keys.Send) + ", " + keys.Hint("new line", keys.NewLine) + " · / commands · @ files · $ skills · ! shell")
}

// where is the directory as people write it.
func (m *Model) where() clean.Text {
	dir := m.opt.Cwd
	if m.opt.Home != "" {
		if rest, ok := strings.CutPrefix(dir, m.opt.Home); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
			dir = "~" + rest
		}
	}
	return clean.Line(dir)
}
