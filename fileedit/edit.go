// Package fileedit changes text by search and replace and describes the change
// as a diff. It is tolerant of the white space that small models get wrong and
// of nothing else. It knows nothing of tools, models or approval.
package fileedit

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

	// Line is the first matched line, counted from 1.
	Line int
}

// Result is a text with all edits applied.
type Result struct {
	Text    []byte
	Matches []Match // one per edit, in the order given
	Diff    FileDiff

	// Loose counts the edits that matched ignoring white space.
	Loose int
}

// Error is a refusal. Its text is written for the model: what was wrong, what
// the file holds, what to do next. Nothing was applied.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }
