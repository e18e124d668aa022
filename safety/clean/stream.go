package clean

import (
	"strings"
	"unicode/utf8"
)

// Stream cleans text that arrives in pieces, cut anywhere: inside a rune, an
// escape sequence or a CRLF. However the text is cut, the pieces together are
// what Block makes of the whole. The zero value is ready for use.
type Stream struct {
	tail    []byte // the beginning of a rune whose end has not come
	invalid bool   // the last byte was no UTF-8; a run of such is one U+FFFD
	seq     sequence
	judge   judge
	cr      bool // the last rune was a carriage return

	row, total int // runes of this line, bytes written
	rowCut     bool
	totalCut   bool
	unbounded  bool

	out strings.Builder
}

// Write takes the next piece and returns what can be drawn of it.
func (c *Stream) Write(s string) Text {
	if len(c.tail) > 0 {
		s = string(c.tail) + s
		c.tail = c.tail[:0]
	}
	c.out.Grow(len(s))
	for i := 0; i < len(s); {
		if n := c.plain(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			if !utf8.FullRuneInString(s[i:]) {
				c.tail = append(c.tail, s[i:]...)
				break
			}
			c.bad()
			i++
			continue
		}
		c.invalid = false
		c.rune(r)
		i += n
	}
	return c.take()
}

// Flush ends the text and returns what was held back. The stream is then as
// new.
func (c *Stream) Flush() Text {
	if len(c.tail) > 0 {
		c.bad()
	}
	t := c.take()
	*c = Stream{}
	return t
}

func (c *Stream) take() Text {
	t := Text{c.out.String()}
	c.out.Reset()
	return t
}

// plain writes the printable ASCII at the start of s, the common case, and
// returns its length. It writes nothing where more has to be known.
func (c *Stream) plain(s string) int {
	if !c.seq.idle() {
		return 0
	}
	room := len(s)
	if !c.unbounded {
		room = min(room, MaxRow-c.row, MaxTotal-c.total)
	}
	n := 0
	for n < room && s[n] >= ' ' && s[n] <= '~' {
		n++
	}
	if n == 0 {
		return 0
	}
	c.out.WriteString(s[:n])
	c.invalid, c.cr = false, false
	c.row += n
	c.total += n
	c.judge.after(rune(s[n-1]))
	return n
}

// bad takes a byte that is not UTF-8.
func (c *Stream) bad() {
	if !c.invalid {
		c.rune(utf8.RuneError)
	}
	c.invalid = true
}

// rune takes one rune through the three judgements: sequence, kind, size.
func (c *Stream) rune(r rune) {
	if c.seq.swallows(r) {
		return
	}
	afterCR := c.cr
	c.cr = r == '\r'
	switch v := c.judge.verdict(r); v {
	case drop:
	case newline:
		if !(afterCR && r == '\n') {
			c.put('\n')
		}
	case replace:
		c.put(utf8.RuneError)
	case carry:
		c.put(dottedCircle)
		c.put(r)
	default:
		c.put(r)
	}
}

// put writes a rune unless a limit is reached, and says once that it is.
func (c *Stream) put(r rune) {
	if c.totalCut || (c.rowCut && r != '\n') {
		return
	}
	if r == '\n' {
		c.row, c.rowCut = 0, false
	} else {
		c.row++
	}
	c.total += utf8.RuneLen(r)
	c.rowCut = c.row > MaxRow && !c.unbounded
	c.totalCut = c.total > MaxTotal && !c.unbounded
	if c.rowCut || c.totalCut {
		c.out.WriteString(cutMark)
		return
	}
	c.out.WriteRune(r)
}
