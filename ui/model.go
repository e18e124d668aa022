package ui

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/safety/clean"
	"mm/themes"
	"mm/ui/composer"
	"mm/ui/dialog"
	"mm/ui/gauge"
	"mm/ui/keys"
	"mm/ui/state"
	"mm/ui/style"
	"mm/ui/transcript"
)

// Model is the root. It routes messages to panes and holds no logic of theirs.
type Model struct {
	ctx  context.Context
	opt  Options
	core Core
	gen  int // of the core

	st    state.State
	stats agent.Stats
	panes

	look      look
	moods     moods
	attention attention
	out       outside
}

// panes are the parts of the screen, and where they stand.
type panes struct {
	list    *transcript.List
	comp    *composer.Composer
	dialogs dialog.Stack
	lay     layout
}

// look is the theme in force and those on offer.
type look struct {
	sheet  *style.Sheet
	themes []themes.Theme
	faults []themes.Fault // files that are no themes
	chosen themes.Theme   // what a preview goes back to
}

// fault returns what is wrong with a file of the user's themes.
func (l look) fault(file string) (themes.Fault, bool) {
	i := slices.IndexFunc(l.faults, func(f themes.Fault) bool { return f.File == file })
	if i < 0 {
		return themes.Fault{}, false
	}
	return l.faults[i], true
}

// outside is what comes from beyond the screen's goroutine, and the way there.
type outside struct {
	setup    Setup
	early    []clean.Text // troubles from before the start
	branch   clean.Text
	files    fileList
	first    *FirstRun
	firstTop int        // the row of it that is drawn first
	trying   bool       // a server is being looked for
	refused  clean.Text // why the last try failed
	asksJobs bool
	sought   string // in the conversation
	due      bool   // the draft is sent once it is found
	fatal    error  // ended the program
}

// moods are what keys mean at this moment.
type moods struct {
	flash      clean.Text // a short message in the activity line
	flashUntil time.Time
	flashBad   bool

	quitArmed    time.Time // a second Ctrl+C quits until then
	cancelArmed  time.Time // a second Esc cancels until then
	interrupting bool
	lastDraftKey time.Time // when the draft was last written to
	writing      bool      // the draft was being written when the dialog opened
	ticking      bool
	wantFill     bool                      // what fills the window was asked for
	wantDiff     bool                      // what became of the files was
	answered     map[agent.ApprovalID]bool // and not yet settled
}

// How long a hint stays, and how long a second press counts.
const (
	flashFor = 3 * time.Second
	armedFor = 2 * time.Second
)

// Setup is what a root is made with, beside the options.
type Setup struct {
	Sheet  *style.Sheet
	Themes []themes.Theme
	Faults []themes.Fault // in the user's themes
	Now    func() time.Time
	Copy   func(string) error  // to the clipboard; nil cannot
	Notify func(string)        // to a user who is elsewhere; nil cannot
	ASCII  bool                // the terminal shows no other characters
	Getenv func(string) string // nil reads the process's
	Typed  string              // before the start, as the terminal sends keys

	In, Out *os.File // the terminal, for the editor
	Suspend bool     // something is there to wake the program again
}

// NewModel returns the root. It does nothing that takes time. Run is what a
// program calls; this is for driving the screen by hand.
func NewModel(ctx context.Context, core Core, opt Options, s Setup) *Model {
	m := &Model{ctx: ctx, opt: opt, core: core}
	m.look = look{sheet: s.Sheet, themes: s.Themes, faults: s.Faults, chosen: s.Sheet.Theme}
	m.list = transcript.New(s.Sheet, transcript.Options{PreviewLines: opt.PreviewLines, NextKey: keys.GoOn.Help().Key})
	m.comp = composer.New(s.Sheet)
	m.out = outside{setup: s, trying: core == nil && opt.Start != nil}
	if s.Getenv == nil {
		m.out.setup.Getenv = os.Getenv
	}
	if s.Copy == nil {
		m.out.setup.Copy = func(string) error { return errors.New("there is no clipboard") }
	}
	m.comp.SetCandidates('/', m.commandCandidates())
	return m
}

func (m *Model) now() time.Time { return m.out.setup.Now() }

// warnLater shows what went wrong before the screen was up.
func (m *Model) warnLater(err error) { m.out.early = append(m.out.early, clean.Line(err.Error())) }

// Init starts what runs beside the screen.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.loadHistory(), m.readBranch()}
	for _, t := range m.out.early {
		cmds = append(cmds, func() tea.Msg { return troubleMsg(t) })
	}
	if m.core != nil {
		cmds = append(cmds, waitBatch(m.gen, m.core.Events()))
	}
	if typed := keysOf(m.out.setup.Typed); len(typed) > 0 {
		cmds = append(cmds, func() tea.Msg { return typedMsg(typed) })
	}
	if m.out.trying {
		cmds = append(cmds, m.start())
	}
	return tea.Batch(append(cmds, m.settle())...)
}

// Messages of the screen to itself.
type (
	tickMsg time.Time
	dueMsg  struct{} // an Enter that waited is due
)

