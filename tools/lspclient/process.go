package lspclient

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	// maxStderr is how much of a server's last words is kept, in bytes.
	maxStderr = 4 << 10

	// pipeGrace is how long processes that a server left may hold its
	// standard error.
	pipeGrace = 200 * time.Millisecond
)

// process is a server that runs in a session of its own, so that it has no
// terminal and ends with all that it started.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // to its standard input
	out    *os.File // from its standard output
	stderr tail

	exited chan struct{} // closed when it is no more
	err    error         // how it ended; read after exited
}

func launch(o Options) (*process, error) {
	p := &process{exited: make(chan struct{})}
	inRead, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Server.Name(), err)
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Server.Name(), err), inRead.Close(), in.Close())
	}
	p.in, p.out = in, out
	p.cmd = exec.Command(o.Server.Command[0], o.Server.Command[1:]...)
	p.cmd.Dir, p.cmd.Env = o.Dir, append([]string{}, o.Env...) // nil would inherit
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inRead, outWrite, &p.stderr
	p.cmd.WaitDelay = pipeGrace
	ownSession(p.cmd)
	err = o.Start(p.cmd)
	// The server has its own copies of these ends.
	err = errors.Join(err, inRead.Close(), outWrite.Close())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", o.Server.Name(), err), in.Close(), out.Close())
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Read, Write and Close make a process the stream of a connection.
func (p *process) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p *process) Close() error                { return errors.Join(p.in.Close(), p.out.Close()) }

// epitaph says how a process ended, with the last line that it said.
func (p *process) epitaph() string {
	how := "it closed its connection"
	select {
	case <-p.exited:
		how = "exit status 0"
		if p.err != nil {
			how = p.err.Error()
		}
	default:
	}
	if last := p.stderr.lastLine(); last != "" {
		how += ": " + last
	}
	return how
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if over := len(t.data) - maxStderr; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(b), nil
}

func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.data), "")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
