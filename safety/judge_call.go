package safety

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// operands says what the words of a command mean that are not options.
type operands int

const (
	files     operands = iota // files that are read
	pattern                   // a pattern, then files that are read
	plainText                 // text that is not looked up anywhere
	nothing                   // none are allowed
)

// rule is what a command of the read-only table may be given. Options are
// allowed by name: an abbreviation, or an option of a newer version, asks.
type rule struct {
	flags  string // one-letter options without a value
	values string // one-letter options with a value
	glued  string // one-letter options that may have one, in the same word
	long   string // long options; "name=" takes a value, "name=?" may take one

	operands operands
	most     int  // operands, when not 0
	numbers  bool // -5 is an option
	plus     bool // +x is an option's value, not a file

	// harmless says that no option of the program, known or not, does more
	// than the table: a pattern that expands to an option is no matter.
	harmless bool

	// patternBy lists options that give the pattern, so that all operands
	// are files.
	patternBy string

	// check looks for more; it records what it finds.
	check func(j *judge, c *command)
}

// command is a simple command taken apart by its rule.
type command struct {
	name     string
	options  []option
	operands []word
}

type option struct{ name, value string }

func (c *command) has(names ...string) bool {
	return slices.ContainsFunc(c.options, func(o option) bool { return slices.Contains(names, o.name) })
}

// systemFolders hold programs that only the system's owner changes.
var systemFolders = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}

// builtins run inside of the shell and need no file.
var builtins = []string{"echo", "printf", "pwd", "test", "[", "type", "command", "true", "false", ":", "cd"}

// plainAssignment matches what may stand before a command.
var plainAssignment = regexp.MustCompile(`^(LC_[A-Z]+|LANG|TZ|NO_COLOR|COLUMNS)=[A-Za-z0-9_.@+-]*$`)

// call judges a simple command.
func (j *judge) call(c *syntax.CallExpr) string {
	if len(c.Args) == 0 {
		j.ask("an assignment")
		return ""
	}
	var canon []string
	for _, a := range c.Assigns {
		canon = append(canon, j.assignment(a))
	}
	var words []word
	for _, a := range c.Args {
		w, ok := j.word(a)
		if !ok {
			return ""
		}
		words = append(words, w)
		canon = append(canon, w.canon)
	}
	name := j.commandName(words[0])
	if name == "" {
		return ""
	}
	j.simple(name, words[1:])
	return strings.Join(canon, " ")
}

func (j *judge) assignment(a *syntax.Assign) string {
	value, ok := "", !a.Append && !a.Naked && a.Index == nil && a.Array == nil
	if ok && a.Value != nil {
		value, ok = static(a.Value)
	}
	text := a.Name.Value + "=" + value
	if !ok || !plainAssignment.MatchString(text) {
		j.ask("sets the variable %s", a.Name.Value)
	}
	return text
}

// commandName returns the name under which a command is looked up in the
// table, after checking that it is what it seems to be.
func (j *judge) commandName(w word) string {
	name := w.text
	if w.glob || name == "" {
		j.ask("a command whose name is not plain")
		return ""
	}
	if dir, base := path.Split(name); dir != "" {
		if base == "" || !slices.Contains(systemFolders, strings.TrimSuffix(dir, "/")) {
			j.ask("runs the program %s", name)
			return ""
		}
		return base
	}
	if !slices.Contains(builtins, name) && !j.env.Safe(name) {
		j.ask("%s: others may change what this name runs", name)
		return ""
	}
	return name
}

// simple judges a command by its name and its arguments.
func (j *judge) simple(name string, args []word) {
	before := j.namesOnly
	j.namesOnly = false
	if special, ok := specials[name]; ok {
		j.namesOnly = before // xargs looks at it
		special(j, args)
		j.namesOnly = name == "find" && !hasWord(args, "-printf") && !hasWord(args, "-ls") ||
			name == "git" && len(args) > 0 && args[0].text == "ls-files"
		return
	}
	r, ok := rules[name]
	if !ok {
		j.ask("%s", unlisted(name))
		return
	}
	c, ok := j.take(name, r, args)
	if !ok {
		return
	}
	j.operandRules(r, c)
	for _, o := range c.options {
		if slices.Contains([]string{"include", "glob", "iglob", "g"}, o.name) && secretName(strings.Trim(o.value, "*?!")) != "" {
			j.ask("looks for credentials: %s", o.value)
		}
	}
	if r.check != nil {
		r.check(j, c)
	}
	j.namesOnly = printsNames(c) || before && passesNames(c)
}

func hasWord(args []word, text string) bool {
	return slices.ContainsFunc(args, func(w word) bool { return w.text == text })
}

