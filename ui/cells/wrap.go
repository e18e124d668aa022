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

// WrapColumns is Wrap for text in columns with two blanks or more between them:
// what is wrapped goes on below the last column that begins in the left half.
func WrapColumns(text string, w int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		line = Expand(line)
		at := 0
		for i := 2; i < len(line) && Width(line[:i]) <= w/2; i++ {
			if line[i-2:i] == "  " && line[i] != ' ' {
				at = i
			}
		}
		if Width(line) <= w {
			at = 0
		}
		before := line[:at]
		for _, r := range Wrap(line[at:], w-Width(before)) {
			rows = append(rows, before+r)
			before = Spaces(Width(before))
		}
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

// WrapStyled is Wrap for one row that holds SGR sequences. Each row opens the
// style in force and closes it again.
func WrapStyled(s string, w int) []string {
	if strings.IndexByte(s, ansi.ESC) < 0 {
		return wrapLine(nil, s, max(w, 1))
	}
	if Width(s) <= w {
		return []string{s}
	}
	text, marks := unstyle(s)
	var rows []string
	var style strings.Builder
	next := 0
	for _, r := range breaks(text, max(w, 1)) {
		for next < len(marks) && marks[next].at <= r.start {
			track(&style, marks[next].seq)
			next++
		}
		var row strings.Builder
		row.WriteString(style.String())
		at := r.start
		for next < len(marks) && marks[next].at < r.end {
			row.WriteString(text[at:marks[next].at] + marks[next].seq)
			at = marks[next].at
			track(&style, marks[next].seq)
			next++
		}
		row.WriteString(text[at:r.end])
		if strings.IndexByte(row.String(), ansi.ESC) >= 0 {
			row.WriteString(ansi.ResetStyle)
		}
		rows = append(rows, row.String())
	}
	return rows
}

// styleMark is an SGR sequence before the byte at of a plain text.
type styleMark struct {
	at  int
	seq string
}

// unstyle takes the escape sequences out of a row.
func unstyle(s string) (string, []styleMark) {
	var text strings.Builder
	var marks []styleMark
	for len(s) > 0 {
		i := strings.IndexByte(s, ansi.ESC)
		if i < 0 {
			text.WriteString(s)
			break
		}
		text.WriteString(s[:i])
		n := sequence(s[i:])
		marks = append(marks, styleMark{text.Len(), s[i : i+n]})
		s = s[i+n:]
	}
	return text.String(), marks
}

// wrapLine appends the rows of one line.
func wrapLine(rows []string, line string, w int) []string {
	if len(line) <= w || Width(line) <= w {
		return append(rows, strings.TrimRight(line, " "))
	}
	for _, r := range breaks(line, w) {
		rows = append(rows, line[r.start:r.end])
	}
	return rows
}

// extent is a row of a line, in bytes.
type extent struct{ start, end int }

// breaks finds the rows of a line: it may be broken at blanks and beside wide
// characters, and is broken anywhere when a row has neither.
func breaks(line string, w int) []extent {
	var rows []extent
	start, col := 0, 0      // of the row being filled
	breakAt, resume := 0, 0 // the last place to break it: its end, the next start
	words, wide := false, false
	for i := 0; i < len(line); {
		n, cw := cluster(line[i:])
		blank := line[i] == ' '
		if words && !blank && (cw > 1 || wide) {
			breakAt, resume = i, i
		}
		if col+cw > w && i > start {
			if blank || breakAt <= start {
				breakAt, resume = i, i
			}
			rows = append(rows, trimmed(line, start, breakAt))
			for resume < len(line) && line[resume] == ' ' {
				resume++
			}
			start, i, col, breakAt = resume, resume, 0, resume
			words, wide = false, false
			continue
		}
		switch {
		case !blank:
			words, wide = true, cw > 1
		case words:
			if line[i-1] != ' ' {
				breakAt = i
			}
			resume, wide = i+1, false
		}
		i += n
		col += cw
	}
	if start < len(line) {
		rows = append(rows, trimmed(line, start, len(line)))
	}
	return rows
}

// trimmed is the extent without blanks at its end.
func trimmed(line string, start, end int) extent {
	return extent{start, start + len(strings.TrimRight(line[start:end], " "))}
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
