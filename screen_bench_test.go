//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"mm/agent/session"
	"mm/llm"
)

// built is the real binary, as it is released.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mm-bench-*")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "mm")
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", name, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return name, err
})

// onTerminal is a program on a pseudo-terminal.
type onTerminal struct {
	b   *testing.B
	cmd *exec.Cmd
	pty *os.File
	out bytes.Buffer
}

// plainEnv is the environment of a user whose home is dir.
func plainEnv(dir string) []string {
	return []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "COLORFGBG=15;0"}
}

// show starts the program in dir.
func show(b *testing.B, dir string, args ...string) *onTerminal {
	b.Helper()
	name, err := built()
	if err != nil {
		b.Fatal(err)
	}
	s := &onTerminal{b: b, cmd: exec.Command(name, args...)}
	s.cmd.Dir = dir
	s.cmd.Env = plainEnv(dir)
	if s.pty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 120, Rows: 40}); err != nil {
		b.Skipf("no pseudo-terminal: %v", err)
	}
	return s
}

// until reads until the program has written a text.
func (s *onTerminal) until(text string) {
	s.b.Helper()
	buf := make([]byte, 64<<10)
	for !strings.Contains(s.out.String(), text) {
		n, err := s.pty.Read(buf)
		if err != nil {
			s.b.Fatalf("%v before %q:\n%q", err, text, s.out.String())
		}
		s.out.Write(buf[:n])
	}
	s.out.Reset()
}

// rss is the resident memory in MB.
func (s *onTerminal) rss() float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.b.Fatal(err)
	}
	_, line, _ := strings.Cut(string(data), "VmRSS:")
	kb, _ := strconv.Atoi(strings.Fields(line)[0]) // always a number
	return float64(kb) / 1000
}

func (s *onTerminal) end() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.pty.Read(make([]byte, 64<<10)) // what it says at the end
	_ = s.pty.Close()
	_ = s.cmd.Wait()
}

// From the start of the process to the first full frame, and the memory then.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	show(b, dir, "-demo").end() // builds, and warms the disk
	var rss float64
	for b.Loop() {
		s := show(b, dir, "-demo")
		s.until("? help") // the end of the last row
		b.StopTimer()
		rss = s.rss()
		s.end()
		b.StartTimer()
	}
	b.ReportMetric(rss, "MB")
}

// A whole "mm -p", with a server that answers at once.
func BenchmarkOneShot(b *testing.B) {
	name, err := built()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	for b.Loop() {
		cmd := exec.Command(name, "-demo", "-p", "hi")
		cmd.Dir, cmd.Env = dir, plainEnv(dir)
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("Hello!")) {
			b.Fatalf("%v: %s", err, out)
		}
	}
}

// The memory of the screen after a conversation of 200,000 tokens, which has
// been scrolled through from its beginning to its end.
func BenchmarkMemory(b *testing.B) {
	const tokens, charsPerToken = 200_000, 3.5
	dir := b.TempDir()
	store, err := session.Open(filepath.Join(dir, ".mm", "sessions"))
	if err != nil {
		b.Fatal(err)
	}
	sess := session.New(dir, time.Now())
	const reply = "## Part %d\n\nSome **prose** with `code` that goes on for a while, as answers do, and a [link](http://a.example).\n\n- one item\n- another one\n\n```go\nfunc f%[1]d() int { return 1 }\n```\n"
	size := 0
	for i := 0; float64(size) < tokens*charsPerToken; i++ {
		text := strings.Repeat(fmt.Sprintf(reply, i), 6)
		size += len(text)
		sess.Turns = append(sess.Turns, session.Turn{Number: i + 1})
		sess.Items = append(sess.Items,
			session.Item{Turn: i + 1, Message: llm.Message{Role: llm.User, Text: fmt.Sprint("question ", i)}},
			session.Item{Turn: i + 1, Message: llm.Message{Role: llm.Assistant, Text: text}})
	}
	if err := store.Save(sess); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := show(b, dir, "-demo", "-continue")
		s.until(fmt.Sprintf("f%d", len(sess.Turns)-1)) // the name of the last function
		idle := s.rss()
		go func() { // while the frames are read
			for range 2 * len(sess.Turns) {
				_, _ = s.pty.WriteString("\x1b[5~") // page up
			}
			_, _ = s.pty.WriteString("\x1b[1;5H") // to the beginning
		}()
		s.until("question 0")
		b.ReportMetric(idle, "MB-opened")
		b.ReportMetric(s.rss(), "MB-scrolled")
		s.end()
	}
}
