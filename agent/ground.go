package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// fileAtLine finds a file named with a line: main.go:12, line 12 of main.go,
// main.go, line 12.
var fileAtLine = regexp.MustCompile("(?i)(?:^|[\\s(\"'`*])([\\w./-]*\\w\\.\\w{1,8})[`\"*]?(?::\\d+|,? (?:at )?lines? \\d+)|\\blines? \\d+ (?:of|in) [`\"*]?([\\w./-]*\\w\\.\\w{1,8})")

// fileShown finds the words that introduce a quotation from a file.
var fileShown = regexp.MustCompile("(?i)(?:contents? of|in) [`\"*]?([\\w./-]*\\w\\.\\w{1,8})|[`\"*]?([\\w./-]*\\w\\.\\w{1,8})[`\"*]? (?:contains|says|reads|shows|holds|defines)\\b")

// outputShown finds the words that introduce an output as a fact.
var outputShown = regexp.MustCompile(`(?i)\b(?:the )?(?:actual )?output (?:is|was)\b|\b(?:it|which|command|program|script) (?:printed|returned|gave)\b`)

// supposed finds the words of a guess, an example or advice: what they
// introduce is no claim.
var supposed = regexp.MustCompile(`(?i)\b(?:would|should|will|could|might|may|can|expected|for example|e\.g|such as|something like|similar|if you|run|change|replace|add|create|suppose)\b`)

// leastQuoted is how long a quoted output must be to be looked for, in
// characters: short ones ("ok", "42") stand everywhere.
const leastQuoted = 12

// unseen lists what an answer states as a fact and no tool result of the
// session can have told: a file of the project named with a line or quoted,
// and never read; an output that nothing printed. It is made to be right when
// it speaks and is silent in doubt: whatever mentions a file counts as having
// seen it.
func unseen(answer string, items []session.Item, cwd string) []string {
	var seen strings.Builder
	for _, item := range items {
		switch item.Role {
		case llm.Tool, llm.User:
			seen.WriteString(item.Text + "\n")
		case llm.Assistant:
			for _, c := range item.Calls {
				seen.WriteString(c.Args + "\n")
			}
		}
	}
	known := seen.String()
	flat := strings.Join(strings.Fields(known), " ")
	var out []string
	add := func(what string) {
		if !slices.Contains(out, what) {
			out = append(out, what)
		}
	}
	for _, name := range filesClaimed(answer) {
		if info, err := os.Stat(filepath.Join(cwd, name)); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if !strings.Contains(known, filepath.Base(name)) {
			add(name + " (never read)")
		}
	}
	for _, q := range quotations(answer) {
		text := strings.Join(strings.Fields(q.text), " ")
		if outputShown.MatchString(q.intro) && !supposed.MatchString(q.intro) && len(text) >= leastQuoted && !strings.Contains(flat, text) {
			add("the quoted output")
		}
	}
	return out
}

// filesClaimed lists the relative paths that an answer names with a line, or
// quotes from.
func filesClaimed(answer string) []string {
	var names []string
	prose := fences.ReplaceAllString(answer, "\n")
	for sentence := range strings.SplitSeq(prose, "\n") {
		if supposed.MatchString(sentence) {
			continue
		}
		for _, m := range fileAtLine.FindAllStringSubmatch(sentence, -1) {
			names = append(names, m[1]+m[2])
		}
	}
	for _, q := range quotations(answer) {
		if m := fileShown.FindStringSubmatch(q.intro); m != nil && !supposed.MatchString(q.intro) {
			names = append(names, m[1]+m[2])
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return !filepath.IsLocal(n) })
}

// fences are the fenced blocks of a Markdown text.
var fences = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n(.*?)^[ \t]*```[ \t]*$")

// quotation is a fenced block with the line that introduces it.
type quotation struct{ intro, text string }

func quotations(answer string) []quotation {
	var out []quotation
	for _, at := range fences.FindAllStringSubmatchIndex(answer, -1) {
		before := strings.TrimSpace(answer[:at[0]])
		intro := before[strings.LastIndexByte(before, '\n')+1:]
		out = append(out, quotation{intro, answer[at[2]:at[3]]})
	}
	return out
}
