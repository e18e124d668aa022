//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"mm/safety"
)

// system keeps one confined thread for each tier that was used. All commands
// of a tier come from the same thread and so are in one Landlock domain: one
// can end the job that an earlier one left, and none can signal a process
// outside.
type system struct {
	threads [safety.TierNone]*thread
}

func (s *system) close() {
	for _, t := range s.threads {
		if t != nil {
			close(t.work)
		}
	}
	s.threads = [safety.TierNone]*thread{}
}

// start starts a command from the thread of its tier. When the thread ends,
// and with it the program at the latest, the command is killed.
func (s *Sandbox) start(cmd *exec.Cmd, t safety.Tier) error {
	if s.system.threads[t] == nil {
		temp, err := s.tempDir()
		if err != nil {
			return err
		}
		if s.system.threads[t], err = newThread(t, writable(t, s.o, temp)); err != nil {
			return err
		}
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = unix.SIGKILL
	return s.system.threads[t].do(cmd.Start)
}

// thread is an operating-system thread that is confined for good. What it
// starts inherits that. The runtime starts no other thread from it, and ends
// it with its goroutine, which never unlocks it.
type thread struct {
	work chan func()
}

// newThread confines a new thread under a tier that may write places.
func newThread(t safety.Tier, places []place) (*thread, error) {
	abi, err := landlockABI()
	if err != nil {
		return nil, err
	}
	return confine(places, abi, filter(t, abi))
}

func confine(places []place, abi int, f []unix.SockFilter) (*thread, error) {
	rules, err := ruleset(abi, places)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(rules) }() // nothing was written to it
	t := &thread{work: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := restrictThread(rules)
		if err == nil {
			err = filterThread(f)
		}
		ready <- err
		if err != nil {
			return
		}
		for work := range t.work {
			work()
		}
	}()
	if err := <-ready; err != nil {
		return nil, err
	}
	return t, nil
}

// do runs a function on the thread.
func (t *thread) do(f func() error) error {
	result := make(chan error)
	t.work <- func() { result <- f() }
	return <-result
}