// printsNames tells whether a command prints names of files that it found, and
// nothing else that would be taken for one.
func printsNames(c *command) bool {
	switch c.name {
	case "ls":
		return onlyOptions(c, "1 a A d r t S U X v") // -l shows where links lead
	case "grep", "rg":
		return c.has("l", "files-with-matches", "files")
	case "fd":
		return true
	}
	return false
}

// passesNames tells whether a command leaves out lines of its input and does
// not change any.
func passesNames(c *command) bool {
	whole, most := "", 0
	switch c.name {
	case "head", "tail":
		whole = "n"
	case "sort":
		whole = "r u f"
	case "uniq":
	case "grep":
		whole, most = "v i E F w x", 1
	default:
		return false
	}
	return len(c.operands) <= most && onlyOptions(c, whole)
}

func onlyOptions(c *command, names string) bool {
	return !slices.ContainsFunc(c.options, func(o option) bool {
		return !slices.Contains(strings.Fields(names), o.name)
	})
}

// take parses the arguments of a command as getopt does.
func (j *judge) take(name string, r rule, args []word) (*command, bool) {
	c := &command{name: name}
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		switch {
		case w.glob && (w.lead && !r.harmless || strings.HasPrefix(w.text, "-") && !fixedOption(name, w.text)):
			j.ask("%s with a pattern that may expand to an option: %s", name, w.text)
			return nil, false
		case w.glob && r.most > 0:
			j.ask("%s with a pattern", name)
			return nil, false
		case w.text == "--":
			c.operands = append(c.operands, args...)
			return c, true
		case r.plus && strings.HasPrefix(w.text, "+"):
			c.options = append(c.options, option{"+", w.text[1:]})
		case strings.HasPrefix(w.text, "--"):
			rest, ok := j.long(c, r, w.text[2:], args)
			if !ok {
				return nil, false
			}
			args = rest
		case len(w.text) > 1 && w.text[0] == '-':
			rest, ok := j.short(c, r, w.text[1:], args)
			if !ok {
				return nil, false
			}
			args = rest
		default:
			c.operands = append(c.operands, w)
		}
	}
	return c, true
}

// fixedOption tells whether a pattern can only expand to one option with other
// values: --include=*.go. In git, values do more than be compared.
func fixedOption(command, pattern string) bool {
	return strings.Contains(pattern[:strings.IndexAny(pattern, "*?[")], "=") && !strings.HasPrefix(command, "git ")
}

// long takes one long option and perhaps the next word.
func (j *judge) long(c *command, r rule, text string, args []word) ([]word, bool) {
	name, value, given := strings.Cut(text, "=")
	for known := range strings.FieldsSeq(r.long) {
		switch known {
		case name:
			if given {
				continue
			}
		case name + "=?":
		case name + "=":
			if !given {
				if len(args) == 0 || args[0].glob {
					continue
				}
				value, args = args[0].text, args[1:]
			}
		default:
			continue
		}
		c.options = append(c.options, option{name, value})
		return args, true
	}
	j.ask("the option --%s of %s", name, c.name)
	return nil, false
}

var digits = regexp.MustCompile(`^[0-9]+$`)

// short takes a cluster of one-letter options and perhaps the next word.
func (j *judge) short(c *command, r rule, text string, args []word) ([]word, bool) {
	if r.numbers && digits.MatchString(text) {
		c.options = append(c.options, option{"n", text})
		return args, true
	}
	for i, letter := range text {
		name := string(letter)
		switch {
		case strings.Contains(r.flags, name):
			c.options = append(c.options, option{name, ""})
		case strings.Contains(r.values, name):
			value := text[i+len(name):]
			if value == "" {
				if len(args) == 0 || args[0].glob {
					j.ask("the option -%s of %s without a plain value", name, c.name)
					return nil, false
				}
				value, args = args[0].text, args[1:]
			}
			c.options = append(c.options, option{name, value})
			return args, true
		case strings.Contains(r.glued, name):
			c.options = append(c.options, option{name, text[i+len(name):]})
			return args, true
		default:
			j.ask("the option -%s of %s", name, c.name)
			return nil, false
		}
	}
	return args, true
}

// operandRules applies the path rule to the operands that are files.
func (j *judge) operandRules(r rule, c *command) {
	if r.most > 0 && len(c.operands) > r.most {
		j.ask("%s with %d operands", c.name, len(c.operands))
	}
	read := c.operands
	switch r.operands {
	case nothing:
		if len(read) > 0 {
			j.ask("%s with %s", c.name, read[0].text)
		}
		return
	case plainText:
		return
	case pattern:
		if !c.has(strings.Fields(r.patternBy)...) && len(read) > 0 {
			if read[0].glob && len(read) > 1 {
				j.ask("%s with a pattern that bash expands", c.name)
			}
			read = read[1:]
		}
	}
	for _, w := range read {
		j.path(w, false)
	}
}
