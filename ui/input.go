package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/safety/clean"
	"mm/ui/composer"
	"mm/ui/dialog"
	"mm/ui/keys"
	"mm/ui/transcript"
)

// key routes a key press: the top dialog first, then what holds everywhere,
// then the pane with the focus.
func (m *Model) key(msg tea.KeyMsg) tea.Cmd {
	if m.lay.tooSmall() && !keys.Is(msg, keys.Clear) {
		return nil // nobody sees what it would do
	}
	if m.out.due { // any key says that the draft is not ready after all
		m.out.due = false
		m.say(clean.Line("not sent yet; " + keys.Hint("sends it", keys.Send)))
	}
	if len(msg.Runes) > 1 && !msg.Paste && m.reading() {
		return m.oneByOne(msg)
	}
	if cmd, used := m.terminalKey(msg); used {
		return cmd
	}
	if top := m.dialogs.Top(); top != nil {
		return m.dialogKey(top, msg)
	}
	if cmd, used := m.firstKey(msg); used {
		return cmd
	}
	if m.comp.Popping() && !keys.Is(msg, keys.Clear) {
		return m.draftKey(msg)
	}
	if cmd, used := m.globalKey(msg); used {
		return cmd
	}
	if m.list.Focused() {
		return m.listKey(msg)
	}
	return m.draftKey(msg)
}

// reading reports whether letters are keys here, other than in a question,
// which a word must not answer.
func (m *Model) reading() bool {
	switch m.dialogs.Top().(type) {
	case nil:
		return m.list.Focused()
	case *dialog.Page, *dialog.Fill:
		return true
	}
	return false
}

// oneByOne takes letters that came together, as held keys do over a slow line.
func (m *Model) oneByOne(msg tea.KeyMsg) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range msg.Runes {
		one := msg
		one.Runes = []rune{r}
		cmds = append(cmds, m.key(one))
	}
	return tea.Batch(cmds...)
}

// dialogKey gives a key to a dialog. What came too early to be an answer goes
// into the draft, if the user was writing there.
func (m *Model) dialogKey(top dialog.Dialog, msg tea.KeyMsg) tea.Cmd {
	_, asking := top.(*dialog.Approve)
	if asking && keys.Is(msg, keys.Clear) {
		return m.clear()
	}
	r := top.Key(msg, m.now())
	if _, ok := r.(dialog.Unused); ok {
		if m.moods.writing && !keys.Is(msg, keys.Send) {
			m.comp.Key(msg, m.now())
		}
		return nil
	}
	m.moods.writing = false
	return m.dialogResult(r)
}

// terminalKey takes the keys that are about the terminal: they work over every
// dialog, since they answer nothing.
func (m *Model) terminalKey(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case keys.Is(msg, keys.Suspend):
		if !m.out.setup.Suspend {
			m.say(clean.Trusted("there is no shell to go back to"))
			return nil, true
		}
		return tea.Suspend, true
	case keys.Is(msg, keys.Redraw):
		return tea.ClearScreen, true
	}
	return nil, false
}

// globalKey takes the keys that mean the same everywhere.
func (m *Model) globalKey(msg tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case keys.Is(msg, keys.Clear):
		return m.clear(), true
	case keys.Is(msg, keys.Cancel) && !m.list.Focused():
		return m.cancel(), true
	case keys.Is(msg, keys.Help), keys.Is(msg, keys.HelpTyped) && m.comp.Empty():
		m.openHelp()
	case keys.Is(msg, keys.Palette):
		m.openPalette()
	case keys.Is(msg, keys.History):
		m.openHistory()
	case keys.Is(msg, keys.Editor):
		return m.openEditor(), true
	case keys.Is(msg, keys.Mode):
		return m.nextMode(), true
	case keys.Is(msg, keys.Thoughts):
		m.list.UnfoldReasoning()
	case keys.Is(msg, keys.Outputs):
		m.list.UnfoldOutputs()
	case keys.Is(msg, keys.UnqueueLast):
		return m.unqueue(), true
	case keys.Is(msg, keys.Mouse):
		return m.toggleMouse(), true
	case keys.Is(msg, keys.GoOn):
		m.goOn()
	case keys.Is(msg, keys.AnswerNow):
		m.do(agent.AnswerNow{})
	case keys.Is(msg, keys.Focus) && !m.list.Focused():
		m.list.Focus(!m.list.Empty())
	default:
		return nil, m.scrollKey(msg)
	}
	return nil, true
}

// scrollKey takes the keys that scroll the conversation.
func (m *Model) scrollKey(msg tea.KeyMsg) bool {
	switch {
	case keys.Is(msg, keys.PageUp):
		m.list.Page(-1)
	case keys.Is(msg, keys.PageDown):
		m.list.Page(1)
	case keys.Is(msg, keys.Top):
		m.list.Home()
	case keys.Is(msg, keys.Bottom), keys.Is(msg, keys.Follow) && !m.list.Following():
		m.list.End()
	default:
		return false
	}
	return true
}

