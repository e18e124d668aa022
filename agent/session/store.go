package session

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Permissions: a conversation may hold anything that was on the screen.
const (
	dirPerm  = 0o700
	filePerm = 0o600
)

// maxSize is the largest file that is read. Outputs are bounded before they
// are stored, so that a larger file is not one of ours.
const maxSize = 256 << 20

var idPattern = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{8}$`)

// ErrNone says that there is no session to go on with.
var ErrNone = errors.New("no session yet")

// NewID makes an id that sorts by date: 20260916-101530-4f2a9c1e.
func NewID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// New makes an empty session for a working directory.
func New(cwd string, now time.Time) *Session {
	return &Session{Version: Version, ID: NewID(now), Cwd: cwd}
}

// Store keeps sessions in one directory.
type Store struct {
	// KeepEmpty has sessions without messages written too, for a client that
	// loads one before its first turn.
	KeepEmpty bool

	dir string
	now func() time.Time
}

// Open makes the directory if need be. It refuses one that is a link: a
// repository could ship it to lead the transcripts away.
func Open(dir string) (*Store, error) {
	for _, d := range []string{filepath.Dir(dir), dir} {
		if info, err := os.Lstat(d); err == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s is not a directory of its own (a link or a file)", d)
		}
	}
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, now: time.Now}
	s.sweep()
	return s, s.ignore()
}

// tempPrefix begins the names of files that are being written, behind which the
// id of the session stands. One that is older than tempAge was left behind by a
// program that was killed, and so was one of a session whose lock is free though
// its file is there.
const (
	tempPrefix = ".tmp-"
	tempAge    = time.Minute
)

// sweep removes what killed programs left behind.
func (s *Store) sweep() {
	files, _ := os.ReadDir(s.dir) // what cannot be read cannot be swept
	for _, f := range files {
		if id, ok := lockedID(f.Name()); ok {
			if release, err := s.Lock(id); err == nil {
				s.sweepTemps(files, id)
				release()
			}
			continue
		}
		info, err := f.Info()
		if err == nil && strings.HasPrefix(f.Name(), tempPrefix) && s.now().Sub(info.ModTime()) > tempAge {
			_ = os.Remove(filepath.Join(s.dir, f.Name())) // the next start tries again
		}
	}
}

// sweepTemps removes the files that were being written for a session.
func (s *Store) sweepTemps(files []fs.DirEntry, id string) {
	for _, f := range files {
		if strings.HasPrefix(f.Name(), tempPrefix+id) {
			_ = os.Remove(filepath.Join(s.dir, f.Name())) // the next start tries again
		}
	}
}

// Dir is the directory of the sessions.
func (s *Store) Dir() string { return s.dir }

// ownDir is the program's folder in a project.
const ownDir = ".mm"

// ignore keeps the directory out of git, and the program's own folder around
// it.
func (s *Store) ignore() error {
	dir := s.dir
	if parent := filepath.Dir(dir); filepath.Base(parent) == ownDir {
		dir = parent
	}
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// Save writes the session atomically: at every moment its file is the old or
// the new complete version. A session without messages has no file.
func (s *Store) Save(sess *Session) error {
	if !idPattern.MatchString(sess.ID) {
		return fmt.Errorf("%q is not a session id", sess.ID)
	}
	if len(sess.Items) == 0 && !s.KeepEmpty {
		err := os.Remove(filepath.Join(s.dir, sess.ID+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	sess.Version, sess.Updated = Version, s.now().UTC()
	data, err := json.MarshalIndent(sess, "", " ")
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temp := tempPrefix + sess.ID + "-" + NewID(s.now())
	if err := writeNew(root, temp, data); err != nil {
		_ = root.Remove(temp) // may not exist
		return err
	}
	if err := root.Rename(temp, sess.ID+".json"); err != nil {
		_ = root.Remove(temp) // the rename's error is the one to tell
		return err
	}
	return nil
}

func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, filePerm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// Fork writes a copy under a new id and returns the id.
func (s *Store) Fork(sess *Session) (string, error) {
	c := *sess
	c.ID = NewID(s.now())
	return c.ID, s.Save(&c)
}

// Load reads a session. A file that is damaged stays as it is: its error says
// what is wrong with it.
func (s *Store) Load(id string) (*Session, error) {
	if !idPattern.MatchString(id) {
		return nil, fmt.Errorf("%q is not a session id", id)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(id + ".json")
	switch {
	case err != nil:
		return nil, fmt.Errorf("there is no session %s", id)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("session %s is not a regular file", id)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("session %s is too large (%d bytes)", id, info.Size())
	}
	data, err := root.ReadFile(id + ".json")
	if err != nil {
		return nil, fmt.Errorf("session %s cannot be read: %w", id, err)
	}
	return decode(id, data)
}

func decode(id string, data []byte) (*Session, error) {
	var sess Session
	if err := json.Unmarshal(data, &sess); err != nil {
		return nil, fmt.Errorf("session %s is damaged: %w", id, err)
	}
	switch {
	case sess.Version == 0:
		return nil, fmt.Errorf("session %s is damaged: it has no version", id)
	case sess.Version > Version:
		return nil, fmt.Errorf("session %s was %w (format %d)", id, errNewer, sess.Version)
	}
	sess.ID = id
	sess.markUndone()
	return &sess, nil
}

// markUndone marks the changes of sessions that were written when only whole
// turns were marked.
func (s *Session) markUndone() {
	for _, t := range s.Turns {
		if !t.Undone || slices.ContainsFunc(t.Changes, func(ch Change) bool { return ch.Undone }) {
			continue
		}
		for i := range t.Changes {
			t.Changes[i].Undone = true
		}
	}
}

// Entry is a session in a list. Err says why a damaged one cannot be read.
type Entry struct {
	ID, Title string
	Updated   time.Time
	Model     string
	Messages  int
	Err       error
}

// List returns the sessions that have messages, the last used first, and the
// damaged ones last.
func (s *Store) List() ([]Entry, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok || !idPattern.MatchString(id) {
			continue
		}
		sess, err := s.Load(id)
		if err != nil {
			list = append(list, Entry{ID: id, Err: err})
			continue
		}
		if len(sess.Items) == 0 {
			continue
		}
		e := Entry{ID: id, Title: sess.Title, Updated: sess.Updated, Messages: len(sess.Items)}
		if n := len(sess.Turns); n > 0 {
			e.Model = sess.Turns[n-1].Model
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b Entry) int {
		if c := cmp.Compare(btoi(a.Err != nil), btoi(b.Err != nil)); c != 0 {
			return c
		}
		return b.Updated.Compare(a.Updated)
	})
	return list, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Latest returns the session that was used last, or ErrNone.
func (s *Store) Latest() (*Session, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || list[0].Err != nil {
		return nil, ErrNone
	}
	return s.Load(list[0].ID)
}

// SetAside renames the sessions that are damaged, so that they are neither taken
// for one nor written over: ID.json.corrupt, or .corrupt-2 and so on where that
// is taken. It returns a line for the user for each. Those of a newer version
// and those that may not be read stay: they are not damaged.
func (s *Store) SetAside() []string {
	list, err := s.List()
	if err != nil {
		return nil
	}
	var said []string
	for _, e := range list {
		_, unread := errors.AsType[*fs.PathError](e.Err)
		switch {
		case e.Err == nil, errors.Is(e.Err, errNewer):
		case unread:
			said = append(said, e.Err.Error())
		default:
			said = append(said, s.setAside(e))
		}
	}
	return said
}

// setAside renames one session, and returns the line for the user.
func (s *Store) setAside(e Entry) string {
	name := e.ID + ".json"
	aside := name + ".corrupt"
	for n := 2; s.has(aside); n++ {
		aside = fmt.Sprintf("%s.corrupt-%d", name, n)
	}
	if err := os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, aside)); err != nil {
		return fmt.Sprintf("%v; it could not be set aside: %v", e.Err, err)
	}
	return fmt.Sprintf("%v; it is kept as %s", e.Err, aside)
}

func (s *Store) has(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, name))
	return err == nil
}

// errNewer says that a file was written by a newer program.
var errNewer = errors.New("written by a newer version")
