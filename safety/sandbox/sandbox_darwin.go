package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"mm/safety"
)

// sandboxExec runs a command under a profile. Apple calls it deprecated, and
// has put nothing in its place.
const sandboxExec = "/usr/bin/sandbox-exec"

type system struct{}

func (system) close() {}

// start runs a command through sandbox-exec, which replaces itself by it.
func (s *Sandbox) start(cmd *exec.Cmd, t safety.Tier) error {
	temp, err := s.tempDir()
	if err != nil {
		return err
	}
	wrap(cmd, profile(t, s.o, writable(t, s.o, temp)))
	return cmd.Start()
}

func wrap(cmd *exec.Cmd, profile string) {
	cmd.Args = append([]string{sandboxExec, "-p", profile, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sandboxExec
}

// probe tests that a command runs under a profile and that a write is denied.
func probe() Report {
	dir, err := os.MkdirTemp("", "mm-test-")
	if err != nil {
		return Report{Why: err.Error()}
	}
	defer os.RemoveAll(dir)
	run := func(name string, args ...string) error {
		cmd := exec.Command(name, args...)
		wrap(cmd, profile(safety.TierRead, Options{}, writable(safety.TierRead, Options{}, "")))
		return cmd.Run()
	}
	if err := run("/usr/bin/true"); err != nil {
		return Report{Why: fmt.Sprintf("sandbox-exec does not work: %v", err)}
	}
	file := filepath.Join(realPath(dir), "file")
	if run("/usr/bin/touch", file) == nil {
		return Report{Why: "the self-test failed: a write was not denied"}
	}
	return Report{Works: true, Kind: "sandbox-exec"}
}
