// Package ui is the full-screen program. It is fed by the core's events and
// answers with its commands; it knows neither models nor tools nor files of
// configuration.
package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/atotto/clipboard"
	tea "github.com/charmbracelet/bubbletea"
	xterm "github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"

	"mm/themes"
	"mm/ui/style"
	"mm/ui/term"
	"mm/ui/term/noquery"
)

// fps is how often the terminal is written to at most. The first frame waits
// for one tick, and so does the echo of a key.
const fps = 120

func init() { noquery.Restore() }

// ErrSignal says that a signal ended the program.
var ErrSignal = errors.New("ended by a signal")

// PanicError says that the screen crashed. The terminal was put back; the
// stack is in the file Log, or nowhere when that is empty.
type PanicError struct {
	Value any
	Log   string
}

func (e *PanicError) Error() string {
	if e.Log == "" {
		return fmt.Sprintf("mm crashed: %v", e.Value)
	}
	return fmt.Sprintf("mm crashed: %v; the stack is in %s", e.Value, e.Log)
}

// Run shows the screen until the user leaves, ctx ends or a signal comes.
// Without a core o.Start is asked for one when the screen is up. Whatever
// happens, the terminal is as it was when Run returns. Closing the core is the
// caller's business.
func Run(ctx context.Context, core Core, o Options) (err error) {
	in, out := o.Terminal.In, o.Terminal.Out
	if in == nil {
		in = os.Stdin
	}
	if out == nil {
		out = os.Stdout
	}
	getenv := environ(o.Terminal.Environ)
	look, bg, trouble := chooseLook(in, out, o.Look, getenv)

	divert, err := term.Divert(o.LogFile, out)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer func() { err = errors.Join(err, divert.Restore()) }()
	out = divert.Screen

	defer term.Watch(out, o.LogFile).Dismiss()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	output := term.NewOutput(out)
	m := NewModel(ctx, core, o, Setup{
		Sheet: look.sheet, Themes: look.themes, Faults: look.faults, Now: time.Now, Getenv: getenv, Typed: bg.Typed,
		In: in, Out: out, Suspend: term.CanSuspend(), Notify: output.Notify, ASCII: term.OnlyASCII(getenv),
		Copy: func(text string) error { return copyBoth(output, text) },
	})
	if trouble != nil {
		m.warnLater(trouble)
	}
	if w, h, err := xterm.GetSize(out.Fd()); err == nil {
		m.lay.w, m.lay.h = w, h // so that the first frame is a full one
	}
	g := &guard{model: m, log: o.LogFile}
	if o.Terminal.Root != nil {
		g.model = o.Terminal.Root(m)
	}
	var p *tea.Program
	focus := func(gained bool) {
		if gained {
			p.Send(tea.FocusMsg{})
		} else {
			p.Send(tea.BlurMsg{})
		}
	}
	p = tea.NewProgram(g,
		tea.WithContext(ctx), tea.WithInput(term.NewInput(in, bg.Cut, focus)), tea.WithOutput(output),
		tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithReportFocus(), tea.WithFPS(fps),
		tea.WithoutSignalHandler(), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			switch msg.(type) {
			case tea.SuspendMsg:
				output.RestoreTitle()
			case tea.ResumeMsg:
				output.KeepTitle()
			}
			return msg
		}),
	)
	g.quit = p.Quit
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, deadly...)
	defer signal.Stop(caught)
	ended := make(chan struct{})
	defer close(ended)
	signalled := make(chan struct{})
	go func() {
		select {
		case <-caught:
			close(signalled)
			p.Quit()
		case <-ended:
		}
	}()
	output.KeepTitle()
	_, err = p.Run()
	output.RestoreTitle()
	if m.out.fatal != nil {
		return m.out.fatal
	}
	return outcome(ctx, err, g, signalled)
}

// outcome says why the program ended.
func outcome(ctx context.Context, err error, g *guard, signalled chan struct{}) error {
	select {
	case <-signalled:
		return ErrSignal
	default:
	}
	if failed := g.failed.Load(); failed != nil {
		return failed
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// environ reads variables from a list, or from the process.
func environ(list []string) func(string) string {
	if list == nil {
		return os.Getenv
	}
	return func(name string) string {
		for _, kv := range slices.Backward(list) {
			if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
				return kv[len(name)+1:]
			}
		}
		return ""
	}
}

// chooseLook finds the theme: the one that was named, else by the terminal's
// background, which is returned too. Trouble with the user's own
// themes is told, and ends nothing.
func chooseLook(in, out *os.File, o Look, getenv func(string) string) (l look, bg term.Background, trouble error) {
	l.themes, l.faults = themes.All(o.UserThemes)
	if len(l.faults) > 0 {
		trouble = l.faults[0]
	}
	name := o.Theme
	if name != "" && name != "auto" {
		if _, ok := themes.Find(l.themes, name); !ok {
			trouble = fmt.Errorf("there is no theme %s; there are auto, %s", name, themeNames(l.themes))
			if f, ok := l.fault(name + ".yaml"); ok {
				trouble = f
			}
			name = "auto"
		}
	}
	if name == "" || name == "auto" {
		name = themes.DarkName
		bg = term.Query(in, out, getenv)
		if bg.Light {
			name = themes.LightName
		}
	}
	th, _ := themes.Find(l.themes, name)
	l.sheet = newSheet(th, profileOf(out, getenv))
	return l, bg, trouble
}

func themeNames(list []themes.Theme) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// newSheet prepares a theme. Without colours only the theme that needs none
// can be told apart.
func newSheet(t themes.Theme, profile termenv.Profile) *style.Sheet {
	if profile == termenv.Ascii {
		t, _ = themes.Find(themes.Builtin(), themes.NoneName)
	}
	return style.New(t, profile)
}

// profileOf is the number of colours of the terminal.
func profileOf(out *os.File, getenv func(string) string) termenv.Profile {
	if getenv("NO_COLOR") != "" {
		return termenv.Ascii
	}
	return termenv.NewOutput(out, termenv.WithEnvironment(env(getenv))).EnvColorProfile()
}

// env gives termenv its variables.
type env func(string) string

func (e env) Getenv(name string) string { return e(name) }
func (e env) Environ() []string         { return nil }

// copyBoth puts text on the terminal's clipboard and on the system's. One of
// them is enough.
func copyBoth(out *term.Output, text string) error {
	far := out.Copy(text)
	if err := clipboard.WriteAll(text); err != nil && !far {
		return err
	}
	return nil
}
