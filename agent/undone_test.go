package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// What the user asked for decides whether an answer in words may stand.
func TestRequestThatNothingWasDoneFor(t *testing.T) {
	t.Parallel()
	const changed, run = "no file of the project was changed", "nothing was run"
	for request, want := range map[string]string{
		"Fix the failing test":                                     changed,
		"go test fails. Find out why and fix the code.":            changed,
		"Please add a field Email to the type User":                changed,
		"Can you rename Hello to Greet?":                           changed,
		"In main.go, set the port to 80":                           changed,
		"create hello.py":                                          changed,
		"Look at main.go and then remove the unused function":      changed,
		"Commit my change":                                         changed,
		"Run the tests":                                            run,
		"please execute `make`":                                    run,
		"Read lines 1 to 26 of part2.py":                           "part2.py was not read",
		"Open src/main.go and tell me what it does":                "src/main.go was not read",
		"How do I fix the failing test?":                           "",
		"What would you change in main.go?":                        "",
		"Explain how to add a field to the type User":              "",
		"Fix nothing yet, just explain the bug in main.go":         "",
		"Look at main.go and propose a fix, don't change anything": "",
		"Write a poem about the sea":                               "",
		"Make it short":                                            "",
		"The fix is in main.go":                                    "",
		"Show me what you think":                                   "",
		"Is there a test for main.go? Which?":                      "",
		"hello":                                                    "",
		"Corrige le test":                                          "", // silent in doubt
	} {
		m := agenttest.NewModel(agenttest.Say("That is done."), agenttest.Say("That is done."))
		events := agenttest.Run(t, options(m, echo{})).Prompt(request)
		warned := notices(events, agent.Warn)
		if want == "" {
			if len(m.Requests()) != 1 || len(warned) > 0 {
				t.Errorf("%q: asked again, or warned of %q", request, warned)
			}
			continue
		}
		if got := len(m.Requests()); got != 2 {
			t.Errorf("%q: %d calls of the model, want 2", request, got)
			continue
		}
		if got := lastText(m.Requests()[1]); !strings.Contains(got, want) || !strings.Contains(got, request) {
			t.Errorf("%q: the model is told %q, want %q and the request", request, got, want)
		}
		if !slices.Contains(warned, want+" in this turn, whatever the answer says") {
			t.Errorf("%q: the user is told %q, want %q", request, warned, want)
		}
	}
}

// command is a tool that runs a command.
func command(does func()) echo {
	return echo{run: func(context.Context, string, tools.Sink) tools.Result {
		does()
		return tools.Result{Text: "ran", Status: tools.OK, ExitCode: new(int)}
	}}
}

func TestDoneIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	t.Run("a command changed a file", func(t *testing.T) {
		t.Parallel()
		cwd := t.TempDir()
		m := agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("Done."))
		o := yolo(options(m, command(func() { write(t, filepath.Join(cwd, "main.go")) })))
		o.Session.Cwd = cwd
		agenttest.Run(t, o).Prompt("Fix main.go")
		if got := len(m.Requests()); got != 2 {
			t.Errorf("%d calls of the model, want 2", got)
		}
	})
	t.Run("a command changed nothing", func(t *testing.T) {
		t.Parallel()
		cwd := t.TempDir()
		write(t, filepath.Join(cwd, "main.go"))
		hourAgo := time.Now().Add(-time.Hour)
		for _, path := range []string{filepath.Join(cwd, "main.go"), cwd} {
			if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
				t.Fatal(err)
			}
		}
		m := agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("Done."), agenttest.Say("Done."))
		o := yolo(options(m, command(func() {})))
		o.Session.Cwd = cwd
		agenttest.Run(t, o).Prompt("Fix main.go")
		if got := len(m.Requests()); got != 3 {
			t.Errorf("%d calls of the model, want 3", got)
		}
	})
	t.Run("the user said no", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("As you wish."))
		r := agenttest.Run(t, options(m, echo{}))
		r.Answer(func(q agent.ApprovalAsked) agent.Decide {
			return agent.Decide{ID: q.ID, Choice: agent.ChoiceReject}
		})
		r.Prompt("Fix main.go")
		if got := len(m.Requests()); got != 2 {
			t.Errorf("%d calls of the model, want 2", got)
		}
	})
	t.Run("nothing may be changed", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(agenttest.Say("I may not."))
		o := options(m, echo{})
		o.Policy.SetMode(safety.ReadOnly)
		agenttest.Run(t, o).Prompt("Fix main.go")
		if got := len(m.Requests()); got != 1 {
			t.Errorf("%d calls of the model, want 1", got)
		}
	})
	t.Run("the file was read before", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(agenttest.Call("echo", `{"text":"main.go holds 1"}`), agenttest.Say("1."), agenttest.Say("1."))
		r := agenttest.Run(t, yolo(options(m, echo{})))
		r.Prompt("Read main.go")
		r.Prompt("Read main.go once more")
		if got := len(m.Requests()); got != 3 {
			t.Errorf("%d calls of the model, want 3", got)
		}
	})
}

// A model that makes up the content of a file may go on until its tokens end.
func TestMadeUpOutputThatIsCut(t *testing.T) {
	t.Parallel()
	cut := agenttest.Say("part2.py, lines 1-26 of 60:\n1|def f")
	cut.Finish = llm.FinishLength
	m := agenttest.NewModel(cut, agenttest.Call("echo", `{"text":"part2.py"}`), agenttest.Say("It holds f."))
	events := agenttest.Run(t, yolo(options(m, echo{}))).Prompt("Read lines 1 to 26 of part2.py")
	if got := ended(t, events).Stop; got != agent.StopAnswer || len(m.Requests()) != 3 {
		t.Errorf("stop %q after %d calls of the model, want an answer after 3", got, len(m.Requests()))
	}
}

// A model that is set on one file reads that, and makes up the other.
func TestAnotherFileWasRead(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Call("echo", `{"text":"part1.py"}`), agenttest.Say("It holds f."), agenttest.Call("echo", `{"text":"part2.py"}`), agenttest.Say("It holds g."))
	events := agenttest.Run(t, yolo(options(m, echo{}))).Prompt("Read part2.py")
	if got := notices(events, agent.Repair); len(got) != 1 || !strings.Contains(got[0], "part2.py was not read") {
		t.Errorf("repairs %q, want that part2.py was not read", got)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("package main"), 0o600); err != nil {
		t.Fatal(err)
	}
}
