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
