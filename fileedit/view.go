package fileedit

import (
	"bytes"
	"sort"
	"strings"
)

const bom = "\uFEFF"

// view is a file as edits see it: without byte order mark and with LF line
// breaks. A lone CR, a form feed or U+2028 is content. Offsets in norm are
// mapped back to the original bytes, which are never rewritten.
type view struct {
	src  []byte
	head int // length of the byte order mark

	norm   []byte
	starts []int // offset of each line in norm

	// Of a file with CRLF only; else the offset in src is that in norm plus
	// head.
	origin []int  // offset of each line in src
	crlf   []bool // the line ends in CRLF

	keys [3][]byte // made on demand, see keyText
}

func newView(src []byte) *view {
	v := &view{src: src}
	if bytes.HasPrefix(src, []byte(bom)) {
		v.head = len(bom)
	}
	body := src[v.head:]
	if !bytes.Contains(body, []byte("\r\n")) {
		v.norm = body
		v.starts = lineStarts(body)
		return v
	}
	v.norm = make([]byte, 0, len(body))
	for at := 0; at < len(body); {
		line, ended := body[at:], false
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, ended = line[:i], true
		}
		v.starts = append(v.starts, len(v.norm))
		v.origin = append(v.origin, v.head+at)
		at += len(line)
		crlf := ended && bytes.HasSuffix(line, []byte("\r"))
		v.crlf = append(v.crlf, crlf)
		if crlf {
			line = line[:len(line)-1]
		}
		v.norm = append(v.norm, line...)
		if ended {
			v.norm = append(v.norm, '\n')
			at++
		}
	}
	return v
}

// lineStarts returns the offset of each line. A final newline begins no line.
func lineStarts(text []byte) []int {
	starts := make([]int, 0, bytes.Count(text, []byte("\n"))+1)
	for at := 0; at < len(text); {
		starts = append(starts, at)
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return starts
}

// lines returns the number of lines.
func (v *view) lines() int { return len(v.starts) }

// line returns line i, counted from 0, without its newline.
func (v *view) line(i int) []byte {
	return bytes.TrimSuffix(v.norm[v.starts[i]:v.lineEnd(i)], []byte("\n"))
}

// lineEnd returns the offset behind line i and its newline.
func (v *view) lineEnd(i int) int {
	if i+1 < len(v.starts) {
		return v.starts[i+1]
	}
	return len(v.norm)
}

// ended reports whether line i has a newline.
func (v *view) ended(i int) bool { return v.norm[v.lineEnd(i)-1] == '\n' }

// rawStart returns the offset of line i in src. The byte order mark belongs to
// the first line.
func (v *view) rawStart(i int) int {
	if i == 0 {
		return 0
	}
	return v.original(v.starts[i])
}

// raw returns line i as it is in the file, with its line break.
func (v *view) raw(i int) []byte { return v.src[v.rawStart(i):v.original(v.lineEnd(i))] }

// lineAt returns the line that holds the byte at off of norm. The end of the
// text belongs to the last line.
func (v *view) lineAt(off int) int {
	return sort.Search(len(v.starts), func(i int) bool { return v.starts[i] > off }) - 1
}

// startsLine reports whether a line begins at off, or the text ends there
// after a newline.
func (v *view) startsLine(off int) bool { return off == 0 || v.norm[off-1] == '\n' }

// original maps an offset of norm to src. Inside a CRLF it is before the CR.
func (v *view) original(off int) int {
	switch {
	case off == len(v.norm):
		return len(v.src)
	case v.origin == nil:
		return v.head + off
	}
	i := v.lineAt(off)
	return v.origin[i] + off - v.starts[i]
}

// ending returns the line break of a replacement: that of most of the lines it
// replaces, else that of most of the file, else that of its first line.
func (v *view) ending(s splice) string {
	if v.origin == nil {
		return "\n"
	}
	first, last := v.lineAt(s.start), v.lineAt(max(s.start, s.end-1))
	if e := v.majority(first, last+1); e != "" {
		return e
	}
	if e := v.majority(0, v.lines()); e != "" {
		return e
	}
	return v.majority(0, 1)
}

// majority returns the line break of most lines in [from, to), or nothing.
func (v *view) majority(from, to int) string {
	crlf, lf := 0, 0
	for i := from; i < to; i++ {
		switch {
		case v.crlf[i]:
			crlf++
		case v.ended(i):
			lf++
		}
	}
	switch {
	case crlf > lf:
		return "\r\n"
	case lf > crlf:
		return "\n"
	}
	return ""
}

// plainText takes the only liberties with what a model wrote: a byte order
// mark and the CR of a CRLF go.
func plainText(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, bom), "\r\n", "\n")
}

// key reduces a line to what a pass compares.
type key int

const (
	whole    key = iota // the line as it is
	unedged             // without indentation
	stripped            // without indentation and trailing blanks
)

const blanks = " \t"

func (k key) of(line []byte) []byte {
	if k == whole {
		return line
	}
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	for k == stripped && len(line) > 0 && (line[len(line)-1] == ' ' || line[len(line)-1] == '\t') {
		line = line[:len(line)-1]
	}
	return line
}

// keyText returns the keys of all lines, each after a newline, and a newline.
func (v *view) keyText(k key) []byte {
	if v.keys[k] == nil {
		v.keys[k] = v.makeKeys(k)
	}
	return v.keys[k]
}

func (v *view) makeKeys(k key) []byte {
	text := make([]byte, 1, len(v.norm)+2)
	text[0] = '\n'
	if k == whole {
		text = append(text, v.norm...)
		if n := len(v.norm); n > 0 && v.norm[n-1] == '\n' {
			return text
		}
		return append(text, '\n')
	}
	for i, at := range v.starts {
		line := v.norm[at:v.lineEnd(i)]
		if n := len(line); line[n-1] == '\n' {
			line = line[:n-1]
		}
		text = append(text, k.of(line)...)
		text = append(text, '\n')
	}
	return text
}

// find returns the first lines of all places, at most maxHits, where lines
// with the keys of core follow each other.
func (v *view) find(core []string, k key) []int {
	needle := []byte{'\n'}
	for _, line := range core {
		needle = append(needle, k.of([]byte(line))...)
		needle = append(needle, '\n')
	}
	text := v.keyText(k)
	var found []int
	line, at := 0, 0
	for _, hit := range indexAll(text, needle) {
		line += bytes.Count(text[at:hit], []byte("\n"))
		at = hit
		found = append(found, line)
	}
	return found
}

// maxHits is where counting the places of a text ends.
const maxHits = 1000

// indexAll returns the offsets of sub in text, overlapping ones too.
func indexAll(text, sub []byte) []int {
	var hits []int
	for at := 0; len(hits) < maxHits; {
		i := bytes.Index(text[at:], sub)
		if i < 0 {
			break
		}
		hits = append(hits, at+i)
		at += i + 1
	}
	return hits
}
