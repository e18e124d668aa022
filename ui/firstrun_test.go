package ui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/ui"
	"mm/ui/uitest"
)

// serverless is the first screen with much to say.
func serverless(t *testing.T, w, h int) *uitest.Screen {
	first := &ui.FirstRun{
		Probed: []ui.Probe{
			{Name: "llamacpp", URL: "http://127.0.0.1:8080/v1", Found: "nothing answers there: start it with llama-server -m MODEL.gguf --jinja"},
			{Name: "ollama", URL: "http://127.0.0.1:11434/v1", Found: "no answer"},
		},
		Starts: []ui.Start{{Name: "llama-server", Command: "llama-server -m MODEL.gguf --jinja -c 16384"}, {Name: "Ollama", Command: "ollama serve"}},
		Enter: func(_ context.Context, url string) (ui.Core, *ui.FirstRun, error) {
			return nil, nil, errors.New(url + " " + strings.Repeat("does not answer ", 30))
		},
		Retry: func(context.Context) (ui.Core, *ui.FirstRun, error) { return nil, nil, nil },
	}
	o := ui.Options{Owner: ui.Owner{Start: func(context.Context) (ui.Core, *ui.FirstRun, error) { return nil, first, nil }}}
	s := uitest.New(t, uitest.Options{UI: o, NoCore: true, W: w, H: h})
	s.Wait(time.Second)
	return s
}

// words is a frame's text without its layout.
func words(frame string) string { return strings.Join(strings.Fields(frame), " ") }

// All of the first screen can be read in the smallest window, and what can be
// done stays in sight.
func TestFirstScreenScrolls(t *testing.T) {
	t.Parallel()
	for name, scroll := range map[string]func(*uitest.Screen){
		"PgDn":  func(s *uitest.Screen) { s.Press("pgdown") },
		"wheel": func(s *uitest.Screen) { s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := serverless(t, 40, 12)
				s.Want("PgDn")
				seen := words(s.Frame())
				for range 12 {
					scroll(s)
					s.Want("r again")
					seen += "\n" + words(s.Frame())
				}
				for _, part := range []string{
					"llamacpp", "http://127.0.0.1:8080/v1", "MODEL.gguf", "ollama", "http://127.0.0.1:11434/v1", "no answer",
					"Start one of them", "llama-server -m MODEL.gguf", "-c 16384", "ollama serve",
				} {
					if !strings.Contains(seen, part) {
						t.Errorf("%q is nowhere:\n%s", part, seen)
					}
				}
				s.Want("ollama serve")
				s.Lacks("more rows")
				s.Press("pgup", "pgup", "pgup", "pgup", "pgup", "pgup")
				s.Want("No model server was found.")
			})
		})
	}
}

// A reason is shown whole where there is room, and leaves room for the rest
// where there is none.
func TestReasonsAreShownWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := serverless(t, 80, 30)
		if got := words(s.Frame()); !strings.Contains(got, "nothing answers there: start it with llama-server -m MODEL.gguf --jinja") {
			t.Errorf("the reason is cut:\n%s", s.Frame())
		}
		s.Lacks("PgDn")
		s.Resize(40, 12)
		s.Press("u")
		s.Type("http://a.example")
		s.Press("enter")
		s.Want("r again", "http://a.example", "No model server was found.")
	})
}
