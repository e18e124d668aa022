//go:build unix

package term

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// The descriptors that are diverted.
const (
	stdout = 1
	stderr = 2
)

// diverted holds copies of the two descriptors.
type diverted struct{ stdout, stderr int }

// divert works on the descriptors, not on os.Stdout and os.Stderr: variables
// that any goroutine may read at any time.
func (d *Diversion) divert(out *os.File) error {
	saved, err := keep(stderr)
	if err != nil {
		return fmt.Errorf("keep standard error: %w", err)
	}
	d.fds = diverted{-1, saved}
	if int(out.Fd()) == stdout {
		if d.fds.stdout, err = keep(stdout); err != nil {
			return errors.Join(fmt.Errorf("keep standard output: %w", err), unix.Close(saved))
		}
		d.Screen = os.NewFile(uintptr(d.fds.stdout), out.Name())
		err = dup(int(d.file.Fd()), stdout)
	}
	return errors.Join(err, dup(int(d.file.Fd()), stderr))
}

func keep(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3) }

func (d *Diversion) restore() error {
	err := errors.Join(dup(d.fds.stderr, stderr), unix.Close(d.fds.stderr))
	if d.fds.stdout >= 0 {
		err = errors.Join(err, dup(d.fds.stdout, stdout), d.Screen.Close())
	}
	return err
}
