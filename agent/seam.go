package agent

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mm/llm"
)

const (
	// seamLines is how many of the last lines of a draft the model is shown,
	// and so how many of them it may repeat.
	seamLines = 15

	// startLines is how many lines at the beginning of a continuation tell
	// that the file was begun again.
	startLines = 3
)

// seam joins a continuation to the draft of a file. Both are whole lines.
type seam struct {
	path  string // of the file: its name tells what a code fence means
	draft string
}

// join returns the draft with a continuation behind it. whole says that the
// continuation was not cut; a cut one counts up to its last complete line. It
// returns false when the continuation is of no use: empty, a call of a tool, or
// the file begun again.
func (s seam) join(text string, whole bool) (string, bool) {
	text = s.unwrap(strings.Trim(text, "\r\n"), whole)
	if whole {
		text = strings.TrimRight(text, "\r\n") + "\n"
	}
	return s.add(text)
}

// settled takes a text that was cut back to a place where a new piece begins: a
// blank line among the last ones, of several the one before the outermost
// block. Small models go on badly in the middle of a comment or a function, and
// well between two of them. Without such a place the text stays as it is.
func settled(text string) string {
	lines := splitLines(text)
	best, outermost, found := len(lines), 0, false
	for i := len(lines) - 1; i > 0 && i >= len(lines)-seamLines; i-- {
		if strings.TrimSpace(lines[i]) != "" {
			continue
		}
		depth := 0 // nothing follows: it is a place by itself
		if i+1 < len(lines) {
			depth = len(leading(lines[i+1]))
		}
		if !found || depth < outermost {
			best, outermost, found = i+1, depth, true
		}
	}
	return strings.Join(lines[:best], "")
}

// prefillLines is how many of the last lines of a draft are sent as the
// beginning of an answer.
const prefillLines = 200

// prefill is a request for the whole file, and the beginning of its answer: the
// draft, in a code fence unless the file may hold fences itself.
func (s seam) prefill() (note, begun string) {
	lines := splitLines(s.draft)
	last := strings.Join(lines[max(0, len(lines)-prefillLines):], "")
	if s.prose() {
		return "Write the text of " + s.path + " now: the text alone, nothing before it and nothing after it.", last
	}
	return "Write the text of " + s.path + " now, whole, in one code block and nothing else.",
		"```" + strings.TrimPrefix(filepath.Ext(s.path), ".") + "\n" + last
}

// untilFence cuts the text that goes on from prefill where its code fence ends.
func (s seam) untilFence(text string) (inside string, ended bool) {
	if s.prose() {
		return text, false
	}
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\r\n") == "```" {
			return text[:at], true
		}
		at += len(line)
	}
	return text, false
}

// append is join for a text that goes on where the draft ends.
func (s seam) append(text string, whole bool) (string, bool) {
	if whole {
		text = strings.TrimRight(text, " \t\r\n") + "\n"
	}
	return s.add(text)
}

// add puts the whole lines of a text behind the draft.
func (s seam) add(text string) (string, bool) {
	text = text[:strings.LastIndexByte(text, '\n')+1]
	draft, more := splitLines(s.draft), splitLines(text)
	more = s.dropRepeated(draft, more)
	if len(filled(more)) == 0 || llm.HasCallMarkup(text) || beginsAgain(draft, more) {
		return "", false
	}
	return s.draft + strings.Join(more, ""), true
}

// splitLines keeps the line ends.
func splitLines(s string) []string { return slices.Collect(strings.Lines(s)) }

// filled are the lines that are not blank, without the space around them.
func filled(lines []string) []string {
	var out []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// chatter is what models say before the rest of a file.
var chatter = regexp.MustCompile(`(?i)^(sure|certainly|of course|okay|here|continuing|continued|the rest|below)\b.*:$`)

// linesBegin and linesEnd stand around the lines that the model is shown; it may
// put them around its own.
const (
	linesBegin = "<lines>\n"
	linesEnd   = "</lines>\n"
)

// unwrap takes off a sentence before the text and the code fence around it. In
// Markdown, whose text may hold fences, only a fence of Markdown is one around
// the text.
func (s seam) unwrap(text string, whole bool) string {
	const fence = "```"
	text = strings.TrimSuffix(strings.TrimPrefix(text, linesBegin), "\n"+strings.TrimSuffix(linesEnd, "\n"))
	first, rest, _ := strings.Cut(text, "\n")
	if chatter.MatchString(strings.TrimSpace(first)) && !s.prose() {
		text = strings.TrimLeft(rest, "\r\n")
		first, rest, _ = strings.Cut(text, "\n")
	}
	info, fenced := strings.CutPrefix(strings.TrimSpace(first), fence)
	if !fenced || s.prose() && info != "markdown" && info != "md" {
		return text
	}
	body := strings.TrimRight(rest, " \t\r\n")
	inner, closed := strings.CutSuffix(body, "\n"+fence)
	switch {
	case closed:
		return inner + "\n"
	case whole && body == fence:
		return ""
	}
	return rest
}

