package ui

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// guard stands between Bubble Tea and the root. A panic in Update, in View or
// in a command ends the program in good order, with its stack in the log. What
// gets past it is caught by Bubble Tea, whose prints Run diverts.
type guard struct {
	model  tea.Model
	log    string
	quit   func()
	failed atomic.Pointer[PanicError]
}

// crashedMsg says that a command panicked.
type crashedMsg struct{}

func (g *guard) Init() (cmd tea.Cmd) {
	defer g.recover(&cmd)
	return g.guarded(g.model.Init())
}

func (g *guard) Update(msg tea.Msg) (self tea.Model, cmd tea.Cmd) {
	self = g // also after a panic
	if _, ok := msg.(crashedMsg); ok || g.failed.Load() != nil {
		return g, tea.Quit
	}
	defer g.recover(&cmd)
	_, cmd = g.model.Update(msg)
	return g, g.guarded(cmd)
}

func (g *guard) View() (view string) {
	if g.failed.Load() != nil {
		return ""
	}
	defer func() {
		if v := recover(); v != nil {
			g.note(v)
			go g.quit() // View runs on the loop that quit is a message to
		}
	}()
	return g.model.View()
}

func (g *guard) recover(cmd *tea.Cmd) {
	if v := recover(); v != nil {
		g.note(v)
		*cmd = tea.Quit
	}
}

// guarded wraps a command, and those in a batch.
func (g *guard) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				g.note(v)
				msg = crashedMsg{}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = g.guarded(c)
			}
		}
		return msg
	}
}

// note keeps the first panic, with its stack in the log.
func (g *guard) note(v any) {
	e := &PanicError{Value: v, Log: g.log}
	if !g.failed.CompareAndSwap(nil, e) || g.log == "" {
		return
	}
	f, err := os.OpenFile(g.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	fmt.Fprintf(f, "%s panic: %v\n%s\n", time.Now().Format(time.RFC3339), v, debug.Stack())
	_ = f.Close() // the stack is written or it is not
}
