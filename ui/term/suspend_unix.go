//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// CanSuspend reports whether the program can be stopped and woken again. One
// without a shell in its session would ignore the stop and wait for ever.
func CanSuspend() bool {
	mine, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parent, err := unix.Getsid(os.Getppid())
	return err == nil && mine == parent && mine != os.Getpid()
}
