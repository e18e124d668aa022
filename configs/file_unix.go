//go:build unix

package configs

import (
	"io/fs"
	"os"
	"syscall"
)

// worldWritable is the permission of everybody to write.
const worldWritable = 0o002

// exposed refuses a file that everybody may write, or that belongs to another
// user. Root's files are the system's, and root reads those of the user for
// whom it acts.
func exposed(name string, info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	self := os.Getuid()
	if ok && self != 0 && owner.Uid != 0 && int(owner.Uid) != self {
		return &exposedError{name, "belongs to another user", "copy it, and use the copy"}
	}
	return writable(name, info)
}

// writable refuses a file that everybody may write.
func writable(name string, info fs.FileInfo) error {
	if info.Mode().Perm()&worldWritable != 0 {
		return &exposedError{name, "can be written by everybody", "chmod o-w " + name}
	}
	return nil
}
