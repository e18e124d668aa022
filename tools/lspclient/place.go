package lspclient

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// column converts a byte offset in a line to the unit of a session: bytes, or
// the 16-bit units in which the protocol counts by default.
func column(line string, offset int, utf8Units bool) int {
	offset = min(offset, len(line))
	if utf8Units {
		return offset
	}
	units := 0
	for _, r := range line[:offset] {
		units += runeUnits(r)
	}
	return units
}

// offset converts a column of a session to a byte offset in the line. One
// behind the end is the end, one inside of a letter its start.
func offset(line string, column int, utf8Units bool) int {
	if utf8Units {
		n := max(0, min(column, len(line)))
		for n > 0 && n < len(line) && !utf8.RuneStart(line[n]) {
			n--
		}
		return n
	}
	units := 0
	for i, r := range line {
		if units += runeUnits(r); units > column {
			return i
		}
	}
	return len(line)
}

// runeUnits is how many 16-bit units a rune takes.
func runeUnits(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// splitLines splits a text as the protocol does.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// wordAt finds a name in a line as a whole word and returns its byte offset,
// or -1.
func wordAt(line, name string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		after, _ := utf8.DecodeRuneInString(line[i+len(name):])
		if (i == 0 || !isName(before)) && (i+len(name) == len(line) || !isName(after)) {
			return i
		}
		from = i + len(name)
	}
}

// isName tells the runes that names in programs are made of.
func isName(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Names lists the names in a line, each once.
func Names(line string) []string {
	var names []string
	seen := map[string]bool{}
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !isName(r) }) {
		first, _ := utf8.DecodeRuneInString(word)
		if !unicode.IsDigit(first) && !seen[word] {
			seen[word] = true
			names = append(names, word)
		}
	}
	return names
}

// spot is where a name stands: line from 0, and byte offset in it.
type spot struct{ line, offset int }

// locate finds a name in a text: the occurrence nearest to line, which counts
// from 1 and may be 0. A dotted name is found by its whole and by its last
// part.
func locate(lines []string, name string, line int) (spot, bool) {
	name = strings.TrimFunc(name, func(r rune) bool { return !isName(r) })
	if open := strings.IndexAny(name, "([{< "); open > 0 {
		name = name[:open]
	}
	last := name[strings.LastIndexFunc(name, func(r rune) bool { return !isName(r) })+1:]
	if last == "" {
		return spot{}, false
	}
	for _, n := range []string{name, last} {
		best, found := spot{}, false
		for i, text := range lines {
			if found && distance(i, line-1) >= distance(best.line, line-1) {
				continue
			}
			if at := wordAt(text, n); at >= 0 {
				best, found = spot{i, at + len(n) - len(last)}, true
			}
		}
		if found {
			return best, true
		}
	}
	return spot{}, false
}

func distance(a, b int) int { return max(a-b, b-a) }
