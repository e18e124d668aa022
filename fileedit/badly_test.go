package fileedit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A variant plays a case another way that must give the same outcome. It
// returns false where it does not apply.
type variant struct {
	name string
	turn func(*editCase) bool
}

// inFile are the ways in which the file can be written.
var inFile = []variant{
	{"as it is", func(*editCase) bool { return true }},
	{"CRLF file", func(c *editCase) bool {
		c.before = strings.ReplaceAll(c.before, "\n", "\r\n")
		c.after = strings.ReplaceAll(c.after, "\n", "\r\n")
		return true
	}},
	{"BOM", func(c *editCase) bool {
		c.before, c.after = bom+c.before, bom+c.after
		return true
	}},
	{"no final newline", func(c *editCase) bool {
		c.before, c.after = strings.TrimSuffix(c.before, "\n"), strings.TrimSuffix(c.after, "\n")
		return true
	}},
	{"Latin-1 elsewhere", func(c *editCase) bool {
		c.before, c.after = c.before+"\n# caf\xe9\n", c.after+"\n# caf\xe9\n"
		return true
	}},
}

// inModel are the ways in which a model copies text.
var inModel = []variant{
	{"as it is", func(*editCase) bool { return true }},
	{"CRLF", onBoth(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") })},
	{"final newline", onBoth(func(s string) string { return s + "\n" })},
	{"blank edges", onBoth(func(s string) string { return "\n" + s + "\n\n" })},
	{"blanks at the edges", onBoth(func(s string) string { return "  \n" + s + "\n\t\n" })},
	{"dedented", dedented},
	{"two columns more", onBoth(eachLine(func(ind string) string { return "  " + ind }))},
	{"tabs as 2", retab(2)},
	{"tabs as 4", retab(4)},
	{"tabs as 8", retab(8)},
	{"two as a tab", rescale("  ", "\t")},
	{"four as a tab", rescale("    ", "\t")},
	{"two as four", rescale("  ", "    ")},
	{"four as two", rescale("    ", "  ")},
	{"four as three", rescale("    ", "   ")},
	{"trailing blanks", func(c *editCase) bool {
		if c.edits[0].New == "" {
			return false // blank lines at the edges of old are then not deleted
		}
		c.edits[0].Old = strings.ReplaceAll(c.edits[0].Old, "\n", "  \n") + "\t"
		return true
	}},
	{"numbered", numberedLike("%d|")},
	{"numbered like cat", numberedLike("%6d\t")},
	{"numbered with colons", numberedLike("%d: ")},
}

func TestBadCopies(t *testing.T) {
	t.Parallel()
	played := 0
	for _, c := range readCases(t) {
		if !c.badly {
			continue
		}
		for _, file := range inFile {
			for _, model := range inModel {
				v := c
				v.edits = slices.Clone(c.edits)
				if !model.turn(&v) || !file.turn(&v) {
					continue
				}
				played++
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, file.name, model.name), func(t *testing.T) {
					t.Parallel()
					v.check(t)
				})
			}
		}
	}
	if played < 1000 {
		t.Errorf("%d variants played, want at least 1000", played)
	}
}

// onBoth changes old and new alike.
func onBoth(turn func(string) string) func(*editCase) bool {
	return func(c *editCase) bool {
		if c.edits[0].New == "" {
			return false // an empty new deletes, and has no lines to change
		}
		c.edits[0] = Edit{turn(c.edits[0].Old), turn(c.edits[0].New)}
		return true
	}
}

// eachLine changes the indentation of the lines that are not blank.
func eachLine(turn func(string) string) func(string) string {
	return func(s string) string {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			if !blank(line) {
				ind := indentOf(line)
				lines[i] = turn(ind) + line[len(ind):]
			}
		}
		return strings.Join(lines, "\n")
	}
}

// retab writes tabs as blanks.
func retab(n int) func(*editCase) bool {
	turn := onBoth(eachLine(func(ind string) string {
		return strings.ReplaceAll(ind, "\t", strings.Repeat(" ", n))
	}))
	return func(c *editCase) bool { return strings.Contains(c.edits[0].Old, "\n\t") && turn(c) }
}

// rescale writes one unit of indentation as another, where all of old and new
// is indented with whole units of which the smallest is one.
func rescale(from, to string) func(*editCase) bool {
	return func(c *editCase) bool {
		least := 0
		for line := range strings.Lines(c.edits[0].Old + "\n" + c.edits[0].New) {
			ind := indentOf(line)
			if strings.Contains(ind, "\t") || len(ind)%len(from) != 0 {
				return false
			}
			if n := len(ind); n > 0 && (least == 0 || n < least) {
				least = n
			}
		}
		if least != len(from) {
			return false
		}
		return onBoth(eachLine(func(ind string) string { return strings.ReplaceAll(ind, from, to) }))(c)
	}
}

// dedented takes the indentation that all lines share off old and new.
func dedented(c *editCase) bool {
	shared := ""
	for i, line := range strings.Split(c.edits[0].Old+"\n"+c.edits[0].New, "\n") {
		if blank(line) {
			continue
		}
		if ind := indentOf(line); i == 0 || len(ind) < len(shared) {
			shared = ind
		}
	}
	return shared != "" && onBoth(eachLine(func(ind string) string { return ind[len(shared):] }))(c)
}

// numberedLike pastes line numbers into old, and into new from the same one.
func numberedLike(format string) func(*editCase) bool {
	return func(c *editCase) bool {
		at := strings.Index(c.before, c.edits[0].Old)
		first := strings.Count(c.before[:max(at, 0)], "\n") + 1
		if at < 0 || strings.HasSuffix(c.edits[0].Old, "\n") || at > 0 && c.before[at-1] != '\n' {
			return false
		}
		number := func(s string) string {
			lines := strings.Split(s, "\n")
			for i, line := range lines {
				lines[i] = fmt.Sprintf(format, first+i) + line
			}
			return strings.Join(lines, "\n")
		}
		return onBoth(number)(c)
	}
}

// The report of a refusal must lead the model to success: copying the lines
// that it quotes, without the numbers, makes the edit due.
func TestQuotedLinesCanBeCopied(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t) {
		if !c.badly || c.edits[0].New == "" {
			continue
		}
		lines := strings.Split(c.edits[0].Old, "\n")
		lines[len(lines)/2] = "a line that is not in the file"
		bad := Edit{strings.Join(lines, "\n"), "x"}
		_, err := Apply([]byte(c.before), []Edit{bad}, Options{Path: "f"})
		if err == nil {
			t.Errorf("%s: an old with a foreign line was not refused", c.name)
			continue
		}
		var quoted []string
		for _, m := range quotedLine.FindAllStringSubmatch(err.Error(), -1) {
			quoted = append(quoted, m[1])
		}
		if len(lines) > 2 && len(quoted) == 0 {
			t.Errorf("%s: nothing quoted in:\n%s", c.name, err)
		}
		if text := strings.Join(quoted, "\n"); !strings.Contains(c.before, text) {
			t.Errorf("%s: %s is not in the file", c.name, strconv.Quote(text))
		}
	}
}

var quotedLine = regexp.MustCompile(`(?m)^\d+\|(.*)$`)
