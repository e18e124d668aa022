package ui

import (
	"cmp"
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/dialog"
	"mm/ui/diffview"
	"mm/ui/keys"
	"mm/ui/markdown"
	"mm/ui/state"
	"mm/ui/style"
	"mm/ui/transcript"
)

// The names of lists and lines in the results of dialogs.
const (
	ofPalette   = "palette"
	ofHistory   = "history"
	ofModes     = "modes"
	ofThemes    = "themes"
	ofModels    = "models"
	ofProviders = "providers"
	ofSessions  = "sessions"
	ofURL       = "url"
	ofSearch    = "search"
)

func (m *Model) openPalette() {
	var items []dialog.Item
	for _, c := range m.commands() {
		items = append(items, dialog.Item{ID: c.name, Label: clean.Line("/" + c.name), Details: []clean.Text{clean.Line(c.help)}})
	}
	for _, k := range m.st.Skills {
		items = append(items, dialog.Item{ID: k.Name.String(), Label: clean.Line("/" + k.Name.String()), Details: []clean.Text{k.Description}})
	}
	m.dialogs.Push(dialog.NewPicker(ofPalette, "Commands", items, ""))
}

func (m *Model) openHistory() {
	items := []dialog.Item{}
	for _, p := range m.comp.Prompts() {
		items = append(items, dialog.Item{ID: p, Label: clean.Line(p)})
	}
	p := dialog.NewPicker(ofHistory, "Earlier prompts", items, "")
	p.Empty = clean.Trusted("nothing was sent yet")
	m.dialogs.Push(p)
}

func (m *Model) openModes() {
	help := map[agent.Mode]clean.Text{
		"ask":          clean.Trusted("asks before commands and edits"),
		"accept-edits": clean.Trusted("edits inside the project unasked, asks before commands"),
		"yolo":         clean.Trusted("asks nothing; dangerous"),
		"read-only":    clean.Trusted("changes nothing, runs nothing that could"),
	}
	var items []dialog.Item
	for _, mode := range modes {
		items = append(items, dialog.Item{ID: string(mode), Label: clean.Line(string(mode)), Details: []clean.Text{help[mode]}})
	}
	m.dialogs.Push(dialog.NewPicker(ofModes, "Permission mode", items, string(m.st.Mode)))
}

func (m *Model) openThemes() {
	var items []dialog.Item
	for _, t := range m.look.themes {
		items = append(items, dialog.Item{ID: t.Name, Label: clean.Line(t.Name), Details: []clean.Text{clean.Line(t.Title)}})
	}
	for _, f := range m.look.faults {
		items = append(items, dialog.Item{ID: f.File, Label: clean.Line(f.File), Details: []clean.Text{clean.Line(f.Err.Error())}})
	}
	m.dialogs.Push(dialog.NewPicker(ofThemes, "Theme", items, m.look.chosen.Name))
}

// preview shows a theme of the list; a file that is none shows the one in
// force.
func (m *Model) preview(name string) {
	th, ok := themes.Find(m.look.themes, name)
	if !ok {
		th = m.look.chosen
	}
	m.setTheme(th)
}

// setTheme paints the screen in another theme.
func (m *Model) setTheme(t themes.Theme) {
	m.look.sheet = newSheet(t, m.look.sheet.Profile)
	m.list.SetSheet(m.look.sheet)
	m.comp.SetSheet(m.look.sheet)
}

// listedMsg is a list that was asked for.
type listedMsg struct {
	of    string
	items []Choice
	err   error
}

// choose takes the named choice, or offers the list.
func (m *Model) choose(of, title string, c *Choices, arg string) tea.Cmd {
	if arg != "" {
		return m.use(c, arg)
	}
	p := dialog.NewPicker(of, title, nil, "")
	p.Heads, p.Empty = c.Heads, clean.Trusted("there is none")
	m.dialogs.Push(p)
	return m.fetch(of, c.List)
}

func (m *Model) openSessions() tea.Cmd {
	p := dialog.NewPicker(ofSessions, "Conversations", nil, "")
	p.CanDelete = m.opt.Sessions.Delete != nil
	p.Empty = clean.Trusted("there is none yet")
	m.dialogs.Push(p)
	return m.fetch(ofSessions, m.opt.Sessions.List)
}

func (m *Model) fetch(of string, list func(context.Context) ([]Choice, error)) tea.Cmd {
	return runLater(m.ctx, func(ctx context.Context) tea.Msg {
		items, err := list(ctx)
		return listedMsg{of, items, err}
	})
}

