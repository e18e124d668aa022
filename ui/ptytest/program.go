//go:build unix

// Package ptytest runs whole programs on a pseudo-terminal, for tests.
package ptytest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Program is a running program on a pseudo-terminal.
type Program struct {
	t    *testing.T
	Cmd  *exec.Cmd
	pty  *os.File
	tty  *os.File
	mode unix.Termios // of the terminal before the start

	mu     sync.Mutex
	screen *vt.Emulator
	raw    bytes.Buffer
	at     int // in raw, behind what was seen
	fed    *sync.Cond
	closed bool
}

// Start runs a command on a pseudo-terminal of 80x24. The command's Stdin and
// the like are set; it ends with the test.
func Start(t *testing.T, cmd *exec.Cmd) *Program {
	t.Helper()
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	p := &Program{Cmd: cmd, t: t, pty: pollable(t, ptm), tty: tty, screen: vt.NewEmulator(80, 24)}
	p.Resize(80, 24)
	p.fed = sync.NewCond(&p.mu)
	p.mode = p.Mode()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.screen) }() // replies of the emulator
	go p.read()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended in a good run
		_ = p.Close()
		_ = p.screen.InputPipe().(io.Closer).Close() // Close would race with Read
	})
	return p
}

// Close takes the terminal away.
func (p *Program) Close() error { return errors.Join(p.tty.Close(), p.pty.Close()) }

// Resize changes the size of the terminal.
func (p *Program) Resize(w, h int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size := unix.Winsize{Col: uint16(w), Row: uint16(h)}
	if err := unix.IoctlSetWinsize(int(p.tty.Fd()), unix.TIOCSWINSZ, &size); err != nil {
		p.t.Fatal(err)
	}
	p.screen.Resize(w, h)
}

// Screen returns what the terminal shows.
func (p *Program) Screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.String()
}

// Written returns all that the program has written.
func (p *Program) Written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.raw.String()
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
func (p *Program) read() {
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

// WaitFor waits until the screen shows a text.
func (p *Program) WaitFor(text string) {
	p.t.Helper()
	p.Until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// Until waits until the screen is as done wants it; what names that.
func (p *Program) Until(what string, done func(screen string) bool) {
	p.t.Helper()
	p.until(what, func() bool { return done(p.screen.String()) })
}

// insistEvery is how often Insist writes: longer than a question is deaf.
const insistEvery = 400 * time.Millisecond

// Insist writes a key again and again until the screen lacks a text: what is
// written right after a question has appeared does not answer it.
func (p *Program) Insist(key, text string) {
	p.t.Helper()
	again := time.NewTicker(insistEvery)
	defer again.Stop()
	gone, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-again.C:
				_, _ = p.pty.WriteString(key) // a terminal that is gone ends the wait
			case <-gone:
				return
			}
		}
	}()
	defer func() { close(gone); <-ended }()
	p.Gone(text)
}

// Gone waits until the screen shows a text no more.
func (p *Program) Gone(text string) {
	p.t.Helper()
	p.until("nothing like "+text, func() bool { return !strings.Contains(p.screen.String(), text) })
}

// Seen waits until the program has written a sequence, behind the one before.
func (p *Program) Seen(seq string) {
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
func (p *Program) until(what string, done func() bool) {
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

func (p *Program) Write(s string) {
	p.t.Helper()
	if _, err := p.pty.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

// Watched waits until the process that watches over the terminal is there and
// out of reach of what hangs up the terminal's own group.
func (p *Program) Watched() {
	name := fmt.Sprintf("/proc/%d/task/%d/children", p.Cmd.Process.Pid, p.Cmd.Process.Pid)
	if _, err := os.Stat(name); err != nil {
		p.t.Skip("the system does not list children")
	}
	p.until("a child in another group", func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.Cmd.Process.Pid))
		for _, task := range tasks { // any thread may have started it
			data, _ := os.ReadFile(task) // a thread that has ended has no children
			for child := range strings.FieldsSeq(string(data)) {
				pid, _ := strconv.Atoi(child)
				if group, err := unix.Getpgid(pid); err == nil && group == pid {
					return true
				}
			}
		}
		p.Write("x") // another frame, so that this is looked at again
		return false
	})
}

// Wait waits for the end and returns the exit code, -1 after a deadly signal.
func (p *Program) Wait() int {
	timeout := time.AfterFunc(20*time.Second, func() { _ = p.Cmd.Process.Kill() })
	defer timeout.Stop()
	err := p.Cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return 0
}

func (p *Program) Mode() unix.Termios {
	mode, err := unix.IoctlGetTermios(int(p.tty.Fd()), getTermios)
	if err != nil {
		p.t.Fatal(err)
	}
	return *mode
}

// Drain waits for all that the program wrote before it ended.
func (p *Program) Drain() {
	_ = p.tty.Close() // the last one that holds it open
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		p.fed.Wait()
	}
}

// Restored fails the test unless the terminal is as it was, after all that a
// screen needs had been on.
func (p *Program) Restored(got unix.Termios) {
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
		"its coordinates":  {"\x1b[?1006l", "\x1b[?1006h"},
		"focus reports":    {"\x1b[?1004l", "\x1b[?1004h"},
		"the title":        {"\x1b[23;2t", "\x1b[22;2t"},
		"bracketed paste":  {"\x1b[?2004l", "\x1b[?2004h"},
		"alternate screen": {"\x1b[?1049l", "\x1b[?1049h"},
	} {
		switch on, off := strings.LastIndex(out, pair[1]), strings.LastIndex(out, pair[0]); {
		case on < 0:
			p.t.Errorf("%s: was never on", name)
		case off < on:
			p.t.Errorf("%s: not put back", name)
		}
	}
}

// Tail is what was written after the screen was left.
func (p *Program) Tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.raw.String()
	return out[strings.LastIndex(out, "\x1b[?1049l")+1:]
}
