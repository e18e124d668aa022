// Package clean makes foreign text fit for a terminal. Its type Text is the
// only kind of string that the screen's widgets accept, so that a raw string
// from a model, a tool, a file or the network does not compile.
//
// Four ways lead to a Text. Block and Stream are for what is read: they drop
// what could harm and keep the rest. Line is for names, titles and errors that
// must stay on one line. Visible is for dialogs, where nothing may be dropped:
// it writes out what would be invisible. Source is for code in a diff.
//
// A Text is safe as it stands. A renderer that decodes it once more, as
// Markdown decodes "&#27;", must clean what comes out of that.
package clean

import (
	"fmt"
	"strings"
)

// Limits of what one Text holds. They only stop floods: outputs are bounded
// before they get here, and an answer is far below them.
const (
	MaxMarks = 4        // combining marks on one letter
	MaxRow   = 64 << 10 // runes of one line in a Block or Stream
	MaxTotal = 4 << 20  // bytes of a Block or Stream
	MaxLine  = 1 << 10  // runes of a Line
)

// cutMark stands where a limit cut the text.
const cutMark = "…"

// Text is text without control characters, escape sequences, bidirectional
// overrides or other runes that change more of the screen than their own
// cells. It may hold newlines and tabs unless made by Line.
type Text struct{ s string }

// constant is a string that only a constant of the program converts to: a
// variable of type string is not assignable to it.
type constant string

// Trusted takes a constant of our own program as it is. A string that was
// computed or read does not compile here; it goes through Line or Block.
func Trusted(s constant) Text { return Text{string(s)} }

// Block cleans text of any number of lines. Newlines and tabs stay; a carriage
// return is a line break, so that nothing is overprinted.
func Block(s string) Text {
	var b Stream
	t := b.Write(s)
	return Text{t.s + b.Flush().s}
}

// Unbounded cleans text as Block does, however long its lines are and the whole
// is. It is for what is bounded elsewhere.
func Unbounded(s string) Text {
	b := Stream{unbounded: true}
	t := b.Write(s)
	return Text{t.s + b.Flush().s}
}

// Line cleans text that must stay on one line: a run of line breaks becomes
// one "⏎", a tab a space, and line breaks at the ends go.
func Line(s string) Text {
	const most = 4 * (MaxLine + 1) // bytes of that many runes
	cut := len(s) > most
	if cut {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return foldLine(Block(s).s, cut)
}

// foldLine puts cleaned text on one line of at most MaxLine runes.
func foldLine(s string, cut bool) Text {
	s = strings.Trim(s, "\n")
	var b strings.Builder
	runes, broken := 0, false
	for _, r := range s {
		if r == '\n' && broken {
			continue
		}
		if runes++; runes > MaxLine {
			cut = true
			break
		}
		broken = r == '\n'
		switch r {
		case '\n':
			b.WriteRune(lineBreak)
		case '\t':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	if cut {
		b.WriteString(cutMark)
	}
	return Text{b.String()}
}

// Linef formats and cleans the result as Line does, arguments and all.
func Linef(format string, args ...any) Text { return Line(fmt.Sprintf(format, args...)) }
