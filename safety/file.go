package safety

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged says that what a path leads to is not what was looked at before.
var ErrChanged = errors.New("changed since it was read")

// ErrNotRegular says that a path leads to a pipe, a device or the like.
var ErrNotRegular = errors.New("not a regular file")

// File is a regular file as it was at one moment.
type File struct {
	Data []byte // the whole content, or its first part
	Size int64  // bytes on disk
	Mode fs.FileMode
}

// Whole tells whether Data is all of the file.
func (f *File) Whole() bool { return int64(len(f.Data)) == f.Size }

// Digest is a hash of content, for Action.Digest and for comparing.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// place is a file's name relative to an opened folder.
type place struct {
	root *os.Root
	rel  string
	own  bool // root was opened for this place alone
}

func (l place) close() {
	if l.own {
		_ = l.root.Close() // opened for reading only: nothing can be lost
	}
}

// open finds the folder through which a resolved path is reached: the project
// for paths inside, else the deepest folder that exists. It fails when the
// path has become another one since it was resolved.
func (w *Workspace) open(p Path) (place, error) {
	if p.Class == Refused || p.Real == "" {
		return place{}, ErrNotRegular
	}
	t, err := follow(p.Real)
	if err != nil {
		return place{}, err
	}
	if t.real != p.Real {
		return place{}, ErrChanged
	}
	if rel, ok := below(w.dir, p.Real); ok {
		return place{root: w.root, rel: rel}, nil
	}
	dir := filepath.Dir(p.Real)
	for {
		root, err := os.OpenRoot(dir)
		if err == nil {
			rel, _ := below(dir, p.Real) // dir is an ancestor
			return place{root, rel, true}, nil
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return place{}, err
		}
		dir = up
	}
}

// at does something with the file that a path leads to. Its errors name both.
func (w *Workspace) at(what string, p Path, do func(place) error) error {
	l, err := w.open(p)
	if err == nil {
		defer l.close()
		err = do(l)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, p.Named, err)
	}
	return nil
}

// ReadFile reads at most limit bytes of a regular file; limit 0 reads all.
// It never blocks on a pipe or a device. Errors match fs.ErrNotExist,
// ErrNotRegular, ErrChanged or those of the system.
func (w *Workspace) ReadFile(p Path, limit int64) (f *File, err error) {
	err = w.at("read", p, func(l place) (err error) {
		f, err = l.read(limit)
		return err
	})
	return f, err
}

func (l place) read(limit int64) (*File, error) {
	f, err := l.root.OpenFile(l.rel, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	var src io.Reader = f
	if limit > 0 {
		src = io.LimitReader(f, limit)
	}
	var buf bytes.Buffer
	buf.Grow(int(min(fi.Size(), cmp.Or(limit, fi.Size()))) + bytes.MinRead)
	if _, err := buf.ReadFrom(src); err != nil {
		return nil, err
	}
	return &File{
		Data: buf.Bytes(),
		Size: max(fi.Size(), int64(buf.Len())),
		Mode: fi.Mode(),
	}, nil
}

// ReadDir lists a folder, sorted by name.
func (w *Workspace) ReadDir(p Path) (entries []fs.DirEntry, err error) {
	err = w.at("list", p, func(l place) (err error) {
		entries, err = fs.ReadDir(l.root.FS(), filepath.ToSlash(l.rel))
		return err
	})
	return entries, err
}

// Stat describes what a path leads to.
func (w *Workspace) Stat(p Path) (fi fs.FileInfo, err error) {
	err = w.at("stat", p, func(l place) (err error) {
		fi, err = l.root.Lstat(l.rel)
		return err
	})
	return fi, err
}

// Replace puts data in the place of a file, or makes it with its folders.
// before is the whole content that the caller saw, nil when there was no file:
// when the disk holds something else by now, nothing is written and the error
// is ErrChanged. An existing file keeps its mode, and its owner where the
// system allows; a new one gets perm less the umask.
//
// Readers see the old content or the new, never a part: data goes to a
// temporary file beside the target, which is then renamed over it. Other names
// of the same file (hard links) keep the old content.
func (w *Workspace) Replace(p Path, data, before []byte, perm fs.FileMode) error {
	return w.at("write", p, func(l place) error { return l.replace(data, before, perm) })
}

// Remove deletes a file whose whole content is before: when the disk holds
// something else by now, nothing is removed and the error is ErrChanged.
func (w *Workspace) Remove(p Path, before []byte) error {
	if before == nil {
		before = []byte{} // a file is to be removed, so there must be one
	}
	return w.at("remove", p, func(l place) error {
		if err := l.unchanged(before); err != nil {
			return err
		}
		return l.root.Remove(l.rel)
	})
}

func (l place) replace(data, before []byte, perm fs.FileMode) error {
	if err := l.unchanged(before); err != nil {
		return err
	}
	dir := filepath.Dir(l.rel)
	if err := l.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(dir, ".mm-"+rand.Text())
	if err := l.writeTemp(temp, data, perm); err != nil {
		return err
	}
	err := l.unchanged(before)
	if err == nil {
		err = l.root.Rename(temp, l.rel)
	}
	if err != nil {
		return errors.Join(err, l.root.Remove(temp))
	}
	return nil
}

// unchanged compares the file on disk with what the caller saw.
func (l place) unchanged(before []byte) error {
	fi, err := l.root.Lstat(l.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if before != nil {
			return ErrChanged
		}
		return nil
	case err != nil:
		return err
	case before == nil || !fi.Mode().IsRegular() || fi.Size() != int64(len(before)):
		return ErrChanged
	}
	f, err := l.read(0)
	if err != nil {
		return err
	}
	if !bytes.Equal(f.Data, before) {
		return ErrChanged
	}
	return nil
}

// writeTemp makes the temporary file complete on disk, mode and owner too. It
// leaves no file behind when it fails.
func (l place) writeTemp(temp string, data []byte, perm fs.FileMode) (err error) {
	f, err := l.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			err = errors.Join(err, l.root.Remove(temp))
		}
	}()
	if old, serr := l.root.Lstat(l.rel); serr == nil {
		keepOwner(f, old)
		if err := f.Chmod(old.Mode()); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}
