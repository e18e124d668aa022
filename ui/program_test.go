//go:build unix

package ui_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mm/agent"
	"mm/ui"
	"mm/ui/ptytest"
)

// The test binary plays the program when this variable names a scenario.
const scenarioVar = "MM_UI_TEST_SCENARIO"

func TestMain(m *testing.M) {
	switch s, sessions := os.Getenv(scenarioVar), os.Getenv(sessionsVar); {
	case s != "" && sessions != "":
		os.Exit(faultyChild(s, sessions))
	case s != "":
		os.Exit(child(s))
	}
	os.Exit(m.Run())
}

// childCore is the core of the program under test. What the screen asks for
// goes wrong as the scenario says.
type childCore struct {
	events chan []agent.Event
	do     func(agent.Command)
}

func (c *childCore) Do(cmd agent.Command) error { c.do(cmd); return nil }

func (c *childCore) Events() <-chan []agent.Event { return c.events }

// child runs the program and returns its exit code.
func child(scenario string) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	core := &childCore{events: make(chan []agent.Event, 8)}
	o := ui.Options{Cwd: "/src", LogFile: os.Getenv("MM_UI_TEST_LOG")}
	core.do = func(cmd agent.Command) {
		switch scenario {
		case "panic in update":
			panic("boom in update")
		case "answers":
			core.events <- []agent.Event{agent.TurnStarted{Turn: 1}, agent.TextDelta{ID: "i1", Text: "the answer"}}
			core.events <- []agent.Event{agent.TextEnded{ID: "i1", Text: "the answer"}, agent.TurnEnded{Stop: agent.StopAnswer}, agent.Idle{}}
		case "panic in a goroutine":
			go func() { panic("boom in a goroutine") }()
		case "panic in the core":
			cancel(errors.New("the core crashed"))
		case "prints":
			log.Print("a library logs")
			fmt.Println("a library prints")
			fmt.Fprintln(os.Stderr, "a library complains")
			_, _ = unix.Write(2, []byte("a child complains\n"))
			core.events <- []agent.Event{agent.Notice{Text: "all is quiet"}}
		}
	}
	if scenario == "panic in a command" {
		o.Branch = func() string { panic("boom in a command") }
	}
	core.events <- []agent.Event{agent.SessionReady{Mode: "ask", Model: agent.ModelInfo{ID: "testmodel"}}}
	if err := ui.Run(ctx, core, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// program is a running program and its log.
type program struct {
	*ptytest.Program
	t   *testing.T
	log string
}

func start(t *testing.T, scenario string, env ...string) *program {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	if scenario == "suspend" {
		shell, err := exec.LookPath("bash")
		if err != nil {
			t.Skip("no bash to suspend to")
		}
		// A shell with job control: it goes on when the program stops.
		cmd = exec.Command(shell, "-mc", `"$0"; echo "[stopped]"; read -r; fg`, os.Args[0])
	}
	log := filepath.Join(t.TempDir(), "log")
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor",
		scenarioVar + "=" + scenario, "MM_UI_TEST_LOG=" + log,
	}, env...)
	return &program{ptytest.Start(t, cmd), t, log}
}

func (p *program) logged(text string) {
	p.t.Helper()
	data, err := os.ReadFile(p.log)
	if err != nil || !strings.Contains(string(data), text) {
		p.t.Errorf("the log lacks %q: %v\n%s", text, err, data)
	}
}

func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	prompt := func(p *program) { p.WaitFor("testmodel"); p.Write("hi\r") }
	for _, tc := range []struct {
		name   string
		do     func(p *program)
		code   int
		says   string
		logged string
	}{
		{"quit", func(p *program) { p.WaitFor("testmodel"); p.Write("\x03"); p.WaitFor("again quits"); p.Write("\x03") }, 0, "", ""},
		{"panic in update", prompt, 1, "mm crashed: boom in update; the stack is in ", "boom in update"},
		{"panic in a command", func(*program) {}, 1, "mm crashed: boom in a command", "program_test.go"},
		{"panic in the core", prompt, 1, "the core crashed", ""},
		{"panic in a goroutine", func(p *program) { p.WaitFor("testmodel"); p.Watched(); p.Write("hi\r") }, 2, "mm crashed or was killed; what it said last is in ", "boom in a goroutine"},
		{"SIGKILL", func(p *program) { p.WaitFor("testmodel"); p.Watched(); _ = p.Cmd.Process.Kill() }, -1, "mm crashed or was killed", ""},
		{"SIGTERM", func(p *program) { p.WaitFor("testmodel"); _ = p.Cmd.Process.Signal(syscall.SIGTERM) }, 1, "signal", ""},
		{"SIGHUP", func(p *program) { p.WaitFor("testmodel"); _ = p.Cmd.Process.Signal(syscall.SIGHUP) }, 1, "signal", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tc.name)
			tc.do(p)
			if code := p.Wait(); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			p.WaitFor(tc.says) // after a crash another process puts it back
			mode := p.Mode()
			p.Drain()
			p.Restored(mode)
			if !strings.Contains(p.Tail(), tc.says) {
				t.Errorf("said %q, want %q in it", p.Tail(), tc.says)
			}
			if tc.logged != "" {
				p.logged(tc.logged)
			}
		})
	}
}

