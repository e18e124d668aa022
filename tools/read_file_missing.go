package tools

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"mm/safety"
)

const (
	maxNames   = 5     // names offered for a missing file
	maxVisited = 5_000 // entries looked at for a file of that name elsewhere
)

// missing says that a file does not exist, which names come near (in its
// folder, and in the project where a file of that name lies elsewhere), and
// what else to do.
func (f Files) missing(p safety.Path, advice string) error {
	names := f.sameName(p)
	for _, n := range f.similar(p) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	name := f.Workspace.Display(p.Real)
	if len(names) == 0 {
		return fmt.Errorf("[error: %s does not exist. %s]", name, advice)
	}
	near := strings.Join(names[:min(len(names), maxNames)], ", ")
	return fmt.Errorf("[error: %s does not exist. %s; near are: %s]", name, advice, near)
}

// similar returns the entries of the file's folder with a similar name, the
// nearest first. Where the folder does not exist either, those of the nearest
// one that does.
func (f Files) similar(p safety.Path) []string {
	want := filepath.Base(p.Real)
	dir := filepath.Dir(p.Real)
	for dir != filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			break
		}
		want, dir = filepath.Base(dir), filepath.Dir(dir)
	}
	parent, err := f.Workspace.Resolve(dir, safety.Read)
	if err != nil || parent.Class > p.Class {
		return nil
	}
	entries, err := f.Workspace.ReadDir(parent)
	if err != nil {
		return nil
	}
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, e := range entries {
		d := distance(e.Name(), want)
		if d > max(2, len(want)/3) {
			continue
		}
		name := f.Workspace.Display(filepath.Join(parent.Real, e.Name()))
		if e.IsDir() {
			name += "/"
		}
		found = append(found, near{oneLine(name), d})
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, len(found))
	for i, n := range found {
		names[i] = n.name
	}
	return names
}

// distance compares names without letter case; a name that begins or ends like
// another (main for main.go) is near.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stem := func(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }
	if stem(a) == stem(b) && stem(a) != "" {
		return 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// sameName finds files of the project that have the same name in another
// folder.
func (f Files) sameName(p safety.Path) []string {
	root, err := f.Workspace.Resolve(".", safety.Read)
	if err != nil || p.Class != safety.Inside {
		return nil
	}
	want, visited := filepath.Base(p.Real), 0
	var found []string
	w := &walker{ws: f.Workspace}
	w.walk(context.Background(), root, func(e entryFound) bool {
		if visited++; !e.kind.IsDir() && strings.EqualFold(e.base, want) {
			found = append(found, oneLine(e.name))
		}
		return visited < maxVisited && len(found) < maxNames
	})
	return found
}
