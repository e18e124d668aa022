package clean

// The introducers of escape sequences, as ESC and a letter or as one C1 rune.
const (
	bel = 0x07
	can = 0x18
	sub = 0x1A
	esc = 0x1B

	c1DCS = 0x90
	c1SOS = 0x98
	c1CSI = 0x9B
	c1ST  = 0x9C
	c1OSC = 0x9D
	c1PM  = 0x9E
	c1APC = 0x9F
)

// maxParams is the length of the parameters of a CSI sequence. Longer ones are
// no sequence: what follows is shown.
const maxParams = 256

// mode is where in an escape sequence a text stands.
type mode int

const (
	ground       mode = iota
	escape            // after ESC
	intermediate      // after ESC and a byte from 0x20 to 0x2F
	control           // inside CSI
	str               // inside OSC, DCS, APC, PM, SOS or a title
	strEscape         // after ESC inside of such
)

// sequence finds escape sequences (ECMA-48, and what xterm, screen and tmux
// add) in a text of valid UTF-8. Unlike in a terminal, a line break ends each
// of them: an unfinished one hides at most the rest of its line.
type sequence struct {
	mode   mode
	params int
}

func (q *sequence) idle() bool { return q.mode == ground }

// swallows reports whether r belongs to an escape sequence.
func (q *sequence) swallows(r rune) bool {
	switch q.mode {
	case escape:
		return q.afterEscape(r)
	case intermediate:
		return q.inIntermediate(r)
	case control:
		return q.inControl(r)
	case str:
		return q.inString(r)
	case strEscape:
		if r == '\\' {
			q.mode = ground
			return true
		}
		return q.afterEscape(r)
	default:
		return q.begins(r)
	}
}

// begins takes a rune outside of any sequence.
func (q *sequence) begins(r rune) bool {
	q.mode, q.params = ground, 0
	switch r {
	case esc:
		q.mode = escape
	case c1CSI:
		q.mode = control
	case c1DCS, c1SOS, c1OSC, c1PM, c1APC:
		q.mode = str
	}
	return q.mode != ground
}

func (q *sequence) afterEscape(r rune) bool {
	switch {
	case r == '[':
		q.mode = control
	case r == ']', r == 'P', r == 'X', r == '^', r == '_', r == 'k':
		q.mode = str
	case r >= 0x20 && r <= 0x2F:
		q.mode = intermediate
	case r >= 0x30 && r <= 0x7E:
		q.mode = ground
	default:
		return q.begins(r)
	}
	return true
}

func (q *sequence) inIntermediate(r rune) bool {
	switch {
	case r >= 0x20 && r <= 0x2F:
	case r >= 0x30 && r <= 0x7E:
		q.mode = ground
	default:
		return q.begins(r)
	}
	return true
}

// inControl takes a rune of a CSI sequence. A control character inside of one
// is carried out by terminals without ending it; here it is dropped.
func (q *sequence) inControl(r rune) bool {
	q.params++
	switch {
	case q.params > maxParams, breaksLine(r), r > 0x7F, r == esc:
		return q.begins(r)
	case r >= 0x40 && r <= 0x7E, r == can, r == sub:
		q.mode = ground
	}
	return true
}

func (q *sequence) inString(r rune) bool {
	switch {
	case r == esc:
		q.mode = strEscape
	case r == bel, r == can, r == sub, r == c1ST:
		q.mode = ground
	case breaksLine(r), r >= 0x80 && r <= 0x9F:
		return q.begins(r)
	}
	return true
}

// breaksLine reports whether a terminal would go to another line for r.
func breaksLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
