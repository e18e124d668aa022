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
	name string // relative to the project when inside, with slashes
	kind fs.FileMode
	in   *safety.Folder // open as long as the visit lasts
	base string         // the name in that folder
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
	dir, err := w.ws.OpenFolder(root)
	if err != nil {
		return // it may not be read, or is gone
	}
	defer dir.Close()
	// The bounds that ended the walk are in w.
	_ = w.folder(ctx, dir, w.above(root.Real), maxWalkDepth, visit)
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
		if rules := w.rules(filepath.Join(dirs[i], ".gitignore")); len(rules) > 0 {
			layers = append(layers, layer{dirs[i], rules})
		}
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

func (w *walker) folder(ctx context.Context, dir *safety.Folder, layers []layer, depth int, visit func(entryFound) bool) error {
	entries, err := dir.Entries()
	if err != nil {
		return nil // it may not be read, or is gone
	}
	if depth == 0 {
		w.partial = true
		return nil
	}
	for _, e := range entries {
		if e.Name() != ".gitignore" {
			continue
		}
		if file, err := dir.ReadFile(e.Name(), maxIgnoreFile); err == nil {
			layers = append(layers[:len(layers):len(layers)], layer{dir.Path().Real, parseIgnore(file.Data)})
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

func (w *walker) entry(ctx context.Context, dir *safety.Folder, e fs.DirEntry, layers []layer, depth int, visit func(entryFound) bool) error {
	p := dir.Entry(e.Name())
	if e.IsDir() && neverWalked[e.Name()] || ignoredBy(layers, p.Real, e.IsDir()) {
		return nil
	}
	link := e.Type()&fs.ModeSymlink != 0 // named, and never followed
	if p.Class > w.class && !link {
		w.hidden++
		return nil
	}
	if !visit(entryFound{w.ws.Display(p.Real), e.Type(), dir, e.Name()}) {
		return errWalkEnded
	}
	if !e.IsDir() {
		return nil
	}
	sub, err := dir.Open(e.Name())
	if err != nil {
		return nil // it may not be read, or is gone
	}
	defer sub.Close()
	return w.folder(ctx, sub, layers, depth-1, visit)
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
