//go:build unix && !linux

package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithProgram can do nothing here: a command outlives a program that is
// killed.
func dieWithProgram(*syscall.SysProcAttr) {}

// group is the process group of one command. Processes that made a group of
// their own are out of reach.
type group struct{ leader int }

func newGroup(*exec.Cmd) *group { return &group{} }

func (g *group) alive() bool { return unix.Kill(-g.leader, 0) == nil }

func (g *group) gone() bool { return !g.alive() }

// signal reaches the group. An error says that it has just ended.
func (g *group) signal(sig syscall.Signal) { _ = unix.Kill(-g.leader, sig) }

func (g *group) hangUp() {
	g.signal(unix.SIGHUP)
	g.signal(unix.SIGCONT)
}

// members names the group by its leader, which may itself have ended.
func (g *group) members() []Job { return []Job{{PID: g.leader}} }
