package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/safety/clean"
	"mm/themes"
	"mm/ui/composer"
	"mm/ui/state"
)

// command is a slash command.
type command struct {
	name, args, help string
	run              func(arg string) tea.Cmd
}

// commands lists what is offered at this moment, in the order of the palette.
func (m *Model) commands() []command {
	core := func(c agent.Command) func(string) tea.Cmd {
		return func(string) tea.Cmd { m.do(c); return nil }
	}
	list := []command{
		{"help", "", "all keys and commands", func(string) tea.Cmd { m.openHelp(); return nil }}, // Ctrl+P Enter is harmless
		{"new", "", "empty the conversation, keep the old one", core(agent.Clear{})},
		{"rename", "TITLE", "give this conversation another title", m.renameCommand},
		{"compact", "", "summarise old turns now", core(agent.Compact{})},
		{"context", "", "what fills the window; drop or pin outputs", m.contextCommand},
		{"stats", "", "tokens, cache, speed and repairs of this conversation", m.statsPage},
		{"undo", "", "take the last turn's file changes back", core(agent.Undo{})},
		{"redo", "", "do them again", core(agent.Redo{})},
		{"mode", "[name]", "what is asked before it is done", m.modeCommand},
		{"theme", "[name]", "colours of the screen", m.themeCommand},
		{"plan", "", "the plan as a page", m.planPage},
		{"diff", "", "what became of each file in this session", m.diffCommand},
		{"skills", "", "procedures that the model can follow", m.skillsPage},
		{"copy", "", "copy the last answer", func(string) tea.Cmd { return m.copyText(m.list.LastAnswer()) }},
		{"quit", "", "leave", func(string) tea.Cmd { return tea.Quit }},
	}
	if m.opt.Models != nil {
		list = append(list, command{"model", "[name]", "choose the model", func(arg string) tea.Cmd {
			return m.choose(ofModels, "Model", m.opt.Models, arg)
		}})
	}
	if m.opt.Providers != nil {
		list = append(list, command{"provider", "[name]", "choose the server", func(arg string) tea.Cmd {
			return m.choose(ofProviders, "Server", m.opt.Providers, arg)
		}})
	}
	if m.opt.Sessions != nil {
		open := func(string) tea.Cmd { return m.openSessions() }
		list = append(list,
			command{"resume", "", "go on with an earlier conversation", open},
			command{"sessions", "", "earlier conversations", open})
	}
	for _, c := range m.opt.Commands {
		list = slices.DeleteFunc(list, func(o command) bool { return o.name == c.Name })
		list = append(list, command{c.Name, c.Args, c.Help, func(arg string) tea.Cmd { return m.ask(c, arg) }})
	}
	return list
}

// slash carries out a draft that is a command. ok is false when it is none.
func (m *Model) slash(text string) (tea.Cmd, bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil, false
	}
	name, arg, _ := strings.Cut(rest, " ")
	if name == "" || strings.ContainsAny(name, "/\n") {
		return nil, false // a path, or prose
	}
	for _, c := range m.commands() {
		if c.name == name {
			m.comp.Take()
			return c.run(strings.TrimSpace(arg)), true
		}
	}
	for _, s := range m.st.Skills {
		if s.Name.String() == name {
			return nil, false // the core knows what to do
		}
	}
	m.warn(clean.Linef("there is no command /%s; / lists them", name))
	return nil, true
}

// commandCandidates are the completions of "/".
func (m *Model) commandCandidates() []composer.Candidate {
	var list []composer.Candidate
	for _, c := range m.commands() {
		label := "/" + c.name
		if c.args != "" {
			label += " " + c.args
		}
		list = append(list, composer.Candidate{
			Insert: "/" + c.name, Label: clean.Line(label), Help: clean.Line(c.help),
			Run: c.args == "" || strings.HasPrefix(c.args, "["),
		})
	}
	for _, s := range m.st.Skills {
		list = append(list, composer.Candidate{
			Insert: "/" + s.Name.String(), Label: clean.Line("/" + s.Name.String()), Help: s.Description,
		})
	}
	slices.SortStableFunc(list, func(a, b composer.Candidate) int { return strings.Compare(a.Insert, b.Insert) })
	return list
}

