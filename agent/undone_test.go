package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// project is a folder with a few files, none of them touched lately.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	for _, name := range []string{"main.go", "part1.py", "part2.py", "README.md", "src/main.go"} {
		write(t, filepath.Join(dir, name))
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, hourAgo, hourAgo))
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What the user asked for decides whether an answer in words may stand.
func TestRequestThatNothingWasDoneFor(t *testing.T) {
	t.Parallel()
	const changed, run = "no file of the project was changed", "nothing was run"
	dir := project(t)
	for request, want := range map[string]string{
		"Fix the failing test":                                    changed,
		"go test fails. Find out why and fix the code.":           changed,
		"Fix it. Do not touch the tests.":                         changed,
		"Where is the bug? Fix it in main.go.":                    changed,
		"What is wrong with main.go? Please fix it.":              changed,
		"Please add a field Email to the type User":               changed,
		"Can you rename Hello to Greet?":                          changed,
		"In main.go, set the port to 80":                          changed,
		"create hello.py":                                         changed,
		"Look at main.go and then remove the unused function":     changed,
		"Commit my change":                                        changed,
		"Hi, I have this:\n\nx = 1\n\nReplace it in main.go by 2": changed,
		"Run the tests":                                           run,
		"Which port is it? Look it up, the README may be old.":    "nothing was looked up",
		"Search for TODO in the code":                             "nothing was looked up",
		"please execute `make`":                                   run,
		"Read lines 1 to 26 of part2.py":                          "part2.py was not read",
		"Open src/main.go and tell me what it does":               "src/main.go was not read",

		// Questions, plans and words.
		"Did you look it up?":                                      "",
		"How do I fix the failing test?":                           "",
		"What would you change in main.go?":                        "",
		"Explain how to add a field to the type User":              "",
		"Hey, why did you remove the test file?":                   "",
		"I think you set the wrong type in main.go, right?":        "",
		"If you remove the file, does the build still work?":       "",
		"I get an error when you run go test":                      "",
		"Run time is slow, why?":                                   "",
		"Is there a test for main.go? Which?":                      "",
		"Review the code and make suggestions":                     "",
		"Make a list of the functions in main.go":                  "",
		"Create a table that compares the two functions":           "",
		"Please write a commit message for these files":            "",
		"Write an example of a Go interface":                       "",
		"Could you write me a function that reverses a string?":    "",
		"Read README.md and write a one-sentence summary":          "README.md was not read",
		"Convert this error into plain words":                      "",
		"Add up the numbers in main.go":                            "",
		"Write a poem about the sea":                               "",
		"Make it short":                                            "",
		"Show me an example, e.g. with a map":                      "",
		"Show me how strings.Fields works":                         "",
		"Read nowhere.py":                                          "", // there is no such file
		"The fix is in main.go":                                    "",
		"hello":                                                    "",
		"Corrige le test":                                          "",
		"Commit messages in this repo are bad":                     "",
		"Refactor ideas for main.go":                               "",
		"Fix for the bug is in main.go":                            "",
		"thanks, fix works":                                        "",
		"Run into an error with the tests":                         "",
		"Put simply, the function is slow.":                        "",
		"Update on the tests: they pass now.":                      "",
		"The scripts build the project, and run the tests.":        "",
		"I tried to rename the file, and then remove the old file": "",
		"Users log in, then create files, and delete files.":       "",
		"Next time, run the tests first":                           "",
		"From now on, run the tests after each change":             "",
		"Write a SQL query that selects all entries":               "",
		"Write an email to the team about the failing tests":       "",
		"Convert the following function to TypeScript":             "",
		"Create a mermaid diagram of the classes":                  "",
		"Can you edit files?":                                      "",
		"Can you run tests?":                                       "",
		"Show me the diff of main.go":                              "",
		"Show me who calls main.go":                                "",
		// What may turn out to need nothing, or is to wait.
		"Run the tests and make sure they pass":                    run,
		"Run the tests and fix any failures":                       "",
		"Check the code and make sure it handles errors":           "",
		"Fix nothing yet, just explain the bug in main.go":         "",
		"Please fix nothing yet":                                   "",
		"Look at main.go and propose a fix, don't change anything": "",
		"Let us plan the fix; please change nothing in the code":   "",
		"Before you change any file, tell me your plan":            "",
		"Before you run anything, explain the plan":                "",
		// What was pasted or attached.
		"This is what I get:\nmake: *** [test] Error 1\nAny idea?": "",
		"git says:\n create mode 100644 foo.go":                    "",
		"See:\n```\nfix main.go\n```":                              "",
		"Write about it\n[attached file: /x/main.go]":              "",
	} {
		m := agenttest.NewModel(agenttest.Say("That is done."), agenttest.Say("That is done."))
		o := options(m, echo{})
		o.Session.Cwd = dir
		events := agenttest.Run(t, o).Prompt(request)
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
		if got := lastText(m.Requests()[1]); !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf("%q", request)) {
			t.Errorf("%q: the model is told %q, want %q and the request", request, got, want)
		}
		if !slices.Contains(warned, want+" in this turn, whatever the answer says") {
			t.Errorf("%q: the user is told %q, want %q", request, warned, want)
		}
	}
}

