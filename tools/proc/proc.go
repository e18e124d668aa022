// Package proc runs one shell command in a session of its own, reads its
// output within bounds, and stops it with everything it started. It knows
// nothing of tools: what it returns are facts, not texts for a model.
package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

const (
	// termGrace is how long processes have between TERM and KILL. Together
	// with killWait it keeps a stop within a second.
	termGrace = 400 * time.Millisecond

	// killWait is how long the end of killed processes is awaited.
	killWait = 400 * time.Millisecond

	// leftWait is how long what is left in the background has to end
	// before it counts as left. Its output in that time is kept.
	leftWait = 50 * time.Millisecond

	// pollEvery is how often processes are looked at while they end.
	pollEvery = 10 * time.Millisecond

	// liveEvery is how often new output is shown while a command runs.
	liveEvery = 200 * time.Millisecond
)

// Command is a command line to run.
type Command struct {
	Line string
	Dir  string
	Env  []string // the whole environment

	// Start starts the shell in place of its own method, confined for
	// instance. It may be nil.
	Start func(*exec.Cmd) error

	// Timeout stops the command; 0 means that it may run for ever.
	Timeout time.Duration

	// Live is called with new output a few times a second, from the
	// goroutine that called Run. A fast command's output is thinned to its
	// last part. It may be nil.
	Live func(text string)
}

// Cause says why a command ended.
type Cause int

// The causes.
const (
	Exited    Cause = iota // by itself
	TimedOut               // after Command.Timeout
	Cancelled              // the context ended
	TooMuch                // it wrote more than MaxOutput
)

// Outcome is what became of a command.
type Outcome struct {
	Cause   Cause
	Output  Output
	Elapsed time.Duration

	// ExitCode is what a shell would report: 128 + n after signal n. Signal
	// names that signal when the shell itself was ended by one.
	ExitCode int
	Signal   string

	// Left lists what goes on in the background after a command that exited
	// by itself, or what could not be stopped after another cause.
	Left []Job
}

// Job is a process that a command left behind.
type Job struct {
	PID     int
	Command string // its command line, or empty where the system does not tell
}

// Runner runs commands and owns what they leave in the background. Those jobs
// go on, their output is read and dropped so that they never block, and Close
// ends them as the end of a terminal does: with HUP, which nohup ignores.
type Runner struct {
	shell string
	args  []string

	mu   sync.Mutex
	jobs []*job
}

// job is the rest of one command.
type job struct {
	group *group
	pump  *pump
}

// NewRunner finds the shell: bash, or sh where there is none.
func NewRunner() (*Runner, error) {
	if bash, err := exec.LookPath("bash"); err == nil {
		return &Runner{shell: bash, args: []string{"--norc", "--noprofile", "-c"}}, nil
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, errors.New("no bash and no sh in PATH")
	}
	return &Runner{shell: sh, args: []string{"-c"}}, nil
}

// Shell is the path of the shell in use.
func (r *Runner) Shell() string { return r.shell }

// Run runs a command until it ends, is stopped, or leaves only background
// processes. An error means that it could not be started.
func (r *Runner) Run(ctx context.Context, c Command) (Outcome, error) {
	if ctx.Err() != nil {
		return Outcome{Cause: Cancelled, ExitCode: -1}, nil
	}
	// The thread that starts the shell stays while it runs: see dieWithProgram.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now()
	rd, wr, err := os.Pipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("run command: %w", err)
	}
	cmd := exec.Command(r.shell, append(r.args[:len(r.args):len(r.args)], c.Line)...)
	cmd.Dir, cmd.Env = c.Dir, append([]string{}, c.Env...) // nil would inherit
	cmd.Stdout, cmd.Stderr = wr, wr                        // standard input is the null device
	if c.Start == nil {
		c.Start = (*exec.Cmd).Start
	}
	g, err := start(cmd, c.Start)
	if err != nil {
		return Outcome{}, errors.Join(fmt.Errorf("run command: %w", err), rd.Close(), wr.Close())
	}
	p := newPump(rd)
	exited := make(chan *os.ProcessState, 1)
	go func() {
		_ = cmd.Wait() // the state says more than the error
		exited <- cmd.ProcessState
	}()

	var out Outcome
	var state *os.ProcessState
	out.Cause, state = watch(ctx, c, p, exited)
	if out.Cause != Exited {
		state = stop(g, exited)
	}
	// What has just gone to the background may still say that it cannot
	// start, and the ends of a pipeline die one by one.
	within(leftWait, func() bool { return !g.alive() })
	p.settle(wr)
	out.ExitCode, out.Signal = Status(state)
	out.Left = r.leave(g, p)
	out.Output = p.output()
	out.Elapsed = time.Since(began)
	return out, nil
}

// watch waits for the first reason to stop, and passes live output on.
func watch(ctx context.Context, c Command, p *pump, exited <-chan *os.ProcessState) (Cause, *os.ProcessState) {
	var timeout <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	live := time.NewTicker(liveEvery)
	defer live.Stop()
	for {
		select {
		case state := <-exited:
			return Exited, state
		case <-ctx.Done():
			return Cancelled, nil
		case <-timeout:
			return TimedOut, nil
		case <-p.full:
			return TooMuch, nil
		case <-live.C:
			if text := p.fresh(); text != "" && c.Live != nil {
				c.Live(text)
			}
		}
	}
}

// stop ends a command's processes, politely first, and waits for the shell. It
// returns nil for a shell in uninterruptible sleep, which nothing can end.
func stop(g *group, exited <-chan *os.ProcessState) *os.ProcessState {
	g.terminate()
	within(termGrace, func() bool { return !g.alive() })
	g.kill()
	within(killWait, g.gone)
	select {
	case state := <-exited:
		return state
	case <-time.After(killWait):
		return nil
	}
}

// within waits until a condition holds, at most for d.
func within(d time.Duration, holds func() bool) bool {
	for deadline := time.Now().Add(d); !holds(); {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pollEvery)
	}
	return true
}

// leave hands what is still running to the runner, or closes what was opened
// for it.
func (r *Runner) leave(g *group, p *pump) []Job {
	j := &job{g, p}
	if g.gone() {
		select {
		case <-p.done:
			j.close()
			return nil
		case <-time.After(leftWait): // somebody outside of the group holds the pipe
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	r.jobs = append(r.jobs, j)
	return g.members()
}

// over tells whether nothing runs any more: no process is left, and nobody
// else holds the pipe.
func (j *job) over() bool { return j.pump.ended() && j.group.gone() }

func (j *job) close() {
	j.pump.close()
	j.group.release()
}

// sweep drops the jobs that have ended. The caller holds r.mu.
func (r *Runner) sweep() {
	kept := r.jobs[:0]
	for _, j := range r.jobs {
		if j.over() {
			j.close()
		} else {
			kept = append(kept, j)
		}
	}
	clear(r.jobs[len(kept):])
	r.jobs = kept
}

// Jobs lists what is running in the background.
func (r *Runner) Jobs() []Job {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	var out []Job
	for _, j := range r.jobs {
		out = append(out, j.group.members()...)
	}
	return out
}

// Close tells the background jobs that the session is over and stops reading
// their output.
func (r *Runner) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.jobs {
		j.group.hangUp()
		j.close()
	}
	r.jobs = nil
}
