// Package clean makes foreign text fit for a terminal. Its type Text is the
// only kind of string that the screen's widgets accept, so that a raw string
// from a model, a tool, a file or the network does not compile.
package clean

// Text is text without control characters, escape sequences, bidirectional
// overrides or other runes that change more of the screen than their own
// cells. It may hold newlines and tabs unless made by Line.
type Text struct{ s string }

// String returns the text for drawing.
func (t Text) String() string { return t.s }
