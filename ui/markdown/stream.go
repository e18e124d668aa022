package markdown

import (
	"strings"
	"time"

	"mm/ui/cells"
	"mm/ui/style"
)

// Limits of how often the open block is drawn anew.
const (
	smallTail = 1 << 10 // bytes up to which it is drawn after every piece
	growth    = 6       // beyond, when it has grown by one part in this many
	rest      = 3       // times the last drawing's duration with no other
)

// Stream is Markdown that is still being written. Settled blocks never change
// again; the tail is drawn with care.
type Stream struct {
	Settled []Block

	scan    Scanner
	version int
	ended   bool
	tail    tail
}

// tail is how the open block was last drawn.
type tail struct {
	version, width int
	sheet          *Renderer
	rows           []string

	// In a fence: rows of the lines that are finished.
	fenced int // lines drawn
	frozen []string

	// Elsewhere: what glamour drew, and from what.
	drawn []string
	src   string
	after time.Time // no drawing before
}

// Write adds text.
func (s *Stream) Write(text string) {
	s.Settled = append(s.Settled, s.scan.Write(text)...)
	s.version++
}

// End settles everything.
func (s *Stream) End() {
	s.Settled = append(s.Settled, s.scan.Flush()...)
	s.version++
	s.ended = true
	s.tail = tail{}
}

// TailRows draws what is not settled in rows of at most w cells. The rows are
// only valid until the next call. gap tells whether an empty row belongs above.
func (s *Stream) TailRows(r *Renderer, w int, now time.Time) (rows []string, gap bool) {
	if s.ended {
		return nil, false
	}
	if s.scan.InFence() {
		b, lines, partial := s.scan.OpenFence()
		return s.fenceRows(r, b, lines, partial, w), b.Gap
	}
	blocks := s.scan.Tail()
	if len(blocks) == 0 {
		return nil, false
	}
	return s.proseRows(r, blocks, w, now), blocks[0].Gap
}

// fenceRows draws finished lines once, and the line being written.
func (s *Stream) fenceRows(r *Renderer, b Block, lines []string, partial string, w int) []string {
	t := &s.tail
	if t.sheet != r || t.width != w || t.fenced > len(lines) || t.src != "" {
		*t = tail{sheet: r, width: w}
	}
	inner := max(w-b.Indent, 1)
	for _, line := range lines[t.fenced:] {
		first := len(t.frozen) == 0
		rows := r.codeRows(nil, line, inner)
		t.frozen = append(t.frozen, s.indentFence(r, b, rows, first)...)
	}
	t.fenced = len(lines)
	if partial == "" {
		return t.frozen
	}
	rows := r.codeRows(nil, partial, inner)
	return append(t.frozen, s.indentFence(r, b, rows, len(t.frozen) == 0)...)
}

func (s *Stream) indentFence(r *Renderer, b Block, rows []string, first bool) []string {
	if !first {
		b.Marker = ""
	}
	return r.indent(b, rows)
}

// proseRows draws the open block through glamour when it is small or has grown
// enough. Otherwise it shows the last drawing with the newer text behind it.
func (s *Stream) proseRows(r *Renderer, blocks []Block, w int, now time.Time) []string {
	t := &s.tail
	same := t.sheet == r && t.width == w && t.frozen == nil
	if same && t.version == s.version {
		return t.rows
	}
	src := join(blocks)
	grown := !same || !strings.HasPrefix(src, t.src)
	due := len(src) <= smallTail || grown || len(src) >= len(t.src)+len(t.src)/growth
	if due && !now.Before(t.after) {
		start := time.Now()
		rows := drawAll(r, unfinished(blocks), w)
		cost := time.Since(start)
		*t = tail{sheet: r, width: w, drawn: rows, src: src, after: now.Add(rest * cost)}
		t.rows = rows
	} else if grown {
		t.rows = plainAll(r, unfinished(blocks), w)
	} else {
		t.rows = goOn(t.drawn, src[len(t.src):], blocks[len(blocks)-1].Indent, w)
	}
	t.sheet, t.width, t.version = r, w, s.version
	return t.rows
}

// unfinished closes what is open in the last of the blocks.
func unfinished(blocks []Block) []Block {
	last := &blocks[len(blocks)-1]
	if last.Kind != Fence && last.Kind != Rule {
		last.Src = finish(last.Src)
	}
	return blocks
}

// goOn puts newer text behind the last of the rows; in a list, below it.
func goOn(rows []string, text string, indent, w int) []string {
	rows = rows[:len(rows):len(rows)]
	if n := len(rows) - 1; n >= 0 && indent == 0 {
		rows, text = rows[:n:n], rows[n]+text
	}
	for line := range strings.SplitSeq(strings.TrimLeft(text, "\n"), "\n") {
		for _, row := range cells.WrapStyled(line, max(w-indent, 1)) {
			rows = append(rows, cells.Spaces(indent)+row)
		}
	}
	return rows
}

func join(blocks []Block) string {
	if len(blocks) == 1 {
		return blocks[0].Src
	}
	var b strings.Builder
	for _, bl := range blocks {
		b.WriteString(bl.Src + "\n")
	}
	return b.String()
}

func drawAll(r *Renderer, blocks []Block, w int) []string {
	return stack(blocks, func(b Block) []string { return r.Rows(b, w) })
}

func plainAll(r *Renderer, blocks []Block, w int) []string {
	return stack(blocks, func(b Block) []string { return r.Plain(b, w) })
}

// stack joins the rows of blocks, with the gaps between them.
func stack(blocks []Block, draw func(Block) []string) []string {
	var rows []string
	for i, b := range blocks {
		if i > 0 && b.Gap {
			rows = append(rows, "")
		}
		rows = append(rows, draw(b)...)
	}
	return rows
}

// Draw draws a whole text.
func Draw(sheet *style.Sheet, text string, w int) []string {
	var s Scanner
	blocks := append(s.Write(text), s.Flush()...)
	return drawAll(NewRenderer(sheet), blocks, w)
}
