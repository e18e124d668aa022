package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
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
	key   string
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
		list = append(list, firstChoice{"r", "look again", "again", keys.Retry, func() tea.Cmd {
			return m.try(f.Retry)
		}})
	}
	if f.Enter != nil {
		list = append(list, firstChoice{"u", "enter a URL", "URL", keys.EnterURL, func() tea.Cmd {
			hint := clean.Trusted("http://127.0.0.1:8080/v1")
			m.dialogs.Push(dialog.NewLine(ofURL, "URL of the server", hint, m.look.sheet))
			return nil
		}})
	}
	if f.Demo != nil {
		list = append(list, firstChoice{"d", "demo without a model", "demo", keys.Demo, func() tea.Cmd {
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
	return nil, false
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
