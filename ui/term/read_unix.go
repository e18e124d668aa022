//go:build unix

package term

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readFor reads until done is satisfied or the time is over.
func readFor(in *os.File, limit time.Duration, done func([]byte) bool) []byte {
	var got []byte
	buf := make([]byte, 256)
	fd := int(in.Fd())
	for end := time.Now().Add(limit); ; {
		left := time.Until(end)
		if left <= 0 {
			return got
		}
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(left.Milliseconds())+1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return got
		}
		m, err := unix.Read(fd, buf)
		if err != nil || m <= 0 {
			return got
		}
		got = append(got, buf[:m]...)
		if done(got) {
			return got
		}
	}
}
