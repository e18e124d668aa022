package safety

import (
	"errors"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ruleWords reads the pattern of a rule for bash: a simple command, whose last
// word may be * for any further ones.
func ruleWords(pattern string) (words []string, more bool, err error) {
	f, err := parse(pattern)
	if err != nil {
		return nil, false, err
	}
	notSimple := errors.New("it is not one simple command of plain words")
	if len(f.Stmts) != 1 {
		return nil, false, notSimple
	}
	s := f.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Negated || len(s.Redirs) > 0 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false, notSimple
	}
	for i, w := range call.Args {
		if w.Lit() == "*" {
			if i == 0 || i != len(call.Args)-1 {
				return nil, false, errors.New("a * alone stands for all further words, and so is the last one")
			}
			return words, true, nil
		}
		text, ok := static(w)
		if !ok || text == "" {
			return nil, false, notSimple
		}
		words = append(words, text)
	}
	return words, false, nil
}

// allowLine tells whether rules allow every simple command of a line. Commands
// that only filter the output of an allowed one need no rule of their own.
func (r Rules) allowLine(a Action) ruling {
	out := ruling{decision: Allow, found: true, exact: true}
	for _, c := range r.allow {
		if c.spec.Tool == a.Tool && c.spec.Pattern == "" {
			return ruling{decision: Allow, found: true, why: c.why()}
		}
	}
	f, err := parse(a.Command)
	if err != nil || len(f.Stmts) == 0 || len(r.allow) == 0 {
		return ruling{}
	}
	accept := func(words []string) bool {
		i := slices.IndexFunc(r.allow, func(c compiled) bool { return c.spec.Tool == a.Tool && c.wordForWord(words) })
		if i < 0 {
			return false
		}
		out.why = r.allow[i].why()
		out.exact = out.exact && !r.allow[i].more
		return true
	}
	for _, s := range f.Stmts {
		if !plainStmt(s, false, accept) {
			return ruling{}
		}
	}
	return out
}

// wordForWord compares a rule with a command of plain words.
func (c compiled) wordForWord(words []string) bool {
	n := len(c.words)
	if n == 0 || len(words) < n || !slices.Equal(words[:n], c.words) {
		return false
	}
	// What bash would expand may become any word, options too.
	expands := slices.ContainsFunc(words[n:], func(w string) bool { return strings.ContainsAny(w, "*?[{") })
	return len(words) == n || c.more && !expands
}

// anyCommand tells whether a rule is for any command in a line, at any depth,
// also behind those that run another one.
func (c compiled) anyCommand(line string) answer {
	s := search{rule: c}
	s.script(line, 0)
	return s.found
}

// search looks for commands that a rule is for, as far as its bounds let it.
type search struct {
	rule   compiled
	found  answer
	looked int
}

func (s *search) add(a answer) { s.found = max(s.found, a) }

// script looks into a line.
func (s *search) script(text string, depth int) {
	f, err := parse(text)
	if err != nil || strings.TrimSpace(text) == "" {
		s.add(maybe)
		return
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.argv(staticWords(n.Args), depth)
		case *syntax.DeclClause:
			s.argv([]string{n.Variant.Value}, depth)
		}
		return s.found != yes
	})
}

// argv looks at one command and at those that it runs. A word that is not
// known is "".
func (s *search) argv(words []string, depth int) {
	if len(words) == 0 {
		return
	}
	if s.looked++; depth >= maxNested || s.looked > maxCommands {
		s.add(maybe)
		return
	}
	name, args := path.Base(words[0]), words[1:]
	if name == "git" && len(s.rule.words) > 1 {
		args = gitSubcommand(args)
	}
	s.add(s.rule.compare(append([]string{name}, args...)))
	commands, scripts := inner(words)
	for _, c := range commands {
		s.argv(c, depth+1)
	}
	for _, text := range scripts {
		s.script(text, depth+1)
	}
	switch {
	case slices.Contains(wrappers, name):
		s.wrapped(name, args)
	case slices.Contains(shells, name) && len(scripts) == 0 && runsInput(words):
		s.add(maybe)
	}
}

// wrapped looks at the words behind a wrapper's own. Where these end is not
// always known, so that any of the words may begin a command.
func (s *search) wrapped(name string, args []string) {
	if name == "xargs" {
		args = append(args[:len(args):len(args)], "") // what it reads
	}
	for i := range args {
		if s.rule.compare(args[i:]) != no {
			s.add(maybe)
		}
	}
}

// compare compares words, of which some may not be known: those may be any.
func (c compiled) compare(words []string) answer {
	for i, want := range c.words {
		switch {
		case i >= len(words):
			return no
		case words[i] == "":
			return maybe
		case words[i] != want && (i > 0 || words[i] != path.Base(want)):
			return no
		}
	}
	rest := words[len(c.words):]
	switch {
	case c.more || len(rest) == 0:
		return yes
	case !slices.ContainsFunc(rest, func(w string) bool { return w != "" }):
		return maybe
	}
	return no
}
