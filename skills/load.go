package skills

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile bounds one skill, in bytes.
const maxFile = 64 << 10

//go:embed builtin
var builtin embed.FS

// Layer is a folder of skills: files NAME.md and folders NAME/SKILL.md.
type Layer struct {
	Name string // for messages: "project", "user", "built-in"
	FS   fs.FS
	Dir  string // the folder's path; empty when it is not on disk

	// Set, when not nil, are skills that were read before: nothing is read
	// again, so that what was judged is what is used.
	Set Set
}

// Builtin is the layer of the skills that come with the program.
func Builtin() Layer {
	sub, err := fs.Sub(builtin, "builtin")
	if err != nil {
		panic(err) // the name is a constant
	}
	return Layer{Name: "built-in", FS: sub}
}

// Set is a list of skills sorted by name, without doubles.
type Set []Skill

// Load reads layers, the nearest first: it wins by name. A layer that does not
// exist is empty. A skill that cannot be read is left out, and a warning names
// it and says why.
func Load(layers ...Layer) (set Set, warnings []string) {
	have := map[string]bool{}
	for _, l := range layers {
		found, broken := l.load()
		warnings = append(warnings, broken...)
		for _, s := range found {
			if !have[s.Name] {
				have[s.Name] = true
				set = append(set, s)
			}
		}
	}
	slices.SortFunc(set, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return set, warnings
}

// load reads one layer in the order of the file names.
func (l Layer) load() (found []Skill, broken []string) {
	if l.Set != nil {
		return l.Set, nil
	}
	entries, err := fs.ReadDir(l.FS, ".")
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, []string{fmt.Sprintf("skills (%s): %v", l.Name, err)}
	}
	for _, e := range entries {
		file, name, dir := e.Name(), strings.TrimSuffix(e.Name(), ".md"), ""
		if name == e.Name() {
			file, dir = path.Join(e.Name(), "SKILL.md"), e.Name()
			if _, err := fs.Stat(l.FS, file); err != nil {
				continue // neither a skill's file nor a skill's folder
			}
		}
		s, err := l.read(name, file)
		if err != nil {
			broken = append(broken, fmt.Sprintf("skill %s (%s) was left out: %v", file, l.Name, err))
			continue
		}
		s.Layer = l.Name
		if dir != "" && l.Dir != "" {
			s.Dir = filepath.Join(l.Dir, dir)
		}
		found = append(found, s)
	}
	return found, broken
}

func (l Layer) read(name, file string) (Skill, error) {
	// A pipe would block the reading.
	fi, err := fs.Stat(l.FS, file)
	switch {
	case err != nil:
		return Skill{}, err
	case !fi.Mode().IsRegular():
		return Skill{}, errors.New("it is not a regular file")
	case fi.Size() > maxFile:
		return Skill{}, fmt.Errorf("it is larger than %d KiB", maxFile>>10)
	}
	data, err := fs.ReadFile(l.FS, file)
	if err != nil {
		return Skill{}, err
	}
	return Parse(name, data)
}

// Get finds a skill by name, forgiving letter case, separators and the sign
// with which a user calls it.
func (set Set) Get(name string) (Skill, bool) {
	want := foldName(name)
	for _, s := range set {
		if foldName(s.Name) == want {
			return s, true
		}
	}
	return Skill{}, false
}

func foldName(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(
		strings.ToLower(strings.Trim(name, "$/ ")))
}

// Names lists the names in order.
func (set Set) Names() []string {
	out := make([]string, len(set))
	for i, s := range set {
		out[i] = s.Name
	}
	return out
}

// Catalogue describes the skills for the model, one line each. Keywords stand
// beside the description, since a small model chooses badly by name alone.
func (set Set) Catalogue() string {
	var b strings.Builder
	for _, s := range set {
		fmt.Fprintf(&b, "- %s: %s", s.Name, s.Description)
		if len(s.Keywords) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(s.Keywords, ", "))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Text is what the model reads of a skill: that it is to act now, the steps,
// and where further files of it are.
func (set Set) Text(name string) (string, bool) {
	s, ok := set.Get(name)
	if !ok {
		return "", false
	}
	text := fmt.Sprintf("[skill: %s: carry out these steps now]\n%s", s.Name, s.Body)
	if s.Dir != "" {
		text += fmt.Sprintf("\n[files that this skill names are in %s]", s.Dir)
	}
	return text, true
}
