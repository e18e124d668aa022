package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
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

// Builtin returns the themes that come with the program, sorted by name.
func Builtin() []Theme {
	dir, err := fs.Sub(builtin, "builtin")
	if err != nil {
		panic(err) // the folder is embedded
	}
	list, err := Load(dir)
	if err != nil {
		panic(err) // a test loads every one
	}
	return list
}

// Load reads the *.yaml files of a folder as themes, sorted by name. A file
// that cannot be read as a theme is left out, and reported in the error.
func Load(dir fs.FS) ([]Theme, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list themes: %w", err)
	}
	var list []Theme
	var faults []error
	for _, name := range names {
		t, err := load(dir, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b Theme) int { return strings.Compare(a.Name, b.Name) })
	return list, errors.Join(faults...)
}

func load(dir fs.FS, name string) (Theme, error) {
	info, err := fs.Stat(dir, name)
	if err != nil {
		return Theme{}, fmt.Errorf("theme %s: %w", name, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return Theme{}, fmt.Errorf("theme %s: no regular file below %d bytes", name, maxFile)
	}
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return Theme{}, fmt.Errorf("theme %s: %w", name, err)
	}
	return Parse(strings.TrimSuffix(path.Base(name), ".yaml"), data)
}

// Find returns the theme of that name.
func Find(list []Theme, name string) (Theme, bool) {
	i := slices.IndexFunc(list, func(t Theme) bool { return t.Name == name })
	if i < 0 {
		return Theme{}, false
	}
	return list[i], true
}
