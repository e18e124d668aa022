// Package fileedit changes text by search and replace and describes the change
// as a diff. It is tolerant of the white space that small models get wrong and
// of nothing else. It knows nothing of tools, models or approval.
package fileedit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Edit replaces one occurrence of Old by New. Old must be found exactly once.
type Edit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Pass says how an edit was matched, from the strictest to the loosest.
type Pass int

// The passes, in the order in which they are tried.
const (
	Exact  Pass = iota + 1 // byte for byte
	Edges                  // blank edge lines, a single line's indentation
	Indent                 // indentation and trailing blanks, line by line
)

// Match says where an edit was found in the original text.
type Match struct {
	Pass Pass

	// Start and End are byte offsets into the original file.
	Start, End int

	// NewStart and NewEnd are the offsets of the replacement in the result.
	NewStart, NewEnd int

	// Line is the first matched line, counted from 1.
	Line int

	// Numbered is true when line numbers, pasted from a listing of the file,
	// were taken off Old and New.
	Numbered bool
}

// loose reports whether anything but an exact match was needed.
func (m Match) loose() bool { return m.Pass != Exact || m.Numbered }

// Result is a text with all edits applied.
type Result struct {
	Text    []byte
	Matches []Match // one per edit, in the order given
	Diff    FileDiff

	// Loose counts the edits that matched ignoring white space.
	Loose int
}

// Options say how the answer speaks of the file.
type Options struct {
	Path string // as the model named it
}

// Error is a refusal. Its text is written for the model: what was wrong, what
// the file holds, what to do next. Nothing was applied.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// maxFailures is how many failing edits are looked into: each takes a search for
// the nearest lines, and a model corrects a few at a time.
const maxFailures = 5

// Apply makes all edits or none. Each is resolved against src, so that no edit
// sees another's result. Bytes outside of the matches are kept as they are,
// whatever their encoding and line ending. An error is an *Error.
//
// It takes time and memory linear in src, for each edit.
func Apply(src []byte, edits []Edit, opts Options) (Result, error) {
	switch {
	case len(edits) == 0:
		return Result{}, refuse("%s: edits is empty. Send at least one {\"old\": ..., \"new\": ...}.", opts.Path)
	case bytes.IndexByte(src, 0) >= 0:
		return Result{}, refuse("%s is a binary file (it holds NUL bytes): it cannot be edited as text.", opts.Path)
	}
	v := newView(src)
	placed := make([]splice, 0, len(edits))
	var refusals []string // of the edits looked at
	failed := 0
	for i, e := range edits {
		s, refusal := v.place(e)
		s.edit = i
		placed, refusals = append(placed, s), append(refusals, refusal)
		if refusal != "" {
			failed++
		}
		if failed == maxFailures {
			break
		}
	}
	if failed > 0 {
		return Result{}, &Error{failures(opts.Path, len(edits), placed, refusals)}
	}
	slices.SortStableFunc(placed, func(a, b splice) int { return a.start - b.start })
	if text := overlaps(placed); text != "" {
		return Result{}, refuse("%s: nothing was written. %s", opts.Path, text)
	}
	r := v.splice(placed)
	if bytes.Equal(r.Text, src) {
		return Result{}, refuse("%s: no change: the edits leave the file as it is.", opts.Path)
	}
	r.Diff.Path = opts.Path
	return r, nil
}

func refuse(format string, args ...any) *Error { return &Error{fmt.Sprintf(format, args...)} }

// splice is an edit with its place in the view's norm text.
type splice struct {
	edit       int
	start, end int
	text       string // with LF line breaks

	pass     Pass
	line     int // first matched line, from 0
	numbered bool

	// lead is 1 when start was moved back over a newline, since whole lines
	// at the end of a file without a final newline are deleted.
	lead int
}

// overlaps names two edits that cover the same bytes. Touching is allowed.
func overlaps(sorted []splice) string {
	for i := 1; i < len(sorted); i++ {
		a, b := &sorted[i-1], &sorted[i]
		if b.start < a.end && b.start+b.lead >= a.end {
			b.start = a.end // the newline between them is gone already
		}
		if b.start < a.end {
			first, second := min(a.edit, b.edit)+1, max(a.edit, b.edit)+1
			return fmt.Sprintf("Edits %d and %d overlap: both change line %d. "+
				"Put what they change into one edit.", first, second, b.line+1)
		}
	}
	return ""
}

// splice builds the new text and its diff.
func (v *view) splice(sorted []splice) Result {
	r := Result{Matches: make([]Match, len(sorted))}
	size := len(v.src)
	for _, s := range sorted {
		size += 2*len(s.text) + 1
	}
	out := make([]byte, 0, size)
	at := 0
	for _, s := range sorted {
		from, to := v.original(s.start), v.original(s.end)
		out = append(out, v.src[at:from]...)
		m := Match{Pass: s.pass, Start: from, End: to, NewStart: len(out), Line: s.line + 1, Numbered: s.numbered}
		out = append(out, strings.ReplaceAll(s.text, "\n", v.ending(s))...)
		m.NewEnd = len(out)
		at = to
		r.Matches[s.edit] = m
		if m.loose() {
			r.Loose++
		}
	}
	r.Text = append(out, v.src[at:]...)
	r.Diff = v.diff(sorted, r)
	return r
}
