package agent

import (
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
// tell without judging words is that a request for a change changed nothing,
// that a request to run something called no tool, and that a file that was to be
// read was not.

// clause begins what a user asks for: the message, a sentence, or a part of one
// behind "and", "then", "please" or "you".
const clause = `(?:^|[.!;:\n] *|, *|\b(?:and|then|please|you|also|now) +)`

var (
	// mends and changes find a request to change the project. The verbs of
	// changes are used of other things too: one of the project's things must
	// be named.
	mends   = regexp.MustCompile(`(?i)` + clause + `(?:fix|mend|rename|refactor|commit|implement)\b`)
	changes = regexp.MustCompile(`(?i)` + clause + `(?:add|set|write|create|replace|remove|delete|update|change|move|convert|edit|insert|append|correct|bump|put|make)\b`)

	// thing is what in a project is worked on: a file by its name, or a kind
	// of code.
	thing = regexp.MustCompile(`(?i)\b(?:[\w./-]*\w\.[a-z]\w{0,5}|functions?|methods?|class(?:es)?|types?|fields?|files?|folders?|tests?|options?|parameters?|imports?|interfaces?|modules?|packages?|scripts?|entr(?:y|ies)|services?|docs?|readme|changelog|bugs?|errors?|code)\b`)

	// asksForRun finds a request to run a command.
	asksForRun = regexp.MustCompile(`(?i)` + clause + `(?:run|execute)\b`)

	// asksForReading finds a request to read a file, and its name.
	asksForReading = regexp.MustCompile(`(?i)` + clause + `(?:read|open|show|look (?:at|in|into))\b[^.!?\n]*?([\w./-]*\w\.[a-z]\w{0,5})\b`)

	// asksForWords finds a question, or a request for words alone: what a
	// user wants to know or to plan changes nothing.
	asksForWords = regexp.MustCompile(`(?i)^(?:how|what|why|which|who|where|when|is|are|does|do|did|should|explain|describe|suggest|propose|plan|tell)\b|\bhow (?:to|do|can|would|could|should)\b|\b(?:do not|don't|without|never) (?:change|chang|edit|writ|touch|run)(?:ing|e)? (?:anything|any|files?|it|yet)\b|\b(?:only|just) (?:explain|plan|tell|show|suggest)\b`)
)

// undone tells what an answer leaves undone of a request, in words for the
// user and the model; empty when it may be right as it is. It is silent in
// doubt: where somebody said no, or a command may have made the change.
func (t *turn) undone() string {
	if asksForWords.MatchString(strings.TrimSpace(t.asked)) || t.opts.Policy.Mode() == safety.ReadOnly {
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
			if item.Status == string(CallDenied) || item.Status == string(CallStopped) {
				return ""
			}
		}
	}
	switch {
	case mends.MatchString(t.asked), changes.MatchString(t.asked) && thing.MatchString(t.asked):
		if t.wrote() || ran && touchedSince(t.opts.Session.Cwd, t.started) {
			return ""
		}
		return "no file of the project was changed"
	case asksForRun.MatchString(t.asked):
		if !called {
			return "nothing was run"
		}
	case !ran:
		m := asksForReading.FindStringSubmatch(t.asked)
		if m != nil && !mentioned(t.opts.Session.Items, filepath.Base(m[1])) {
			return m[1] + " was not read"
		}
	}
	return ""
}

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
	touchedMost = 20_000                 // entries
	touchedSlop = 100 * time.Millisecond // by which the clock of a file system may lag
)

// touchedSince tells whether something in a folder was written, made or
// removed since a moment. A folder with too many entries may have been.
func touchedSince(root string, since time.Time) bool {
	since = since.Add(-touchedSlop)
	seen, touched := 0, false
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		seen++
		if err != nil || d.Name() == ".mm" && d.IsDir() {
			return skipped(d)
		}
		info, err := d.Info()
		if seen > touchedMost || err == nil && !info.ModTime().Before(since) {
			touched = true
			return fs.SkipAll
		}
		return nil
	})
	return touched
}

// skipped leaves out a folder, or an entry that cannot be read.
func skipped(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