// listKey takes the keys of the conversation.
func (m *Model) listKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case keys.Is(msg, keys.Leave):
		m.list.Focus(false)
	case keys.Is(msg, keys.BlockDown):
		m.list.Move(1)
	case keys.Is(msg, keys.BlockUp):
		m.list.Move(-1)
	case keys.Is(msg, keys.First):
		m.list.First()
	case keys.Is(msg, keys.Last):
		m.list.Last()
	case keys.Is(msg, keys.Open):
		m.list.Toggle()
	case keys.Is(msg, keys.Copy):
		return m.copyText(m.list.Source())
	case keys.Is(msg, keys.Search):
		m.dialogs.Push(dialog.NewLine(ofSearch, "Search the conversation", clean.Trusted("words as they stand"), m.look.sheet))
	case keys.Is(msg, keys.NextFound):
		m.find(-1)
	case keys.Is(msg, keys.PrevFound):
		m.find(1)
	}
	return nil
}

// find goes to the next place that holds what was searched, upwards when step
// is negative.
func (m *Model) find(step int) {
	if m.out.sought == "" {
		m.say(clean.Line(keys.Hint("searches the conversation", keys.Search)))
		return
	}
	which, of := m.list.Find(m.out.sought, step)
	if of == 0 {
		m.warn(clean.Line(`nothing holds "` + m.out.sought + `"`))
		return
	}
	m.say(clean.Line(fmt.Sprint(`"`, m.out.sought, `": `, which, " of ", of)))
}

// draftKey gives a key to the input.
func (m *Model) draftKey(msg tea.KeyMsg) tea.Cmd {
	now := m.now()
	m.moods.lastDraftKey = now
	if msg.Paste {
		m.paste(string(msg.Runes))
		return m.wantFiles()
	}
	result := m.comp.Key(msg, now)
	cmd := m.wantFiles()
	switch result {
	case composer.Submit:
		return tea.Batch(cmd, m.submit())
	case composer.Wait:
		return tea.Batch(cmd, tea.Tick(composer.BurstWait, dueTick))
	}
	return cmd
}

// largePaste is the size in bytes from which on a paste is told of.
const largePaste = 8 << 10

// paste puts pasted text into the draft, and says how it goes.
func (m *Model) paste(text string) {
	size, whole := m.comp.Paste(text)
	switch {
	case !whole:
		m.say(clean.Linef("pasting… %s", transcript.Bytes(size)))
	case size >= largePaste:
		m.say(clean.Linef("pasted %s; %s", transcript.Bytes(size), keys.Hint("unfolds it", keys.Unfold)))
	}
}

// wheelRows is how far one notch of the mouse wheel scrolls.
const wheelRows = 3

// wheel scrolls what is on top.
func (m *Model) wheel(msg tea.MouseMsg) {
	n := 0
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		n = -wheelRows
	case tea.MouseButtonWheelDown:
		n = wheelRows
	default:
		return
	}
	if top := m.dialogs.Top(); top != nil {
		if s, ok := top.(dialog.Scroller); ok {
			s.Scroll(n)
		}
		if p, ok := top.(*dialog.Picker); ok {
			m.dialogResult(p.Under())
		}
		return
	}
	if m.core == nil && m.out.first != nil {
		m.scrollFirst(n)
		return
	}
	m.list.Scroll(n)
}

// clear is Ctrl+C: it cancels a turn, else clears the draft, else arms the
// way out. The first press destroys nothing.
func (m *Model) clear() tea.Cmd {
	now := m.now()
	switch {
	case m.st.Busy && !m.moods.interrupting:
		return m.interrupt()
	case !m.comp.Empty():
		m.comp.Clear()
		m.say(clean.Line("cleared; " + keys.Hint("brings it back", keys.Up)))
		return nil
	case now.Before(m.moods.quitArmed):
		return tea.Quit
	}
	m.moods.quitArmed = now.Add(armedFor)
	m.say(clean.Line(keys.Hint("again quits", keys.Clear)))
	return nil
}

// cancel is Esc outside of dialogs: it asks once, then cancels the turn.
func (m *Model) cancel() tea.Cmd {
	now := m.now()
	switch {
	case !m.st.Busy:
		return nil
	case now.Before(m.moods.cancelArmed):
		m.moods.cancelArmed = now
		return m.interrupt()
	}
	m.moods.cancelArmed = now.Add(armedFor)
	m.say(clean.Line(keys.Hint("again cancels", keys.Cancel)))
	return nil
}

func (m *Model) interrupt() tea.Cmd {
	m.moods.interrupting = true
	m.say(clean.Trusted("cancelling…"))
	m.do(agent.Interrupt{})
	return nil
}

// do gives the core a command. A refusal is shown.
func (m *Model) do(c agent.Command) bool {
	if m.core == nil {
		m.warn(clean.Trusted("there is no server yet"))
		return false
	}
	if err := m.core.Do(c); err != nil {
		m.warn(clean.Line(err.Error()))
		return false
	}
	return true
}

// submit sends the draft: as a command, to the shell, or to the model.
func (m *Model) submit() tea.Cmd {
	text := strings.TrimSpace(m.comp.Draft())
	if text == "" {
		return nil
	}
	if cmd, ok := m.slash(text); ok {
		return cmd
	}
	var c agent.Command = agent.Prompt{Text: text}
	if rest, ok := strings.CutPrefix(text, "!"); ok && strings.TrimSpace(rest) != "" {
		c = agent.RunShell{Command: strings.TrimSpace(rest)}
	}
	if m.core == nil && m.out.trying {
		m.out.due = true
		m.say(clean.Trusted("sent as soon as the server is found"))
		return nil
	}
	if !m.do(c) {
		return nil
	}
	m.list.End()
	return m.keepPrompt(m.comp.Take())
}
