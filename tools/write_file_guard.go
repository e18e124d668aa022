package tools

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mm/fileedit"
	"mm/safety"
)

// GuardWrite refuses to replace a file where the model does not know what it
// would destroy, or did not write out what it means. before is the file's
// content, nil when it does not exist. The text of an error is for the model.
//
// It stands before every way of overwriting a file, through bash too, since
// models that are refused by one tool take the next.
func (f Files) GuardWrite(p safety.Path, before []byte, content string) error {
	name := f.Workspace.Display(p.Real)
	if len(before) > 0 {
		switch f.Seen.Of(p.Real, before) {
		case Unread:
			return fmt.Errorf("[refused: %s exists and you have not read it in this session; nothing was written. "+
				"To change it: read_file, then edit_file. To replace all of it: read_file, then this call again]", name)
		case Stale:
			return fmt.Errorf("[refused: %s has changed on disk since you read it; nothing was written. "+
				"read_file it again, and keep what was added]", name)
		}
	}
	if line, ok := placeholder(name, before, content); ok {
		return fmt.Errorf("[refused: %s: the line %q stands for code that you did not write out, and would replace it; "+
			"nothing was written. Change only what differs with edit_file, or write the complete text]", name, line)
	}
	if fenced(name, content) {
		return fmt.Errorf("[refused: %s: the content is wrapped in a Markdown fence (```); "+
			"nothing was written. Send the text of the file alone]", name)
	}
	if numbered(name, content) || fileedit.Listed(before, content) {
		return fmt.Errorf("[refused: %s: lines begin with a line number, which read_file adds and the file does not have; "+
			"nothing was written. Send the text without the numbers]", name)
	}
	return nil
}

// The words of a line that stands for what was left out. It holds these and
// nothing else. Some are plain only between dots: "existing code" alone may
// well be a comment.
const (
	thing = `(code|file|functions?|class|classes|methods?|contents?|document|text|implementation|module|imports|tests|lines|logic|program|script)`
	fate  = `( (remains?|is|are|stays?|goes|continues|as|it was|unchanged|the same|same|here|before|above|below|omitted|for brevity))`
	part  = `((the )?(rest|remainder) of (the |this |your )?(existing |original )?|(the )?(existing|previous|original|other|remaining|unchanged|same) )` + thing
)

var (
	dotted = regexp.MustCompile(`^(` + part + fate + `*|unchanged|(the )?rest( of it)?|omitted|truncated|etc)$`)
	stated = regexp.MustCompile(`^(` + part + fate + `+|(the )?` + thing + `( (remains?|is|are|stays?))? (unchanged|omitted|the same|as before)` + fate + `*` +
		`|(rest |remains |everything else )unchanged|same as (before|above)|omitted for brevity|no changes?( here)?)$`)
	dots = regexp.MustCompile(`^(\.\.\.|…)|(\.\.\.|…)$`)
)

// comments are the signs that begin or end a line's comment.
const comments = "/#*-;<>!%(){}[]\"' \t"

// bareDots are the kinds of files where a line "..." alone has a meaning.
var bareDots = []string{".py", ".pyi", ".yaml", ".yml", ".md", ".txt", ".rst", ".adoc", ".jl"}

// placeholder finds a line in content that stands for text of the file that
// was left out. A line that the file itself has is content.
func placeholder(name string, before []byte, content string) (string, bool) {
	if len(before) == 0 {
		return "", false
	}
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		bare := strings.Trim(line, comments)
		if bare == "" || len(line) > maxPlaceholder || !standsFor(name, line, bare) {
			continue
		}
		if !hasLine(before, line) {
			return line, true
		}
	}
	return "", false
}

// maxPlaceholder is the length in bytes up to which a line can be one.
const maxPlaceholder = 120

// standsFor judges a line; bare is the line without its comment signs.
func standsFor(name, line, bare string) bool {
	prose := slices.Contains(bareDots, strings.ToLower(filepath.Ext(name)))
	hasDots := dots.MatchString(bare)
	words := dots.ReplaceAllString(dots.ReplaceAllString(bare, ""), "")
	words = strings.ToLower(strings.Trim(words, comments+".:"))
	switch {
	case words == "":
		return hasDots && (line != bare || !prose)
	case hasDots:
		return dotted.MatchString(words) || stated.MatchString(words)
	}
	return stated.MatchString(words) && (line != bare || !prose)
}

func hasLine(text []byte, line string) bool {
	for l := range bytes.Lines(text) {
		if string(bytes.TrimSpace(l)) == line {
			return true
		}
	}
	return false
}

// markdown are the kinds of files that hold fences of their own.
var markdown = []string{".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ""}

// fenced reports that all of content is one Markdown fence.
func fenced(name, content string) bool {
	text := strings.TrimSpace(content)
	return strings.HasPrefix(text, "```") && strings.HasSuffix(text, "\n```") &&
		!slices.Contains(markdown, strings.ToLower(filepath.Ext(name)))
}

// tables are the kinds of files whose lines may well begin with a number and a
// bar.
var tables = []string{".csv", ".tsv", ".psv", ".txt", ".md", ".dat", ""}

// minNumbered is how many lines with rising numbers are no accident.
const minNumbered = 3

// numbered reports that each line of content begins with its number and a bar.
func numbered(name, content string) bool {
	if slices.Contains(tables, strings.ToLower(filepath.Ext(name))) {
		return false
	}
	n := 0
	for line := range strings.Lines(content) {
		n++
		if !strings.HasPrefix(strings.TrimLeft(line, " "), fmt.Sprintf("%d|", n)) {
			return false
		}
	}
	return n >= minNumbered
}

// maxKept is the share of a file's lines, in percent, below which a write is
// said to drop most of it.
const maxKept = 50

// loss says what a write takes away when that is most of a file, for the user
// to see first.
func loss(before, after []byte) string {
	was, is := len(fileLines(before)), len(fileLines(after))
	switch {
	case was == 0:
		return ""
	case len(bytes.TrimSpace(after)) == 0:
		return fmt.Sprintf("empties the file: all of its %s go", count(was, "line"))
	case was >= minLines && 100*is < maxKept*was:
		return fmt.Sprintf("drops most of the file: %d lines become %d", was, is)
	}
	return ""
}

// minLines is the size of a file below which a loss is plain from the diff.
const minLines = 20

// minEscapes is how many escaped line breaks make one line of text suspect.
const minEscapes = 3

// doubts says what looks wrong in a text that was written all the same.
func doubts(after []byte) []string {
	if bytes.Count(after, []byte("\n")) <= 1 && bytes.Count(after, []byte(`\n`)) >= minEscapes {
		return []string{`the text is one line with the characters \n in it; if line breaks were meant, escape them once and write it again`}
	}
	return nil
}
