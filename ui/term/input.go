// Package term is the terminal below Bubble Tea: what comes in is mended, what
// goes out is bracketed, and it is put back as it was, whatever happens.
package term

import (
	"os"
	"slices"
	"unicode/utf8"
)

// Input is a terminal to read from. It takes the terminal's own replies out of
// the stream of keys, which would else be typed into the prompt, and turns the
// longer codes of some keys into those that Bubble Tea knows.
type Input struct {
	*os.File
	f filter
}

// NewInput wraps a terminal. cut is the beginning of a sequence that was read
// from it before. focus is told when its window gains or loses the
// focus: Bubble Tea would know the report in no company but its own.
func NewInput(f *os.File, cut string, focus func(gained bool)) *Input {
	in := &Input{File: f, f: filter{focus: focus}}
	in.f.write([]byte(cut))
	in.f.out = nil // an Esc key, which nothing would read before the next key
	return in
}

// room is what a piece can grow by in the filter. What would not fit into the
// buffer of the reader would wait there for the next key.
const room = 64

// Read reads keys. It may return 0 without an error, when all that came was a
// reply.
func (in *Input) Read(p []byte) (int, error) {
	if len(in.f.out) > 0 {
		return in.take(p), nil
	}
	n, err := in.File.Read(p[:max(len(p)-room, 1)])
	in.f.write(p[:n])
	return in.take(p), err
}

func (in *Input) take(p []byte) int {
	n := copy(p, in.f.out)
	in.f.out = slices.Delete(in.f.out, 0, n)
	return n
}

// maxReply is the length in bytes of a terminal's reply; a longer one is none.
const maxReply = 512

// PasteGoesOn ends a piece of a paste that is not the last one. Bubble Tea reads
// a paste in a time that grows with the square of its size, so that a long one
// is handed on in pieces.
const (
	PasteGoesOn = "\x00"
	pastePiece  = 16 << 10 // bytes
	pasteCut    = PasteGoesOn + "\x1b[201~\x1b[200~"
)

// filter is a small parser of what terminals send.
type filter struct {
	state   filterState
	held    []byte // the sequence being read
	pasting bool   // between the marks of a paste nothing is touched
	pasted  int    // bytes since the last mark
	lastEsc bool   // the last piece ended in a lone ESC, which was passed on
	out     []byte
	focus   func(gained bool)
}

type filterState int

const (
	ground filterState = iota
	escaped
	csi
	reply    // OSC, DCS and the like
	replyEsc // ESC inside of one
)

// write takes a piece as it was read.
func (f *filter) write(b []byte) {
	b = f.resume(b)
	for _, c := range b {
		f.byte(c)
	}
	if f.state == escaped && len(f.held) == 1 {
		// Nothing follows: it is the Esc key. A reply that was cut right
		// here is recognised by its beginning.
		f.flush()
		f.lastEsc = true
	}
}

// resume recognises the rest of a reply whose ESC came with the piece before.
func (f *filter) resume(b []byte) []byte {
	after := f.lastEsc
	f.lastEsc = false
	if after && !f.pasting && len(b) >= 4 && b[0] == ']' && b[1] == '1' && b[2] >= '0' && b[2] <= '9' && b[3] == ';' {
		f.state, f.held = reply, append(f.held[:0], b[0])
		return b[1:]
	}
	return b
}

func (f *filter) byte(c byte) {
	switch f.state {
	case ground:
		if c == 0x1b {
			f.state, f.held = escaped, append(f.held[:0], c)
			return
		}
		f.pass(c)
	case escaped:
		f.afterEsc(c)
	case csi:
		f.held = append(f.held, c)
		switch {
		case c == 0x1b:
			f.held = f.held[:len(f.held)-1]
			f.flush()
			f.byte(c)
		case c >= 0x40 && c <= 0x7e:
			f.endCSI()
		case len(f.held) > maxReply:
			f.flush()
		}
	case reply, replyEsc:
		f.inReply(c)
	}
}

// pass hands a byte on, in a paste with marks between its pieces.
func (f *filter) pass(c byte) {
	if !f.pasting {
		f.out = append(f.out, c)
		return
	}
	if f.pasted >= pastePiece && utf8.RuneStart(c) {
		f.out, f.pasted = append(f.out, pasteCut...), 0
	}
	if f.pasted++; c != 0 {
		f.out = append(f.out, c)
	}
}

func (f *filter) afterEsc(c byte) {
	if len(f.held) == 2 { // ESC ] and the like, not yet known to be a reply
		if c >= '0' && c <= '9' || c == '>' || c == '!' {
			f.state, f.held = reply, append(f.held, c)
			return
		}
		f.flush()
		f.byte(c)
		return
	}
	f.held = append(f.held, c)
	switch {
	case c == '[':
		f.state = csi
	case (c == ']' || c == 'P') && !f.pasting:
		// A reply, or Alt with that key: the next byte tells.
	case c == 0x1b:
		f.held = f.held[:1]
		f.out = append(f.out, 0x1b)
	default:
		f.flush()
	}
}

// inReply swallows a reply up to its end.
func (f *filter) inReply(c byte) {
	f.held = append(f.held, c)
	switch {
	case c == 0x07, f.state == replyEsc && c == '\\':
		f.state, f.held = ground, f.held[:0]
	case c == 0x1b:
		f.state = replyEsc
	case f.state == replyEsc:
		f.state, f.held = ground, f.held[:0]
	case len(f.held) > maxReply:
		f.flush()
	}
}

// flush passes on what was held.
func (f *filter) flush() {
	f.out = append(f.out, f.held...)
	f.state, f.held = ground, f.held[:0]
}

// keyCodes are keys in the forms of xterm's modifyOtherKeys and of kitty's
// protocol, with the codes that mean the same here.
var keyCodes = map[string]string{
	"\x1b[13;2u": "\x1b\r", "\x1b[27;2;13~": "\x1b\r", // Shift+Enter
	"\x1b[13;3u": "\x1b\r", "\x1b[27;3;13~": "\x1b\r", // Alt+Enter
	"\x1b[13;5u": "\x1b\r", "\x1b[27;5;13~": "\x1b\r", // Ctrl+Enter
	"\x1b[13;6u": "\x1b\r", "\x1b[27;6;13~": "\x1b\r",
	"\x1b[106;5u": "\n", "\x1b[27;5;106~": "\n", // Ctrl+J
	"\x1b[99;5u": "\x03", "\x1b[27;5;99~": "\x03", // Ctrl+C
	"\x1b[27u": "\x1b", "\x1b[27;1u": "\x1b", // Esc
	"\x1b[9;2u": "\x1b[Z", "\x1b[27;2;9~": "\x1b[Z", // Shift+Tab
}

func (f *filter) endCSI() {
	switch seq := string(f.held); {
	case seq == "\x1b[200~":
		f.pasting, f.pasted = true, 0
	case seq == "\x1b[201~":
		f.pasting = false
	case !f.pasting && f.focus != nil && (seq == "\x1b[I" || seq == "\x1b[O"):
		f.focus(seq == "\x1b[I")
		f.held = f.held[:0]
	case !f.pasting:
		if code, ok := keyCodes[seq]; ok {
			f.held = append(f.held[:0], code...)
		}
	}
	f.flush()
}
