package ui_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"mm/agent"
	"mm/ui"
	"mm/ui/uitest"
)

func TestPromptsAreKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state", "history")
	with(t, ui.Options{HistoryFile: file}, 80, 24, func(_ *testing.T, s *uitest.Screen) {
		s.Type("first")
		s.Press("enter")
		s.Type("two")
		s.Press("ctrl+j")
		s.Type("lines")
		s.Press("enter")
	})
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of prompts: %v, %v", info, err)
	}
	with(t, ui.Options{HistoryFile: file}, 80, 24, func(_ *testing.T, s *uitest.Screen) {
		s.Press("up")
		s.Want("> two\n  lines")
		s.Press("up", "up")
		s.Want("> first")
		s.Press("ctrl+c", "ctrl+r")
		s.Want("Earlier prompts", "two⏎lines")
		s.Type("fir")
		s.Press("enter")
		s.Want("> first")
	})
}

func TestAnotherConversation(t *testing.T) {
	t.Parallel()
	o := ui.Options{Owner: ui.Owner{Sessions: &ui.Sessions{
		List: func(context.Context) ([]ui.Choice, error) {
			return []ui.Choice{{ID: "s2", Label: "the other one"}}, nil
		},
	}}}
	synctest.Test(t, func(t *testing.T) {
		other := uitest.NewCore()
		o.Sessions.Open = func(_ context.Context, id string) (ui.Core, error) {
			if id != "s2" {
				return nil, errors.New("wrong session")
			}
			return other, nil
		}
		s := uitest.New(t, uitest.Options{UI: o, W: 80, H: 24})
		answer(s, "i1", "old words")
		s.Type("/resume")
		s.Press("enter")
		s.Want("the other one")
		s.Press("enter")
		s.Lacks("old words")
		other.Send(agent.SessionReady{Session: "s2"}, agent.UserMessage{ID: "i1", Text: "other words"})
		s.Wait(time.Second)
		s.Want("other words")
		s.Events(agent.TextDelta{ID: "i7", Text: "a late word of the old core"})
		s.Lacks("late word")
		s.Type("go on")
		s.Press("enter")
		if len(other.Got) != 1 || len(s.Core.Got) != 0 {
			t.Errorf("the other core got %v, the old one %v", other.Got, s.Core.Got)
		}
		other.Close()
	})
}

func TestThemeChangesEverything(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		answer(s, "i1", "# Head\n\n```go\nfunc f() {}\n```")
		row := func(text string) string {
			for _, r := range s.Rows() {
				if strings.Contains(r, text) {
					return r
				}
			}
			t.Fatalf("no row with %q", text)
			return ""
		}
		head, code := row("Head"), row("func")
		s.Type("/theme gruvbox")
		s.Press("enter")
		if row("Head") == head || row("func") == code {
			t.Error("a heading or code kept its colours")
		}
		s.Type("/theme")
		s.Press("enter", "up")
		s.Press("esc")
		s.Type("/theme dark")
		s.Press("enter")
		if row("Head") != head || row("func") != code {
			t.Error("the colours did not come back")
		}
	})
}

func TestNoColours(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ascii := termenv.Ascii
		s := uitest.New(t, uitest.Options{UI: ui.Options{}, Theme: "none", Profile: &ascii, W: 100, H: 30})
		answer(s, "i1", "# Head\n\n[link](http://a.example)\n\n```go\nfunc f() {}\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |")
		ask(s, "make", true)
		colourless(t, s)
	})
}

func TestCopy(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		answer(s, "i1", "Do this:\n\n```\ngo test\n```")
		s.Type("/copy")
		s.Press("enter", "tab", "y")
		want := []string{"Do this:\n\n```\ngo test\n```", "go test"}
		if strings.Join(s.Copied, "|") != strings.Join(want, "|") {
			t.Errorf("copied %q, want %q", s.Copied, want)
		}
		s.Want("copied 7 characters")
	})
}

func TestModes(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		s.Press("shift+tab")
		s.Events(agent.ModeChanged{Mode: "accept-edits"})
		s.Press("shift+tab") // yolo is never reached by a key alone
		s.Type("/mode yolo")
		s.Press("enter")
		want := []agent.Mode{"accept-edits", "read-only", "yolo"}
		var got []agent.Mode
		for _, c := range s.Asked() {
			if c, ok := c.(agent.SetMode); ok {
				got = append(got, c.Mode)
			}
		}
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

func TestWheel(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		answer(s, "i1", paragraphs(100))
		s.Want("line 100")
		for range 3 {
			s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelUp})
		}
		s.Lacks("line 100")
		for range 3 {
			s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
		}
		s.Want("line 100")
	})
}

// What goes wrong with a list is shown in it, since it covers all else.
func TestListThatFails(t *testing.T) {
	t.Parallel()
	items := []ui.Choice{{ID: "s1", Label: "the first"}, {ID: "s2", Label: "the second"}}
	with(t, ui.Options{Owner: ui.Owner{
		Models: &ui.Choices{List: func(context.Context) ([]ui.Choice, error) { return nil, errors.New("the server does not answer") }},
		Sessions: &ui.Sessions{
			List:   func(context.Context) ([]ui.Choice, error) { return items, nil },
			Delete: func(context.Context, string) error { return errors.New("the file cannot be removed") },
		},
	}}, 80, 24, func(_ *testing.T, s *uitest.Screen) {
		s.Type("/model")
		s.Press("enter")
		s.Want("the server does not answer")
		s.Lacks("there is none")
		s.Press("esc")
		s.Type("/sessions")
		s.Press("enter", "down", "ctrl+d", "ctrl+d")
		s.Want("the file cannot be removed", "the first", "▸ the second")
		s.Press("up")
		s.Lacks("cannot be removed")
	})
}
