//go:build unix

package safety

import (
	"io/fs"
	"os"
	"syscall"
)

// nonBlocking keeps an open from waiting for the other end of a pipe.
const nonBlocking = syscall.O_NONBLOCK | syscall.O_NOCTTY

// keepOwner gives a new file the owner of the one it replaces. Only root may
// give files away, and the group may be one that the user is not in: the file
// then belongs to the user, as with any editor.
func keepOwner(f *os.File, old fs.FileInfo) {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	_ = f.Chown(int(st.Uid), int(st.Gid))
}
