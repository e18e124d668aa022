package clean

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Runs that Visible folds into their count. Shorter ones are how code is
// indented and set apart.
const (
	minBlanks = 24 // spaces and tabs in a row
	minEmpty  = 4  // empty lines in a row
)

// Visible writes text out for a decision: nothing is dropped, and what could
// hide is shown. A control or invisible rune is its code point, ⟨202E⟩; a
// byte that is not UTF-8 is ⟨byte FF⟩; a newline is "⏎" before the line break;
// a long run of blanks is ⟨blank ×400⟩; in a word that mixes scripts, the
// letters that pass for Latin ones are followed by their code point. Those
// signs themselves are written out where the text holds them, so that none can
// be forged.
func Visible(s string) Text {
	v := writer{dialog: true}
	v.text(s)
	return Text{v.b.String()}
}

// VisibleLine is Visible for what must stay on one line, such as the name of a
// file: a tab or a line break is its code point too.
func VisibleLine(s string) Text {
	v := writer{dialog: true, line: true}
	v.text(s)
	return Text{v.b.String()}
}

// Source is Visible for one line of code or a whole text in a diff: invisible
// runes are written out, while line breaks and blanks stay as they are.
func Source(s string) Text {
	v := writer{}
	v.text(s)
	return Text{v.b.String()}
}

// writer writes runes out.
type writer struct {
	b      strings.Builder
	judge  judge
	dialog bool
	line   bool // of the dialog
}

func (v *writer) text(s string) {
	for i := 0; i < len(s); {
		if n := v.folds(s[i:]); n > 0 {
			i += n
			continue
		}
		if n := v.word(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			v.sign(fmt.Sprintf("byte %02X", s[i]))
		} else {
			v.rune(r, s[i+n:])
		}
		i += n
	}
}

// sign writes a remark in the brackets that text cannot forge.
func (v *writer) sign(text string) {
	v.b.WriteString("⟨" + text + "⟩")
	v.judge.after('⟩')
}

func (v *writer) code(r rune) { v.sign(fmt.Sprintf("%04X", r)) }

// rune writes one rune; rest is what follows it.
func (v *writer) rune(r rune, rest string) {
	switch {
	case v.line && (r == '\n' || r == '\t'):
		v.code(r)
		return
	case r == '\n':
		if v.dialog {
			v.b.WriteRune(lineBreak)
		}
		v.b.WriteByte('\n')
		v.judge.after('\n')
		return
	case v.hides(r, rest):
		v.code(r)
		return
	}
	if v.judge.verdict(r) == keep {
		v.b.WriteRune(r)
		return
	}
	v.code(r)
}

// hides reports whether r could deceive although a Block would keep it.
func (v *writer) hides(r rune, rest string) bool {
	switch {
	case r < 0x7F:
		return false
	case r == zwj:
		next, _ := utf8.DecodeRuneInString(rest)
		return !pictograph(next) && !unicode.In(next, joined...)
	case unicode.In(r, unicode.Zs, unicode.Co), r == 0x2800:
		return true
	case r >= 0xFF01 && r <= 0xFF5E, r >= 0x1D400 && r <= 0x1D7FF:
		return true // Latin letters in another dress
	}
	return v.dialog && (r == '⟨' || r == '⟩' || r == lineBreak)
}

// folds writes a long run of blanks or empty lines at the start of s as its
// count, and returns its length.
func (v *writer) folds(s string) int {
	if !v.dialog {
		return 0
	}
	if n := len(s) - len(strings.TrimLeft(s, " \t")); n >= minBlanks {
		v.sign(fmt.Sprintf("blank ×%d", n))
		return n
	}
	n := len(s) - len(strings.TrimLeft(s, "\n"))
	if n <= minEmpty || v.line {
		return 0
	}
	v.rune('\n', "")
	v.sign(fmt.Sprintf("empty line ×%d", n-1))
	v.rune('\n', "")
	return n
}

// word writes the word at the start of s, and returns its length; 0 when there
// is none.
func (v *writer) word(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) })
	if end < 0 {
		end = len(s)
	}
	word := []rune(s[:end])
	flag := mixed(word)
	for _, r := range word {
		v.rune(r, "")
		if flag && unicode.In(r, lookalike...) {
			v.code(r)
		}
	}
	return end
}
