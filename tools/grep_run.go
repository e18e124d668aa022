package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"mm/safety"
)

// grepRun is one search with one reading of the pattern.
type grepRun struct {
	files Files
	walk  walker
	grepTry
	include string

	lines   []string // of the result
	hits    int      // matching lines, shown or not
	matched int      // files with a match
	seen    int      // files searched
	skipped int      // files too large to be searched
}

func (t grepTool) Run(ctx context.Context, p Plan, _ Sink) Result {
	s := p.State.(grepState)
	info, err := t.Workspace.Stat(s.root)
	name := t.Workspace.Display(s.root.Real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Result{Text: t.missing(s.root, "List a folder with read_file to see what there is").Error(), Status: Failed}
	case err != nil:
		return Result{Text: unusable(name, err).Error(), Status: Failed}
	}
	var first *grepRun
	for _, try := range s.tries {
		run := &grepRun{files: t.Files, walk: walker{ws: t.Workspace}, grepTry: try, include: s.include}
		run.search(ctx, s.root, info.IsDir())
		switch {
		case ctx.Err() != nil:
			return Result{Text: "[grep was stopped]", Status: Stopped}
		case run.hits > 0:
			return run.result()
		case first == nil:
			first = run
		}
	}
	return first.nothing()
}

func (r *grepRun) search(ctx context.Context, root safety.Path, folder bool) {
	if !folder {
		f, err := r.files.Workspace.ReadFile(root, maxGrepFile+1)
		r.file(r.files.Workspace.Display(root.Real), f, err)
		return
	}
	r.walk.walk(ctx, root, func(e entryFound) bool {
		if e.kind.IsRegular() && r.included(e.name) {
			f, err := e.in.ReadFile(e.base, maxGrepFile+1)
			r.file(e.name, f, err)
		}
		return true
	})
}

// included matches the name of a file, or its path where the pattern has one.
func (r *grepRun) included(name string) bool {
	switch {
	case r.include == "":
		return true
	case strings.Contains(r.include, "/"):
		return doublestar.MatchUnvalidated(r.include, name)
	}
	return doublestar.MatchUnvalidated(r.include, path.Base(name))
}

// file searches one file. What cannot be read or is no text has no matches.
func (r *grepRun) file(name string, f *safety.File, err error) {
	switch {
	case err != nil:
		return
	case f.Size > maxGrepFile:
		r.skipped++
		return
	}
	r.seen++
	if bytes.IndexByte(f.Data[:min(len(f.Data), maxSniffed)], 0) >= 0 {
		return
	}
	found, number := 0, 0
	for line := range bytes.Lines(f.Data) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		at := r.re.FindIndex(line)
		if at == nil {
			continue
		}
		if found++; found <= maxGrepInFile && len(r.lines) < maxGrepLines {
			r.lines = append(r.lines, fmt.Sprintf("%s:%d: %s", oneLine(name), number, around(line, at[0])))
		}
	}
	r.hits += found
	if found > 0 {
		r.matched++
	}
	if found > maxGrepInFile && len(r.lines) < maxGrepLines {
		r.lines = append(r.lines, fmt.Sprintf("[%d more in %s]", found-maxGrepInFile, oneLine(name)))
	}
}

// around bounds a line to the part with the match.
func around(line []byte, at int) string {
	if len(line) > maxGrepWidth {
		start := max(0, min(at-maxGrepWidth/4, len(line)-maxGrepWidth))
		part := string(line[start : start+maxGrepWidth])
		line = []byte("…" + strings.ToValidUTF8(part, "") + "…")
	}
	text := strings.ToValidUTF8(string(line), string(utf8.RuneError))
	if strings.ContainsFunc(text, controls) {
		text = cleanLine(text)
	}
	return text
}

func (r *grepRun) result() Result {
	text, cut := bounded(r.lines, maxGrepLines, r.files.maxOutput()-maxNotes)
	total := fmt.Sprintf("[%s in %s; read_file with start shows the lines around]",
		count(r.hits, "matching line"), count(r.matched, "file"))
	if cut > 0 || len(r.lines) == maxGrepLines {
		cut = max(cut, 1)
		total = fmt.Sprintf("[%s in %s, not all are shown; give a narrower pattern, path or include]",
			count(r.hits, "matching line"), count(r.matched, "file"))
	}
	lines := append([]string{r.note, text, total}, r.notes()...)
	return Result{Text: joinNonEmpty(lines), Status: OK, Truncated: cut > 0 || r.walk.partial}
}

func (r *grepRun) notes() []string {
	notes := r.walk.notes()
	if r.skipped > 0 {
		notes = append(notes, fmt.Sprintf("[%s larger than %d MiB: not searched]", count(r.skipped, "file"), maxGrepFile>>20))
	}
	return notes
}

func (r *grepRun) nothing() Result {
	advice := "try a shorter word"
	switch {
	case r.seen == 0 && r.include != "":
		advice = fmt.Sprintf("no file is named like include %s; leave it out or give one like *.go", shown(r.include))
	case r.include != "":
		advice += ", or leave out include"
	}
	text := fmt.Sprintf("[no match in %s; %s]", count(r.seen, "file"), advice)
	return Result{Text: joinNonEmpty(append([]string{text}, r.notes()...)), Status: OK, Truncated: r.walk.partial}
}