// prose says that the file may hold fences and sentences of its own.
func (s seam) prose() bool {
	switch strings.ToLower(filepath.Ext(s.path)) {
	case ".md", ".markdown", ".txt", ".rst", ".adoc", "":
		return true
	}
	return false
}

// dropRepeated takes off the lines at the beginning of more that repeat the
// end of the draft. Where they repeat it with less indentation, what follows
// gets that indentation too.
func (s seam) dropRepeated(draft, more []string) []string {
	for n := min(seamLines, len(draft), len(more)); n > 0; n-- {
		end := draft[len(draft)-n:]
		// Of lines that are all alike nobody knows whether they repeat: a
		// table of zeros goes on with zeros.
		if allAlike(draft[max(0, len(draft)-n-1):]) || !slices.ContainsFunc(end, isTelling) {
			continue
		}
		if indent, ok := repeats(end, more[:n]); ok {
			return indented(more[n:], indent)
		}
	}
	if n := retold(draft, more); n > 0 {
		return more[n:]
	}
	return s.mendFirst(draft, more)
}

// retoldLeast is how many lines in a row must be told again for it to be no
// chance: many a function begins like the one before it.
const retoldLeast = 3

// retold returns how many lines at the beginning of more tell the end of the
// draft again in other lines: with other line breaks, quotes or blank lines.
// Only words and figures are compared.
func retold(draft, more []string) int {
	end := words(draft[max(0, len(draft)-seamLines):])
	again := words(more)
	for from := range end {
		n := len(end) - from
		if n < retoldLeast || n > len(again) || allAlike(texts(end[from:])) {
			continue
		}
		if slices.Equal(texts(end[from:]), texts(again[:n])) {
			return again[n-1].at + 1
		}
	}
	return 0
}

// worded is a line that has letters, without anything else, and its place.
type worded struct {
	at   int
	text string
}

func words(lines []string) []worded {
	var out []worded
	for i, line := range lines {
		text := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, line)
		if isTelling(text) {
			out = append(out, worded{i, text})
		}
	}
	return out
}

func texts(lines []worded) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line.text
	}
	return out
}

// repeats reports whether more are the lines of end again, and with how much
// indentation less.
func repeats(end, more []string) (indent string, ok bool) {
	known := false
	for i := range end {
		a, b := strings.TrimRight(end[i], " \t\r\n"), strings.TrimRight(more[i], " \t\r\n")
		lost, same := strings.CutSuffix(a, b)
		if !same || strings.TrimSpace(lost) != "" || (b == "") != (a == "") || known && b != "" && lost != indent {
			return "", false
		}
		if b != "" {
			indent, known = lost, true
		}
	}
	return indent, true
}

// isTelling reports whether a line is more than a bracket or a figure.
func isTelling(line string) bool {
	const letters = 3 // "end" is no sign, nor is a digit of a table
	n := 0
	for _, r := range line {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f {
			n++
		}
	}
	return n > letters
}

func allAlike(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return l != lines[0] })
}

func indented(lines []string, indent string) []string {
	if indent == "" {
		return lines
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		if out[i] = line; strings.TrimSpace(line) != "" {
			out[i] = indent + line
		}
	}
	return out
}

// mendFirst gives the first line back the indentation that was cut off the
// beginning of an answer: the line before it and the one after it have it, and
// it opens no block of its own.
func (s seam) mendFirst(draft, more []string) []string {
	if s.prose() || len(draft) == 0 || len(more) < 2 {
		return more
	}
	indent := leading(draft[len(draft)-1])
	first := strings.TrimRight(more[0], " \t\r\n")
	if indent == "" || leading(more[0]) != "" || leading(more[1]) != indent ||
		first == "" || strings.ContainsAny(first[len(first)-1:], "{([:") || strings.ContainsAny(first[:1], "})]") {
		return more
	}
	return append([]string{indent + more[0]}, more[1:]...)
}

func leading(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// beginsAgain reports whether a continuation is the file from its beginning.
func beginsAgain(draft, more []string) bool {
	a, b := filled(draft), filled(more)
	if len(a) < startLines || len(b) < startLines {
		return false
	}
	return slices.Equal(a[:startLines], b[:startLines]) && !allAlike(a[:startLines])
}
