// Package uitest drives the screen without a terminal: keys and events go in,
// frames come out of a terminal emulator. Time is synctest's, so that nothing
// sleeps and every run is the same.
package uitest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/vt"
	"github.com/muesli/termenv"

	"mm/agent"
	"mm/themes"
	"mm/ui"
	"mm/ui/cells"
	"mm/ui/style"
)

// Core is a core that does nothing but remember what it was asked for.
type Core struct {
	Got    []agent.Command
	Refuse error // the answer to all commands
	events chan []agent.Event
}

// NewCore returns a core for a test.
func NewCore() *Core { return &Core{events: make(chan []agent.Event, 256)} }

// Do remembers a command.
func (c *Core) Do(cmd agent.Command) error {
	c.Got = append(c.Got, cmd)
	return c.Refuse
}

// Events returns the batches that Screen.Events sends.
func (c *Core) Events() <-chan []agent.Event { return c.events }

// Send sends a batch. A screen that this core was not made for sees it when
// time passes.
func (c *Core) Send(events ...agent.Event) { c.events <- events }

// Close ends the core. Screens close their own.
func (c *Core) Close() { close(c.events) }

// Screen is the root model with a terminal of a given size.
type Screen struct {
	T       *testing.T
	Model   *ui.Model
	Core    *Core
	Copied  []string
	Quit    bool
	Stopped bool     // Ctrl+Z was acted on
	Cleared int      // times that the screen was drawn anew
	Title   string   // of the window
	Told    []string // notes to a user who is elsewhere

	w, h    int
	results chan tea.Msg
}

// Options are what a screen is made with.
type Options struct {
	UI      ui.Options
	Theme   string // dark when empty
	ASCII   bool
	Profile *termenv.Profile // TrueColor when nil
	NoCore  bool
	W, H    int
}

// New returns a screen. It must be called inside of synctest.Test.
func New(t *testing.T, o Options) *Screen {
	t.Helper()
	if o.Theme == "" {
		o.Theme = themes.DarkName
	}
	profile := termenv.TrueColor
	if o.Profile != nil {
		profile = *o.Profile
	}
	all, faults := themes.All(o.UI.UserThemes)
	th, ok := themes.Find(all, o.Theme)
	if !ok {
		t.Fatalf("no theme %s", o.Theme)
	}
	s := &Screen{T: t, Core: NewCore(), results: make(chan tea.Msg, 1024)}
	var core ui.Core = s.Core
	if o.NoCore {
		core = nil
	}
	s.Model = ui.NewModel(t.Context(), core, o.UI, ui.Setup{
		Sheet: style.New(th, profile), Themes: all, Faults: faults, Now: time.Now, ASCII: o.ASCII,
		Copy:   func(text string) error { s.Copied = append(s.Copied, text); return nil },
		Notify: func(text string) { s.Told = append(s.Told, text) },
	})
	t.Cleanup(func() {
		close(s.Core.events)
		time.Sleep(time.Minute) // of synctest's: all timers run out
	})
	s.run(s.Model.Init())
	s.settle()
	s.Resize(o.W, o.H)
	return s
}

// run carries a command out beside the test.
func (s *Screen) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { s.results <- cmd() }()
	}
}

// settle waits until nothing happens any more at this moment.
func (s *Screen) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-s.results:
			s.update(msg)
		default:
			return
		}
	}
}

func (s *Screen) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			s.run(cmd)
		}
	case tea.QuitMsg:
		s.Quit = true
	case tea.SuspendMsg:
		s.Stopped = true
	default:
		switch fmt.Sprintf("%T", msg) {
		case "tea.setWindowTitleMsg":
			s.Title = fmt.Sprint(msg)
		case "tea.clearScreenMsg":
			s.Cleared++
		}
		_, cmd := s.Model.Update(msg)
		s.Model.View() // as Bubble Tea does after each message
		s.run(cmd)
	}
}

// Send gives the screen a message.
func (s *Screen) Send(msgs ...tea.Msg) {
	for _, m := range msgs {
		s.update(m)
		s.settle()
	}
}

// Events sends a batch from the core.
func (s *Screen) Events(events ...agent.Event) {
	s.Core.events <- events
	s.settle()
}

