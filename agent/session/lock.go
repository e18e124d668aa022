package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

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
	for {
		l, err := s.tryLock(id, path)
		if err != nil {
			return nil, err
		}
		if !isAt(l, path) {
			// Its last owner has removed it, and the next one may lock
			// another file of the same name.
			if err := l.Close(); err != nil {
				return nil, err
			}
			continue
		}
		if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), filePerm); err != nil {
			return nil, errors.Join(err, l.Close())
		}
		return func() { giveBack(l) }, nil
	}
}

// lockPatience is how long a lock that is taken is asked for: one that starts
// sweeps what was left behind, and has each of it for a moment.
const lockPatience = 50 * time.Millisecond

func (s *Store) tryLock(id, path string) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	l := flock.New(path, flock.SetPermissions(filePerm))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	ok, err := l.TryLockContext(ctx, lockPatience/5)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if !ok {
		owner, _ := os.ReadFile(path) // only to tell who
		pid, _ := strconv.Atoi(strings.TrimSpace(string(owner)))
		return nil, errors.Join(l.Close(), &InUseError{ID: id, PID: pid})
	}
	return l, nil
}

// isAt reports whether a lock is on the file that has the name now.
func isAt(l *flock.Flock, path string) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(held, now)
}

// giveBack removes the file while it is locked: whoever has it open by then
// sees that it is gone. Windows removes no file that is open, and so takes it
// after the lock, when nobody else has it open. What stays does no harm, so
// errors have nobody to tell.
func giveBack(l *flock.Flock) {
	if runtime.GOOS == "windows" {
		_ = l.Close()
		_ = os.Remove(l.Path())
		return
	}
	_ = os.Remove(l.Path())
	_ = l.Close()
}

func (s *Store) lockFile(id string) string { return filepath.Join(s.dir, "."+id+lockEnd) }

const lockEnd = ".lock"

// lockedID is the session that a lock file is for.
func lockedID(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(strings.TrimPrefix(name, "."), lockEnd)
	return id, ok && idPattern.MatchString(id)
}
