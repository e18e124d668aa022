package tools

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"mm/safety"
)

// listing shows a range of a file's lines, numbered, in a bounded text.
type listing struct {
	name string
	file *safety.File
	args readArgs
	room int // characters
}

const byteOrderMark = "\uFEFF"

func (l listing) text() (text string, cut bool, err error) {
	lines := fileLines(l.file.Data)
	total := len(lines)
	if total == 0 {
		return l.name + " is empty (0 lines)", false, nil
	}
	first, last := max(l.args.Start, 1), total
	if l.args.End > 0 {
		last = min(l.args.End, total)
	}
	if first > total {
		return "", false, fmt.Errorf("[error: %s has %d lines; start %d is behind its end]", l.name, total, first)
	}
	rows, shown := l.rows(lines, first, last)
	last = first + shown - 1
	of := fmt.Sprint(total)
	if !l.file.Whole() {
		of = "more than " + of
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, lines %d-%d of %s", l.name, first, last, of)
	if !utf8.Valid(l.file.Data) {
		b.WriteString(" (not UTF-8: bytes that cannot be read are shown as \uFFFD)")
	}
	b.WriteString(":\n" + rows)
	want := total
	if l.args.End > 0 {
		want = min(l.args.End, total)
	}
	if last < want || !l.file.Whole() && last == total {
		fmt.Fprintf(&b, "\n[not all is shown; go on with read_file start=%d]", last+1)
		cut = true
	}
	return b.String(), cut, nil
}

// fileLines splits a text as the model sees it: no byte order mark, no line
// breaks.
func fileLines(data []byte) []string {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(data) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// rows writes lines first to last, as many as there is room for, at least one.
func (l listing) rows(lines []string, first, last int) (text string, shown int) {
	var b strings.Builder
	room := l.room
	for n := first; n <= last; n++ {
		row := fmt.Sprintf("%d|%s", n, shortRow(strings.ToValidUTF8(lines[n-1], "\uFFFD")))
		room -= utf8.RuneCountInString(row) + 1
		if shown > 0 {
			if room < 0 {
				break
			}
			b.WriteByte('\n')
		}
		b.WriteString(row)
		shown++
	}
	return b.String(), shown
}

// shortRow bounds a line; what is left out is counted.
func shortRow(line string) string {
	if len(line) <= maxRow {
		return line
	}
	head := strings.ToValidUTF8(line[:maxRow], "")
	return fmt.Sprintf("%s [%s more bytes in this line]", head, thousands(int64(len(line)-len(head))))
}