// listed fills the list that is open.
func (m *Model) listed(msg listedMsg) {
	items, current := []dialog.Item{}, ""
	for _, c := range msg.items {
		label := c.Label
		if label == "" {
			label = c.ID
		}
		if c.Current {
			current = c.ID
		}
		item := dialog.Item{ID: c.ID, Label: clean.Line(label)}
		for _, d := range c.Details {
			item.Details = append(item.Details, clean.Line(d))
		}
		items = append(items, item)
	}
	m.dialogs.Each(func(d dialog.Dialog) {
		p, ok := d.(*dialog.Picker)
		if !ok || p.Of != msg.of {
			return
		}
		p.SetItems(items, current)
		if msg.err != nil {
			p.Trouble = clean.Line(msg.err.Error())
		}
	})
}

// usedMsg is the end of a change of model, server or conversation.
type usedMsg struct {
	core Core
	err  error
}

func (m *Model) use(c *Choices, id string) tea.Cmd {
	return runLater(m.ctx, func(ctx context.Context) tea.Msg {
		core, err := c.Use(ctx, id)
		return usedMsg{core, err}
	})
}

// dialogResult acts on what a dialog led to.
func (m *Model) dialogResult(r dialog.Result) tea.Cmd {
	switch r := r.(type) {
	case dialog.Closed:
		m.dialogs.Pop()
	case dialog.Opened:
		m.dialogs.Push(r.Dialog)
	case dialog.Decided:
		return m.decide(r)
	case dialog.Dropped:
		m.do(agent.DropOutput{Call: r.Call})
	case dialog.Pinned:
		m.do(agent.PinOutput{Call: r.Call, Off: r.Off})
	case dialog.Moved:
		if r.Of == ofThemes {
			m.preview(r.ID)
		}
	case dialog.Left:
		m.dialogs.Pop()
		if r.Of == ofThemes {
			m.setTheme(m.look.chosen)
		}
	case dialog.Chosen:
		m.dialogs.Pop()
		return m.chosen(r)
	case dialog.Deleted:
		return m.deleteSession(r.ID)
	case dialog.Entered:
		m.dialogs.Pop()
		if r.Of == ofSearch {
			m.out.sought = r.Text
			m.find(-1)
			return nil
		}
		if enter, url := m.out.first.Enter, r.Text; url != "" {
			return m.try(func(ctx context.Context) (Core, *FirstRun, error) { return enter(ctx, url) })
		}
	}
	return nil
}

// chosen acts on a choice.
func (m *Model) chosen(r dialog.Chosen) tea.Cmd {
	switch r.Of {
	case ofPalette:
		for _, c := range m.commands() {
			if c.name == r.ID {
				return c.run("")
			}
		}
		m.comp.SetDraft("/" + r.ID + " ") // a skill, which wants to know on what
	case ofHistory:
		m.comp.SetDraft(r.ID)
	case ofModes:
		m.do(agent.SetMode{Mode: agent.Mode(r.ID)})
	case ofThemes:
		if f, ok := m.look.fault(r.ID); ok {
			m.warn(clean.Line(f.Error()))
			return nil
		}
		return m.themeCommand(r.ID)
	case ofModels:
		return m.use(m.opt.Models, r.ID)
	case ofProviders:
		return m.use(m.opt.Providers, r.ID)
	case ofSessions:
		if m.st.Busy {
			m.warn(clean.Linef("another conversation would end what runs here: %s", keys.Hint("twice stops it", keys.Cancel)))
			return nil
		}
		open := m.opt.Sessions.Open
		return runLater(m.ctx, func(ctx context.Context) tea.Msg {
			core, err := open(ctx, r.ID)
			return usedMsg{core, err}
		})
	}
	return nil
}

func (m *Model) deleteSession(id string) tea.Cmd {
	s := m.opt.Sessions
	return runLater(m.ctx, func(ctx context.Context) tea.Msg {
		deleted := s.Delete(ctx, id)
		items, err := s.List(ctx)
		return listedMsg{ofSessions, items, cmp.Or(deleted, err)}
	})
}

// openHelp shows all keys and commands. It is made from the key map.
func (m *Model) openHelp() {
	commands, skills := m.commands(), m.st.Skills
	m.dialogs.Push(&dialog.Page{Title: "Help", Draw: func(s *style.Sheet, w int) []string {
		left := min(26, w/2)
		var rows []string
		entry := func(key, text string) {
			for i, r := range cells.Wrap(text, w-left) {
				if i > 0 {
					key = ""
				}
				rows = append(rows, cells.Fit(s.Paint(themes.Accent, key), left)+r)
			}
		}
		for _, g := range keys.All() {
			rows = append(rows, s.Paint(themes.Heading, g.Title))
			for _, b := range g.Bindings {
				entry(b.Help().Key, b.Help().Desc)
			}
			rows = append(rows, "")
		}
		rows = append(rows, s.Paint(themes.Heading, "Commands"))
		for _, c := range commands {
			entry(strings.TrimSpace("/"+c.name+" "+c.args), c.help)
		}
		if len(skills) > 0 {
			rows = append(rows, "", s.Paint(themes.Heading, "Skills"))
		}
		for _, k := range skills {
			entry("/"+k.Name.String(), k.Description.String())
		}
		rows = append(rows, "", s.Paint(themes.Heading, "At a word's start"))
		entry("@", "a file of the project")
		entry("$", "a skill")
		entry("!command", "runs it as you; the model sees the output with your next message")
		rows = append(rows, "", s.Paint(themes.Heading, "Mouse"))
		entry("wheel", "scrolls")
		entry("Shift and drag", "selects text, as the terminal does it; "+keys.Name(keys.Mouse)+" without Shift")
		return rows
	}})
}

