// Package diffview draws the change of a file: line numbers, signs, colours
// for lines and for the words that changed in them, and the syntax of the
// language. It is given clean text and knows nothing of tools or calls.
package diffview

import (
	"fmt"
	"strconv"
	"strings"

	"mm/fileedit"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/highlight"
	"mm/ui/style"
)

// SplitWidth is the width in cells from which both sides stand side by side.
const SplitWidth = 100

// narrow is the width in cells below which one column of numbers must do.
const narrow = 60

// Rows draws a change in rows of exactly w cells, side by side where w allows
// it and there are two sides. All text in f must be clean.
func Rows(sheet *style.Sheet, f fileedit.FileDiff, w int) []string {
	v := view{sheet: sheet, w: w, digits: digits(f)}
	language := ""
	if size(f) <= highlight.MaxSource {
		language = highlight.ForFile(f.Path)
	}
	if f.Warning != "" {
		for _, r := range cells.Wrap("! "+f.Warning, w) {
			v.rows = append(v.rows, cells.Fit(sheet.Paint(themes.Warn, r), w))
		}
	}
	for i, h := range f.Hunks {
		if i > 0 {
			v.rows = append(v.rows, cells.Fit(sheet.Paint(themes.Faint, cells.Spaces(v.digits)+"⋯"), w))
		}
		lines := prepare(h, language)
		if w >= SplitWidth && !oneSided(f) {
			v.split(lines)
		} else {
			v.unified(lines)
		}
	}
	return v.rows
}

// Stat sums a change up: "+4 −2".
func Stat(sheet *style.Sheet, added, removed int) string {
	return sheet.Paint(themes.OK, fmt.Sprintf("+%d", added)) + " " + sheet.Paint(themes.Error, fmt.Sprintf("−%d", removed))
}

// oneSided reports whether a file appears or goes as a whole.
func oneSided(f fileedit.FileDiff) bool {
	oldLines, newLines := 0, 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != fileedit.Insert {
				oldLines++
			}
			if l.Op != fileedit.Delete {
				newLines++
			}
		}
	}
	return oldLines == 0 || newLines == 0
}

func size(f fileedit.FileDiff) int {
	n := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			n += len(l.Text)
		}
	}
	return n
}

// digits is the width of a column of line numbers.
func digits(f fileedit.FileDiff) int {
	most := 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			most = max(most, l.Old, l.New)
		}
	}
	return max(len(strconv.Itoa(most)), 3)
}

// line is a line of a hunk with what is drawn of it.
type line struct {
	fileedit.Line
	spans   []highlight.Span
	changed []change // where it differs from its partner
	tail    string
}

// prepare colours both sides of a hunk and pairs the lines that replace each
// other.
func prepare(h fileedit.Hunk, language string) []line {
	lines := make([]line, len(h.Lines))
	var oldCode, newCode []string
	for i, l := range h.Lines {
		lines[i].Line = l
		if l.Op != fileedit.Insert {
			oldCode = append(oldCode, l.Text)
		}
		if l.Op != fileedit.Delete {
			newCode = append(newCode, l.Text)
		}
	}
	// A final newline would be taken for the end of the last line.
	oldSpans := highlight.Lines(strings.Join(oldCode, "\n")+"\n", language)
	newSpans := highlight.Lines(strings.Join(newCode, "\n")+"\n", language)
	o, n := 0, 0
	for i := range lines {
		switch lines[i].Op {
		case fileedit.Delete:
			lines[i].spans = oldSpans[o]
			o++
		case fileedit.Insert:
			lines[i].spans = newSpans[n]
			n++
		default:
			lines[i].spans = newSpans[n]
			o++
			n++
		}
	}
	pair(lines)
	endings(lines)
	return lines
}

// endings marks what stands at the ends of lines where it is part of the
// change: carriage returns that come or go, a last line without line break.
func endings(lines []line) {
	with, without := false, false
	for _, l := range lines {
		if l.Op != fileedit.Context {
			with, without = with || l.CR, without || !l.CR
		}
	}
	for i := range lines {
		l := &lines[i]
		if with && without && l.CR && l.Op != fileedit.Context {
			l.tail = "␍"
		}
		if l.NoEOL && l.Op != fileedit.Context {
			l.tail += "  (no line break)"
		}
	}
}

// pair finds the changed words in runs of deleted lines that are followed by
// inserted ones, each with the one beside it.
func pair(lines []line) {
	for i := 0; i < len(lines); {
		d := run(lines[i:], fileedit.Delete)
		n := run(lines[i+d:], fileedit.Insert)
		for k := range min(d, n) {
			a, b := &lines[i+k], &lines[i+d+k]
			if ca, cb, ok := compare(a.Text, b.Text); ok {
				a.changed, b.changed = ca, cb
			}
		}
		i += max(d+n, 1)
	}
}