// A terminal that goes away takes the program with it.
func TestClosedTerminalEndsTheProgram(t *testing.T) {
	t.Parallel()
	p := start(t, "closed")
	p.WaitFor("testmodel")
	_ = p.Close()
	if code := p.Wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

func TestPrintsGoToTheLog(t *testing.T) {
	t.Parallel()
	p := start(t, "prints")
	p.WaitFor("testmodel")
	p.Write("go\r")
	p.WaitFor("all is quiet")
	screen := p.Screen()
	if strings.Contains(screen, "a library") || strings.Contains(screen, "a child") {
		t.Errorf("the screen was painted over:\n%s", screen)
	}
	for _, text := range []string{"a library logs", "a library prints", "a library complains", "a child complains"} {
		p.logged(text)
	}
}

// A late answer to a colour query is no input, and nothing asks once the
// terminal is read.
func TestLateColourIsNotTyped(t *testing.T) {
	t.Parallel()
	p := start(t, "late colour")
	p.WaitFor("testmodel")
	p.Write("\x1b]11;rgb:1e1e/1e1e/1e1e\x07")
	p.Write("\x1b]11;rgb:1e1e")
	p.Write("/1e1e/1e1e\x1b\\")
	p.Write("hi")
	p.WaitFor("> hi")
	if n := strings.Count(p.Written(), "\x1b]11;?"); n > 1 {
		t.Errorf("the terminal was asked %d times, want once at most", n)
	}
	if q, alt := strings.LastIndex(p.Written(), "\x1b]11;?"), strings.Index(p.Written(), "\x1b[?1049h"); q > alt {
		t.Error("the terminal was asked while the screen was up")
	}
}

// The window is named, the user is called back to it, and the mouse can be
// given to the terminal.
func TestWindow(t *testing.T) {
	t.Parallel()
	p := start(t, "answers")
	p.Seen("\x1b[22;2t")
	p.Seen("\x1b]2;mm · src\a")
	p.WaitFor("testmodel")
	p.Write("one\r")
	p.Seen("\x1b]2;● mm · src\a")
	p.WaitFor("the answer")
	if strings.Contains(p.Written(), "\x1b]9;") {
		t.Error("a user who looks on was called")
	}
	p.Write("\x1b[O") // the focus goes
	p.Write("two\r")
	p.Seen("\x1b]9;mm has answered\a\a")
	p.Write("\x1bm")
	p.Seen("\x1b[?1002l")
	p.WaitFor("the mouse selects text")
	p.Write("\x1bm")
	p.Seen("\x1b[?1002h")
}

// GNU screen does not pass the question on.
func TestNothingIsAskedThroughScreen(t *testing.T) {
	t.Parallel()
	p := start(t, "screen", "STY=1.pts", "TERM=screen-256color")
	p.WaitFor("testmodel")
	if strings.Contains(p.Written(), "\x1b]11;?") {
		t.Error("the terminal was asked for its colour")
	}
}

func TestSuspendAndBack(t *testing.T) {
	t.Parallel()
	p := start(t, "suspend")
	p.WaitFor("testmodel")
	p.Write("draft")
	p.WaitFor("> draft")
	p.Write("\x1a")
	p.WaitFor("[stopped]")
	p.Restored(p.Mode())
	p.Seen("[stopped]")
	p.Write("\r")
	p.WaitFor("> draft")
	p.Seen("\x1b[22;2t")
	p.Seen("\x1b]2;mm · src\a")
	p.Write(" more")
	p.WaitFor("> draft more")
	out := p.Written()
	if strings.LastIndex(out, "\x1b[?1002h") < strings.LastIndex(out, "\x1b[?1002l") {
		t.Error("the mouse was not turned on again")
	}
}