// A request for words that sounds like work costs a question, and nothing else:
// the answer is read again in the next turn.
func TestAnswerThatIsAskedAboutAndStands(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("It prints a greeting."), agenttest.Say("The request is done."), agenttest.Say("A greeting."))
	o := options(m, echo{})
	o.Session.Cwd = project(t)
	r := agenttest.Run(t, o)
	r.Prompt("Implement the interface in words")
	r.Prompt("Shorten your sentence")
	reqs := m.Requests()
	if !slices.ContainsFunc(reqs[2].Messages, func(m llm.Message) bool { return strings.Contains(m.Text, "It prints a greeting.") }) {
		t.Errorf("the model does not read what it said: %+v", reqs[2].Messages)
	}
}

func TestWorkIsNotChecked(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("Done."))
	o := options(m, echo{})
	o.Repairs.NoCheckWork = true
	events := agenttest.Run(t, o).Prompt("Fix main.go")
	if len(m.Requests()) != 1 || len(notices(events, agent.Warn)) > 0 {
		t.Errorf("%d calls of the model, warnings %q; want the check turned off", len(m.Requests()), notices(events, agent.Warn))
	}
}

// With one call of the model left there is nobody to ask.
func TestLastCallIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Say("Done."))
	o := options(m, echo{})
	o.MaxTurns = 1
	events := agenttest.Run(t, o).Prompt("Fix main.go")
	if got := ended(t, events).Stop; got != agent.StopAnswer || o.Session.Items[1].Unsent {
		t.Errorf("stop %q, stored %+v; want the answer", got, o.Session.Items[1])
	}
}

func TestDoneIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		request, command string
		does             func(dir string) error
		asked            int // calls of the model
	}{
		"a command changed a file": {"Fix main.go", "go test", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "main.go"), []byte("package other"), 0o600)
		}, 2},
		"a command changed nothing": {"Fix main.go", "go test", func(string) error { return nil }, 3},
		"a command left a by-product": {"Fix main.go", "go test", func(dir string) error {
			return os.Mkdir(filepath.Join(dir, "__pycache__"), 0o700)
		}, 3},
		"a command removed a file": {"Delete the file part1.py", "go test", func(dir string) error {
			return os.Remove(filepath.Join(dir, "part1.py"))
		}, 2},
		"a command did it elsewhere": {"Create an issue for the failing tests", "gh issue create --title tests", func(string) error { return nil }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			m := agenttest.NewModel(agenttest.Call("echo", fmt.Sprintf(`{"text":%q}`, tc.command)), agenttest.Say("Done."), agenttest.Say("Done."))
			if tc.asked == 2 {
				m.Served.Provider = "llamacpp" // which could be made to write a call
			}
			o := yolo(options(m, echo{run: func(context.Context, string, tools.Sink) tools.Result {
				if err := tc.does(dir); err != nil {
					t.Error(err)
				}
				return tools.Result{Text: "ran", Status: tools.OK, ExitCode: new(int)}
			}}))
			o.Session.Cwd = dir
			agenttest.Run(t, o).Prompt(tc.request)
			if got := len(m.Requests()); got != tc.asked {
				t.Errorf("%d calls of the model, want %d", got, tc.asked)
			}
		})
	}
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
		o := yolo(options(m, echo{}))
		o.Session.Cwd = project(t)
		r := agenttest.Run(t, o)
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
	o := yolo(options(m, echo{}))
	o.Session.Cwd = project(t)
	events := agenttest.Run(t, o).Prompt("Read lines 1 to 26 of part2.py")
	if got := ended(t, events).Stop; got != agent.StopAnswer || len(m.Requests()) != 3 {
		t.Errorf("stop %q after %d calls of the model, want an answer after 3", got, len(m.Requests()))
	}
}

// A model that is set on one file reads that, and makes up the other.
func TestAnotherFileWasRead(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Call("echo", `{"text":"part1.py"}`), agenttest.Say("It holds f."), agenttest.Call("echo", `{"text":"part2.py"}`), agenttest.Say("It holds g."))
	o := yolo(options(m, echo{}))
	o.Session.Cwd = project(t)
	events := agenttest.Run(t, o).Prompt("Read part2.py")
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
