package fileedit

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
}
