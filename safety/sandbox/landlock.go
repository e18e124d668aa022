//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// minABI is the oldest Landlock that confines well enough: that of Linux 5.19.
// The first one forbids every move from one folder to another.
const minABI = 2

const (
	// fileWrites are the rights that a file itself may have.
	fileWrites = unix.LANDLOCK_ACCESS_FS_WRITE_FILE

	folderWrites = fileWrites |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
)

// landlockABI asks the kernel for its version of Landlock. The text of an
// error is for the user.
func landlockABI() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch {
	case errno == unix.ENOSYS:
		return 0, errors.New("kernel without Landlock")
	case errno == unix.EOPNOTSUPP:
		return 0, errors.New("the kernel has its Landlock switched off")
	case errno != 0:
		return 0, fmt.Errorf("the system blocks Landlock, as some containers do: %w", errno)
	case v < minABI:
		return 0, fmt.Errorf("the kernel's Landlock is too old, version %d of %d", v, minABI)
	}
	return int(v), nil
}

// handled returns the rights that a version knows and that a ruleset takes
// away, except where a rule gives them back.
func handled(abi int) (access, scoped uint64) {
	access = folderWrites
	if abi >= 3 {
		access |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		access |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return access, scoped
}

// rights returns what a rule gives for a place.
func rights(abi int, p place) uint64 {
	all, _ := handled(abi)
	give := uint64(fileWrites | unix.LANDLOCK_ACCESS_FS_TRUNCATE)
	if p.folder {
		give |= folderWrites
	}
	if p.device {
		give |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return give & all
}

// ruleset makes a Landlock ruleset by which only the places can be written,
// and returns its descriptor. Places that do not exist are left out.
func ruleset(abi int, places []place) (fd int, err error) {
	var attr unix.LandlockRulesetAttr
	attr.Handled_access_fs, attr.Scoped = handled(abi)
	r, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	fd = int(r)
	for _, p := range places {
		if err := addRule(fd, p.path, rights(abi, p)); err != nil {
			return -1, errors.Join(fmt.Errorf("allow writes to %s: %w", p.path, err), unix.Close(fd))
		}
	}
	return fd, nil
}

func addRule(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT || err == unix.ENOTDIR {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // O_PATH: nothing can be lost
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset),
		unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// restrictThread applies a ruleset to the calling thread, for good.
func restrictThread(ruleset int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("apply a Landlock ruleset: %w", errno)
	}
	return nil
}
