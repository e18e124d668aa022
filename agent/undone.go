package agent

import (
	"context"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"mm/agent/session"
	"mm/llm"
	"mm/safety"
)

// A small model often answers in place of working: it says how the change is
// made, or that it was made, or makes up what a command prints. What code can
// tell without judging the answer is that a request for a change changed
// nothing, that a request to run or look up something called no tool, and that a file that
// was to be read was not.

const nothingChanged = "no file of the project was changed"

// undone tells what an answer leaves undone of a request, in words for the
// user and the model; empty when it may be right as it is. It is silent in
// doubt: where somebody said no, or a command may have made the change.
func (t *turn) undone(ctx context.Context) string {
	if t.opts.Repairs.NoCheckWork || t.hindered() {
		return ""
	}
	w := readWish(t.asked, t.opts.Session.Cwd)
	if w == (wish{}) {
		return ""
	}
	called, ran := false, false
	for _, item := range slices.Backward(t.opts.Session.Items) {
		if item.Turn != t.number {
			break
		}
		if item.Role == llm.Tool {
			called = true
			ran = ran || item.ExitCode != nil
			if w.change && item.ExitCode != nil && *item.ExitCode == 0 && !looks(item.Title) {
				return "" // that may have been it: a commit, a ticket, a file elsewhere
			}
		}
	}
	switch {
	case w.change:
		if !t.wrote() && !(ran && touchedSince(ctx, t.opts.Session.Cwd, t.started)) {
			return nothingChanged
		}
	case w.run && !called:
		return "nothing was run"
	case w.search && !called:
		return "nothing was looked up"
	case w.read != "":
		if !ran && !mentioned(t.opts.Session.Items, filepath.Base(w.read)) {
			return w.read + " was not read"
		}
	}
	return ""
}

// hindered tells whether a call of the turn was refused or stopped, or none may
// change anything: then nobody is to be driven on.
func (t *turn) hindered() bool {
	return t.opts.Policy.Mode() == safety.ReadOnly || slices.ContainsFunc(t.opts.Session.Items, func(item session.Item) bool {
		return item.Turn == t.number && (item.Status == string(CallDenied) || item.Status == string(CallStopped))
	})
}

var (
	// looking begins commands that look, build or test, and change nothing
	// that a user would ask for.
	looking = regexp.MustCompile(`^(?:ls|cat|head|tail|grep|rg|find|wc|pwd|stat|file|tree|which|echo|sed -n|diff|git (?:status|diff|log|show|blame)|go (?:test|vet|build|list|run)|python3? |pytest|node |npm (?:test|run)|make(?: test)?$|cargo (?:test|check|build|run))`)

	// joined is a command that is more than one, or writes to a file.
	joined = regexp.MustCompile(`[;&|>\n]`)
)

// looks tells whether a command only looks.
func looks(command string) bool { return looking.MatchString(command) && !joined.MatchString(command) }

// wrote tells whether a tool changed a file in this turn.
func (t *turn) wrote() bool {
	turns := t.opts.Session.Turns
	last := turns[len(turns)-1]
	return last.Number == t.number && (len(last.Changes) > 0 || last.Dropped)
}

// mentioned tells whether a result that the model can still read names a file.
func mentioned(items []session.Item, name string) bool {
	return slices.ContainsFunc(items, func(item session.Item) bool {
		return item.Role == llm.Tool && !item.Masked && (strings.Contains(item.Title, name) || strings.Contains(item.Text, name))
	})
}

// Bounds of the look at a project's files.
const (
	touchedMost = 20_000 // entries
	touchedTime = 2 * time.Second
	touchedSlop = 15 * time.Millisecond // by which the clock of a file system may lag: a tick of the kernel, at most 10 ms
)

// byProducts are made by running and testing a project, which is no work on it.
var byProducts = []string{"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules", ".mm"}

// touchedSince tells whether something in a folder was written, made or
// removed since a moment, by-products aside. A folder with too many entries, or
// that takes too long to look through, may have been.
func touchedSince(ctx context.Context, root string, since time.Time) bool {
	ctx, stop := context.WithTimeout(ctx, touchedTime)
	defer stop()
	since = since.Add(-touchedSlop)
	seen, touched := 0, false
	folders := map[string]bool{} // in which something was made or removed
	explain := map[string]bool{} // a by-product is why
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		seen++
		if err != nil {
			return skipped(d)
		}
		info, err := d.Info()
		changed := err == nil && !info.ModTime().Before(since)
		byProduct := path != root && (slices.Contains(byProducts, d.Name()) || filepath.Ext(path) == ".pyc")
		switch {
		case byProduct:
			explain[filepath.Dir(path)] = explain[filepath.Dir(path)] || changed
			return skipped(d)
		case changed && d.IsDir():
			folders[path] = true
		case changed, seen > touchedMost, ctx.Err() != nil:
			touched = true
			return fs.SkipAll
		}
		return nil
	})
	for folder := range folders {
		touched = touched || !explain[folder]
	}
	return touched
}

// skipped leaves out a folder, or an entry that cannot be read.
func skipped(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
