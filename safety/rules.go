package safety

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RuleSpec is a rule as a configuration states it:
//
//	allow: {bash: "go test ./..."}   Decision, Tool and Pattern
//	match: ["go test ./..."]         examples that the rule must match
//	notMatch: ["go test -exec sh"]   and must not
type RuleSpec struct {
	Decision Decision // Allow, Ask or Deny
	Tool     string
	Pattern  string // "" matches every call of the tool

	Match, NotMatch []string

	// Where is the place in the configuration, for errors: "agent.yaml:12".
	Where string

	// Project says that the project states the rule: it may ask and deny,
	// not allow.
	Project bool
}

// RuleText reads the short form of a rule, "tool: pattern" or "tool".
func RuleText(d Decision, text, where string) RuleSpec {
	tool, pattern, _ := strings.Cut(text, ":")
	return RuleSpec{Decision: d, Tool: strings.TrimSpace(tool), Pattern: strings.TrimSpace(pattern), Where: where}
}

func (s RuleSpec) String() string {
	return map[Decision]string{Allow: "allow", Ask: "ask", Deny: "deny"}[s.Decision] + " " + s.Text()
}

// Text is the short form of the rule, as RuleText reads it.
func (s RuleSpec) Text() string {
	if s.Pattern == "" {
		return s.Tool
	}
	return s.Tool + ": " + s.Pattern
}

// why names a rule as a reason.
func (c compiled) why() string { return fmt.Sprintf("the rule %q", c.spec) }

// Rules are the rules of a configuration. The zero value has none. Deny counts
// before ask, and ask before allow, whatever their order.
type Rules struct {
	deny, ask, allow []compiled
}

// compiled is a rule that is ready to be compared.
type compiled struct {
	spec  RuleSpec
	words []string // for bash: the command's words
	more  bool     // and any further ones
	path  pathPattern
}

// patterns says what the pattern of a tool's rule is compared with.
var patterns = map[string]string{
	"bash": "line", "fetch_content": "host",
	"read_file": "path", "write_file": "path", "edit_file": "path", "grep": "path", "glob": "path",
	"plan": "", "read_skill": "", "lsp": "path",
}

// ParseRules reads rules and checks their examples. All errors are returned,
// each on a line with its place.
func ParseRules(specs []RuleSpec) (Rules, error) {
	var rules Rules
	var errs []error
	for _, s := range specs {
		c, err := compile(s)
		if err == nil {
			err = c.examples()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: the rule %q: %w", cmp.Or(s.Where, "permissions"), s, err))
			continue
		}
		rules.add(c)
	}
	if len(errs) > 0 {
		return Rules{}, errors.Join(errs...)
	}
	return rules, nil
}

func (r *Rules) add(c compiled) {
	switch c.spec.Decision {
	case Allow:
		r.allow = append(r.allow, c)
	case Deny:
		r.deny = append(r.deny, c)
	default:
		r.ask = append(r.ask, c)
	}
}

func compile(s RuleSpec) (compiled, error) {
	c := compiled{spec: s}
	kind, known := patterns[s.Tool]
	switch {
	case !known:
		return c, fmt.Errorf("there is no tool %q (there are %s)", s.Tool,
			strings.Join(slices.Sorted(maps.Keys(patterns)), ", "))
	case s.Project && s.Decision == Allow:
		return c, errors.New("a project may ask and deny, not allow")
	case s.Pattern == "":
		return c, nil
	case kind == "":
		return c, fmt.Errorf("%s takes no pattern", s.Tool)
	case kind == "host":
		return c, checkHostPattern(s.Pattern)
	}
	var err error
	if kind == "line" {
		c.words, c.more, err = ruleWords(s.Pattern)
	} else {
		c.path, err = newPathPattern(s.Pattern)
	}
	return c, err
}

// examples checks the examples of a rule with the rule itself.
func (c compiled) examples() error {
	var one Rules
	one.add(c)
	matches := func(example string) bool {
		r := one.judge(c.example(example), exampleDir)
		return r.found && r.decision == c.spec.Decision
	}
	for _, e := range c.spec.Match {
		if !matches(e) {
			return fmt.Errorf("its example %q does not match", e)
		}
	}
	for _, e := range c.spec.NotMatch {
		if matches(e) {
			return fmt.Errorf("its example %q matches, and should not", e)
		}
	}
	return nil
}

// exampleDir stands for the project in the examples of rules.
const exampleDir = "/project"

// example is the action that an example stands for.
func (c compiled) example(text string) Action {
	a := Action{Tool: c.spec.Tool, Command: text, Host: text, Path: Path{Real: text}}
	switch patterns[c.spec.Tool] {
	case "line":
		a.Op = Execute
	case "host":
		a.Op = Fetch
	case "path":
		a.Op = Read
		if c.spec.Tool == "write_file" || c.spec.Tool == "edit_file" {
			a.Op = Write
		}
		if a.Path.Real = expandHome(text); !isAbsolute(a.Path.Real) {
			a.Path.Real = exampleDir + "/" + text
		} else {
			a.Path.Class = Outside
		}
	}
	return a
}

// ruling is what the rules say of an action. The zero value is nothing.
type ruling struct {
	decision Decision
	found    bool
	exact    bool   // every command of a line is allowed word for word
	why      string // the rule in words
}

// judge looks for the rules that concern an action in the project in dir.
func (r Rules) judge(a Action, dir string) ruling {
	for _, c := range r.deny {
		if c.concerns(a, dir) == yes {
			return ruling{decision: Deny, found: true, why: c.why()}
		}
	}
	for _, c := range slices.Concat(r.deny, r.ask) {
		switch c.concerns(a, dir) {
		case yes:
			return ruling{decision: Ask, found: true, why: c.why()}
		case maybe:
			return ruling{decision: Ask, found: true, why: c.why() + ", which cannot be ruled out"}
		}
	}
	if a.Op == Execute {
		return r.allowLine(a)
	}
	for _, c := range r.allow {
		if (a.Path.Class == Inside || a.Path.Class == Outside && c.path.absolute) && c.concerns(a, dir) == yes {
			return ruling{decision: Allow, found: true, why: c.why()}
		}
	}
	return ruling{}
}

// answer is what comparing gives. What cannot be known counts as a reason to
// ask.
type answer int

const (
	no answer = iota
	maybe
	yes
)

// concerns compares a rule with an action.
func (c compiled) concerns(a Action, dir string) answer {
	switch {
	case !c.tool(a):
		return no
	case c.spec.Pattern == "":
		return yes
	case a.Op == Execute:
		return c.anyCommand(a.Command)
	case a.Op == Fetch && c.spec.Decision == Allow:
		return known(hostMatches(c.spec.Pattern, a.Host))
	case a.Op == Fetch:
		// The stricter answer: a rule for all names below one is also for
		// that name.
		bare := strings.TrimPrefix(c.spec.Pattern, "*.")
		return known(hostMatches(c.spec.Pattern, a.Host) || hostMatches(bare, a.Host))
	}
	return known(c.path.matches(a.Path.Real, dir))
}

func known(is bool) answer {
	if is {
		return yes
	}
	return no
}

// tool tells whether a rule's tool is an action's. A rule for write_file is
// for all that writes files, and one for read_file for all that reads them.
func (c compiled) tool(a Action) bool {
	switch {
	case c.spec.Tool == a.Tool:
		return true
	case c.spec.Tool == "write_file":
		return a.Op == Write
	case c.spec.Tool == "read_file":
		return a.Op == Read
	}
	return false
}
