package safety

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is an opened folder, for walks through many files: what is in it is
// reached by one name, without following links out of it, and classed as
// Workspace.Resolve would class it for reading.
type Folder struct {
	path Path
	root *os.Root
	w    *Workspace
}

// OpenFolder opens a resolved path.
func (w *Workspace) OpenFolder(p Path) (*Folder, error) {
	f := &Folder{path: p, w: w}
	err := w.at("open", p, func(l place) (err error) {
		f.root, err = l.root.OpenRoot(l.rel)
		return err
	})
	return f, err
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Path is the folder's.
func (f *Folder) Path() Path { return f.path }

// Entries lists the folder, sorted by name.
func (f *Folder) Entries() ([]fs.DirEntry, error) { return fs.ReadDir(f.root.FS(), ".") }

// Entry classes what has a name in the folder and is no link. It does not look
// at the disk.
func (f *Folder) Entry(name string) Path {
	p := Path{Named: filepath.Join(f.path.Named, name), Real: filepath.Join(f.path.Real, name), Class: f.path.Class, Reason: f.path.Reason}
	raise := func(c Class, reason string) {
		if c > p.Class {
			p.Class, p.Reason = c, reason
		}
	}
	// The folders above were judged with the folder; some names mean
	// something only below another.
	pair := filepath.Join(filepath.Base(f.path.Real), name)
	if reason := secretName(pair); reason != "" {
		raise(Secret, reason)
	}
	if reason := protectedName(name); reason != "" {
		raise(Protected, reason)
	}
	for _, own := range f.w.protected {
		if _, ok := below(own, p.Real); ok {
			raise(Protected, "belongs to this program")
		}
	}
	if kernelTree(p.Real) && !kernelTree(f.w.dir) || strange(p.Real) {
		raise(Refused, "below /proc, /sys or /dev")
	}
	return p
}

// Open opens a folder in the folder.
func (f *Folder) Open(name string) (*Folder, error) {
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Folder{f.Entry(name), root, f.w}, nil
}

// ReadFile reads at most limit bytes of a regular file in the folder, as
// Workspace.ReadFile does.
func (f *Folder) ReadFile(name string, limit int64) (*File, error) {
	return place{root: f.root, rel: name}.read(limit)
}
