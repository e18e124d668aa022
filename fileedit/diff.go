package fileedit

import (
	"bytes"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Op says what a line of a diff is.
type Op byte

// The kinds of lines.
const (
	Context Op = ' '
	Insert  Op = '+'
	Delete  Op = '-'
)

// Line is one line of a hunk, without its line break. Old and New are line
// numbers counted from 1, or 0 where the line has none on that side.
type Line struct {
	Op       Op
	Old, New int
	Text     string

	CR    bool // the line ends in CRLF
	NoEOL bool // the line ends with the file
}

// Hunk is a run of changed lines with some unchanged ones around it.
type Hunk struct{ Lines []Line }

// FileDiff is the change of one file.
type FileDiff struct {
	Path    string // as shown to the user
	Created bool   // the file did not exist
	Deleted bool
	Hunks   []Hunk

	Added, Removed int // lines

	// Warning says what the reader should know before the lines, as that
	// most of the file goes. Empty: nothing.
	Warning string
}

// context is how many unchanged lines stand around changed ones.
const context = 3

// Diff compares two contents of a file line by line. before is nil for a file
// that did not exist, after for one that is gone.
func Diff(path string, before, after []byte) FileDiff {
	a, b := splitLines(before), splitLines(after)
	var changes []change
	for _, d := range lcs.DiffLines(a, b) {
		changes = append(changes, change{at: d.Start, gone: d.End - d.Start, lines: b[d.ReplStart:d.ReplEnd]})
	}
	f := hunks(changes, len(a), func(i int) string { return a[i] })
	f.Path, f.Created, f.Deleted = path, before == nil, after == nil
	return f
}

// splitLines splits a text behind its newlines.
func splitLines(text []byte) []string {
	starts := lineStarts(text)
	lines := make([]string, len(starts))
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		lines[i] = string(text[at:end])
	}
	return lines
}

// change replaces lines of a file, gone of them from at on, by others.
type change struct {
	at, gone int
	lines    []string
}

// hunks builds a diff from changes in rising order. old returns one of the
// total lines of the file before, with its line break.
func hunks(changes []change, total int, old func(int) string) FileDiff {
	var f FileDiff
	var h *Hunk
	done, shift := 0, 0 // old lines written, new line number minus old
	keep := func(to int) {
		for ; done < to; done++ {
			h.Lines = append(h.Lines, newLine(Context, done+1, done+1+shift, old(done)))
		}
	}
	for _, c := range changes {
		if h == nil || c.at-done > 2*context {
			if h != nil {
				keep(done + context)
			}
			f.Hunks = append(f.Hunks, Hunk{})
			h = &f.Hunks[len(f.Hunks)-1]
			done = max(done, c.at-context)
		}
		keep(c.at)
		for ; done < c.at+c.gone; done++ {
			h.Lines = append(h.Lines, newLine(Delete, done+1, 0, old(done)))
		}
		for i, line := range c.lines {
			h.Lines = append(h.Lines, newLine(Insert, 0, c.at+shift+i+1, line))
		}
		shift += len(c.lines) - c.gone
		f.Added += len(c.lines)
		f.Removed += c.gone
	}
	if h != nil {
		keep(min(total, done+context))
	}
	return f
}

func newLine(op Op, old, fresh int, text string) Line {
	bare, ended := bytes.CutSuffix([]byte(text), []byte("\n"))
	l := Line{Op: op, Old: old, New: fresh, NoEOL: !ended}
	if ended {
		bare, l.CR = bytes.CutSuffix(bare, []byte("\r"))
	}
	l.Text = string(bare)
	return l
}

// maxBlock is how many lines of one edit are compared line by line; a larger
// one is shown as all out, all in.
const maxBlock = 5000

// diff describes the edits that were made. It looks at the changed lines and
// never at the whole file.
func (v *view) diff(sorted []splice, r Result) FileDiff {
	var changes []change
	for i := 0; i < len(sorted); {
		first, last := v.reach(sorted[i])
		start := r.Matches[sorted[i].edit]
		end := start
		for i++; i < len(sorted); i++ {
			f, l := v.reach(sorted[i])
			if f >= last {
				break
			}
			last = max(last, l)
			end = r.Matches[sorted[i].edit]
		}
		was := make([]string, last-first)
		for j := range was {
			was[j] = string(v.raw(first + j))
		}
		// The same bytes stand before and behind the edits on both sides.
		from := start.NewStart - (start.Start - v.rawStart(first))
		to := end.NewEnd + (v.original(v.lineEnd(last-1)) - end.End)
		changes = append(changes, compare(first, was, splitLines(r.Text[from:to]))...)
	}
	return hunks(changes, v.lines(), func(i int) string { return string(v.raw(i)) })
}

// reach returns the lines that an edit changes, the last one exclusive.
func (v *view) reach(s splice) (first, last int) {
	first = v.lineAt(s.start)
	last = v.lineAt(max(s.start, s.end-1)) + 1
	atLine := v.startsLine(s.end)
	stays := s.text == "" && v.startsLine(s.start) || len(s.text) > 0 && s.text[len(s.text)-1] == '\n'
	if atLine && !stays && last < v.lines() {
		last++ // the next line is joined to the replacement
	}
	return first, last
}

// compare returns the changes between two runs of lines that begin at line at.
func compare(at int, was, is []string) []change {
	if len(was)+len(is) > maxBlock {
		return []change{{at: at, gone: len(was), lines: is}}
	}
	var changes []change
	for _, d := range lcs.DiffLines(was, is) {
		changes = append(changes, change{at: at + d.Start, gone: d.End - d.Start, lines: is[d.ReplStart:d.ReplEnd]})
	}
	return changes
}
