package fileedit

import (
	"regexp"
	"strconv"
	"strings"
)

// numberings are the forms of line numbers in listings of a file: "41|text",
// "41<tab>text", "41: text" and the like. The blank behind the sign may be
// part of the listing or of the text, so that both are tried.
var numberings = []*regexp.Regexp{
	regexp.MustCompile(`^ *(\d+)(?:\||│|→|:|\t)`),
	regexp.MustCompile(`^ *(\d+) ?(?:\||│|→|:|\t) `),
}

// numbered tries old and fresh without the line numbers that were pasted from
// a listing. They are taken off only if every line of old has one, and they
// are the numbers of the lines found.
func (v *view) numbered(old, fresh string) (s splice, refusal string, found bool) {
	for _, form := range numberings {
		first, bare, ok := unnumberOld(old, form)
		if !ok {
			continue
		}
		text, ok := unnumberNew(fresh, form)
		b := cut(bare)
		if !ok || len(b.lines) == 0 {
			continue
		}
		if bare == text {
			return s, identical, true
		}
		for _, k := range []key{whole, unedged, stripped} {
			hits := v.find(b.lines, k)
			if len(hits) != 1 || hits[0]+1 != first+b.before {
				continue
			}
			s, refusal = v.lineSplice(hits[0], b, text)
			s.pass, s.numbered = Indent, true
			return s, refusal, true
		}
	}
	return s, "", false
}

// unnumberOld takes the numbers off a text whose lines have consecutive ones,
// and returns the first of them.
func unnumberOld(text string, form *regexp.Regexp) (first int, bare string, ok bool) {
	numbers, bare, count := unnumber(text, form)
	if len(numbers) == 0 || len(numbers) < count {
		return 0, "", false
	}
	for i, n := range numbers {
		if n != numbers[0]+i {
			return 0, "", false
		}
	}
	return numbers[0], bare, true
}

// unnumberNew takes the numbers off a text where every line has one. A text
// with none is returned as it is; of one with some it is unclear which are
// content.
func unnumberNew(text string, form *regexp.Regexp) (string, bool) {
	numbers, bare, count := unnumber(text, form)
	switch len(numbers) {
	case 0:
		return text, true
	case count:
		return bare, true
	}
	return "", false
}

// unnumber takes the numbers off the lines that have one, and counts lines.
func unnumber(text string, form *regexp.Regexp) (numbers []int, bare string, count int) {
	lines := strings.Split(text, "\n")
	count = len(lines)
	if lines[count-1] == "" {
		count-- // the final newline ends the last line
	}
	for i, line := range lines[:count] {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue // more digits than a line number has
		}
		numbers = append(numbers, n)
		lines[i] = line[len(m[0]):]
	}
	return numbers, strings.Join(lines, "\n"), count
}

// listing is a line of a listing, or of the answer of an edit.
var listing = regexp.MustCompile(`^[ +-]? *(\d+)(?:\||│|→|:|\t)(.*)$`)

// Listed reports whether a text is a listing of the file: half of its lines are
// lines of the file behind their own numbers. As a content it would put the
// numbers into the file.
func Listed(file []byte, text string) bool { return newView(file).listed(text) }

func (v *view) listed(text string) bool {
	known, lines := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if strings.Trim(line, blanks) == "" {
			continue
		}
		lines++
		m := listing.FindStringSubmatch(line)
		if m == nil || strings.Trim(m[2], blanks) == "" {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err == nil && n >= 1 && n <= v.lines() && strings.TrimPrefix(m[2], " ") == strings.TrimPrefix(string(v.line(n-1)), " ") {
			known++
		}
	}
	return known >= 2 && 2*known >= lines
}
