package safety

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Risk grades a command line.
type Risk int

// The risks. The zero value is that nothing is known.
const (
	Unproven Risk = iota // may do anything
	Harmless             // only reads, inside the project
	Perilous             // loses work, reaches far, or cannot be taken back
)

// Judgement is what is known of a command line before it runs. It is a
// convenience and not a boundary: a line that is Harmless runs unasked only
// where a sandbox keeps what it reads from leaving.
type Judgement struct {
	Risk Risk

	// Reasons say in words for the user why the line is not Harmless.
	Reasons []string

	// Canonical is the line to run in place of a Harmless one: what was
	// judged, quoted anew, so that bash cannot read it in another way.
	Canonical string
}

// ShellEnv is what a judgement needs to know of the machine.
type ShellEnv struct {
	// Classify says what class of place a path leads to, and why it is not
	// Inside. Relative paths start at the project.
	Classify func(path string) (Class, string)

	// Expand lists what a pattern may stand for. It looks at no more than so
	// many entries of folders, and returns false where that is too few.
	Expand func(pattern string, most int) (paths []string, looked int, ok bool)

	// Safe tells whether a command name runs a program that only its owner
	// changes, or none at all.
	Safe func(name string) bool

	// Getenv returns the value of a variable, "" when it is not set.
	Getenv func(name string) string

	// GitRisk says why git may run other programs in this project, or "".
	GitRisk func() string
}

// JudgeShell judges a command line as bash would read it.
func JudgeShell(line string, env ShellEnv) Judgement {
	f, err := parse(line)
	if err != nil {
		return Judgement{Reasons: []string{err.Error()}}
	}
	if commands(f) > maxCommands {
		// The stricter answer: what is not looked at may be anything.
		return Judgement{Risk: Perilous, Reasons: []string{fmt.Sprintf("more than %d commands", maxCommands)}}
	}
	if perils := perils(f); len(perils) > 0 {
		return Judgement{Risk: Perilous, Reasons: perils}
	}
	env.GitRisk = sync.OnceValue(env.GitRisk)
	j := &judge{env: env, room: maxEntries}
	canonical := j.stmts(f.Stmts)
	if len(f.Stmts) == 0 {
		j.ask("there is no command")
	}
	if len(j.reasons) > 0 {
		return Judgement{Reasons: j.reasons}
	}
	return Judgement{Risk: Harmless, Canonical: canonical}
}

// maxEntries bounds the entries of folders that are looked at for the patterns
// of one line; a path that one of them stands for counts as pathCost of them.
const (
	maxEntries = 5_000
	pathCost   = 10
)

// maxCommands bounds the simple commands of a line that are looked at: pipes are
// looked at from each of their ends.
const maxCommands = 200

func commands(f *syntax.File) int {
	n := 0
	syntax.Walk(f, func(node syntax.Node) bool {
		if _, ok := node.(*syntax.CallExpr); ok {
			n++
		}
		return true
	})
	return n
}

// judge walks over one line. It collects reasons and writes the canonical line
// as it goes; a reason anywhere makes that line void.
type judge struct {
	env     ShellEnv
	reasons []string

	// dir is where a cd led, relative to the project; lost says that it is
	// not known.
	dir  string
	lost bool

	// namesOnly says that the pipeline so far prints names of files of the
	// project, which xargs may hand on.
	namesOnly bool

	room int // entries that may still be looked at
}

// ask records why the line is not harmless.
func (j *judge) ask(format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	if !slices.Contains(j.reasons, reason) {
		j.reasons = append(j.reasons, reason)
	}
}

// stmts judges a list. A cd counts for the rest of its && chain alone: with
// any other operator it may have failed.
func (j *judge) stmts(list []*syntax.Stmt) string {
	out := make([]string, len(list))
	for i, s := range list {
		if i > 0 && j.dir != "" {
			j.lost = true
		}
		out[i] = j.stmt(s)
	}
	return strings.Join(out, "; ")
}

func (j *judge) stmt(s *syntax.Stmt) string {
	if s.Background || s.Coprocess || s.Disown {
		j.ask("runs in the background (&)")
		return ""
	}
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.WordHdoc, syntax.Hdoc, syntax.DashHdoc:
			j.namesOnly = false
		}
	}
	body := ""
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		body = j.call(c)
	case *syntax.BinaryCmd:
		body = j.binary(c)
	case *syntax.Subshell:
		body = "( " + j.scope(c.Stmts) + " )"
	case *syntax.Block:
		body = "{ " + j.stmts(c.Stmts) + "; }"
	case *syntax.TimeClause:
		if c.Stmt != nil {
			body = "time " + j.stmt(c.Stmt)
		} else {
			j.ask("time without a command")
		}
	case nil:
		j.ask("a redirection without a command")
	default:
		j.ask("more than simple commands (%s)", shape(c))
	}
	if s.Negated {
		j.lost = j.lost || j.dir != "" // what follows && runs where the cd failed
		body = "! " + body
	}
	for _, r := range s.Redirs {
		body += " " + j.redirect(r)
	}
	return body
}

// scope judges what runs in a shell of its own.
func (j *judge) scope(list []*syntax.Stmt) string {
	dir, lost := j.dir, j.lost
	defer func() { j.dir, j.lost = dir, lost }()
	return j.stmts(list)
}

