package markdown

import (
	"slices"
	"strconv"
	"strings"
)

// Scanner cuts Markdown into blocks as it arrives. It reads each line once,
// and is more forgiving with indentation than CommonMark: small models indent
// nested lists and fences by taste.
type Scanner struct {
	partial []byte // the last line, unfinished

	open    bool
	block   Block    // the open block, without Src
	lines   []string // and its lines
	fence   fence    // its marks, when it is a fenced one
	levels  []level  // the list items that are open, outermost first
	sibling level    // the item that the last marker closed, or zero
	marker  string   // waits for the first block of its item
	written string   // the same as it was written

	gap   bool // an empty line was seen since the last block
	begun bool // there was a block
	below bool // the open block stands below another
	last  Kind // of the last block

	out []Block
}

// fence is how a fenced block began.
type fence struct {
	char   byte
	length int // 0 in a block that is not fenced
	indent int
}

// level is an open list item.
type level struct {
	mark    int // column of the marker
	display int // cells from the left edge to its text
	ordered bool
	number  int
}

// Write takes more text and returns the blocks that it closed.
func (s *Scanner) Write(text string) []Block {
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			s.partial = append(s.partial, text...)
			return s.take()
		}
		line := text[:i]
		if len(s.partial) > 0 {
			line = string(append(s.partial, line...))
			s.partial = s.partial[:0]
		}
		s.line(line)
		text = text[i+1:]
	}
}

// Flush ends the text and returns the blocks that this closed.
func (s *Scanner) Flush() []Block {
	if len(s.partial) > 0 {
		s.line(string(s.partial))
		s.partial = nil
	}
	s.close()
	s.settleMarker()
	return s.take()
}

// InFence reports whether a fenced block is open. OpenFence returns it then.
func (s *Scanner) InFence() bool { return s.open && s.fence.length > 0 }

// OpenFence returns the open fence without Src, its finished lines, and the
// line being written. The slice is only valid until the next Write.
func (s *Scanner) OpenFence() (b Block, lines []string, partial string) {
	partial = s.dedent(string(s.partial))
	if strings.Trim(partial, string(s.fence.char)) == "" {
		partial = "" // the closing fence, on its way
	}
	return s.block, s.lines, partial
}

// Tail returns what is open outside of a fence, as blocks that may yet change.
func (s *Scanner) Tail() []Block {
	c := *s
	c.levels = slices.Clone(s.levels)
	c.out = nil
	if len(c.partial) > 0 {
		c.line(string(c.partial))
	}
	c.close()
	c.settleMarker()
	return c.out
}

func (s *Scanner) take() []Block {
	out := s.out
	s.out = nil
	return out
}

// line takes one whole line.
func (s *Scanner) line(l string) {
	if s.InFence() {
		s.fenceLine(l)
		return
	}
	indent, rest := unindent(l)
	if rest == "" {
		s.close()
		s.gap = true
		return
	}
	s.place(indent, rest)
}

// fenceLine takes a line inside of a fence.
func (s *Scanner) fenceLine(l string) {
	t := strings.TrimSpace(l)
	if len(t) >= s.fence.length && strings.Trim(t, string(s.fence.char)) == "" {
		s.close()
		return
	}
	s.lines = append(s.lines, s.dedent(l))
}

// dedent takes the fence's own indentation from a line of code.
func (s *Scanner) dedent(l string) string {
	n := 0
	for n < s.fence.indent && n < len(l) && l[n] == ' ' {
		n++
	}
	return l[n:]
}

// place finds the block that a line belongs to or begins.
func (s *Scanner) place(indent int, rest string) {
	m, isMarker := parseMarker(rest)
	if isMarker && s.inParagraph() && m.ordered && m.number != 1 && len(s.levels) == 0 {
		isMarker = false // "…\n1984. It was": prose, by CommonMark too
	}
	if s.continues(indent, rest, isMarker) {
		return
	}
	s.close()
	if indent < s.base() {
		s.settleMarker()
	}
	s.outdent(indent)
	switch {
	case isMarker && !isRule(rest):
		s.item(indent, m)
	case s.code(indent, rest):
	default:
		s.begin(indent, rest)
	}
}

func (s *Scanner) inParagraph() bool { return s.open && s.block.Kind == Paragraph }

