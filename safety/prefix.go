package safety

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// offered are the beginnings of two words for which "always" may stand: what
// builds and tests a project. Shells, interpreters, wrappers, git push, curl,
// npx, sudo and rm are never offered: any further word could be anything.
var offered = []string{
	"go test", "go build", "go vet", "go list", "go fmt", "cargo test", "cargo build", "cargo check",
	"cargo clippy", "cargo fmt", "npm test", "npm run", "yarn test", "yarn run", "pnpm test", "pnpm run",
	"make test", "make build", "make check", "make lint", "make all", "mvn test", "mvn compile",
	"gradle test", "gradle build", "dotnet test", "dotnet build", "ruff check", "ruff format",
	"git add", "git commit",
}

// unusual are options by which an offered command would run something else.
var unusual = []string{"-exec", "-toolexec", "-vettool", "-overlay", "-C", "--config", "--manifest-path", "--prefix"}

// filters may stand behind an offered command in a pipe: they look at its
// output.
var filters = []string{"head", "tail", "grep", "wc", "sort", "uniq", "cut", "tr", "cat"}

// Prefix returns the two words that "always" would cover for a command line,
// or "" where only the exact line can be remembered.
func Prefix(line string) string {
	prefixes, ok := linePrefixes(line)
	if !ok || len(prefixes) != 1 {
		return ""
	}
	return prefixes[0]
}

// linePrefixes lists the offered beginnings in a line. It returns false when
// the line holds anything else but filters of their output.
func linePrefixes(line string) (prefixes []string, ok bool) {
	f, err := parse(line)
	if err != nil || len(f.Stmts) == 0 {
		return nil, false
	}
	accept := func(words []string) bool {
		prefix := offeredPrefix(words)
		if prefix != "" && !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
		return prefix != ""
	}
	ok = true
	for _, s := range f.Stmts {
		ok = ok && plainStmt(s, false, accept)
	}
	return prefixes, ok && len(prefixes) > 0
}

// plainStmt tells whether a statement is made of accepted commands and filters
// of their output, with nothing that bash would expand, redirect or run beside
// them. piped says that it reads the output of another.
func plainStmt(s *syntax.Stmt, piped bool, accept func(words []string) bool) bool {
	if s.Background || s.Coprocess || s.Negated {
		return false
	}
	for _, r := range s.Redirs {
		to, plain := static(r.Word)
		quiet := r.Op == syntax.DplOut && (to == "1" || to == "2") ||
			(r.Op == syntax.RdrOut || r.Op == syntax.RdrAll) && to == "/dev/null"
		if !plain || !quiet {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt, syntax.OrStmt:
			return !piped && plainStmt(c.X, false, accept) && plainStmt(c.Y, false, accept)
		case syntax.Pipe:
			return plainStmt(c.X, piped, accept) && plainStmt(c.Y, true, accept)
		}
	case *syntax.CallExpr:
		words, ok := plainWords(c)
		switch {
		case !ok:
			return false
		case piped && slices.Contains(filters, words[0]):
			return readsInputOnly(words)
		}
		return !piped && accept(words)
	}
	return false
}

// plainWords gives the words of a command without assignments and expansions.
func plainWords(c *syntax.CallExpr) ([]string, bool) {
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		text, ok := static(w)
		if !ok {
			return nil, false
		}
		words[i] = text
	}
	return words, len(words) > 0 && len(c.Assigns) == 0
}

// offeredPrefix returns the first two words of a command when they are offered
// and no option makes it run something else.
func offeredPrefix(words []string) string {
	if len(words) < 2 {
		return ""
	}
	prefix := words[0] + " " + words[1]
	bad := slices.ContainsFunc(words[2:], func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return slices.Contains(unusual, name) || slices.Contains(unusual, "-"+strings.TrimLeft(name, "-"))
	})
	if !slices.Contains(offered, prefix) || bad {
		return ""
	}
	return prefix
}

// readsInputOnly tells whether a filter has no operand that is a file and no
// option out of the ordinary.
func readsInputOnly(words []string) bool {
	j := &judge{env: ShellEnv{
		Classify: func(string) (Class, string) { return Outside, "a file" },
		Expand:   func(string, int) ([]string, int, bool) { return nil, 0, false },
		Safe:     func(string) bool { return true },
	}}
	args := make([]word, len(words)-1)
	for i, w := range words[1:] {
		args[i] = word{text: w, glob: strings.ContainsAny(w, "*?[") && words[0] != "grep"}
	}
	j.simple(words[0], args)
	return len(j.reasons) == 0
}