// Resize changes the size of the window.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Wait lets time pass.
func (s *Screen) Wait(d time.Duration) {
	for end := time.Now().Add(d); ; {
		left := time.Until(end)
		if left <= 0 {
			return
		}
		time.Sleep(min(left, 50*time.Millisecond))
		s.settle()
	}
}

// Press presses keys by the names that Bubble Tea gives them.
func (s *Screen) Press(names ...string) {
	s.T.Helper()
	for _, name := range names {
		msg, ok := Key(name)
		if !ok {
			s.T.Fatalf("there is no key %q", name)
		}
		s.Send(msg)
	}
}

// Type presses the keys of a text, one each 70 ms: a fast typist.
func (s *Screen) Type(text string) {
	s.T.Helper()
	for _, r := range text {
		s.Send(letter(r))
		s.Wait(70 * time.Millisecond)
	}
}

// Burst presses the keys of a text at once, as a paste does in a terminal
// that does not mark it.
func (s *Screen) Burst(text string) {
	for _, r := range text {
		s.Send(letter(r))
	}
}

func letter(r rune) tea.KeyMsg {
	switch r {
	case ' ':
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	case '\r':
		return tea.KeyMsg{Type: tea.KeyEnter}
	case '\n':
		return tea.KeyMsg{Type: tea.KeyCtrlJ}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
}

// Paste pastes a text, with marks.
func (s *Screen) Paste(text string) {
	s.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
}

// Key returns the key of a name: "enter", "alt+enter", "ctrl+r", "x".
func Key(name string) (tea.KeyMsg, bool) {
	if name == "space" {
		return letter(' '), true
	}
	rest, alt := strings.CutPrefix(name, "alt+")
	for t := tea.KeyType(-200); t < 200; t++ {
		if t != tea.KeyRunes && t.String() == rest && rest != "" {
			return tea.KeyMsg{Type: t, Alt: alt}, true
		}
	}
	if r := []rune(rest); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r, Alt: alt}, true
	}
	return tea.KeyMsg{}, false
}

var (
	sgr     = regexp.MustCompile(`\x1b\[[0-9;:]*m`)
	control = regexp.MustCompile(`[\x00-\x1f\x7f\x{80}-\x{9f}]`)
)

// Rows returns the rows of the frame with their colours. It fails the test
// when one is not exactly as wide as the window.
func (s *Screen) Rows() []string {
	s.T.Helper()
	view := s.Model.View()
	if s.w <= 0 || s.h <= 0 {
		return nil
	}
	rows := strings.Split(view, "\n")
	if len(rows) != s.h {
		s.T.Errorf("%d rows in a window of %d", len(rows), s.h)
	}
	for i, r := range rows {
		if w := cells.Width(r); w != s.w {
			s.T.Errorf("row %d is %d cells wide in a window of %d: %q", i, w, s.w, r)
		}
		if control.MatchString(sgr.ReplaceAllString(r, "")) {
			s.T.Errorf("row %d holds control characters: %q", i, r)
			break
		}
	}
	return rows
}

// Frame returns what the terminal shows, without the blanks at the rows' ends.
func (s *Screen) Frame() string {
	s.T.Helper()
	rows := s.Rows()
	if rows == nil {
		return ""
	}
	em := vt.NewEmulator(s.w, s.h)
	defer func() { _ = em.Close() }() // it holds nothing
	_, _ = em.WriteString("\x1b[?2027h\x1b[H" + strings.Join(rows, "\r\n"))
	lines := strings.Split(em.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	for len(lines) < s.h {
		lines = append(lines, "")
	}
	return strings.Join(lines[:s.h], "\n") + "\n"
}

// Want fails the test for each text that the frame lacks.
func (s *Screen) Want(texts ...string) {
	s.T.Helper()
	frame := s.Frame()
	for _, t := range texts {
		if !strings.Contains(frame, t) {
			s.T.Errorf("the screen lacks %q:\n%s", t, frame)
		}
	}
}

// Lacks fails the test for each text that the frame holds.
func (s *Screen) Lacks(texts ...string) {
	s.T.Helper()
	frame := s.Frame()
	for _, t := range texts {
		if strings.Contains(frame, t) {
			s.T.Errorf("the screen shows %q:\n%s", t, frame)
		}
	}
}

// Asked returns the commands that the core got since it was last called.
func (s *Screen) Asked() []agent.Command {
	got := slices.Clone(s.Core.Got)
	s.Core.Got = nil
	return got
}
