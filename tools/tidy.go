package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mm/safety/clean"
)

const (
	// binarySample is how much of each end is looked at to tell text from
	// other bytes.
	binarySample = 64 << 10

	// binaryShare is the part of bytes that are no text, in percent, from
	// which an output is named and not shown.
	binaryShare = 30
)

// tidy makes the output of a command fit to be read: valid UTF-8 without NUL,
// control characters and escape sequences; progress that was drawn over itself
// is folded to its last state. note says what a reader has to know of it, "" if
// nothing; binary output has only a note.
func tidy(head, tail []byte, size int64) (first, last, note string) {
	nul, other := foreign(head, tail)
	sample := min(len(head), binarySample) + min(len(tail), binarySample)
	switch {
	case nul+other == 0:
	case (nul+other)*100 > sample*binaryShare:
		return "", "", fmt.Sprintf("[binary output, %s bytes: not shown; use file, strings or xxd with head]",
			thousands(size))
	case nul > 0:
		note = fmt.Sprintf("[binary output, %s bytes: what is not text is shown as %c]",
			thousands(size), utf8.RuneError)
	default:
		note = fmt.Sprintf("[the output is not UTF-8: what is not text is shown as %c]", utf8.RuneError)
	}
	return readable(head), readable(tail), note
}

// foreign counts, in samples of both ends, NUL bytes and bytes that are no
// text in any terminal.
func foreign(head, tail []byte) (nul, other int) {
	for _, b := range [][]byte{head[:min(len(head), binarySample)], tail[max(0, len(tail)-binarySample):]} {
		for len(b) > 0 {
			r, n := utf8.DecodeRune(b)
			switch {
			case r == 0:
				nul++
			case r == utf8.RuneError && n == 1 && utf8.FullRune(b):
				other++
			case r < ' ' && !strings.ContainsRune("\a\b\t\n\v\f\r\x0e\x0f\x1b", r):
				other++
			}
			b = b[n:]
		}
	}
	return nul, other
}

func readable(b []byte) string {
	s := strings.ToValidUTF8(string(b), string(utf8.RuneError))
	if !strings.ContainsFunc(s, controls) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for line := range strings.Lines(s) {
		text, ended := strings.CutSuffix(line, "\n")
		if strings.ContainsFunc(text, controls) {
			text = cleanLine(text)
		}
		out.WriteString(text)
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// controls tells the runes that do something on a terminal.
func controls(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}

// cleanLine gives the last state of a line that was drawn over itself by
// carriage returns and backspaces, without escape sequences.
func cleanLine(line string) string {
	line = strings.TrimRight(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	line = strings.ReplaceAll(line, "\x00", string(utf8.RuneError))
	line = overstrike(line)
	return strings.ReplaceAll(clean.Unbounded(line).String(), "\n", " ")
}

// overstrike applies backspaces, with which manual pages make bold letters.
func overstrike(s string) string {
	if !strings.Contains(s, "\b") {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r != '\b' {
			out = utf8.AppendRune(out, r)
			continue
		}
		_, n := utf8.DecodeLastRune(out)
		out = out[:len(out)-n]
	}
	return string(out)
}