// skillCandidates are the completions of "$".
func (m *Model) skillCandidates() []composer.Candidate {
	var list []composer.Candidate
	for _, s := range m.st.Skills {
		list = append(list, composer.Candidate{
			Insert: "$" + s.Name.String(), Label: clean.Line("$" + s.Name.String()), Help: s.Description,
		})
	}
	return list
}

// askedMsg is the answer of a command of the screen's owner.
type askedMsg struct {
	title string
	text  string
	err   error
}

// ask carries out a command of the screen's owner.
func (m *Model) ask(c Command, arg string) tea.Cmd {
	ctx := m.ctx
	m.st.Asked = state.Asked{Name: clean.Line(c.Name), Since: m.now()}
	return func() tea.Msg {
		text, err := c.Run(ctx, arg)
		return askedMsg{title: c.Name, text: text, err: err}
	}
}

// renameCommand gives the conversation another title. One that is refused is
// given back to be written anew.
func (m *Model) renameCommand(arg string) tea.Cmd {
	if !m.do(agent.Rename{Title: arg}) && m.comp.Empty() {
		m.comp.SetDraft("/rename " + arg)
	}
	return nil
}

// modes are the permission modes, from the one that asks to the strictest.
var modes = []agent.Mode{"ask", "accept-edits", "yolo", "read-only"}

// nextMode changes to the next mode. Yolo is skipped: it must be named.
func (m *Model) nextMode() tea.Cmd {
	i := slices.Index(modes, m.st.Mode)
	next := modes[(i+1)%len(modes)]
	if next == "yolo" {
		next = modes[(i+2)%len(modes)]
	}
	m.do(agent.SetMode{Mode: next})
	return nil
}

// modeCommand sets the named mode, or offers the list.
func (m *Model) modeCommand(arg string) tea.Cmd {
	if arg == "" {
		m.openModes()
		return nil
	}
	if !slices.Contains(modes, agent.Mode(arg)) {
		m.warn(clean.Linef("there is no mode %s; there are ask, accept-edits, yolo and read-only", arg))
		return nil
	}
	m.do(agent.SetMode{Mode: agent.Mode(arg)})
	return nil
}

// themeCommand sets the named theme, or offers the list.
func (m *Model) themeCommand(arg string) tea.Cmd {
	if arg == "" {
		m.openThemes()
		return nil
	}
	th, ok := themes.Find(m.look.themes, arg)
	if !ok {
		text := clean.Linef("there is no theme %s", arg)
		if f, ok := m.look.fault(arg + ".yaml"); ok {
			text = clean.Line(f.Error())
		}
		m.warn(text)
		return nil
	}
	m.setTheme(th)
	m.look.chosen = th
	m.say(clean.Linef("theme: %s in agent.yaml keeps it", th.Name))
	return nil
}

// unqueue takes the last message that waits back into the draft.
func (m *Model) unqueue() tea.Cmd {
	n := len(m.st.Queue)
	if n == 0 || !m.comp.Empty() {
		return nil
	}
	text := m.st.Queue[n-1]
	if m.do(agent.Unqueue{Index: n - 1}) {
		m.comp.SetDraft(text.String())
	}
	return nil
}

// goOn sends what the end of the last turn offers, from an empty input.
func (m *Model) goOn() {
	prompt, ok := m.st.Next()
	switch {
	case !m.comp.Empty():
	case ok:
		m.do(agent.Prompt{Text: prompt})
		m.list.End()
	case !m.st.Busy:
		m.say(clean.Trusted("nothing was stopped that could go on"))
	}
}

// runLater is a command's work outside of the screen's goroutine.
func runLater(ctx context.Context, work func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return work(ctx) }
}
