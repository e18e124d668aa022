package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/glamour"

	"mm/themes"
	"mm/ui/cells"
	"mm/ui/highlight"
	"mm/ui/style"
)

// HeavySource is the size of a block in bytes above which drawing it takes
// longer than a frame may: glamour needs up to 5 ms for each KiB.
const HeavySource = 4 << 10

// maxRenderers bounds the renderers kept for different widths.
const maxRenderers = 8

// codeBar stands left of code.
const codeBar = "│ "

// Renderer draws blocks in the inks of one sheet. It is not safe for
// concurrent use.
type Renderer struct {
	sheet *style.Sheet
	glam  map[int]*glamour.TermRenderer // by the width at which they wrap

	// Fed counts the bytes handed to glamour and the lexers.
	Fed int
}

// NewRenderer returns a renderer for one theme.
func NewRenderer(sheet *style.Sheet) *Renderer {
	return &Renderer{sheet: sheet, glam: map[int]*glamour.TermRenderer{}}
}

// Rows draws a block in rows of at most w cells.
func (r *Renderer) Rows(b Block, w int) []string {
	r.Fed += len(b.Src)
	inner := max(w-b.Indent, 1)
	switch b.Kind {
	case Fence:
		return r.indent(b, r.code(b, inner))
	case Rule:
		return r.indent(b, []string{r.sheet.Paint(themes.Faint, strings.Repeat("─", min(inner, 24)))})
	case Paragraph:
		if b.Src == "" {
			return r.indent(b, []string{""})
		}
	}
	return r.indent(b, r.glamour(b, inner))
}

// Plain draws a block without glamour and without colours for code, at a small
// fraction of the cost.
func (r *Renderer) Plain(b Block, w int) []string {
	inner := max(w-b.Indent, 1)
	if b.Kind == Fence {
		var rows []string
		for line := range strings.SplitSeq(b.Src, "\n") {
			rows = r.codeRows(rows, line, inner)
		}
		return r.indent(b, rows)
	}
	return r.indent(b, cells.Wrap(b.Src, inner))
}

// indent moves rows to the right and draws the marker before the first.
func (r *Renderer) indent(b Block, rows []string) []string {
	if b.Indent == 0 {
		return rows
	}
	for i, row := range rows {
		left := cells.Spaces(b.Indent)
		if i == 0 && b.Marker != "" {
			left = cells.Spaces(b.Indent-width(b.Marker)) + r.sheet.Paint(themes.Accent, b.Marker)
		}
		rows[i] = left + row
	}
	return rows
}

// code draws a fence with its syntax coloured.
func (r *Renderer) code(b Block, w int) []string {
	var rows []string
	for _, line := range highlight.Lines(b.Src, highlight.Language(b.Lang)) {
		var text strings.Builder
		col := 0
		for _, span := range line {
			t := cells.ExpandAt(span.Text, col)
			col += cells.Width(t)
			text.WriteString(r.sheet.Paint(span.Role, t))
		}
		rows = r.barred(rows, text.String(), w)
	}
	return rows
}

// codeRows appends the rows of one line of code without colours.
func (r *Renderer) codeRows(rows []string, line string, w int) []string {
	return r.barred(rows, cells.Expand(line), w)
}

func (r *Renderer) barred(rows []string, line string, w int) []string {
	bar := r.sheet.Paint(themes.Faint, codeBar)
	for _, row := range cells.Hard(line, max(w-len(codeBar)+2, 1)) {
		rows = append(rows, bar+row)
	}
	return rows
}

// glamour draws everything else. It wraps tables and quotes itself; prose is
// wrapped here, since glamour takes quadratic time for a long word and knows
// no break between characters that are written without blanks.
func (r *Renderer) glamour(b Block, w int) []string {
	limit := 0
	if b.Kind == Table || b.Kind == Quote {
		limit = w
	}
	g, err := r.renderer(limit)
	if err != nil {
		return cells.Wrap(b.Src, w)
	}
	out, err := g.Render(escape(b.Src))
	if err != nil {
		return cells.Wrap(b.Src, w)
	}
	var rows []string
	for row := range strings.SplitSeq(out, "\n") {
		rows = append(rows, cells.WrapStyled(trimRow(onlySGR(row)), w)...)
	}
	blank := func(row string) bool { return cells.Width(strings.TrimSpace(row)) == 0 }
	for len(rows) > 1 && blank(rows[0]) {
		rows = rows[1:]
	}
	for len(rows) > 1 && blank(rows[len(rows)-1]) {
		rows = rows[:len(rows)-1]
	}
	return slices.Clip(rows)
}

// renderer returns the renderer that wraps at limit; 0 does not wrap.
func (r *Renderer) renderer(limit int) (*glamour.TermRenderer, error) {
	if r.glam[limit] != nil {
		return r.glam[limit], nil
	}
	g, err := glamour.NewTermRenderer(
		glamour.WithStyles(r.sheet.Markdown()),
		glamour.WithColorProfile(r.sheet.MarkdownProfile()),
		glamour.WithWordWrap(limit),
		glamour.WithPreservedNewLines(),
	)
	if err != nil {
		return nil, err
	}
	if len(r.glam) >= maxRenderers {
		clear(r.glam)
	}
	r.glam[limit] = g
	return g, nil
}
