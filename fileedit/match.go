package fileedit

import "strings"

// place finds the one place of an edit. Where there is none, or more than one,
// refusal says what the model should do.
func (v *view) place(e Edit) (s splice, refusal string) {
	old, fresh := plainText(e.Old), plainText(e.New)
	switch {
	case old == "":
		return s, emptyOld
	case old == fresh:
		return s, identical
	case v.listed(fresh) && !v.listed(old):
		return s, "new holds line numbers, which are not part of the file: leave them out."
	case strings.Contains(fresh, "\x00"):
		return s, "new holds a NUL byte, which would make the file binary. Leave it out, or write it as an escape of the language."
	}
	hits := indexAll(v.norm, []byte(old))
	switch {
	case len(hits) == 1:
		return v.exact(hits[0], old, fresh), ""
	case len(hits) > 1:
		return s, v.ambiguous(v.linesOf(hits), 1+strings.Count(strings.Trim(old, "\n"), "\n"), "")
	}
	if s, refusal, found := v.soft(old, fresh); found {
		return s, refusal
	}
	if s, refusal, found := v.numbered(old, fresh); found {
		return s, refusal
	}
	return s, v.missing(old, fresh)
}

// linesOf returns the lines of offsets in norm, which are sorted.
func (v *view) linesOf(offsets []int) []int {
	lines := make([]int, len(offsets))
	for i, off := range offsets {
		lines[i] = v.lineAt(off)
	}
	return lines
}

// exact replaces old at start, byte for byte, but for two guards: whole lines
// stay lines when new lacks the final newline, and whole lines that are
// deleted take their newline along.
func (v *view) exact(start int, old, fresh string) splice {
	s := splice{start: start, end: start + len(old), text: fresh, pass: Exact, line: v.lineAt(start)}
	if !v.startsLine(start) {
		return s
	}
	switch {
	case strings.HasSuffix(old, "\n"):
		if fresh != "" && !strings.HasSuffix(fresh, "\n") && s.end < len(v.norm) {
			s.text += "\n"
		}
	case fresh == "" && (s.end == len(v.norm) || v.norm[s.end] == '\n'):
		s = v.withNewline(s)
	}
	return s
}

// withNewline makes a deletion of whole lines take one newline along: the one
// behind them, or the one before where the text ends without.
func (v *view) withNewline(s splice) splice {
	switch {
	case s.end < len(v.norm):
		s.end++
	case s.start > 0:
		s.start--
		s.lead = 1
	}
	return s
}

// block is the old text of an edit without the blank lines at its edges.
type block struct {
	lines  []string
	before int // blank lines that were before
	after  int // newlines that were behind the last line
}

func blank(line string) bool { return strings.Trim(line, blanks) == "" }

// cut takes the blank edges off a text. The block has no lines when all of
// them are blank.
func cut(text string) block {
	b := block{lines: strings.Split(text, "\n")}
	for len(b.lines) > 0 && blank(b.lines[0]) {
		b.lines = b.lines[1:]
		b.before++
	}
	for len(b.lines) > 0 && blank(b.lines[len(b.lines)-1]) {
		b.lines = b.lines[:len(b.lines)-1]
		b.after++
	}
	return b
}

// soft looks for whole lines, first without the blank edges, then without
// indentation and trailing blanks.
func (v *view) soft(old, fresh string) (s splice, refusal string, found bool) {
	b := cut(old)
	if len(b.lines) == 0 {
		return s, "", false
	}
	edges := whole
	if len(b.lines) == 1 {
		edges = unedged
	}
	for _, try := range []struct {
		pass Pass
		key  key
	}{{Edges, edges}, {Indent, stripped}} {
		hits := v.find(b.lines, try.key)
		switch {
		case len(hits) == 1:
			s, refusal = v.lineSplice(hits[0], b, fresh)
			s.pass = try.pass
			return s, refusal, true
		case len(hits) > 1:
			return s, v.ambiguous(hits, len(b.lines), " when white space at the edges of lines is ignored"), true
		}
	}
	return s, "", false
}

// lineSplice replaces the whole lines from at on. fresh is rewritten into
// their indentation.
func (v *view) lineSplice(at int, b block, fresh string) (splice, string) {
	last := at + len(b.lines) - 1
	s := splice{start: v.starts[at], end: v.starts[last] + len(v.line(last)), line: at}
	if fresh == "" {
		return v.withNewline(s), ""
	}
	region := make([]string, len(b.lines))
	for i := range region {
		region[i] = string(v.line(at + i))
	}
	lines, ok := reindent(b.lines, region, b.freshLines(fresh), v)
	if !ok {
		return s, v.nested(b.lines, at)
	}
	s.text = strings.Join(lines, "\n")
	return s, ""
}

// freshLines splits the new text. The blank lines at its edges that old has as
// well go; what it has more is kept. Its final newline ends its last line.
func (b block) freshLines(fresh string) []string {
	lines := strings.Split(strings.TrimSuffix(fresh, "\n"), "\n")
	for n := b.before; n > 0 && len(lines) > 1 && blank(lines[0]); n-- {
		lines = lines[1:]
	}
	for n := b.after - 1; n > 0 && len(lines) > 1 && blank(lines[len(lines)-1]); n-- {
		lines = lines[:len(lines)-1]
	}
	return lines
}
