package diffview

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// change is the part of a line that differs from its partner, in bytes.
type change struct{ start, end int }

// minAlike is the share of a line, as one part in so many, that its partner
// must have in common for the rest to be emphasised: what is all different
// needs no emphasis.
const minAlike = 4

// compare finds what differs between two lines, word by word. ok is false when
// they have too little in common.
func compare(a, b string) (ca, cb change, ok bool) {
	pre := prefix(a, b)
	suf := suffix(a[pre:], b[pre:])
	ca, cb = change{pre, len(a) - suf}, change{pre, len(b) - suf}
	common := strings.TrimSpace(a[:pre])
	alike := len(common) + len(strings.TrimSpace(a[len(a)-suf:]))
	return ca, cb, alike > 0 && alike*minAlike >= max(len(strings.TrimSpace(a)), len(strings.TrimSpace(b)))
}

// prefix is the length of the common beginning, ending between words.
func prefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (inside(a, n) || inside(b, n)) {
		n--
	}
	return n
}

// suffix is the length of the common end, beginning between words.
func suffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && (inside(a, len(a)-n) || inside(b, len(b)-n)) {
		n--
	}
	return n
}

// inside reports whether the byte offset i is within a word or a rune of s.
func inside(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	if !utf8.RuneStart(s[i]) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return wordy(before) && wordy(after)
}

func wordy(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
