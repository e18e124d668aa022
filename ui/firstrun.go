package ui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/dialog"
	"mm/ui/keys"
)

// foundMsg is the end of a search for a server.
type foundMsg struct {
	core  Core
	first *FirstRun
	err   error
	start bool // the search of the start
}

// firstChoice is something that can be done without a server.
type firstChoice struct {
	what  string
	short string
	bind  keys.Binding
	do    func() tea.Cmd
}

// firstChoices lists what the owner of the screen offers.
func (m *Model) firstChoices() []firstChoice {
	f := m.out.first
	var list []firstChoice
	if f.Retry != nil {
		list = append(list, firstChoice{"look again", "again", keys.Retry, func() tea.Cmd {
			return m.try(f.Retry)
		}})
	}
	if f.Enter != nil {
		list = append(list, firstChoice{"enter a URL", "URL", keys.EnterURL, func() tea.Cmd {
			hint := clean.Trusted("http://127.0.0.1:8080/v1")
			m.dialogs.Push(dialog.NewLine(ofURL, "URL of the server", hint, m.look.sheet))
			return nil
		}})
	}
	if f.Demo != nil {
		list = append(list, firstChoice{"demo without a model", "demo", keys.Demo, func() tea.Cmd {
			return m.try(func(ctx context.Context) (Core, *FirstRun, error) {
				core, err := f.Demo(ctx)
				return core, nil, err
			})
		}})
	}
	return list
}

// firstKey takes a key while there is no core. It reports whether it was used.
func (m *Model) firstKey(msg tea.KeyMsg) (tea.Cmd, bool) {
	if m.core != nil || m.out.first == nil || !m.comp.Empty() || m.out.trying {
		return nil, false
	}
	for _, c := range m.firstChoices() {
		if keys.Is(msg, c.bind) {
			return c.do(), true
		}
	}
	switch page := max(m.lay.main/2, 1); {
	case keys.Is(msg, keys.PageUp):
		m.scrollFirst(-page)
	case keys.Is(msg, keys.PageDown):
		m.scrollFirst(page)
	default:
		return nil, false
	}
	return nil, true
}

// scrollFirst scrolls what is known of servers.
func (m *Model) scrollFirst(n int) {
	body, foot := m.firstBody(m.lay.list), m.firstFoot(m.lay.list, m.lay.main, 0)
	m.out.firstTop = max(min(m.out.firstTop+n, len(body)-m.lay.main+len(foot)), 0)
}

// firstRows is drawn when no server was found: what was looked for and how to
// start one, which scrolls, above what can be done.
func (m *Model) firstRows(w, h int) []string {
	body := m.firstBody(w)
	foot := m.firstFoot(w, h, 0)
	room := h - len(foot)
	top := max(min(m.out.firstTop, len(body)-room), 0)
	if len(body) > room {
		foot = m.firstFoot(w, h, len(body)-room-top)
	}
	return append(body[top:min(top+max(room, 0), len(body))], foot...)
}

func (m *Model) firstBody(w int) []string {
	s, f := m.look.sheet, m.out.first
	const column = 22 // of what is said, where it has room behind the name
	var rows []string
	entry := func(name, text string, role themes.Role) {
		if column+cells.Width(text) <= w {
			rows = append(rows, cells.Fit("  "+name, column)+s.Paint(role, text))
			return
		}
		rows = append(rows, "  "+name)
		for _, r := range cells.Wrap(text, w-4) {
			rows = append(rows, "    "+s.Paint(role, r))
		}
	}
	rows = append(rows, "", "  "+s.Paint(themes.Heading, "No model server was found."), "")
	for _, p := range f.Probed {
		entry(s.Paint(themes.Error, "✗ ")+clean.Line(p.Name).String(), clean.Line(p.URL).String()+"  "+clean.Line(p.Found).String(), themes.Dim)
	}
	if len(f.Starts) > 0 {
		rows = append(rows, "", "  Start one of them:")
	}
	for _, st := range f.Starts {
		entry(s.Paint(themes.Accent, clean.Line(st.Name).String()), clean.Line(st.Command).String(), themes.Code)
	}
	return rows
}

// firstFoot is what can be done without a server, and what came of the last try,
// in half of h rows at most. below is how many rows of the body are out of sight.
func (m *Model) firstFoot(w, h, below int) []string {
	s := m.look.sheet
	gap := ""
	if below > 0 {
		gap = "  " + s.Paint(themes.Dim, fmt.Sprintf("%d more rows · %s", below, keys.PageDown.Help().Key))
	}
	foot := []string{gap, "  " + m.firstKeys()}
	if m.out.trying {
		return append(foot, "  "+s.Paint(themes.Dim, "looking…"))
	}
	if m.out.refused.IsEmpty() {
		return append(foot, "")
	}
	for _, r := range cells.Wrap(m.out.refused.String(), w-4) {
		if len(foot) < max(h/2, 3) {
			foot = append(foot, "  "+s.Paint(themes.Warn, r))
		}
	}
	return foot
}

// firstKeys lists what can be done without a server.
func (m *Model) firstKeys() string {
	s := m.look.sheet
	var text string
	for _, k := range m.firstChoices() {
		what := k.what
		if m.lay.w < 60 {
			what = k.short
		}
		text += s.Paint(themes.Accent, k.bind.Help().Key) + " " + what + "   "
	}
	return text
}

// try looks for a server.
func (m *Model) try(search func(context.Context) (Core, *FirstRun, error)) tea.Cmd {
	m.out.trying, m.out.refused = true, clean.Text{}
	ctx := m.ctx
	return func() tea.Msg {
		core, first, err := search(ctx)
		return foundMsg{core: core, first: first, err: err}
	}
}

// start asks the owner for the core.
func (m *Model) start() tea.Cmd {
	return runLater(m.ctx, func(ctx context.Context) tea.Msg {
		core, first, err := m.opt.Start(ctx)
		return foundMsg{core: core, first: first, err: err, start: true}
	})
}

// found takes the result of a search.
func (m *Model) found(msg foundMsg) tea.Cmd {
	m.out.trying = false
	if msg.first != nil {
		m.out.first = msg.first
	}
	switch {
	case msg.core != nil:
		cmd := m.replaceCore(msg.core)
		if m.out.due {
			m.out.due = false
			cmd = tea.Batch(cmd, m.submit())
		}
		return cmd
	case msg.err != nil && msg.start:
		m.out.fatal = msg.err
		return tea.Quit
	case msg.err != nil:
		m.out.refused = clean.Line(msg.err.Error())
	case !msg.start:
		m.warn(clean.Trusted("still no server"))
	}
	return nil
}
