// Package sandbox confines the commands that the agent runs: what they may
// write, and whether they may use the network. On Linux Landlock and seccomp
// do that, on macOS sandbox-exec; elsewhere there is none, and that is said.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"mm/safety"
)

// ErrNone says that commands cannot be confined on this machine.
var ErrNone = errors.New("there is no sandbox on this machine")

// Report says what a machine offers.
type Report struct {
	Works bool
	Kind  string // what confines, when it works
	Why   string // why there is none, otherwise
}

// Line is for the start of a session and the status line.
func (r Report) Line() string {
	if r.Works {
		return "sandbox: " + r.Kind
	}
	return fmt.Sprintf("sandbox: none (%s): commands run with all your rights; reads ask too", r.Why)
}

// Probe tests once in a process whether commands can be confined. It does not
// believe the system's word: it tries what must be denied.
var Probe = sync.OnceValue(probe)

// Options say what commands may write.
type Options struct {
	// Project is the real path of the folder in which commands work.
	Project string

	// Environ is the environment of commands; it says where the caches of
	// tools are.
	Environ []string

	// Write lists more places that commands may write, absolute. They come
	// from the user alone.
	Write []string
}

// Sandbox starts commands under the tiers of one project. It may be used from
// several goroutines.
type Sandbox struct {
	o Options

	mu     sync.Mutex
	closed bool
	temp   string // private folder for temporary files, "" until it is needed
	system system
}

// New returns the sandbox of a project, or an error that matches ErrNone where
// commands cannot be confined.
func New(o Options) (*Sandbox, error) {
	if r := Probe(); !r.Works {
		return nil, fmt.Errorf("%w: %s", ErrNone, r.Why)
	}
	return &Sandbox{o: o}, nil
}

// Start starts a command under a tier, or not at all.
func (s *Sandbox) Start(cmd *exec.Cmd, t safety.Tier) error {
	if t == safety.TierNone {
		return cmd.Start()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("start a command: the sandbox is closed")
	}
	if err := s.start(cmd, t); err != nil {
		return fmt.Errorf("start a command in the sandbox: %w", err)
	}
	return nil
}

// Environ returns the environment of a command under a tier: without
// credentials where it may only read, and with a folder of its own for
// temporary files where it may write.
func (s *Sandbox) Environ(t safety.Tier, env []string) ([]string, error) {
	switch t {
	case safety.TierRead:
		return safety.GuardEnv(env), nil
	case safety.TierNone:
		return env, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := s.tempDir()
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "TMPDIR" || name == "TMP" || name == "TEMP"
	})
	return append(out, "TMPDIR="+dir), nil
}

// tempDir makes the private folder. The caller holds s.mu.
func (s *Sandbox) tempDir() (string, error) {
	if s.temp != "" {
		return s.temp, nil
	}
	dir, err := os.MkdirTemp("", "mm-")
	if err != nil {
		return "", fmt.Errorf("make a folder for temporary files: %w", err)
	}
	s.temp = realPath(dir)
	return s.temp, nil
}

// Close ends what the sandbox keeps and removes the temporary files. Commands
// that still run are ended where the system does that; jobs in the background
// go on under their tier.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.system.close()
	if s.temp == "" {
		return nil
	}
	if err := os.RemoveAll(s.temp); err != nil {
		return fmt.Errorf("remove temporary files: %w", err)
	}
	return nil
}
