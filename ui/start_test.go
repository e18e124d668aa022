package ui_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mm/agent"
	"mm/ui"
	"mm/ui/uitest"
)

// starting is a screen whose owner takes five seconds to find the server.
func starting(t *testing.T, core ui.Core, err error) *uitest.Screen {
	o := ui.Options{Cwd: "/src/app", Owner: ui.Owner{
		Start: func(context.Context) (ui.Core, *ui.FirstRun, error) {
			time.Sleep(5 * time.Second)
			return core, nil, err
		},
	}}
	return uitest.New(t, uitest.Options{UI: o, NoCore: true, W: 80, H: 24})
}

// The screen is up before the server has answered. What is sent meanwhile
// waits for it.
func TestScreenIsUpBeforeTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		core := uitest.NewCore()
		defer core.Close()
		s := starting(t, core, nil)
		s.Want("/src/app", "looking for the server")
		s.Lacks("No model server")
		s.Type("hello")
		s.Press("enter")
		s.Want("> hello", "sent as soon as the server is found")
		if len(core.Got) > 0 {
			t.Fatalf("the core got %v before it was there", core.Got)
		}
		s.Wait(6 * time.Second)
		if len(core.Got) != 1 || core.Got[0] != (agent.Prompt{Text: "hello"}) {
			t.Errorf("the core got %v, want the prompt", core.Got)
		}
		s.Lacks("looking for the server", "> hello")
	})
}

// A draft that is written on after Enter is not sent by itself.
func TestDraftThatGoesOnIsNotSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*uitest.Screen){
		"typing":  func(s *uitest.Screen) { s.Type(" and del") },
		"a paste": func(s *uitest.Screen) { s.Paste(" and delete all") },
		"a key":   func(s *uitest.Screen) { s.Press("ctrl+a") },
		"an earlier prompt": func(s *uitest.Screen) {
			s.Press("ctrl+r", "enter")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				core := uitest.NewCore()
				defer core.Close()
				s := starting(t, core, nil)
				s.Type("draft")
				s.Press("ctrl+c") // an earlier prompt
				s.Type("hello")
				s.Press("enter")
				s.Want("sent as soon as")
				change(s)
				s.Lacks("sent as soon as")
				s.Wait(6 * time.Second)
				if len(core.Got) > 0 {
					t.Fatalf("sent %v by itself", core.Got)
				}
				s.Press("enter")
				if len(core.Got) != 1 {
					t.Errorf("Enter sent %v, want the draft", core.Got)
				}
			})
		})
	}
}

func TestFailedStartEndsTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := starting(t, nil, errors.New("there is no session x"))
		if s.Quit {
			t.Fatal("it ended before the owner had answered")
		}
		s.Wait(6 * time.Second)
		if !s.Quit {
			t.Error("it goes on without a core")
		}
	})
}
