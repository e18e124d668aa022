package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"mm/safety"
)

const (
	maxRegexp     = 1000    // bytes of a pattern
	maxGrepFile   = 4 << 20 // bytes of a file that is searched
	maxGrepLines  = 200     // lines in a result
	maxGrepInFile = 25      // lines of one file in a result
	maxGrepWidth  = 200     // bytes of a line that are shown
)

//go:embed grep.md
var grepDoc string

// grepTool is the tool grep.
type grepTool struct{ Files }

// NewGrep returns the tool that searches the text of files.
func NewGrep(f Files) Tool { return grepTool{f} }

func (t grepTool) Spec() Spec {
	return Spec{
		Name:        "grep",
		Description: strings.TrimSpace(grepDoc),
		Kind:        KindSearch,
		Synonyms: map[string]string{
			"pattern": "query regex regexp search text expression search_term q",
			"path":    "dir directory folder file file_path root paths",
			"include": "glob file_pattern includes files file_glob include_pattern",
		},
		Schema: Schema(
			Field{Name: "pattern", Type: "string"},
			Field{Name: "path", Type: "string", Optional: true},
			Field{Name: "include", Type: "string", Optional: true},
		),
	}
}

// grepState is a search that was planned.
type grepState struct {
	root    safety.Path
	include string // a glob pattern for the name or the path, or ""
	tries   []grepTry
}

// grepTry is one reading of the pattern. A later one is tried when the earlier
// ones find nothing.
type grepTry struct {
	re   *regexp.Regexp
	note string // tells the model what was searched instead
}

func (t grepTool) Plan(_ context.Context, args json.RawMessage) (Plan, error) {
	var a struct{ Pattern, Path, Include string }
	if err := json.Unmarshal(args, &a); err != nil {
		return Plan{}, fmt.Errorf("[error: grep: %w]", err)
	}
	if strings.TrimSpace(a.Path) == "" {
		a.Path = "."
	}
	s := grepState{include: strings.TrimPrefix(strings.TrimSpace(a.Include), "./")}
	if s.include != "" {
		if problem := patternProblem(s.include); problem != "" {
			return Plan{}, fmt.Errorf("[error: grep: include %s cannot be used: %s; give one like *.go]", shown(s.include), problem)
		}
	}
	var err error
	if s.tries, err = grepTries(a.Pattern); err != nil {
		return Plan{}, err
	}
	if s.root, err = t.resolve(a.Path, safety.Read); err != nil {
		return Plan{}, err
	}
	title := a.Pattern
	if s.include != "" {
		title += " in " + s.include
	}
	if name := t.Workspace.Display(s.root.Real); name != "." {
		title += " in " + name
	}
	return Plan{
		Title:     firstLine(title),
		Action:    safety.Action{Tool: "grep", Op: safety.Read, Path: s.root},
		Locations: []Location{{Path: s.root.Real}},
		State:     s,
	}, nil
}

// grepTries reads a pattern. Models write it for other programs too: the
// backslashes of basic regular expressions, or plain code with brackets.
func grepTries(pattern string) ([]grepTry, error) {
	switch {
	case strings.TrimSpace(pattern) == "":
		return nil, errors.New("[error: grep: the pattern is empty; give a word or a regular expression]")
	case len(pattern) > maxRegexp:
		return nil, fmt.Errorf("[error: grep: the pattern has %d characters; search a part of the line, at most %d]", len(pattern), maxRegexp)
	case strings.ContainsAny(strings.Trim(pattern, "\r\n"), "\r\n"):
		return nil, errors.New("[error: grep: the search goes line by line; give a pattern of one line]")
	}
	pattern = strings.Trim(pattern, "\r\n")
	var tries []grepTry
	add := func(expr, note string) {
		if re, err := regexp.Compile(expr); err == nil {
			tries = append(tries, grepTry{re, note})
		}
	}
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		add(regexp.QuoteMeta(pattern), fmt.Sprintf("[the pattern is no regular expression (%s); it was searched as plain text]", regexpFault(err)))
	} else {
		add(pattern, "")
	}
	if basic := unescape.Replace(pattern); basic != pattern {
		add(basic, "[nothing matches the pattern as it is; in this tool | ( ) + ? { } need no backslash, and it was searched so]")
	}
	for _, t := range tries {
		add("(?i)"+t.re.String(), "[nothing matches with this letter case; these match in any]")
	}
	return tries, nil
}

// unescape takes basic regular expressions for extended ones.
var unescape = strings.NewReplacer(`\\`, `\\`, `\|`, `|`, `\(`, `(`, `\)`, `)`, `\+`, `+`, `\?`, `?`, `\{`, `{`, `\}`, `}`)

func regexpFault(err error) string {
	if fault, ok := errors.AsType[*syntax.Error](err); ok {
		return string(fault.Code)
	}
	return err.Error()
}
