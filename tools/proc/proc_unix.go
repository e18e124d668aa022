//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a command as the leader of a new session: it has no controlling
// terminal, so nothing in it can open /dev/tty and take the screen's keys, and
// its processes can be signalled together.
func start(cmd *exec.Cmd, begin func(*exec.Cmd) error) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	dieWithProgram(cmd.SysProcAttr)
	g := newGroup(cmd)
	if err := begin(cmd); err != nil {
		return nil, err
	}
	g.leader = cmd.Process.Pid
	return g, nil
}

// terminate asks all processes to end; stopped ones are woken for it.
func (g *group) terminate() {
	g.signal(unix.SIGTERM)
	g.signal(unix.SIGCONT)
}

func (g *group) kill() { g.signal(unix.SIGKILL) }

func (g *group) release() {}

// Status reads how a process ended: its exit code as a shell reports it, and
// the signal that ended it, if one did.
func Status(s *os.ProcessState) (code int, signal string) {
	if s == nil { // not even KILL ended it
		return -1, ""
	}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), unix.SignalName(ws.Signal())
	}
	return s.ExitCode(), ""
}
