package tools

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// maxIgnoreFile bounds one .gitignore, in bytes, and maxIgnoreRules the
	// rules that are taken from it.
	maxIgnoreFile  = 64 << 10
	maxIgnoreRules = 1000
)

// ignoreRules are the rules of one .gitignore, for paths relative to its
// folder.
type ignoreRules []ignoreRule

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	pattern string // of doublestar
	keep    bool   // the line began with "!"
	folder  bool   // the line ended with "/"
	name    bool   // the pattern is for the last element alone, at any depth
}

// parseIgnore reads a .gitignore. Lines that are no patterns are left out, as
// git does.
func parseIgnore(text []byte) ignoreRules {
	var rules ignoreRules
	for line := range strings.Lines(string(text)) {
		if r, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
		if len(rules) == maxIgnoreRules {
			break
		}
	}
	return rules
}

func parseIgnoreLine(line string) (ignoreRule, bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = strings.TrimSuffix(line, " ")
	}
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	var r ignoreRule
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.folder = strings.CutSuffix(line, "/")
	r.name = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	// What doublestar reads as alternatives are plain letters for git, and
	// its "a/**" holds a itself.
	line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	r.pattern = line
	return r, patternProblem(line) == "" && doublestar.ValidatePattern(line)
}

// match says whether the rules name a path; the last rule that does decides
// whether it is ignored.
func (rules ignoreRules) match(rel string, folder bool) (ignored, named bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		r := rules[i]
		if r.folder && !folder {
			continue
		}
		subject := rel
		if r.name {
			subject = path.Base(rel)
		}
		if doublestar.MatchUnvalidated(r.pattern, subject) {
			return !r.keep, true
		}
	}
	return false, false
}

// Bounds of a glob pattern within which matching stays fast: alternatives in
// braces multiply.
const (
	maxPattern      = 300 // bytes
	maxBraces       = 3
	maxAlternatives = 40
)

// patternProblem says in words for the model why a glob pattern is not used,
// or "".
func patternProblem(pattern string) string {
	switch {
	case strings.TrimSpace(pattern) == "":
		return "it is empty"
	case len(pattern) > maxPattern:
		return "it is too long"
	case strings.Count(pattern, "{")-strings.Count(pattern, `\{`) > maxBraces,
		strings.Contains(pattern, "{") && strings.Count(pattern, ",") > maxAlternatives:
		return "it has too many alternatives in braces"
	case !doublestar.ValidatePattern(pattern):
		return "a bracket or brace in it is not closed"
	}
	return ""
}
