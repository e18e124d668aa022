// Package markdown draws Markdown that arrives in pieces. A Scanner cuts the
// text into blocks, a Renderer draws one block at one width, and a Stream
// joins the two so that drawing costs in proportion to what is new. It knows
// nothing of conversations or panes.
package markdown

// Kind is what a block is.
type Kind int

// The kinds of blocks. A list is not one of them: each of its items is, so
// that a long list settles item by item.
const (
	Paragraph Kind = iota
	Heading
	Fence // code, fenced or indented
	Table
	Quote
	Rule
)

// Block is the unit of layout: it is drawn as a whole and on its own.
type Block struct {
	Kind Kind

	// Src is the source without the indentation and the marker of the list
	// item that it stands in. Of a fence it is the code alone.
	Src  string
	Lang string // the info string of a fence

	// Indent is the distance from the left edge in cells. Marker, when not
	// empty, is drawn inside of it, left of the first row. Mark is the same
	// as it was written: "- ", "2) ", "* [x] ".
	Indent int
	Marker string
	Mark   string

	// Gap is true when an empty row belongs above the block.
	Gap bool
}
