package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxOpen is how far back in bytes a mark is taken for an open one while the
// text is being written. One further back is a character like others.
const maxOpen = 240

// openMark is a run of marks, "**" say, that nothing has closed yet.
type openMark struct {
	at   int
	text string
}

// finish closes what is open at the end of a text that is still being written,
// so that bold text is bold from its first letter on and no mark flashes up.
func finish(src string) string {
	src = strings.TrimRight(src, " \t")
	var open []openMark
	for i := 0; i < len(src); {
		n := 1
		for i+n < len(src) && src[i+n] == src[i] {
			n++
		}
		switch src[i] {
		case '\\':
			n = min(2, len(src)-i)
		case '`':
			end := codeSpan(src[i:])
			if end == n { // no other run closes it
				return closed(src, append(open, openMark{i, src[i : i+n]}))
			}
			n = end
		case '[':
			n = 1
			if label, ok := halfLink(src[i:]); ok {
				return closed(src[:i]+label, open)
			}
		case '*', '_', '~':
			if i+n == len(src) || src[i] != '~' || n == 2 {
				open = flank(src, i, n, open)
			}
		}
		i += n
	}
	return closed(src, open)
}

// flank opens or closes emphasis with the run of n marks at i.
func flank(src string, i, n int, open []openMark) []openMark {
	before, _ := utf8.DecodeLastRuneInString(src[:i])
	after, _ := utf8.DecodeRuneInString(src[i+n:])
	from, end := i, i+n
	if i > 0 && !unicode.IsSpace(before) {
		for len(open) > 0 {
			top := open[len(open)-1].text
			if top[0] != src[i] || len(top) > end-from {
				break
			}
			open, from = open[:len(open)-1], from+len(top)
		}
	}
	last := end == len(src) // it may yet become anything
	opens := !unicode.IsSpace(after) && (i == 0 || unicode.IsSpace(before) || unicode.IsPunct(before))
	if from < end && (last || opens) {
		open = append(open, openMark{from, src[from:end]})
	}
	return open
}

// closed closes the marks that are open, the last first. One that nothing
// stands behind is left out.
func closed(src string, open []openMark) string {
	whole := len(src)
	for _, m := range slices.Backward(open) {
		switch {
		case strings.TrimSpace(src[min(m.at+len(m.text), len(src)):]) == "":
			src = strings.TrimRight(src[:min(m.at, len(src))], " \t")
		case whole-m.at <= maxOpen:
			src += m.text
		}
	}
	return src
}

// halfLink returns the label of a link at the start of s whose address is
// being written.
func halfLink(s string) (string, bool) {
	end := strings.Index(s, "](")
	if end < 0 || strings.ContainsAny(s[1:end], "[]\n") || strings.ContainsAny(s[end:], ")\n ") {
		return "", false
	}
	return s[1:end], true
}
