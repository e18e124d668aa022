package markdown

import (
	"regexp"
	"strconv"
	"strings"
)

// unindent returns the column at which the text of a line begins, and the
// text without white space at its ends. Two blanks at the end, a hard break,
// need not be kept: every line break is.
func unindent(l string) (int, string) {
	col := 0
	for i := range len(l) {
		switch l[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col, strings.TrimRight(l[i:], " \t\r")
		}
	}
	return col, ""
}

// mark is a list marker with the text behind it.
type mark struct {
	written string // "- ", "2) "
	ordered bool
	number  int
	rest    string
}

var orderedMarker = regexp.MustCompile(`^(\d{1,9})[.)](?:[ \t]+|$)`)

// parseMarker reads the marker of a list item.
func parseMarker(s string) (mark, bool) {
	if s[0] == '-' || s[0] == '*' || s[0] == '+' {
		if len(s) == 1 {
			return mark{written: s}, true
		}
		if s[1] == ' ' || s[1] == '\t' {
			return mark{written: s[:1] + " ", rest: strings.TrimLeft(s[2:], " \t")}, true
		}
		return mark{}, false
	}
	if s[0] < '0' || s[0] > '9' {
		return mark{}, false
	}
	m := orderedMarker.FindStringSubmatch(s)
	if m == nil {
		return mark{}, false
	}
	n, _ := strconv.Atoi(m[1]) // at most nine digits
	return mark{written: s[:len(m[1])+1] + " ", ordered: true, number: n, rest: s[len(m[0]):]}, true
}

// checkbox reads the box of a task item.
func checkbox(s string) (string, bool) {
	switch {
	case len(s) < 5 || s[0] != '[' || s[2:4] != "] ":
		return "", false
	case s[1] == ' ':
		return "☐ ", true
	case s[1] == 'x' || s[1] == 'X':
		return "☑ ", true
	}
	return "", false
}

// parseFence reads the first line of a fence.
func parseFence(s string) (f fence, info string, ok bool) {
	if s[0] != '`' && s[0] != '~' {
		return fence{}, "", false
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	info = strings.TrimSpace(s[n:])
	if n < 3 || s[0] == '`' && strings.Contains(info, "`") {
		return fence{}, "", false
	}
	return fence{char: s[0], length: n}, info, true
}

var headingMarks = regexp.MustCompile(`^#{1,6}(?:[ \t]|$)`)

func isHeading(s string) bool { return s[0] == '#' && headingMarks.MatchString(s) }

// isRule reports whether s is a thematic break.
func isRule(s string) bool {
	if s[0] != '-' && s[0] != '*' && s[0] != '_' {
		return false
	}
	bare := strings.NewReplacer(" ", "", "\t", "").Replace(s)
	return len(bare) >= 3 && strings.Trim(bare, s[:1]) == ""
}

// isUnderline reports whether s makes the paragraph above a heading.
func isUnderline(s string) bool {
	return (s[0] == '=' || s[0] == '-') && len(s) >= 2 && strings.Trim(s, s[:1]) == ""
}

func underlineLevel(s string) int {
	if s[0] == '=' {
		return 1
	}
	return 2
}

// isDelimiterRow reports whether s is the row below a table's head.
func isDelimiterRow(s string) bool {
	return strings.ContainsRune(s, '-') && strings.ContainsRune(s, '|') &&
		strings.Trim(s, "|-: \t") == ""
}

// starts reports whether s begins a block that interrupts a paragraph.
func starts(s string) bool {
	if _, _, ok := parseFence(s); ok {
		return true
	}
	return isHeading(s) || isRule(s) || s[0] == '>'
}
