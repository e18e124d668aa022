// Package cells lays text out in terminal cells. All of the screen measures
// with it, so that every row comes out exactly as wide as its pane. It knows
// nothing of colours; strings with SGR sequences pass through unharmed.
package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// TabWidth is the distance of tab stops, in cells.
const TabWidth = 4

// Ellipsis stands where Fit and Clip cut a row.
const Ellipsis = "…"

// Width returns the width of one row in cells; SGR sequences count nothing.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Spaces returns n blanks, none when n is negative.
func Spaces(n int) string {
	const blanks = "                                                                "
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Fit makes a row exactly w cells wide: padded, or cut with an ellipsis.
func Fit(s string, w int) string {
	s = Clip(s, w)
	return s + Spaces(w-Width(s))
}

// Clip cuts a row that is wider than w cells, with an ellipsis.
func Clip(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w || Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, Ellipsis)
}

// Right makes a row of w cells from two ends. The left end gives way first.
func Right(left, right string, w int) string {
	rw := Width(right)
	if rw == 0 {
		return Fit(left, w)
	}
	if rw >= w {
		return Fit(right, w)
	}
	return Fit(left, w-rw-1) + " " + right
}

// Expand replaces tabs by blanks up to the next tab stop. s is one line of
// plain text.
func Expand(s string) string { return ExpandAt(s, 0) }

// ExpandAt is Expand for a piece of a line that begins at a column.
func ExpandAt(s string, col int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := TabWidth - col%TabWidth
			b.WriteString(Spaces(n))
			col += n
		}
		b.WriteString(part)
		col += Width(part)
	}
	return b.String()
}

// Pad fits all rows to w and fills up, or cuts, to h rows.
func Pad(rows []string, w, h int) []string {
	if h < 0 {
		h = 0
	}
	out := make([]string, 0, h)
	for _, r := range rows[:min(len(rows), h)] {
		out = append(out, Fit(r, w))
	}
	for len(out) < h {
		out = append(out, Spaces(w))
	}
	return out
}
