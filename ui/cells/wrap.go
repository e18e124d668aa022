package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks plain text into rows of at most w cells, at blanks where it can
// and inside words where it must. Tabs are expanded, leading blanks kept, the
// blanks at a break dropped. An empty text is one empty row.
func Wrap(text string, w int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		rows = wrapLine(rows, Expand(line), max(w, 1))
	}
	return rows
}

// Chop breaks plain text into rows of at most w cells without regard to words,
// as a terminal does. It suits program output and code.
func Chop(text string, w int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, Hard(Expand(line), max(w, 1))...)
	}
	return rows
}

// wrapLine appends the rows of one line.
func wrapLine(rows []string, line string, w int) []string {
	if len(line) <= w || Width(line) <= w {
		return append(rows, strings.TrimRight(line, " "))
	}
	start, col := 0, 0      // of the row being filled
	breakAt, resume := 0, 0 // the last blank run in it: its start and its end
	words := false          // it holds more than blanks
	for i := 0; i < len(line); {
		n, cw := cluster(line[i:])
		if col+cw > w && i > start {
			switch {
			case line[i] == ' ':
				breakAt, resume = i, i
			case breakAt <= start:
				breakAt, resume = i, i
			}
			rows = append(rows, strings.TrimRight(line[start:breakAt], " "))
			start = resume
			for start < len(line) && line[start] == ' ' {
				start++
			}
			i, col, breakAt, words = start, 0, start, false
			continue
		}
		switch {
		case line[i] != ' ':
			words = true
		case words:
			if line[i-1] != ' ' {
				breakAt = i
			}
			resume = i + 1
		}
		i += n
		col += cw
	}
	if start < len(line) {
		rows = append(rows, strings.TrimRight(line[start:], " "))
	}
	return rows
}

// cluster returns the bytes and cells of the first grapheme cluster of s.
func cluster(s string) (n, w int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		if s[0] < ' ' || s[0] == 0x7f {
			return 1, 0
		}
		return 1, 1
	}
	c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(len(c), 1), w
}

// Hard breaks one row, which may hold SGR sequences, into rows of at most w
// cells. Each row opens the style in force and closes it again.
func Hard(s string, w int) []string {
	if len(s) <= w || Width(s) <= w {
		return []string{s}
	}
	w = max(w, 1)
	var rows []string
	var row, style strings.Builder
	col := 0
	flush := func() {
		if style.Len() > 0 {
			row.WriteString(ansi.ResetStyle)
		}
		rows = append(rows, row.String())
		row.Reset()
		row.WriteString(style.String())
		col = 0
	}
	for len(s) > 0 {
		if s[0] == ansi.ESC {
			n := sequence(s)
			track(&style, s[:n])
			row.WriteString(s[:n])
			s = s[n:]
			continue
		}
		n, cw := cluster(s)
		if col+cw > w && col > 0 {
			flush()
		}
		if cw > w {
			row.WriteString("?")
			cw = 1
		} else {
			row.WriteString(s[:n])
		}
		col += cw
		s = s[n:]
	}
	return append(rows, row.String())
}

// sequence returns the length of the escape sequence at the start of s.
func sequence(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	return max(n, 1)
}

// track keeps the SGR sequences since the last reset.
func track(style *strings.Builder, seq string) {
	switch {
	case seq == ansi.ResetStyle || seq == "\x1b[0m":
		style.Reset()
	case strings.HasSuffix(seq, "m"):
		style.WriteString(seq)
	}
}