func (j *judge) binary(c *syntax.BinaryCmd) string {
	switch c.Op {
	case syntax.AndStmt:
		return j.stmt(c.X) + " && " + j.stmt(c.Y)
	case syntax.OrStmt:
		dir := j.dir
		x := j.stmt(c.X)
		if j.dir != dir {
			j.lost = true
		}
		return x + " || " + j.stmt(c.Y)
	case syntax.Pipe:
		_, call := c.X.Cmd.(*syntax.CallExpr)
		left, _ := c.X.Cmd.(*syntax.BinaryCmd)
		piped := left != nil && left.Op == syntax.Pipe
		if !piped {
			j.namesOnly = false
		}
		x := j.scope([]*syntax.Stmt{c.X})
		j.namesOnly = j.namesOnly && (call || piped)
		return x + " | " + j.scope([]*syntax.Stmt{c.Y})
	}
	j.ask("the operator %s", c.Op)
	return ""
}

// shape names a compound command in words.
func shape(c syntax.Command) string {
	switch c.(type) {
	case *syntax.ForClause, *syntax.WhileClause:
		return "a loop"
	case *syntax.IfClause, *syntax.CaseClause:
		return "a condition"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return "an expression that bash evaluates"
	case *syntax.DeclClause:
		return "a declaration"
	}
	return "a compound command"
}

// redirect allows reading files of the project and texts in the line, and
// throwing output away.
func (j *judge) redirect(r *syntax.Redirect) string {
	fd := ""
	if r.N != nil {
		if fd = r.N.Value; fd != "0" && fd != "1" && fd != "2" {
			j.ask("a redirection of descriptor %s", fd)
			return ""
		}
	}
	switch r.Op {
	case syntax.RdrIn:
		w, ok := j.word(r.Word)
		if ok {
			if w.glob {
				j.ask("a redirection to a pattern")
			}
			j.path(w, true)
		}
		return fd + "< " + w.canon
	case syntax.WordHdoc:
		w, _ := j.word(r.Word)
		return fd + "<<< " + w.canon
	case syntax.Hdoc, syntax.DashHdoc:
		return fd + j.heredoc(r)
	case syntax.RdrOut, syntax.RdrAll, syntax.AppOut, syntax.AppAll, syntax.RdrClob:
		to, ok := static(r.Word)
		switch {
		case !ok:
			j.ask("writes a file whose name is not plain")
		case to != "/dev/null":
			j.ask("writes %s", to)
		}
		return fd + r.Op.String() + " /dev/null"
	case syntax.DplOut:
		to, _ := static(r.Word)
		if to != "1" && to != "2" {
			j.ask("a redirection of descriptors")
		}
		return fd + ">&" + to
	}
	j.ask("the redirection %s", r.Op)
	return ""
}

// heredoc writes a here-document without expansions as a here-string.
func (j *judge) heredoc(r *syntax.Redirect) string {
	quoted := false
	for _, p := range r.Word.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			quoted = true
		case *syntax.Lit:
			quoted = quoted || strings.Contains(p.Value, `\`)
		}
	}
	if !quoted || r.Op == syntax.DashHdoc {
		j.ask("a here-document that bash expands or changes")
		return ""
	}
	if r.Hdoc == nil {
		return "< /dev/null"
	}
	text := ""
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			j.ask("a here-document that bash expands or changes")
			return ""
		}
		text += lit.Value
	}
	if !strings.HasSuffix(text, "\n") {
		j.ask("a here-document without an end")
	}
	return "<<< " + Quote(strings.TrimSuffix(text, "\n"))
}

// path applies the rule for files that a command reads. always says that the
// word is a file for certain, also when it looks like an option.
func (j *judge) path(w word, always bool) {
	p := w.text
	if p == "-" && !always || p == "/dev/null" || p == "/dev/stdin" {
		return
	}
	if j.lost && !strings.HasPrefix(p, "/") {
		j.ask("reads %s after a cd that may have failed", p)
		return
	}
	if j.dir != "" && !strings.HasPrefix(p, "/") {
		p = j.dir + "/" + p
	}
	if !w.glob {
		j.reads(w, p)
		return
	}
	if !strings.HasPrefix(p, "/") {
		p = "./" + p
	}
	dir, rest := globParts(p)
	if strings.Contains("/"+rest, "/.") || secretName(rest) != "" {
		j.ask("reads %s: a pattern that may stand for credentials or lead out", w.text)
		return
	}
	paths, looked, ok := j.env.Expand(p, j.room)
	if j.room -= looked + pathCost*len(paths); !ok || j.room < 0 {
		j.ask("reads %s: a pattern that stands for too much", w.text)
		return
	}
	if len(paths) == 0 { // what it says of the folder is that
		paths = []string{dir + "/."}
	}
	for _, p := range paths {
		if !j.reads(w, p) {
			return
		}
	}
}

// reads judges one path that a word stands for.
func (j *judge) reads(w word, path string) bool {
	class, why := j.env.Classify(path)
	if class != Inside {
		j.ask("reads %s: %s", w.text, why)
	}
	return class == Inside
}
