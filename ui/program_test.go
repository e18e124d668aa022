//go:build unix

package ui_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"mm/agent"
	"mm/ui"
)

// The test binary plays the program when this variable names a scenario.
const scenarioVar = "MM_UI_TEST_SCENARIO"

func TestMain(m *testing.M) {
	if s := os.Getenv(scenarioVar); s != "" {
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

// program is a running program on a pseudo-terminal.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	tty  *os.File
	mode unix.Termios // of the terminal before the start
	log  string

	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer
	at     int // in raw, behind what was seen
	fed    *sync.Cond
	closed bool
}

func start(t *testing.T, scenario string, env ...string) *program {
	t.Helper()
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, pty: pollable(t, ptm), tty: tty, screen: vt.NewEmulator(80, 24), log: filepath.Join(t.TempDir(), "log")}
	p.fed = sync.NewCond(&p.mu)
	p.mode = p.termios()
	p.cmd = exec.Command(os.Args[0])
	if scenario == "suspend" {
		shell, err := exec.LookPath("bash")
		if err != nil {
			t.Skip("no bash to suspend to")
		}
		// A shell with job control: it goes on when the program stops.
		p.cmd = exec.Command(shell, "-mc", `"$0"; echo "[stopped]"; read -r; fg`, os.Args[0])
	}
	p.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor",
		scenarioVar + "=" + scenario, "MM_UI_TEST_LOG=" + p.log,
	}, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = tty, tty, tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.screen) }() // replies of the emulator
	go p.read()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it has ended in a good run
		_ = tty.Close()
		_ = p.pty.Close()
		_ = p.screen.InputPipe().(io.Closer).Close() // Close would race with Read
	})
	return p
}

// pollable replaces a file that package pty made blocking, so that Close ends
// a Read.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err := errors.Join(err, unix.SetNonblock(fd, true), f.Close()); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), f.Name())
}

// read feeds the emulator.
func (p *program) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.pty.Read(buf)
		p.mu.Lock()
		_, _ = p.screen.Write(buf[:n])
		p.raw.Write(buf[:n])
		p.closed = err != nil
		p.fed.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// waitFor waits until the screen shows a text.
func (p *program) waitFor(text string) {
	p.t.Helper()
	p.until(text, func() bool { return strings.Contains(p.screen.String(), text) })
}

// seen waits until the program has written a sequence, behind the one before.
func (p *program) seen(seq string) {
	p.t.Helper()
	p.until(seq, func() bool {
		i := strings.Index(p.raw.String()[p.at:], seq)
		if i >= 0 {
			p.at += i + len(seq)
		}
		return i >= 0
	})
}

// until waits for what the program writes to come true.
func (p *program) until(what string, done func() bool) {
	p.t.Helper()
	late := false
	timeout := time.AfterFunc(20*time.Second, func() {
		p.mu.Lock()
		late = true
		p.fed.Broadcast()
		p.mu.Unlock()
	})
	defer timeout.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !done() {
		if p.closed || late {
			p.t.Fatalf("the program never showed %q:\n%s", what, p.screen.String())
		}
		p.fed.Wait()
	}
}

func (p *program) write(s string) {
	p.t.Helper()
	if _, err := p.pty.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

// watched waits until the process that watches over the terminal is there.
func (p *program) watched() {
	name := fmt.Sprintf("/proc/%d/task/%d/children", p.cmd.Process.Pid, p.cmd.Process.Pid)
	if _, err := os.Stat(name); err != nil {
		p.t.Skip("the system does not list children")
	}
	p.until("a child", func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
		for _, task := range tasks { // any thread may have started it
			if data, err := os.ReadFile(task); err == nil && len(bytes.TrimSpace(data)) > 0 {
				return true
			}
		}
		p.write("x") // another frame, so that this is looked at again
		return false
	})
}

// wait waits for the end and returns the exit code, -1 after a deadly signal.
func (p *program) wait() int {
	timeout := time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timeout.Stop()
	err := p.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return 0
}

func (p *program) termios() unix.Termios {
	mode, err := unix.IoctlGetTermios(int(p.tty.Fd()), getTermios)
	if err != nil {
		p.t.Fatal(err)
	}
	return *mode
}

// drain waits for all that the program wrote before it ended.
func (p *program) drain() {
	_ = p.tty.Close() // the last one that holds it open
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		p.fed.Wait()
	}
}

// restored fails the test unless the terminal is as it was.
func (p *program) restored(got unix.Termios) {
	p.t.Helper()
	if got != p.mode {
		p.t.Errorf("the terminal's mode is %+v, was %+v", got, p.mode)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen.IsAltScreen() {
		p.t.Error("the alternate screen is still shown")
	}
	out := p.raw.String()
	for name, pair := range map[string][2]string{
		"the cursor":       {"\x1b[?25h", "\x1b[?25l"},
		"the mouse":        {"\x1b[?1002l", "\x1b[?1002h"},
		"bracketed paste":  {"\x1b[?2004l", "\x1b[?2004h"},
		"alternate screen": {"\x1b[?1049l", "\x1b[?1049h"},
	} {
		if strings.LastIndex(out, pair[0]) < strings.LastIndex(out, pair[1]) {
			p.t.Errorf("%s was not put back", name)
		}
	}
}

func (p *program) logged(text string) {
	p.t.Helper()
	data, err := os.ReadFile(p.log)
	if err != nil || !strings.Contains(string(data), text) {
		p.t.Errorf("the log lacks %q: %v\n%s", text, err, data)
	}
}

// tail is what was written after the screen was left.
func (p *program) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.raw.String()
	return out[strings.LastIndex(out, "\x1b[?1049l")+1:]
}

