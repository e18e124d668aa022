package tools

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"mm/safety"
)

const (
	// maxEntriesVisited and walkTime bound one walk through a project.
	maxEntriesVisited = 50_000
	walkTime          = 10 * time.Second

	maxWalkDepth = 60
)

// neverWalked are folders of other people's or of generated files that are
// left out even where no .gitignore names them.
var neverWalked = map[string]bool{".git": true, "node_modules": true, ".venv": true, "__pycache__": true}

// entryFound is a file or folder met on a walk.
type entryFound struct {
	path safety.Path
	name string // relative to the project when inside, with slashes
	kind fs.FileMode
}

// walker goes through folders without following links. It leaves out what
// .gitignore names, and files of a worse class than the folder it began with,
// such as credentials.
type walker struct {
	ws *safety.Workspace

	hidden  int  // files left out for their class
	partial bool // the walk was ended by a bound

	class   safety.Class
	visited int
}

// layer is one folder on the way with its rules.
type layer struct {
	dir   string // absolute
	rules ignoreRules
}

var errWalkEnded = errors.New("the walk was ended")

// walk calls visit for each file and folder below root, in the order of names,
// until it returns false, a bound is reached or ctx ends.
func (w *walker) walk(ctx context.Context, root safety.Path, visit func(entryFound) bool) {
	ctx, stop := context.WithTimeout(ctx, walkTime)
	defer stop()
	w.class = root.Class
	layers := w.above(root.Real)
	// Folders that cannot be read are passed over; the bounds are in w.
	_ = w.folder(ctx, root, layers, maxWalkDepth, visit)
}

// above collects the rules of the folders between the root of the repository
// and dir.
func (w *walker) above(dir string) []layer {
	var dirs []string
	for d := dir; ; d = filepath.Dir(d) {
		dirs = append(dirs, d)
		if w.exists(filepath.Join(d, ".git")) {
			break
		}
		if filepath.Dir(d) == d {
			dirs = []string{dir} // not in a repository
			break
		}
	}
	var layers []layer
	last := len(dirs) - 1
	if exclude := w.rules(filepath.Join(dirs[last], ".git", "info", "exclude")); exclude != nil {
		layers = append(layers, layer{dirs[last], exclude})
	}
	for i := last; i > 0; i-- { // dir's own are read when it is entered
		layers = append(layers, layer{dirs[i], w.rules(filepath.Join(dirs[i], ".gitignore"))})
	}
	return layers
}

func (w *walker) exists(path string) bool {
	p, err := w.ws.Resolve(path, safety.Read)
	if err != nil {
		return false
	}
	_, err = w.ws.Stat(p)
	return err == nil
}

// rules reads a file of patterns; one that cannot be read has none.
func (w *walker) rules(path string) ignoreRules {
	p, err := w.ws.Resolve(path, safety.Read)
	if err != nil {
		return nil
	}
	file, err := w.ws.ReadFile(p, maxIgnoreFile)
	if err != nil {
		return nil
	}
	return parseIgnore(file.Data)
}

func (w *walker) folder(ctx context.Context, dir safety.Path, layers []layer, depth int, visit func(entryFound) bool) error {
	entries, err := w.ws.ReadDir(dir)
	if err != nil {
		return nil // it may not be read, or is gone
	}
	if depth == 0 {
		w.partial = true
		return nil
	}
	for _, e := range entries {
		if e.Name() == ".gitignore" {
			rules := w.rules(filepath.Join(dir.Real, ".gitignore"))
			layers = append(layers[:len(layers):len(layers)], layer{dir.Real, rules})
		}
	}
	for _, e := range entries {
		if w.visited++; w.visited > maxEntriesVisited || ctx.Err() != nil {
			w.partial = true
			return errWalkEnded
		}
		if err := w.entry(ctx, dir, e, layers, depth, visit); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(ctx context.Context, dir safety.Path, e fs.DirEntry, layers []layer, depth int, visit func(entryFound) bool) error {
	real := filepath.Join(dir.Real, e.Name())
	if e.IsDir() && neverWalked[e.Name()] || ignoredBy(layers, real, e.IsDir()) {
		return nil
	}
	found := entryFound{name: w.ws.Display(real), kind: e.Type()}
	if e.Type()&fs.ModeSymlink != 0 { // named, and never followed
		if !visit(found) {
			return errWalkEnded
		}
		return nil
	}
	p, err := w.ws.Resolve(real, safety.Read)
	switch {
	case err != nil: // a name with control characters
		return nil
	case p.Class > w.class:
		w.hidden++
		return nil
	}
	found.path = p
	if !visit(found) {
		return errWalkEnded
	}
	if e.IsDir() {
		return w.folder(ctx, p, layers, depth-1, visit)
	}
	return nil
}

// ignoredBy asks the nearest .gitignore first.
func ignoredBy(layers []layer, real string, folder bool) bool {
	for i := len(layers) - 1; i >= 0; i-- {
		rel, err := filepath.Rel(layers[i].dir, real)
		if err != nil {
			continue
		}
		if ignored, named := layers[i].rules.match(filepath.ToSlash(rel), folder); named {
			return ignored
		}
	}
	return false
}
