package diffview

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// change is a part of a line that differs from its partner, in bytes.
type change struct{ start, end int }

// maxTable bounds the work for one pair of lines: words of one times words of
// the other. Longer ones are taken to differ in one place.
const maxTable = 1 << 16

// minAlike is the share of a line, as one part in so many, that its partner
// must have in common for the rest to be emphasised: what is all different
// needs no emphasis.
const minAlike = 4

// compare finds what differs between two lines, word by word, in rising order.
// ok is false when they have too little in common.
func compare(a, b string) (ca, cb []change, ok bool) {
	pre := prefix(a, b)
	suf := suffix(a[pre:], b[pre:])
	alike := len(strings.TrimSpace(a[:pre])) + len(strings.TrimSpace(a[len(a)-suf:]))
	wa, wb := words(a[pre:len(a)-suf]), words(b[pre:len(b)-suf])
	keepA, keepB := common(wa, wb)
	for i, w := range wa {
		if keepA[i] && inWord(w) { // brackets and commas are in any two lines
			alike += len(w)
		}
	}
	ca, cb = changes(wa, keepA, pre), changes(wb, keepB, pre)
	return ca, cb, alike > 0 && alike*minAlike >= max(len(strings.TrimSpace(a)), len(strings.TrimSpace(b)))
}

// words cuts a text into words and what is between them, rune by rune.
func words(s string) []string {
	var out []string
	for len(s) > 0 {
		n := strings.IndexFunc(s, func(r rune) bool { return !wordy(r) })
		switch {
		case n < 0:
			n = len(s)
		case n == 0:
			_, n = utf8.DecodeRuneInString(s)
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

func inWord(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return wordy(r)
}

// common marks the longest common subsequence of two lists of words.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	if len(a)*len(b) > maxTable {
		return inA, inB
	}
	// best[i][j] is how much a[i:] and b[j:] have in common.
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if a[i] == b[j] {
				best[i][j] = max(best[i][j], best[i+1][j+1]+len(a[i]))
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j] && best[i][j] == best[i+1][j+1]+len(a[i]):
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

// changes joins the words that are not kept to parts of a line that begin at a
// byte. Blanks between two parts belong to the change.
func changes(words []string, kept []bool, at int) []change {
	var out []change
	blank := false // since the last part
	for i, w := range words {
		end := at + len(w)
		n := len(out)
		switch {
		case kept[i]:
			blank = blank && strings.TrimSpace(w) == ""
		case n > 0 && (blank || out[n-1].end == at):
			out[n-1].end, blank = end, true
		default:
			out, blank = append(out, change{at, end}), true
		}
		at = end
	}
	return out
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
