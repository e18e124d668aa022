// Package themes holds the colours of the screen as data. A theme names inks
// by role; what paints them, and with how many colours, is the screen's
// business.
package themes

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Role names what an ink is for. The zero ink is the terminal's own.
type Role string

// The roles. Colour never stands alone on the screen: a sign or a word goes
// with each of these.
const (
	Text      Role = "text"
	Dim       Role = "dim"   // secondary text
	Faint     Role = "faint" // rules, borders, empty bars
	Accent    Role = "accent"
	User      Role = "user" // what the user wrote
	Reasoning Role = "reasoning"
	Tool      Role = "tool"
	OK        Role = "ok"
	Warn      Role = "warn"
	Error     Role = "error"
	Danger    Role = "danger" // badge of a dangerous question, of yolo
	Select    Role = "select" // the chosen line of a list
	Cursor    Role = "cursor"

	Added       Role = "added" // of a diff: line, changed words in it
	AddedWord   Role = "added_word"
	Removed     Role = "removed"
	RemovedWord Role = "removed_word"
	LineNumber  Role = "line_number"

	Heading Role = "heading" // of Markdown
	Link    Role = "link"
	Code    Role = "code"
	Quote   Role = "quote"

	Keyword  Role = "keyword" // of source code
	Type     Role = "type"
	Function Role = "function"
	String   Role = "string"
	Number   Role = "number"
	Comment  Role = "comment"
	Operator Role = "operator"
	Constant Role = "constant"
)

// Roles lists all roles.
var Roles = []Role{
	Text, Dim, Faint, Accent, User, Reasoning, Tool, OK, Warn, Error, Danger, Select, Cursor,
	Added, AddedWord, Removed, RemovedWord, LineNumber,
	Heading, Link, Code, Quote,
	Keyword, Type, Function, String, Number, Comment, Operator, Constant,
}

// Colour is one colour: Hex for terminals with many colours, ANSI for those
// with sixteen. Empty is the terminal's own.
type Colour struct{ Hex, ANSI string }

// Ink is how a role is drawn.
type Ink struct {
	Fore, Back Colour

	Bold, Italic, Underline, Reverse, Faint bool
}

// Theme is a set of inks.
type Theme struct {
	Name  string
	Title string // one line for the picker
	Light bool   // made for a light background
	inks  map[Role]Ink
}

// Ink returns the ink of a role, the terminal's own where the theme has none.
func (t Theme) Ink(r Role) Ink { return t.inks[r] }

// file is what a theme's file says. What it leaves open comes from the parent.
type file struct {
	name, title, appearance, parent string
	inks                            map[Role]Ink
}

// parse reads a theme's file: title, appearance, parent, and roles. An ink is
// written as words: "#7aa2f7 12 bold" is a colour, its stand-in among the
// sixteen (0 to 15), and attributes; words after "on" are the background.
// Errors begin with the key.
func parse(name string, data []byte) (file, error) {
	f := file{name: name, inks: map[Role]Ink{}}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return f, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var roles *yaml.Node
	known := map[string]func(*yaml.Node) error{
		"title":      text(&f.title),
		"appearance": text(&f.appearance),
		"parent":     text(&f.parent),
		"roles":      func(n *yaml.Node) error { roles = n; return nil },
	}
	if len(doc.Content) > 0 {
		err := each("", doc.Content[0], func(key string, value *yaml.Node) error {
			if read, ok := known[key]; ok {
				return read(value)
			}
			return errors.New("there is no such key; there are title, appearance, parent and roles")
		})
		if err != nil {
			return f, err
		}
	}
	if f.appearance != "dark" && f.appearance != "light" && (f.appearance != "" || f.parent == "") {
		return f, fmt.Errorf("appearance: %q is neither dark nor light", f.appearance)
	}
	if roles == nil || roles.Tag == "!!null" {
		return f, nil
	}
	return f, each("roles.", roles, func(key string, value *yaml.Node) error {
		role, words := Role(key), ""
		if !slices.Contains(Roles, role) {
			return errors.New("there is no such role")
		}
		err := text(&words)(value)
		if err == nil {
			f.inks[role], err = parseInk(words)
		}
		return err
	})
}

// text reads a plain value.
func text(into *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		switch {
		case n.Kind != yaml.ScalarNode:
			return errors.New("must be one line of text")
		case n.Tag != "!!null":
			*into = n.Value
		}
		return nil
	}
}

// each visits the entries of a mapping in their order. Errors begin with the
// key, behind the prefix of those in this mapping.
func each(prefix string, n *yaml.Node, visit func(key string, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("%smust be a list of keys with their values", strings.Replace(prefix, ".", ": ", 1))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		err := errors.New("is there twice")
		if !seen[key] {
			err = visit(key, n.Content[i+1])
		}
		if err != nil {
			return fmt.Errorf("%s%s: %w", prefix, key, err)
		}
		seen[key] = true
	}
	return nil
}

var hex = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func parseInk(words string) (Ink, error) {
	var ink Ink
	colour := &ink.Fore
	for _, w := range strings.Fields(words) {
		switch w {
		case "on":
			colour = &ink.Back
		case "bold":
			ink.Bold = true
		case "italic":
			ink.Italic = true
		case "underline":
			ink.Underline = true
		case "reverse":
			ink.Reverse = true
		case "faint":
			ink.Faint = true
		default:
			n, err := strconv.Atoi(w)
			switch {
			case hex.MatchString(w):
				colour.Hex = w
			case err == nil && n >= 0 && n < 16:
				colour.ANSI = w
			default:
				return Ink{}, fmt.Errorf("%q is no colour and no attribute", w)
			}
		}
	}
	return ink, nil
}
