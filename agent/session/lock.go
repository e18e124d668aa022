package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// InUseError says that a session is open in another process.
type InUseError struct {
	ID  string
	PID int // 0 when unknown
}

func (e *InUseError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("session %s is open in another mm", e.ID)
	}
	return fmt.Sprintf("session %s is open in another mm (pid %d)", e.ID, e.PID)
}

// Lock takes a session for this process until release is called or the
// process ends, however it ends: the lock is the system's, not the file's
// existence. It fails with *InUseError when another process has it.
func (s *Store) Lock(id string) (release func(), err error) {
	if !idPattern.MatchString(id) {
		return nil, fmt.Errorf("%q is not a session id", id)
	}
	path := s.lockFile(id)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	l := flock.New(path, flock.SetPermissions(filePerm))
	ok, err := l.TryLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		owner, _ := os.ReadFile(path) // only to tell who
		pid, _ := strconv.Atoi(strings.TrimSpace(string(owner)))
		return nil, errors.Join(l.Close(), &InUseError{ID: id, PID: pid})
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), filePerm); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	// The file stays: another process may be opening it, and a file that is
	// removed under it would be locked twice.
	return func() { _ = l.Close() }, nil // the end of the process does the same
}

func (s *Store) lockFile(id string) string { return filepath.Join(s.dir, "."+id+".lock") }
