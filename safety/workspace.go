package safety

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Workspace resolves paths against one project and reads and writes the files
// that they lead to. It decides nothing: it classifies, and Policy decides.
//
// Files inside the project are reached through an opened root, so that a link
// planted after the check cannot lead a write out of the project.
type Workspace struct {
	dir  string // real path of the project
	home string
	root *os.Root

	protected []string // real paths of the program's own folders
}

// NewWorkspace opens the project in dir. protected lists files and folders
// outside of it that belong to the program (its configuration, its sessions);
// they need not exist.
func NewWorkspace(dir string, protected ...string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open project %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open project: %w", err)
	}
	w := &Workspace{dir: real, root: root}
	// Without a home folder a leading ~ stays an ordinary character.
	w.home, _ = os.UserHomeDir()
	for _, p := range protected {
		t, err := follow(p)
		if err != nil {
			return nil, fmt.Errorf("protect %s: %w", p, err)
		}
		w.protected = append(w.protected, t.real)
	}
	return w, nil
}

// Close releases the opened project folder.
func (w *Workspace) Close() error { return w.root.Close() }

// Dir is the real path of the project.
func (w *Workspace) Dir() string { return w.dir }

// Display shortens an absolute path for people and models: relative to the
// project when it is inside, with slashes.
func (w *Workspace) Display(real string) string {
	if rel, ok := below(w.dir, real); ok {
		return filepath.ToSlash(rel)
	}
	return real
}

// Resolve follows a path that a model named to what it really is, and says
// what class of place that is for op. Relative paths start at the project, a
// leading ~ is the user's home. The target need not exist.
//
// An error is about the name itself; its text is for the model.
func (w *Workspace) Resolve(named string, op Op) (Path, error) {
	if err := checkName(named, op); err != nil {
		return Path{}, err
	}
	abs := w.absolute(named)
	p := Path{Named: named, Real: abs}
	if strange(abs) {
		p.Class, p.Reason = Refused, "a device or network name"
		return p, nil
	}
	t, err := follow(abs)
	if err != nil {
		return Path{}, fmt.Errorf("[error: %s: %w]", named, err)
	}
	p.Real = t.real
	w.classify(&p, abs, t, op)
	return p, nil
}

// absolute cleans a name and makes it absolute.
func (w *Workspace) absolute(named string) string {
	if rest, ok := strings.CutPrefix(named, "~"); ok && w.home != "" &&
		(rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(w.home, rest)
	}
	if filepath.IsAbs(named) {
		return filepath.Clean(named)
	}
	return filepath.Join(w.dir, named)
}

// classify raises p.Class to the most dangerous class that applies and
// collects the reasons of all.
func (w *Workspace) classify(p *Path, abs string, t target, op Op) {
	var reasons []string
	raise := func(c Class, reason string) {
		p.Class = max(p.Class, c)
		reasons = append(reasons, reason)
	}
	rel, inside := below(w.dir, t.real)
	names := t.real
	if inside {
		names = rel
	} else {
		raise(Outside, "outside the project")
	}
	namedRel, ok := below(w.dir, abs)
	if !ok {
		namedRel = abs
	}
	for _, path := range []string{names, namedRel} {
		if reason := secretName(path); reason != "" {
			raise(Secret, reason)
			break
		}
	}
	for _, path := range []string{names, namedRel} {
		if reason := protectedName(path); reason != "" {
			raise(Protected, reason)
			break
		}
	}
	for _, own := range w.protected {
		if _, ok := below(own, t.real); ok {
			raise(Protected, "belongs to this program")
			break
		}
	}
	if t.kernel && !kernelTree(w.dir) {
		raise(Refused, "below /proc, /sys or /dev")
	}
	if reason, class := unfit(t.real, op); reason != "" {
		raise(class, reason)
	}
	p.Reason = strings.Join(reasons, "; ")
}

// unfit looks at what stands at a path: only regular files are read and
// written, only folders are listed.
func unfit(real string, op Op) (string, Class) {
	fi, err := os.Lstat(real)
	if err != nil {
		return "", Inside
	}
	switch m := fi.Mode(); {
	case m.IsDir() && op == Write:
		return "a folder", Refused
	case m.IsDir():
		return "", Inside
	case !m.IsRegular():
		return "not a regular file (" + kindOf(m) + ")", Refused
	case op == Write && m.Perm()&0o200 == 0:
		return fmt.Sprintf("write-protected (mode %04o)", m.Perm()), Protected
	}
	return "", Inside
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "irregular"
}

// checkName refuses names that no file of a project has.
func checkName(named string, op Op) error {
	switch {
	case strings.TrimSpace(named) == "":
		return errors.New("[error: the path is empty; give the path of a file]")
	case !utf8.ValidString(named), strings.ContainsFunc(named, unicode.IsControl):
		return fmt.Errorf("[error: the path %q holds control characters; give a plain path]", named)
	case op == Write && os.IsPathSeparator(named[len(named)-1]):
		return fmt.Errorf("[error: %q names a folder; give the path of a file]", named)
	}
	return nil
}

// Strayed tells whether an absolute path was probably meant to be relative to
// the project, as in "/main.go" for "main.go", and returns that relative path.
func (w *Workspace) Strayed(p Path) (string, bool) {
	if p.Class == Inside || !filepath.IsAbs(p.Named) {
		return "", false
	}
	rel := strings.TrimLeft(filepath.ToSlash(p.Named[len(filepath.VolumeName(p.Named)):]), "/")
	if rel == "" {
		return "", false
	}
	if _, err := os.Lstat(p.Real); err == nil {
		return "", false
	}
	if _, err := w.root.Lstat(filepath.FromSlash(rel)); err == nil {
		return rel, true
	}
	// A new file whose folder exists in the project and not at the root of
	// the disk, or that would lie directly at that root.
	if _, err := os.Lstat(filepath.Dir(p.Real)); err == nil && strings.Contains(rel, "/") {
		return "", false
	}
	fi, err := w.root.Lstat(filepath.FromSlash(filepath.Dir(rel)))
	return rel, err == nil && fi.IsDir()
}

// below returns path relative to dir when it is dir or lies below it. It
// compares whole components: /home/me2 is not below /home/me.
func below(dir, path string) (string, bool) {
	if sameName(dir, path) {
		return ".", true
	}
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	if len(path) > len(prefix) && sameName(path[:len(prefix)], prefix) {
		return path[len(prefix):], true
	}
	return "", false
}

// sameName compares names as the system's usual file system does.
func sameName(a, b string) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
