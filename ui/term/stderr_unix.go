//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// divertStderr makes descriptor 2 the file, and returns a copy of what it was,
// or -1.
func divertStderr(f *os.File) int {
	saved, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return -1
	}
	if dup(int(f.Fd()), 2) != nil {
		_ = unix.Close(saved) // it is of no use
		return -1
	}
	return saved
}

func restoreStderr(saved int) {
	if saved < 0 {
		return
	}
	_ = dup(saved, 2) // nothing else can be done about it
	_ = unix.Close(saved)
}
