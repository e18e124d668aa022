package ui

import (
	"path"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
	"mm/ui/keys"
	"mm/ui/state"
)

// attention is how the screen stands to the window around it.
type attention struct {
	away     bool // another window has the focus; only some terminals tell
	told     int  // questions that the user was called for
	title    string
	mouseOff bool // the mouse selects text, as the terminal does it
}

// notify calls the user back to a window that is not looked at.
func (m *Model) notify(text string) tea.Cmd {
	if !m.attention.away || m.out.setup.Notify == nil {
		return nil
	}
	return func() tea.Msg { m.out.setup.Notify(text); return nil }
}

// callUser tells of what a batch of events brought: a question that waits, or
// the end of a turn or of the user's own command.
func (m *Model) callUser(ended bool) tea.Cmd {
	asked, n := len(m.st.Approvals), len(m.st.Items)
	more := asked > m.attention.told
	m.attention.told = asked
	switch {
	case more:
		return m.notify("mm asks: " + m.st.Approvals[asked-1].Title.String())
	case ended && n > 0:
		if c, ok := m.st.Items[n-1].(*state.Call); ok && c.Own {
			return m.notify("your command has ended: " + c.Title.String())
		}
		return m.notify("mm has answered")
	}
	return nil
}

// retitle names the window after the project and what goes on there.
func (m *Model) retitle() tea.Cmd {
	title := "mm"
	if base := path.Base(strings.ReplaceAll(m.opt.Cwd, "\\", "/")); m.opt.Cwd != "" {
		title += " · " + clean.Line(base).String()
	}
	if !m.st.Title.IsEmpty() {
		title += " · " + m.st.Title.String()
	}
	switch {
	case m.st.Now.Phase == state.Asking:
		title = "? " + title
	case m.st.Busy:
		title = "● " + title
	}
	if title == m.attention.title {
		return nil
	}
	m.attention.title = title
	return tea.SetWindowTitle(title)
}

// toggleMouse gives the mouse to the terminal, for selecting, or takes it back.
func (m *Model) toggleMouse() tea.Cmd {
	m.attention.mouseOff = !m.attention.mouseOff
	if m.attention.mouseOff {
		m.say(clean.Line("the mouse selects text now; " + keys.Hint("lets it scroll again", keys.Mouse)))
	} else {
		m.say(clean.Trusted("the mouse wheel scrolls"))
	}
	return m.mouse
}

// mouse brings the terminal into line; it forgets when it was given away.
func (m *Model) mouse() tea.Msg {
	if m.attention.mouseOff {
		return tea.DisableMouse()
	}
	return tea.EnableMouseCellMotion()
}

// jobsEvery is how often jobs in the background are looked at while there are
// any.
const jobsEvery = 2 * time.Second

type jobsMsg []string

// readJobs asks for the jobs in the background.
func (m *Model) readJobs() tea.Cmd {
	if m.opt.Jobs == nil || m.out.asksJobs {
		return nil
	}
	m.out.asksJobs = true
	return func() tea.Msg { return jobsMsg(m.opt.Jobs()) }
}

// setJobs shows the jobs, and looks again after a while.
func (m *Model) setJobs(list jobsMsg) tea.Cmd {
	m.out.asksJobs = false
	m.st.Jobs = nil
	for _, j := range list {
		m.st.Jobs = append(m.st.Jobs, clean.VisibleLine(j))
	}
	if len(list) == 0 {
		return nil
	}
	m.out.asksJobs = true
	return tea.Tick(jobsEvery, func(time.Time) tea.Msg { return jobsMsg(m.opt.Jobs()) })
}
