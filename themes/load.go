package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

//go:embed builtin/*.yaml
var builtin embed.FS

// Names of the built-in themes that are chosen without being asked for.
const (
	DarkName  = "dark"
	LightName = "light"
	NoneName  = "none"
)

// maxFile is the size of a theme's file in bytes; larger ones are no themes.
const maxFile = 64 << 10

// autoName is what the configuration calls the choice by the terminal.
const autoName = "auto"

// Fault is a file of the user's that is no theme.
type Fault struct {
	File string // without its folder
	Err  error  // one line, which begins with the key at fault where there is one
}

func (f Fault) Error() string { return fmt.Sprintf("theme %s: %v", f.File, f.Err) }

func (f Fault) Unwrap() error { return f.Err }

// Builtin returns the themes that come with the program, sorted by name.
func Builtin() []Theme {
	dir, err := fs.Sub(builtin, "builtin")
	if err != nil {
		panic(err) // the folder is embedded
	}
	list, faults := load(dir, nil)
	if len(faults) > 0 {
		panic(faults[0]) // a test loads every one
	}
	return list
}

// All returns the built-in themes, then the user's: the *.yaml files of a
// folder, sorted by name; nil has none. A file that is no theme is left out
// and reported.
func All(user fs.FS) ([]Theme, []Fault) {
	list := Builtin()
	if user == nil {
		return list, nil
	}
	own, faults := load(user, list)
	return append(list, own...), faults
}

// load reads the themes of a folder, which may have those that are there as
// parents, and each other.
func load(dir fs.FS, there []Theme) ([]Theme, []Fault) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, []Fault{{".", reason(err)}}
	}
	r := resolver{there: there, files: map[string]file{}, begun: map[string]bool{}}
	var names []string
	var faults []Fault
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok {
			continue
		}
		f, err := read(dir, name)
		if _, taken := Find(there, name); taken || name == autoName {
			err = errors.New("a theme of this name comes with mm; give the file another one")
		}
		if err != nil {
			faults = append(faults, Fault{e.Name(), err})
			continue
		}
		r.files[name] = f
		names = append(names, name)
	}
	var list []Theme
	for _, name := range names {
		t, err := r.resolve(name)
		if err != nil {
			faults = append(faults, Fault{name + ".yaml", fmt.Errorf("parent: %w", err)})
			continue
		}
		list = append(list, t)
	}
	return list, faults
}

func read(dir fs.FS, name string) (file, error) {
	path := name + ".yaml"
	info, err := fs.Stat(dir, path)
	if err != nil {
		return file{}, reason(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return file{}, fmt.Errorf("is no file of %d KiB at most", maxFile>>10)
	}
	data, err := fs.ReadFile(dir, path)
	if err != nil {
		return file{}, reason(err)
	}
	return parse(name, data)
}

// reason is an error without the path, which the fault names.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// resolver makes themes of files and their parents.
type resolver struct {
	there []Theme
	files map[string]file
	begun map[string]bool // on the way from a file to its last parent
}

// resolve makes the theme of a name. The error says what is wrong with the
// parent of one of the files.
func (r *resolver) resolve(name string) (Theme, error) {
	if t, ok := Find(r.there, name); ok {
		return t, nil
	}
	f, ok := r.files[name]
	if !ok {
		return Theme{}, fmt.Errorf("there is no sound theme %q", name)
	}
	if r.begun[name] {
		return Theme{}, fmt.Errorf("%s leads back to itself", name)
	}
	t := Theme{Name: name, inks: map[Role]Ink{}}
	if f.parent != "" {
		r.begun[name] = true
		defer delete(r.begun, name)
		parent, err := r.resolve(f.parent)
		if err != nil {
			return Theme{}, err
		}
		t.Light = parent.Light
		maps.Copy(t.inks, parent.inks)
	}
	if f.appearance != "" {
		t.Light = f.appearance == "light"
	}
	t.Title = f.title
	maps.Copy(t.inks, f.inks)
	return t, nil
}

// Find returns the theme of that name.
func Find(list []Theme, name string) (Theme, bool) {
	i := slices.IndexFunc(list, func(t Theme) bool { return t.Name == name })
	if i < 0 {
		return Theme{}, false
	}
	return list[i], true
}
