//go:build unix

package ui_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/safety"
	"mm/tools"
	"mm/ui"
)

// The environment of a child with a real core: the folder of its sessions.
const sessionsVar = "MM_UI_TEST_SESSIONS"

// breaking is a tool that panics. It is a toolbox and a policy, too, which
// knows it alone and allows it.
type breaking struct{}

func (breaking) Spec() tools.Spec {
	return tools.Spec{Name: "break", Kind: tools.KindExecute, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (breaking) Plan(context.Context, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Title: "everything"}, nil
}

func (breaking) Run(context.Context, tools.Plan, tools.Sink) tools.Result { panic("boom in a tool") }

func (b breaking) Specs() []tools.Spec { return []tools.Spec{b.Spec()} }

func (b breaking) Resolve(_, args string) (tools.Tool, json.RawMessage, []string, error) {
	return b, json.RawMessage(args), nil, nil
}

func (breaking) Decide(safety.Action) safety.Verdict {
	return safety.Verdict{Decision: safety.Allow}
}
func (breaking) Remember(safety.Action) {}
func (breaking) Mode() safety.Mode      { return safety.AskMode }
func (breaking) SetMode(safety.Mode)    {}

// faulty is a root that panics after Ctrl+L.
type faulty struct {
	tea.Model
	scenario string
	armed    *bool
}

func (f faulty) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyMsg); ok && key.Type == tea.KeyCtrlL {
		switch f.scenario {
		case "panic in update":
			panic("boom in update")
		case "panic in a goroutine":
			go func() { panic("boom in a goroutine") }()
		}
		*f.armed = true
	}
	_, cmd := f.Model.Update(msg)
	return f, cmd
}

func (f faulty) View() string {
	if *f.armed && f.scenario == "panic in view" {
		panic("boom in view")
	}
	return f.Model.View()
}

// faultyChild runs the screen on a real core, as the program does, and returns
// the exit code.
func faultyChild(scenario, sessions string) int {
	store, err := session.Open(sessions)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	core := agent.New(agent.Options{
		Model: agenttest.NewModel(agenttest.Call("break", "{}"), agenttest.Say("it goes on")),
		Tools: breaking{}, Policy: breaking{}, Store: store, Session: session.New("/src", time.Unix(0, 0)),
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- core.Run(ctx) }()
	err = ui.Run(ctx, core, ui.Options{Cwd: "/src", LogFile: os.Getenv("MM_UI_TEST_LOG"), Terminal: ui.Terminal{
		Root: func(m tea.Model) tea.Model { return faulty{m, scenario, new(bool)} },
	}})
	cancel()
	for range core.Events() { //nolint:revive // drained until it closes
	}
	<-done
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Whatever breaks, the terminal comes back, the cause is told and the
// conversation is on the disk. A tool that breaks ends nothing.
func TestFaultsKeepTheConversation(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		code int
		says string
	}{
		{"panic in update", 1, "mm crashed: boom in update; the stack is in "},
		{"panic in view", 1, "mm crashed: boom in view; the stack is in "},
		{"panic in a goroutine", 2, "mm crashed or was killed"},
		{"panic in a tool", 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			sessions := t.TempDir()
			p := start(t, tc.name, sessionsVar+"="+sessions)
			p.WaitFor("? help")
			p.Watched()
			p.Write("\x15break it\r") // behind what Watched typed
			p.WaitFor("✗ break everything")
			p.WaitFor("boom in a tool")
			p.WaitFor("it goes on")
			p.WaitFor("done after")
			if tc.code == 0 {
				p.Write("\x03")
				p.WaitFor("again quits")
				p.Write("\x03")
			} else {
				p.Write("\x0c")
			}
			if code := p.Wait(); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			p.WaitFor(tc.says)
			mode := p.Mode()
			p.Drain()
			p.Restored(mode)
			if tc.code != 0 {
				p.logged("boom in " + strings.TrimPrefix(tc.name, "panic in "))
			}
			kept, _ := filepath.Glob(filepath.Join(sessions, "*.json"))
			if len(kept) != 1 {
				t.Fatalf("%d conversations are kept, want one", len(kept))
			}
			data, err := os.ReadFile(kept[0])
			if err != nil || !strings.Contains(string(data), "break it") || !strings.Contains(string(data), "it goes on") {
				t.Errorf("kept is %v\n%s", err, data)
			}
		})
	}
}
