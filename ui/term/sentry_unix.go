//go:build unix

package term

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Sentry is another process that puts the terminal back when this one ends
// without having done so: after a panic in a goroutine that nobody recovers,
// be it a library's, or after being killed.
type Sentry struct {
	shell   *exec.Cmd
	line    io.WriteCloser
	started chan error
}

// keepWatch waits for a line, and acts when the pipe closes without one. The
// arguments are the log and the terminal's mode. By then the user's shell has
// the terminal: TTOU would stop who sets its mode.
const keepWatch = `trap '' TTOU TTIN TSTP INT HUP QUIT TERM PIPE
read -r bye && exit
log=$1; shift
stty "$@" <&1 2>/dev/null
printf '\033[?1006l\033[?1003l\033[?1002l\033[?1000l\033[?1004l\033[?2004l\033[?25h\033[?2026l\033[?1049l\033[0m\033[23;2t'
printf 'mm crashed or was killed%s\r\n' "${log:+; what it said last is in $log}"`

// Watch begins to watch over a terminal whose mode is still the user's. There
// is none where no shell is found or out is no terminal.
func Watch(out *os.File, log string) *Sentry {
	mode, err := unix.IoctlGetTermios(int(out.Fd()), getTermios)
	if err != nil {
		return nil
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", keepWatch, "mm", log}, settings(mode)...)...)
	cmd.Stdout = out
	// Its own group: what hangs up the terminal's would reach it before the
	// trap is set.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	line, err := cmd.StdinPipe()
	if err != nil {
		return nil
	}
	s := &Sentry{cmd, line, make(chan error, 1)}
	go func() { s.started <- cmd.Start() }() // the first frame does not wait
	return s
}

// Dismiss ends the watch: the terminal has been put back.
func (s *Sentry) Dismiss() {
	if s == nil || <-s.started != nil {
		return
	}
	_, _ = io.WriteString(s.line, "bye\n") // one that has gone needs no word
	_ = s.line.Close()
	_ = s.shell.Wait()
}

// settings are the arguments for stty that undo raw mode: the flags that were
// set before.
func settings(t *unix.Termios) []string {
	args := []string{"opost", "-inlcr", "-igncr", "cs8"}
	for name, on := range map[string]bool{
		"icrnl": t.Iflag&unix.ICRNL != 0, "ixon": t.Iflag&unix.IXON != 0,
		"brkint": t.Iflag&unix.BRKINT != 0, "istrip": t.Iflag&unix.ISTRIP != 0,
		"isig": t.Lflag&unix.ISIG != 0, "icanon": t.Lflag&unix.ICANON != 0,
		"iexten": t.Lflag&unix.IEXTEN != 0, "echo": t.Lflag&unix.ECHO != 0,
	} {
		if !on {
			name = "-" + name
		}
		args = append(args, name)
	}
	return args
}
