package tools

import (
	"bytes"
	"iter"
	"regexp/syntax"
	"strings"
)

// literal is a text that every match of an expression holds. Looking for it is
// a hundred times faster than the expression itself.
type literal struct {
	text []byte // empty: there is none
	fold bool   // in any letter case; text is in lower case
}

// literalOf finds the longest literal that an expression cannot match without.
func literalOf(expr string) literal {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return literal{}
	}
	return longest(re.Simplify())
}

func longest(re *syntax.Regexp) literal {
	switch re.Op {
	case syntax.OpLiteral:
		fold := re.Flags&syntax.FoldCase != 0
		text := string(re.Rune)
		if fold {
			if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }) {
				return literal{}
			}
			text = strings.ToLower(text)
		}
		return literal{[]byte(text), fold}
	case syntax.OpCapture, syntax.OpPlus:
		return longest(re.Sub[0])
	case syntax.OpConcat:
		var best literal
		for _, sub := range re.Sub {
			if l := longest(sub); len(l.text) > len(best.text) {
				best = l
			}
		}
		return best
	}
	return literal{}
}

// Letters beyond ASCII that equal k and s in any letter case.
var foldedLetters = [][]byte{[]byte("\u212a"), []byte("\u017f")}

// candidates yields the lines that may match, with their numbers from 1 and
// without line breaks.
func (t grepTry) candidates(data []byte) iter.Seq2[int, []byte] {
	search, want := data, t.literal.text
	if t.literal.fold {
		for _, letter := range foldedLetters {
			if bytes.Contains(data, letter) {
				want = nil
			}
		}
		if want != nil {
			search = lowerASCII(data)
		}
	}
	return func(yield func(int, []byte) bool) {
		number := 1
		for at := 0; at < len(data); {
			if len(want) > 0 {
				i := bytes.Index(search[at:], want)
				if i < 0 {
					return
				}
				start := at + bytes.LastIndexByte(data[at:at+i], '\n') + 1
				number += bytes.Count(data[at:start], []byte("\n"))
				at = start
			}
			line, _, _ := bytes.Cut(data[at:], []byte("\n"))
			if !yield(number, bytes.TrimRight(line, "\r")) {
				return
			}
			at += len(line) + 1
			number++
		}
	}
}

// lowerASCII returns a copy in which the letters A to Z are small; all bytes
// keep their places.
func lowerASCII(data []byte) []byte {
	out := make([]byte, len(data))
	for i, c := range data {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		out[i] = c
	}
	return out
}