// continues adds the line to the open block if it goes on there.
func (s *Scanner) continues(indent int, rest string, isMarker bool) bool {
	if !s.open {
		return false
	}
	switch s.block.Kind {
	case Paragraph:
		switch {
		case isUnderline(rest):
			s.block.Kind = Heading
			s.lines = []string{strings.Repeat("#", underlineLevel(rest)) + " " + strings.Join(s.lines, " ")}
			s.close()
			return true
		case len(s.lines) == 1 && isDelimiterRow(rest) && strings.Contains(s.lines[0], "|"):
			s.block.Kind, s.block.Gap = Table, s.below
		case isMarker || starts(rest):
			return false
		}
	case Table:
		if !strings.Contains(rest, "|") {
			return false
		}
	case Quote:
		if rest[0] != '>' && (isMarker || starts(rest)) {
			return false
		}
	case Fence: // indented code
		if indent < s.base()+4 {
			return false
		}
		rest = strings.Repeat(" ", indent-s.base()-4) + rest
	default:
		return false
	}
	s.lines = append(s.lines, rest)
	return true
}

// base is the column of the text of the innermost item.
func (s *Scanner) base() int {
	if len(s.levels) == 0 {
		return 0
	}
	return s.levels[len(s.levels)-1].mark + 2
}

// outdent closes the items that a line at this column stands outside of.
func (s *Scanner) outdent(indent int) {
	s.sibling = level{}
	for len(s.levels) > 0 && indent < s.base() {
		s.sibling = s.levels[len(s.levels)-1]
		s.levels = s.levels[:len(s.levels)-1]
	}
}

// item opens a list item.
func (s *Scanner) item(indent int, m mark) {
	s.settleMarker()
	if m.ordered && s.sibling.ordered {
		m.number = s.sibling.number + 1
	}
	left := 0
	if n := len(s.levels); n > 0 {
		left = s.levels[n-1].display
	}
	text := bullets[min(len(s.levels), len(bullets)-1)]
	if m.ordered {
		text = strconv.Itoa(m.number) + ". "
	}
	rest := m.rest
	written := m.written
	if box, ok := checkbox(rest); ok {
		text, written, rest = box, written+rest[:4], rest[4:]
	}
	s.marker, s.written = text, written
	s.levels = append(s.levels, level{indent, left + width(text), m.ordered, m.number})
	if rest == "" {
		return
	}
	if inner, ok := parseMarker(rest); ok && !isRule(rest) {
		s.sibling = level{}
		s.item(indent+2, inner)
		return
	}
	s.begin(indent+2, rest)
}

// bullets by depth. Each is two cells wide.
var bullets = []string{"• ", "◦ ", "▪ "}

func width(marker string) int { return len([]rune(marker)) }

// settleMarker draws the marker of an item that stayed empty.
func (s *Scanner) settleMarker() {
	if s.marker != "" {
		s.start(Block{Kind: Paragraph})
		s.close()
	}
}

// code opens indented code.
func (s *Scanner) code(indent int, rest string) bool {
	if indent < s.base()+4 || s.marker != "" {
		return false
	}
	s.start(Block{Kind: Fence})
	s.lines = append(s.lines, strings.Repeat(" ", indent-s.base()-4)+rest)
	return true
}

// begin opens the block that rest, the text of a line, is the start of.
func (s *Scanner) begin(indent int, rest string) {
	if f, info, ok := parseFence(rest); ok {
		f.indent = indent
		s.start(Block{Kind: Fence, Lang: info})
		s.fence = f
		return
	}
	b := Block{Kind: Paragraph}
	switch {
	case isHeading(rest):
		b.Kind = Heading
	case isRule(rest):
		b.Kind = Rule
	case rest[0] == '>':
		b.Kind = Quote
	}
	s.start(b)
	s.lines = append(s.lines, rest)
	if b.Kind == Heading || b.Kind == Rule {
		s.close()
	}
}

// start opens a block at the current level.
func (s *Scanner) start(b Block) {
	if n := len(s.levels); n > 0 {
		b.Indent = s.levels[n-1].display
	}
	b.Marker, b.Mark = s.marker, s.written
	s.marker, s.written = "", ""
	b.Gap = s.begun && (s.gap || b.Kind != Paragraph || s.last != Paragraph)
	s.below = s.begun
	s.block, s.open, s.lines, s.fence = b, true, nil, fence{}
	s.gap, s.begun, s.last = false, true, b.Kind
}

// close ends the open block.
func (s *Scanner) close() {
	if !s.open {
		return
	}
	b := s.block
	b.Src = strings.Join(s.lines, "\n")
	s.out = append(s.out, b)
	s.last = b.Kind
	s.open, s.lines, s.fence = false, nil, fence{}
}
