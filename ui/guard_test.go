package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// faulty is a root that panics where it is told to.
type faulty struct{ where string }

func (f faulty) fail(where string) {
	if f.where == where {
		panic("boom in " + where)
	}
}

func (f faulty) Init() tea.Cmd { f.fail("init"); return nil }
func (f faulty) Update(tea.Msg) (tea.Model, tea.Cmd) {
	f.fail("update")
	return f, tea.Batch(f.cmd, f.cmd)
}
func (f faulty) View() string { f.fail("view"); return "fine" }
func (f faulty) cmd() tea.Msg { f.fail("command"); return nil }

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"init", "update", "view", "command"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			quit := make(chan struct{}, 2)
			log := filepath.Join(t.TempDir(), "log")
			g := &guard{model: faulty{where}, log: log, quit: func() { quit <- struct{}{} }}
			g.Init()
			self, cmd := g.Update(nil)
			g.View()
			if self != g {
				t.Errorf("Update returned %v", self)
			}
			var last tea.Msg
			if cmd != nil {
				last = cmd()
			}
			if batch, ok := last.(tea.BatchMsg); ok {
				last = batch[0]()
			}
			switch where {
			case "view":
				<-quit
			case "command":
				if last != (crashedMsg{}) {
					t.Errorf("the command gave %v", last)
				}
				_, cmd = g.Update(last)
				last = cmd()
				fallthrough
			default:
				if _, ok := last.(tea.QuitMsg); !ok {
					t.Errorf("it goes on with %v", last)
				}
			}
			failed := g.failed.Load()
			if failed == nil || failed.Value != "boom in "+where || !strings.Contains(failed.Error(), log) {
				t.Errorf("failed with %v", failed)
			}
			data, err := os.ReadFile(log)
			if err != nil || !strings.Contains(string(data), "faulty") {
				t.Errorf("no stack in the log: %v\n%s", err, data)
			}
			if g.View() != "" {
				t.Error("it still draws")
			}
		})
	}
}
