package fileedit

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPlaces is how many lines of old with the same text vote for a place.
const maxPlaces = 8

// nearest returns the first line of the place in the file where most lines
// coincide with core, white space and look-alikes aside. At least half of its
// lines must, and one of them must hold more than brackets. Each line of the
// file that is also in core votes once for where core would begin, so that it
// takes time linear in the file.
func (v *view) nearest(core []string) (first int, found bool) {
	places := make(map[string][]int)
	need := 0
	for i, line := range core {
		if blank(line) {
			continue
		}
		need++
		text := string(squash([]byte(line), nil))
		if len(places[text]) < maxPlaces {
			places[text] = append(places[text], i)
		}
	}
	votes := make([]int32, v.lines()+len(core))
	telling := make([]bool, len(votes))
	var buf []byte
	for i := range v.starts {
		buf = squash(v.line(i), buf[:0])
		if len(buf) == 0 {
			continue
		}
		for _, j := range places[string(buf)] {
			at := i - j + len(core) - 1
			votes[at]++
			telling[at] = telling[at] || tells(buf)
		}
	}
	best := -1
	for at, n := range votes {
		if telling[at] && 2*int(n) >= need && (best < 0 || n > votes[best]) {
			best = at
		}
	}
	if best < 0 {
		return 0, false
	}
	return best - len(core) + 1, true
}

// tells reports whether a line holds a letter or digit.
func tells(line []byte) bool {
	for _, b := range line {
		if b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// squash appends line to buf without white space and with look-alikes as the
// ASCII that they look like.
func squash(line, buf []byte) []byte {
	for i := 0; i < len(line); {
		if c := line[i]; c < utf8.RuneSelf {
			if c != ' ' && c != '\t' {
				buf = append(buf, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(line[i:])
		switch ascii, ok := lookalike(r); {
		case !ok:
			buf = append(buf, line[i:i+n]...)
		case ascii > ' ':
			buf = append(buf, ascii)
		}
		i += n
	}
	return buf
}

// lookalike returns the ASCII character that r is easily taken for, 0 for a
// rune that does not show at all.
func lookalike(r rune) (byte, bool) {
	switch r {
	case '‘', '’', '‚', '‛', '′', 'ʼ':
		return '\'', true
	case '“', '”', '„', '‟', '″':
		return '"', true
	case '‐', '‑', '‒', '–', '—', '―', '−', '﹣':
		return '-', true
	}
	switch {
	case r < utf8.RuneSelf:
		return 0, false
	case unicode.Is(unicode.Zs, r):
		return ' ', true
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return 0, true
	}
	return 0, false
}

// difference names what tells two lines apart that look the same: white space
// inside, or runes that look alike. It returns nothing for lines that are the
// same, white space at the edges aside, or that differ visibly.
func difference(file, old string) string {
	f, o := strings.Trim(file, blanks), strings.Trim(old, blanks)
	if f == o || string(squash([]byte(f), nil)) != string(squash([]byte(o), nil)) {
		return ""
	}
	i := 0
	for i < len(f) && i < len(o) && f[i] == o[i] {
		i++
	}
	for i > 0 && i < len(f) && !utf8.RuneStart(f[i]) || i > 0 && i < len(o) && !utf8.RuneStart(o[i]) {
		i--
	}
	has, wants := runeAt(f, i), runeAt(o, i)
	switch {
	case ascii(has) && ascii(wants):
		return fmt.Sprintf("has other white space inside the line: %q where old has %q", runFrom(f, i), runFrom(o, i))
	case invisible(has):
		return fmt.Sprintf("has an invisible %U that old lacks", has)
	case invisible(wants):
		return fmt.Sprintf("lacks the invisible %U that old has", wants)
	}
	return fmt.Sprintf("has %s where old has %s", runeName(has), runeName(wants))
}

func runeAt(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

func ascii(r rune) bool { return r < utf8.RuneSelf }

func invisible(r rune) bool {
	c, ok := lookalike(r)
	return ok && c == 0
}

// runFrom returns the blanks around offset i, or the character there.
func runFrom(s string, i int) string {
	from := len(strings.TrimRight(s[:i], blanks))
	to := len(s) - len(strings.TrimLeft(s[i:], blanks))
	if from == to {
		return ""
	}
	return s[from:to]
}

func runeName(r rune) string {
	switch {
	case r == ' ':
		return "a space"
	case r == '\t':
		return "a tab"
	case unicode.IsPrint(r) && ascii(r):
		return string(r)
	case unicode.IsPrint(r):
		return fmt.Sprintf("%c (%U)", r, r)
	}
	return fmt.Sprintf("%U", r)
}
