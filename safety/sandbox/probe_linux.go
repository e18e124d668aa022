//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"mm/safety"
)

// probe asks the kernel for its version of Landlock and tests the tiers.
func probe() Report {
	abi, err := landlockABI()
	if err != nil {
		return Report{Why: err.Error()}
	}
	if err := selfTest(abi); err != nil {
		return Report{Why: "the self-test failed: " + err.Error()}
	}
	return Report{Works: true, Kind: fmt.Sprintf("Landlock %d and seccomp", abi)}
}

// selfTest tries on confined threads what must be denied, and that the rest of
// the program is as free as before.
func selfTest(abi int) (err error) {
	dir, err := os.MkdirTemp("", "mm-test-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	dir = realPath(dir)
	inside, outside := filepath.Join(dir, "in"), filepath.Join(dir, "file")
	if err := os.Mkdir(inside, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		return err
	}
	for _, t := range []safety.Tier{safety.TierRead, safety.TierWrite, safety.TierNetwork} {
		places := []place{{path: os.DevNull, device: true}}
		if t != safety.TierRead {
			places = append(places, place{path: inside, folder: true})
		}
		th, err := confine(places, abi, filter(t, abi))
		if err != nil {
			return err
		}
		err = th.do(func() error { return trial(t, inside, outside) })
		close(th.work)
		if err != nil {
			return fmt.Errorf("tier %s: %w", t, err)
		}
	}
	return os.WriteFile(outside, []byte("y"), 0o600)
}

// trial runs on a confined thread.
func trial(t safety.Tier, inside, outside string) error {
	reads := t == safety.TierRead
	for _, try := range []struct {
		what  string
		allow bool
		do    func() error
	}{
		{"read a file", true, func() error { return open(outside, unix.O_RDONLY) }},
		{"write to " + os.DevNull, true, func() error { return open(os.DevNull, unix.O_WRONLY|unix.O_TRUNC) }},
		{"write a file outside", false, func() error { return open(outside, unix.O_WRONLY) }},
		{"empty a file outside", false, func() error { return open(outside, unix.O_RDONLY|unix.O_TRUNC) }},
		{"make a file outside", false, func() error { return open(outside+"2", unix.O_WRONLY|unix.O_CREAT) }},
		{"remove a file outside", false, func() error { return unix.Unlink(outside) }},
		{"make a file inside", !reads, func() error { return open(filepath.Join(inside, "new"), unix.O_WRONLY|unix.O_CREAT) }},
		{"change a mode", !reads, func() error { return unix.Chmod(outside, 0o600) }},
		{"make a socket", t == safety.TierNetwork, socket},
	} {
		if err := try.do(); (err == nil) != try.allow {
			return fmt.Errorf("%s: got %v, want it allowed: %t", try.what, err, try.allow)
		}
	}
	return nil
}

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func socket() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}
