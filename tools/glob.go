package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mm/safety"
)

// maxFound is how many paths one glob lists.
const maxFound = 200

//go:embed glob.md
var globDoc string

// globTool is the tool glob.
type globTool struct{ Files }

// NewGlob returns the tool that finds files by name.
func NewGlob(f Files) Tool { return globTool{f} }

func (t globTool) Spec() Spec {
	return Spec{
		Name:        "glob",
		Description: strings.TrimSpace(globDoc),
		Kind:        KindSearch,
		Synonyms: map[string]string{
			"pattern": "glob glob_pattern name file_pattern query filename path_pattern",
		},
		Schema: Schema(Field{Name: "pattern", Type: "string"}),
	}
}

// Normalize puts a folder, which models give beside the pattern, before it.
func (t globTool) Normalize(args map[string]json.RawMessage) string {
	var pattern string
	if json.Unmarshal(args["pattern"], &pattern) != nil || pattern == "" {
		return ""
	}
	for _, name := range []string{"path", "dir", "directory", "folder", "root", "cwd"} {
		var dir string
		if json.Unmarshal(args[name], &dir) != nil || dir == "" || dir == "." {
			continue
		}
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		args["pattern"] = encode(strings.TrimSuffix(dir, "/") + "/" + strings.TrimPrefix(pattern, "/"))
		return fmt.Sprintf("%q was put before the pattern", name)
	}
	return ""
}

// globState is a search that was planned.
type globState struct {
	root    safety.Path
	pattern string // relative to the project, with slashes
}

func (t globTool) Plan(_ context.Context, args json.RawMessage) (Plan, error) {
	var a struct{ Pattern string }
	if err := json.Unmarshal(args, &a); err != nil {
		return Plan{}, fmt.Errorf("[error: glob: %w]", err)
	}
	pattern, err := t.relative(a.Pattern)
	if err != nil {
		return Plan{}, err
	}
	// The walk begins below the part of the pattern that is plain.
	base, _ := doublestar.SplitPattern(pattern)
	root, err := t.Workspace.Resolve(base, safety.Read)
	if err != nil {
		return Plan{}, err
	}
	return Plan{
		Title:     pattern,
		Action:    safety.Action{Tool: "glob", Op: safety.Read, Path: root},
		Locations: []Location{{Path: root.Real}},
		State:     globState{root, pattern},
	}, nil
}

// relative brings a pattern to the form that is matched with paths of the
// project.
func (t globTool) relative(pattern string) (string, error) {
	if problem := patternProblem(pattern); problem != "" {
		return "", fmt.Errorf("[error: glob: the pattern %s cannot be used: %s; give one like **/*.go]", shown(pattern), problem)
	}
	if filepath.IsAbs(pattern) {
		rel, err := filepath.Rel(t.Workspace.Dir(), pattern)
		if err != nil || !filepath.IsLocal(rel) {
			return "", errors.New("[error: glob searches the project only: give a pattern relative to it, like **/*.go]")
		}
		pattern = filepath.ToSlash(rel)
	}
	pattern = path.Clean(pattern)
	if pattern == ".." || strings.HasPrefix(pattern, "../") {
		return "", errors.New("[error: glob searches the project only: give a pattern without .., like **/*.go]")
	}
	if !strings.Contains(pattern, "/") {
		pattern = "**/" + pattern
	}
	return pattern, nil
}

func (t globTool) Run(ctx context.Context, p Plan, _ Sink) Result {
	s := p.State.(globState)
	w := &walker{ws: t.Workspace}
	var found []string
	near, total := 0, 0
	w.walk(ctx, s.root, func(e entryFound) bool {
		total++
		if doublestar.MatchUnvalidated(s.pattern, e.name) {
			found = append(found, entryName(e))
		} else if doublestar.MatchUnvalidated(strings.ToLower(s.pattern), strings.ToLower(e.name)) {
			near++
		}
		return true
	})
	if ctx.Err() != nil {
		return Result{Text: "[glob was stopped]", Status: Stopped}
	}
	if len(found) == 0 {
		return Result{Text: t.nothing(s.pattern, near, total, w), Status: OK, Truncated: w.partial}
	}
	slices.Sort(found)
	text, cut := bounded(found, maxFound, t.maxOutput()-maxNotes)
	notes := []string{text}
	if cut > 0 {
		notes = append(notes, fmt.Sprintf("[%d more; give a narrower pattern, such as one with a folder]", cut))
	}
	return Result{Text: joinNonEmpty(append(notes, w.notes()...)), Status: OK, Truncated: cut > 0 || w.partial}
}

// entryName is a path as it is listed.
func entryName(e entryFound) string {
	switch {
	case e.kind.IsDir():
		return oneLine(e.name) + "/"
	case e.kind&fs.ModeSymlink != 0:
		return oneLine(e.name) + " (link)"
	}
	return oneLine(e.name)
}

func (t globTool) nothing(pattern string, near, total int, w *walker) string {
	text := fmt.Sprintf("[no file matches %s among %s", shown(pattern), count(total, "name"))
	switch {
	case near > 0:
		text += fmt.Sprintf("; %d would with other letter case", near)
	case strings.Count(pattern, "*") > 2 || strings.Count(pattern, "/") > 1:
		text += "; try a wider pattern, such as **/" + path.Base(pattern)
	default:
		text += "; list a folder with read_file to see what there is"
	}
	return joinNonEmpty(append([]string{text + "]"}, w.notes()...))
}

// maxNotes is the room kept for the notes below a list, in characters.
const maxNotes = 300

// notes say what a walk left out.
func (w *walker) notes() []string {
	var notes []string
	if w.hidden > 0 {
		notes = append(notes, fmt.Sprintf("[%s left out: credentials or settings; read_file one by its name if you must]", count(w.hidden, "name")))
	}
	if w.partial {
		notes = append(notes, "[the project is large and not all of it was searched; give a folder]")
	}
	return notes
}

// bounded joins as many lines as fit and counts the rest.
func bounded(lines []string, most, room int) (text string, cut int) {
	var b strings.Builder
	for i, line := range lines {
		room -= len(line) + 1
		if i > 0 && (i == most || room < 0) {
			return b.String(), len(lines) - i
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return b.String(), 0
}
