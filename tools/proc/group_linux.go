package proc

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markVariable is set to a random value for each command, so that a process
// that left the command's session can still be told to belong to it.
const markVariable = "MM_COMMAND_ID"

// dieWithProgram has the shell killed when the program is, however that ends:
// the kernel watches the thread that starts it. What the shell itself has
// started is not reached, and ends when it writes to the pipe.
func dieWithProgram(attr *syscall.SysProcAttr) { attr.Pdeathsig = unix.SIGKILL }

// group is the processes of one command: those of its session, and those that
// made a session of their own and still have the mark in their environment.
type group struct {
	leader int
	mark   []byte
}

func newGroup(cmd *exec.Cmd) *group {
	mark := markVariable + "=" + rand.Text()
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], mark)
	return &group{mark: []byte(mark)}
}

// alive tells whether any process of the session's first group still runs. Dead
// ones that nobody reaped do not count.
func (g *group) alive() bool {
	if unix.Kill(-g.leader, 0) == unix.ESRCH {
		return false // the usual case, without a walk through /proc
	}
	return len(g.session()) > 0
}

// gone tells whether none of the command's processes is left, in its session
// or outside.
func (g *group) gone() bool { return !g.alive() && len(g.strays()) == 0 }

// signal reaches the session's first group in one step, then one by one those
// in other groups and sessions. Errors say that a process has just ended.
func (g *group) signal(sig syscall.Signal) {
	strays := g.strays()
	_ = unix.Kill(-g.leader, sig)
	for _, pid := range append(g.session(), strays...) {
		_ = unix.Kill(pid, sig)
	}
}

// hangUp tells the session that its terminal is gone, as it were. A process
// that made a session of its own asked not to be told.
func (g *group) hangUp() {
	for _, pid := range g.session() {
		_ = unix.Kill(pid, unix.SIGHUP)
		_ = unix.Kill(pid, unix.SIGCONT)
	}
}

// members describes the processes that run.
func (g *group) members() []Job {
	var out []Job
	for _, pid := range append(g.session(), g.strays()...) {
		line, err := os.ReadFile(procFile(pid, "cmdline"))
		if err != nil {
			continue // it has just ended
		}
		words := strings.TrimRight(string(line), "\x00")
		out = append(out, Job{PID: pid, Command: strings.ReplaceAll(words, "\x00", " ")})
	}
	return out
}

// session lists the living processes of the command's session.
func (g *group) session() []int {
	var out []int
	for _, pid := range pids() {
		if state, session := stat(pid); session == g.leader && state != 'Z' && state != 'X' {
			out = append(out, pid)
		}
	}
	return out
}

// strays lists the command's processes outside of its session.
func (g *group) strays() []int {
	var out []int
	for _, pid := range pids() {
		if !bytes.Contains(environ(pid), g.mark) {
			continue // another user's, or not ours
		}
		if _, session := stat(pid); session != g.leader {
			out = append(out, pid)
		}
	}
	return out
}

// environ reads the environment of a process that may be read. One that is
// between two programs has none for a moment.
func environ(pid int) []byte {
	const tries = 5
	for range tries {
		env, err := os.ReadFile(procFile(pid, "environ"))
		if err != nil || len(env) > 0 {
			return env
		}
		if state, session := stat(pid); session == 0 || state == 'Z' || state == 'X' {
			return nil // the kernel's own, or dead
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

func pids() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read before an error serves
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// stat reads the state letter and the session of a process: the first and the
// fourth field behind the name, which is in parentheses and may hold any
// character.
func stat(pid int) (state byte, session int) {
	b, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return 'X', 0
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 4 {
		return 'X', 0
	}
	session, err = strconv.Atoi(string(fields[3]))
	if err != nil {
		return 'X', 0
	}
	return fields[0][0], session
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