// run counts the lines at the start that have one op.
func run(lines []line, op fileedit.Op) int {
	n := 0
	for n < len(lines) && lines[n].Op == op {
		n++
	}
	return n
}

// view collects rows.
type view struct {
	sheet  *style.Sheet
	w      int
	digits int
	rows   []string
}

// unified draws old and new lines below each other.
func (v *view) unified(lines []line) {
	for _, l := range lines {
		gutter := v.number(l.Old) + " " + v.number(l.New)
		if v.w < narrow {
			gutter = v.number(max(l.New, l.Old))
			if l.Op == fileedit.Insert {
				gutter = v.number(l.New)
			}
		}
		v.rows = append(v.rows, v.column(l, gutter, v.w)...)
	}
}

// split draws old lines on the left and new ones on the right.
func (v *view) split(lines []line) {
	left := (v.w - 1) / 2
	right := v.w - 1 - left
	for i := 0; i < len(lines); {
		if lines[i].Op == fileedit.Context {
			l := lines[i]
			v.beside(v.column(l, v.number(l.Old), left), v.column(l, v.number(l.New), right), left, right)
			i++
			continue
		}
		d := run(lines[i:], fileedit.Delete)
		n := run(lines[i+d:], fileedit.Insert)
		for k := range max(d, n) {
			var a, b []string
			if k < d {
				a = v.column(lines[i+k], v.number(lines[i+k].Old), left)
			}
			if k < n {
				b = v.column(lines[i+d+k], v.number(lines[i+d+k].New), right)
			}
			v.beside(a, b, left, right)
		}
		i += max(d+n, 1)
	}
}

// beside joins the rows of two columns.
func (v *view) beside(a, b []string, left, right int) {
	n := max(len(a), len(b))
	a, b = cells.Pad(a, left, n), cells.Pad(b, right, n)
	bar := v.sheet.Paint(themes.Faint, "│")
	for i := range n {
		v.rows = append(v.rows, a[i]+bar+b[i])
	}
}

func (v *view) number(n int) string {
	if n == 0 {
		return cells.Spaces(v.digits)
	}
	return fmt.Sprintf("%*d", v.digits, n)
}

// column draws one line with its gutter in rows of w cells.
func (v *view) column(l line, gutter string, w int) []string {
	gw := cells.Width(gutter) + 3
	text := cells.Hard(v.text(l), max(w-gw, 1))
	ground, sign := themes.Text, "   "
	switch l.Op {
	case fileedit.Insert:
		ground, sign = themes.Added, " + "
	case fileedit.Delete:
		ground, sign = themes.Removed, " - "
	}
	rows := make([]string, len(text))
	for i, t := range text {
		pad := cells.Spaces(w - gw - cells.Width(t))
		if ground != themes.Text {
			pad = v.sheet.Paint(ground, pad)
		}
		if i > 0 {
			gutter, sign = cells.Spaces(cells.Width(gutter)), "   "
		}
		mark := sign
		if ground != themes.Text {
			mark = " " + v.sheet.Paint(ground, sign[1:])
		}
		rows[i] = cells.Fit(v.sheet.Paint(themes.LineNumber, gutter)+mark+t+pad, w)
	}
	return rows
}

// text paints the text of a line.
func (v *view) text(l line) string {
	ground, word := themes.Text, themes.Text
	switch l.Op {
	case fileedit.Insert:
		ground, word = themes.Added, themes.AddedWord
	case fileedit.Delete:
		ground, word = themes.Removed, themes.RemovedWord
	}
	var b strings.Builder
	at, col := 0, 0
	paint := func(role, ground themes.Role, s string) {
		s = cells.ExpandAt(s, col)
		col += cells.Width(s)
		if ground == themes.Text {
			b.WriteString(v.sheet.Paint(role, s))
		} else {
			b.WriteString(v.sheet.PaintOver(role, ground, s))
		}
	}
	for _, sp := range l.spans {
		start, end := at, at+len(sp.Text)
		done := start
		for _, c := range l.changed {
			a, z := max(c.start, start), min(c.end, end)
			if a >= z {
				continue
			}
			paint(sp.Role, ground, sp.Text[done-start:a-start])
			paint(sp.Role, word, sp.Text[a-start:z-start])
			done = z
		}
		paint(sp.Role, ground, sp.Text[done-start:])
		at = end
	}
	b.WriteString(v.sheet.Paint(themes.Dim, l.tail))
	return b.String()
}
