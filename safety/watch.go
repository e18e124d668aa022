package safety

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// maxWatched bounds the files that are looked at around a command.
const maxWatched = 2000

// fingerprint is what changes of a file with its content. The time of the last
// change of its state cannot be set by a program.
type fingerprint struct {
	mode  fs.FileMode
	size  int64
	time  time.Time
	state string // what the system adds: see stateOf
}

// gitWatched are the parts of a repository's own data that make git run
// programs. The rest of it changes with every commit.
var gitWatched = []string{"config", "config.worktree", "hooks", "info"}

// unwatched are parts of watched folders that change by themselves.
var unwatched = []string{".mm/sessions"}

// Watch notes the files of the project that other programs run or read as
// settings: git's settings and hooks, and the protected names at the top of
// the project. What it returns lists those that were made, changed or removed
// since.
func (w *Workspace) Watch() (changed func() []string) {
	before := w.watched()
	return func() []string {
		after := w.watched()
		var out []string
		for name, fp := range after {
			if was, ok := before[name]; (!ok || was != fp) && !fresh(before, name) {
				out = append(out, name)
			}
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				out = append(out, name+" (removed)")
			}
		}
		slices.Sort(out)
		if n := len(out) - maxShown; n > 0 {
			out = append(out[:maxShown], fmt.Sprintf("and %d more", n))
		}
		return out
	}
}

// fresh tells whether a file belongs to a repository that was not there before.
// Its settings are git's own; a hook would not be.
func fresh(before map[string]fingerprint, name string) bool {
	_, known := before[".git/config"]
	return !known && (name == ".git/config" || name == ".git/info/exclude")
}

// maxShown is how many changed files are named.
const maxShown = 10

func (w *Workspace) watched() map[string]fingerprint {
	found := map[string]fingerprint{}
	top, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return found
	}
	var starts []string
	for _, git := range w.repositories() {
		for _, part := range gitWatched {
			starts = append(starts, git+"/"+part)
		}
	}
	for _, e := range top {
		name := e.Name()
		switch {
		case protectedName(name) == "":
		case e.Type()&fs.ModeSymlink != 0:
			note(name, e, found)
		case name != ".git" || !e.IsDir():
			starts = append(starts, name)
		}
	}
	for _, start := range starts {
		w.walk(start, found)
	}
	return found
}

// repositories lists the folders with git's own data: of the project and of
// its submodules.
func (w *Workspace) repositories() []string {
	list := []string{".git"}
	modules, err := fs.ReadDir(w.root.FS(), ".git/modules")
	if err != nil {
		return list // the usual case: there are none
	}
	for _, m := range modules[:min(len(modules), maxWatched)] {
		list = append(list, ".git/modules/"+m.Name())
	}
	return list
}

func note(name string, d fs.DirEntry, found map[string]fingerprint) {
	// A file that has just gone is no longer there in the other list.
	if fi, err := d.Info(); err == nil {
		found[name] = fingerprint{fi.Mode(), fi.Size(), fi.ModTime(), stateOf(fi)}
	}
}

// walk notes a file, or all files in a folder. Links in it are not followed.
func (w *Workspace) walk(start string, found map[string]fingerprint) {
	_ = fs.WalkDir(w.root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		switch {
		case len(found) >= maxWatched:
			return fs.SkipAll
		case err != nil:
			return nil // it is missing, or cannot be read and so not be changed
		case slices.Contains(unwatched, name):
			return fs.SkipDir
		case !d.IsDir() && !strings.HasSuffix(name, ".sample"): // git runs no samples
			note(name, d, found)
		}
		return nil
	})
}