// contextCommand asks what fills the window; showFill shows the answer.
func (m *Model) contextCommand(string) tea.Cmd {
	m.moods.wantFill = m.do(agent.MapContext{})
	return nil
}

func (m *Model) showFill() {
	shown := false
	m.dialogs.Each(func(d dialog.Dialog) {
		if f, ok := d.(*dialog.Fill); ok {
			f.Set(m.st.Fill)
			shown = true
		}
	})
	if m.moods.wantFill && !shown {
		m.dialogs.Push(dialog.NewFill(m.st.Fill))
	}
	m.moods.wantFill = false
}

// planPage shows the plan.
func (m *Model) planPage(string) tea.Cmd {
	steps := m.st.Plan
	if len(steps) == 0 {
		m.say(clean.Trusted("there is no plan"))
		return nil
	}
	m.dialogs.Push(&dialog.Page{Title: "Plan", Draw: func(s *style.Sheet, w int) []string {
		var rows []string
		for _, st := range steps {
			sign, role := transcript.StepMark(st.Status)
			for i, r := range cells.Wrap(st.Text.String(), w-2) {
				if i > 0 {
					sign = " "
				}
				rows = append(rows, s.Paint(role, sign+" "+r))
			}
		}
		return rows
	}})
	return nil
}

// diffCommand asks what became of the files; showDiff shows the answer.
func (m *Model) diffCommand(string) tea.Cmd {
	m.moods.wantDiff = m.do(agent.MapChanges{})
	return nil
}

func (m *Model) showDiff() {
	files := m.st.Net
	if !m.moods.wantDiff {
		return
	}
	m.moods.wantDiff = false
	if len(files) == 0 {
		m.say(clean.Trusted("no file is other than at the beginning"))
		return
	}
	m.dialogs.Push(&dialog.Page{Title: "Changes", Draw: func(s *style.Sheet, w int) []string {
		var rows []string
		for _, f := range files {
			rows = append(rows, cells.Right(s.Paint(themes.Heading, f.Path), diffview.Stat(s, f.Added, f.Removed), w))
			rows = append(append(rows, diffview.Rows(s, f, w)...), "")
		}
		return rows
	}})
}

// statsPage shows the figures of this conversation.
func (m *Model) statsPage(string) tea.Cmd {
	text := clean.Block(strings.Join(m.stats.Lines(), "\n"))
	m.dialogs.Push(&dialog.Page{Title: "Figures", Draw: func(s *style.Sheet, w int) []string {
		return cells.Wrap(text.String(), w)
	}})
	return nil
}

// skillsPage lists the skills.
func (m *Model) skillsPage(string) tea.Cmd {
	skills := m.st.Skills
	if len(skills) == 0 {
		m.say(clean.Trusted("there is no skill"))
		return nil
	}
	m.dialogs.Push(&dialog.Page{Title: "Skills", Draw: func(s *style.Sheet, w int) []string {
		var rows []string
		for _, k := range skills {
			rows = append(rows, s.Paint(themes.Accent, "$"+k.Name.String()))
			for _, r := range cells.Wrap(k.Description.String(), w-2) {
				rows = append(rows, "  "+r)
			}
		}
		return rows
	}})
	return nil
}

// showText shows the answer of a command: a short one as a message, a long
// one as a page.
func (m *Model) showText(msg askedMsg) {
	text := clean.Block(strings.TrimSpace(msg.text))
	m.st.Asked = state.Asked{}
	switch {
	case msg.err != nil:
		m.warn(clean.Line(msg.err.Error()))
	case text.IsEmpty():
	case len(text.Lines()) == 1 && text.Runes() < m.lay.w:
		m.say(text)
	default:
		m.dialogs.Push(&dialog.Page{Title: clean.Line(msg.title).String(), Draw: func(s *style.Sheet, w int) []string {
			return drawText(s, text, w)
		}})
	}
}

// drawText draws Markdown, or text laid out in columns as it stands.
func drawText(s *style.Sheet, text clean.Text, w int) []string {
	if !strings.Contains(text.String(), "\n#") && !strings.HasPrefix(text.String(), "#") {
		return cells.WrapColumns(text.String(), w)
	}
	return markdown.Draw(s, text.String(), w)
}