// Update routes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.route(msg)
	return m, tea.Batch(cmd, m.settle())
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.lay.w, m.lay.h = max(msg.Width, 0), max(msg.Height, 0)
		return nil
	case batchMsg:
		return m.apply(msg)
	case tea.KeyMsg:
		return m.key(msg)
	case typedMsg:
		return m.typed(msg)
	case tea.MouseMsg:
		m.wheel(msg)
		return nil
	case tea.FocusMsg:
		m.attention.away = false
		return nil
	case tea.BlurMsg:
		m.attention.away = true
		return nil
	case tickMsg:
		m.moods.ticking = false
		m.list.Tick(m.now())
		return nil
	case dueMsg:
		if m.comp.Due() == composer.Submit {
			return m.submit()
		}
		return nil
	case transcript.Drawn:
		m.list.Accept(msg)
		return nil
	}
	return m.answered(msg)
}

// apply takes a batch of events over.
func (m *Model) apply(msg batchMsg) tea.Cmd {
	if msg.gen != m.gen {
		return nil
	}
	if msg.closed {
		m.st.Busy = false
		m.warn(clean.Line("the session has ended; " + keys.Hint("quits", keys.Clear)))
		return nil
	}
	now := m.now()
	busy := m.st.Busy
	for _, e := range msg.events {
		m.st.Apply(e, now)
		m.stats.Add(e)
		switch e.(type) {
		case agent.SessionReady: // with other skills
			m.comp.SetCandidates('/', m.commandCandidates())
			m.comp.SetCandidates('$', m.skillCandidates())
		case agent.ContextMapped:
			m.showFill()
		case agent.ChangesMapped:
			m.showDiff()
		}
	}
	m.list.Sync(m.st.Items, m.st.TakeDirty(), now)
	m.askPending(now)
	ended := busy && !m.st.Busy
	cmds := []tea.Cmd{waitBatch(m.gen, m.core.Events()), m.callUser(ended)}
	if ran(msg.events) {
		cmds = append(cmds, m.readJobs())
	}
	if ended {
		if m.moods.interrupting || now.Before(m.moods.cancelArmed) {
			m.moods.flash = clean.Text{} // of the cancelling
		}
		m.moods.interrupting, m.moods.cancelArmed = false, time.Time{}
		cmds = append(cmds, m.readBranch())
	}
	return tea.Batch(cmds...)
}

// ran reports whether a command has run, which may have left jobs.
func ran(events []agent.Event) bool {
	return slices.ContainsFunc(events, func(e agent.Event) bool {
		switch e.(type) {
		case agent.CallEnded, agent.ShellEnded:
			return true
		}
		return false
	})
}

// settle brings the panes into line with what changed, and returns the work
// that they ask for.
func (m *Model) settle() tea.Cmd {
	now := m.now()
	if m.moods.flashUntil.Before(now) {
		m.moods.flash = clean.Text{}
	}
	m.comp.SetWidth(m.lay.w)
	m.lay = plan(m.lay.w, m.lay.h, m.comp.Rows(), m.wantsSide())
	if m.lay.tooSmall() {
		return m.tick()
	}
	m.dialogs.SetSize(m.lay.w, m.dialogRoom())
	m.list.SetSize(m.lay.list, m.lay.main-m.covered())
	m.list.Layout()
	var cmds []tea.Cmd
	for _, draw := range m.list.Jobs() {
		cmds = append(cmds, func() tea.Msg { return draw() })
	}
	return tea.Batch(append(cmds, m.tick(), m.retitle())...)
}

// dialogRoom is the height of what a dialog may cover: everything between the
// header and the input.
func (m *Model) dialogRoom() int { return m.lay.main + m.lay.rule + 1 }

// covered is how many rows of the conversation a question hides. What led to
// it must stay in sight above it.
func (m *Model) covered() int {
	top, ok := m.dialogs.Top().(*dialog.Approve)
	if !ok {
		return 0
	}
	return min(max(len(top.View(m.look.sheet))-m.lay.rule-1, 0), m.lay.main)
}

func (m *Model) wantsSide() bool {
	return len(m.st.Plan) > 0 || len(m.st.Files) > 0 || m.st.Ready
}

// tick asks for the next tick while something on the screen shows the time.
func (m *Model) tick() tea.Cmd {
	moving := m.st.Busy || !m.st.Asked.Name.IsEmpty() || m.list.Live() || !m.moods.flash.IsEmpty() || m.out.trying
	if !moving || m.moods.ticking {
		return nil
	}
	m.moods.ticking = true
	return tea.Tick(gauge.SpinnerStep, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// say shows a short message, warn one that something did not work.
func (m *Model) say(t clean.Text) { m.show(t, false) }

func (m *Model) warn(t clean.Text) { m.show(t, true) }

func (m *Model) show(t clean.Text, bad bool) {
	m.moods.flash, m.moods.flashBad = t, bad
	m.moods.flashUntil = m.now().Add(flashFor)
}