func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	prompt := func(p *program) { p.waitFor("testmodel"); p.write("hi\r") }
	for _, tc := range []struct {
		name   string
		do     func(p *program)
		code   int
		says   string
		logged string
	}{
		{"quit", func(p *program) { p.waitFor("testmodel"); p.write("\x03"); p.waitFor("again quits"); p.write("\x03") }, 0, "", ""},
		{"panic in update", prompt, 1, "mm crashed: boom in update; the stack is in ", "boom in update"},
		{"panic in a command", func(*program) {}, 1, "mm crashed: boom in a command", "program_test.go"},
		{"panic in the core", prompt, 1, "the core crashed", ""},
		{"panic in a goroutine", prompt, 2, "mm crashed or was killed; what it said last is in ", "boom in a goroutine"},
		{"SIGKILL", func(p *program) { p.waitFor("testmodel"); p.watched(); _ = p.cmd.Process.Kill() }, -1, "mm crashed or was killed", ""},
		{"SIGTERM", func(p *program) { p.waitFor("testmodel"); _ = p.cmd.Process.Signal(syscall.SIGTERM) }, 1, "signal", ""},
		{"SIGHUP", func(p *program) { p.waitFor("testmodel"); _ = p.cmd.Process.Signal(syscall.SIGHUP) }, 1, "signal", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tc.name)
			tc.do(p)
			if code := p.wait(); code != tc.code {
				t.Errorf("exit code %d, want %d", code, tc.code)
			}
			p.waitFor(tc.says) // after a crash another process puts it back
			mode := p.termios()
			p.drain()
			p.restored(mode)
			if !strings.Contains(p.tail(), tc.says) {
				t.Errorf("said %q, want %q in it", p.tail(), tc.says)
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
	p.waitFor("testmodel")
	_ = p.tty.Close()
	_ = p.pty.Close()
	if code := p.wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

func TestPrintsGoToTheLog(t *testing.T) {
	t.Parallel()
	p := start(t, "prints")
	p.waitFor("testmodel")
	p.write("go\r")
	p.waitFor("all is quiet")
	p.mu.Lock()
	screen := p.screen.String()
	p.mu.Unlock()
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
	p.waitFor("testmodel")
	p.write("\x1b]11;rgb:1e1e/1e1e/1e1e\x07")
	p.write("\x1b]11;rgb:1e1e")
	p.write("/1e1e/1e1e\x1b\\")
	p.write("hi")
	p.waitFor("> hi")
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := strings.Count(p.raw.String(), "\x1b]11;?"); n > 1 {
		t.Errorf("the terminal was asked %d times, want once at most", n)
	}
	if q, alt := strings.LastIndex(p.raw.String(), "\x1b]11;?"), strings.Index(p.raw.String(), "\x1b[?1049h"); q > alt {
		t.Error("the terminal was asked while the screen was up")
	}
}

// The window is named, the user is called back to it, and the mouse can be
// given to the terminal.
func TestWindow(t *testing.T) {
	t.Parallel()
	p := start(t, "answers")
	p.seen("\x1b[22;2t")
	p.seen("\x1b]2;mm · src\a")
	p.waitFor("testmodel")
	p.write("one\r")
	p.seen("\x1b]2;● mm · src\a")
	p.waitFor("the answer")
	p.mu.Lock()
	if strings.Contains(p.raw.String(), "\x1b]9;") {
		t.Error("a user who looks on was called")
	}
	p.mu.Unlock()
	p.write("\x1b[O") // the focus goes
	p.write("two\r")
	p.seen("\x1b]9;mm has answered\a\a")
	p.write("\x1bm")
	p.seen("\x1b[?1002l")
	p.waitFor("the mouse selects text")
	p.write("\x1bm")
	p.seen("\x1b[?1002h")
}

func TestNothingIsAskedOverSSH(t *testing.T) {
	t.Parallel()
	p := start(t, "ssh", "SSH_TTY=/dev/pts/9")
	p.waitFor("testmodel")
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(p.raw.String(), "\x1b]11;?") {
		t.Error("the terminal was asked for its colour")
	}
}

func TestSuspendAndBack(t *testing.T) {
	t.Parallel()
	p := start(t, "suspend")
	p.waitFor("testmodel")
	p.write("draft")
	p.waitFor("> draft")
	p.write("\x1a")
	p.waitFor("[stopped]")
	p.restored(p.termios())
	p.write("\r")
	p.waitFor("> draft")
	p.write(" more")
	p.waitFor("> draft more")
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.raw.String()
	if strings.LastIndex(out, "\x1b[?1002h") < strings.LastIndex(out, "\x1b[?1002l") {
		t.Error("the mouse was not turned on again")
	}
}
