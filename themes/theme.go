// Package themes holds the colours of the screen as data. A theme names inks
// by role; what paints them, and with how many colours, is the screen's
// business.
package themes

import (
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

// file is the form of a theme on disk.
type file struct {
	Title      string          `yaml:"title"`
	Appearance string          `yaml:"appearance"`
	Roles      map[Role]string `yaml:"roles"`
}

// Parse reads a theme. An ink is written as words: "#7aa2f7 12 bold" is a
// colour, its stand-in among the sixteen (0 to 15), and attributes; words after
// "on" are the background.
func Parse(name string, data []byte) (Theme, error) {
	var f file
	if err := yaml.Unmarshal(data, &f); err != nil {
		return Theme{}, fmt.Errorf("theme %s: %w", name, err)
	}
	if f.Appearance != "dark" && f.Appearance != "light" {
		return Theme{}, fmt.Errorf("theme %s: appearance is %q, must be dark or light", name, f.Appearance)
	}
	t := Theme{Name: name, Title: f.Title, Light: f.Appearance == "light", inks: make(map[Role]Ink, len(f.Roles))}
	for role, words := range f.Roles {
		if !slices.Contains(Roles, role) {
			return Theme{}, fmt.Errorf("theme %s: unknown role %q", name, role)
		}
		ink, err := parseInk(words)
		if err != nil {
			return Theme{}, fmt.Errorf("theme %s: %s: %w", name, role, err)
		}
		t.inks[role] = ink
	}
	return t, nil
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
