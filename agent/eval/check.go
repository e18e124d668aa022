package eval

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// check is one line of a task's check section.
type check struct {
	verb    string
	file    string
	pattern *regexp.Regexp
	least   int
	command string
}

// parseCheck reads one line; the package comment lists the verbs.
func parseCheck(line string) (check, error) {
	verb, rest, _ := strings.Cut(line, " ")
	c := check{verb: verb}
	switch verb {
	case "has", "lacks", "lines", "absent":
		c.file, rest, _ = strings.Cut(rest, " ")
		if !fs.ValidPath(c.file) {
			return c, fmt.Errorf("%q is no path below the project", c.file)
		}
	}
	var err error
	switch verb {
	case "has", "lacks", "answer", "answer-lacks":
		if rest == "" {
			return c, fmt.Errorf("a regular expression is missing")
		}
		c.pattern, err = regexp.Compile("(?m)" + rest)
	case "lines":
		c.least, err = strconv.Atoi(rest)
	case "run":
		c.command = rest
		if rest == "" {
			err = fmt.Errorf("a command is missing")
		}
	case "absent":
	default:
		err = fmt.Errorf("unknown verb")
	}
	return c, err
}

// static judges a check that needs no command, and says what is wrong or
// returns an empty string.
func (c check) static(after files, answer string) string {
	data, exists := after[c.file]
	switch c.verb {
	case "has", "lines", "lacks":
		if !exists {
			return fmt.Sprintf("%s: there is no such file", c.file)
		}
	}
	switch c.verb {
	case "has":
		if !c.pattern.Match(data) {
			return fmt.Sprintf("%s: nothing matches %s", c.file, c.shown())
		}
	case "lacks":
		if at := c.pattern.FindIndex(data); at != nil {
			return fmt.Sprintf("%s: line %d matches %s", c.file, lineOf(data, at[0]), c.shown())
		}
	case "lines":
		if n := lineOf(data, len(data)) - 1; n < c.least {
			return fmt.Sprintf("%s: %d lines, want at least %d", c.file, n, c.least)
		}
	case "absent":
		if exists {
			return fmt.Sprintf("%s: it is still there", c.file)
		}
	case "answer":
		if !c.pattern.MatchString(answer) {
			return "the answer: nothing matches " + c.shown()
		}
	case "answer-lacks":
		if c.pattern.MatchString(answer) {
			return "the answer: something matches " + c.shown()
		}
	}
	return ""
}

func (c check) shown() string { return strings.TrimPrefix(c.pattern.String(), "(?m)") }

// lineOf counts the lines up to an offset, from 1.
func lineOf(data []byte, offset int) int {
	return 1 + strings.Count(string(data[:offset]), "\n")
}
