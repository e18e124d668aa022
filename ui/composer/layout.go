package composer

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mm/ui/cells"
)

// glyph is a grapheme cluster, a tab or a chip as drawn.
type glyph struct {
	at   int // rune offset
	n    int // runes
	text string
	w    int
	chip bool
}

// line is a visual row of the draft.
type line struct {
	start  int // rune offset of its first glyph
	glyphs []glyph
	end    int // rune offset behind its last glyph
}

// layout breaks the draft into rows of at most w cells, w-1 of which can be
// filled: the cursor needs a place behind the text.
func (b *buffer) layout(w int) []line {
	w = max(w-1, 1)
	lines := []line{{}}
	col, breakAt := 0, 0 // breakAt: glyphs of the row up to its last blank
	for _, g := range b.glyphs() {
		cur := &lines[len(lines)-1]
		if g.text == "\n" {
			cur.end = g.at
			lines = append(lines, line{start: g.at + 1, end: g.at + 1})
			col, breakAt = 0, 0
			continue
		}
		if col+g.w > w && breakAt > 0 && g.text != " " {
			moved := cur.cut(breakAt)
			lines = append(lines, moved)
			cur, col, breakAt = &lines[len(lines)-1], moved.width(), 0
		}
		if col+g.w > w && len(cur.glyphs) > 0 {
			lines = append(lines, line{start: g.at})
			cur, col, breakAt = &lines[len(lines)-1], 0, 0
		}
		cur.glyphs = append(cur.glyphs, g)
		cur.end = g.at + g.n
		col += g.w
		if g.text == " " {
			breakAt = len(cur.glyphs)
		}
	}
	return lines
}

// cut takes the glyphs from n on into a row of their own. It may be empty, as
// the beginning of the row that follows.
func (l *line) cut(n int) line {
	rest := line{glyphs: append([]glyph(nil), l.glyphs[n:]...), end: l.end}
	l.glyphs = l.glyphs[:n]
	l.end = l.glyphs[n-1].at + l.glyphs[n-1].n
	rest.start = l.end
	return rest
}

func (l *line) width() int {
	n := 0
	for _, g := range l.glyphs {
		n += g.w
	}
	return n
}

// glyphs splits the draft into what is drawn as one.
func (b *buffer) glyphs() []glyph {
	var out []glyph
	plain := 0 // start of the run of ordinary runes
	flush := func(end int) {
		s := string(b.text[plain:end])
		at := plain
		for len(s) > 0 {
			c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			if c == "" {
				c = s[:1]
			}
			n := len([]rune(c))
			out = append(out, glyph{at: at, n: n, text: c, w: max(w, 1)})
			s = s[len(c):]
			at += n
		}
	}
	for i, r := range b.text {
		chip, isChip := b.isChip(r)
		if r != '\n' && r != '\t' && !isChip {
			continue
		}
		flush(i)
		plain = i + 1
		switch {
		case isChip:
			label := chipLabel(b.chips[chip])
			out = append(out, glyph{at: i, n: 1, text: label, w: cells.Width(label), chip: true})
		case r == '\t':
			out = append(out, glyph{at: i, n: 1, text: cells.Spaces(cells.TabWidth), w: cells.TabWidth})
		default:
			out = append(out, glyph{at: i, n: 1, text: "\n"})
		}
	}
	flush(len(b.text))
	return out
}

// chipLabel is what stands for a folded paste.
func chipLabel(s string) string {
	n := strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
	if n == 1 {
		return fmt.Sprintf("[pasted %.1f KiB]", float64(len(s))/1024)
	}
	return fmt.Sprintf("[pasted %d lines]", n)
}

// place finds the row and the column of a rune offset.
func place(lines []line, at int) (row, col int) {
	for row = len(lines) - 1; row > 0 && lines[row].start > at; row-- {
	}
	for _, g := range lines[row].glyphs {
		if g.at >= at {
			break
		}
		col += g.w
	}
	return row, col
}

// offset finds the rune offset at a column of a row, or the nearest. The end of
// a row that goes on below belongs to the next row.
func offset(lines []line, row, col int) int {
	l := lines[row]
	at := 0
	for _, g := range l.glyphs {
		if at+g.w > col {
			return g.at
		}
		at += g.w
	}
	if goesOn := row+1 < len(lines) && lines[row+1].start == l.end; goesOn && len(l.glyphs) > 0 {
		return l.glyphs[len(l.glyphs)-1].at
	}
	return l.end
}
