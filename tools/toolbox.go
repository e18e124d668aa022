package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// maxNameShown bounds how much of an invented name is repeated to the model,
// in bytes.
const maxNameShown = 60

// ToolboxOptions configures a Toolbox.
type ToolboxOptions struct {
	// Repair turns text that is almost a JSON object into one. It returns
	// false when it cannot. Nil: nothing is repaired.
	Repair func(raw string) (string, bool)
}

// Toolbox is the set of tools declared to the model. It mends the calls that
// small models get wrong where the meaning is certain, and answers the others
// with what to do. It is immutable after NewToolbox.
type Toolbox struct {
	options ToolboxOptions
	tools   []entry // sorted by name
}

type entry struct {
	tool   Tool
	spec   Spec
	schema *schema
}

// Normalizer is a tool that mends its own arguments in ways that its schema
// does not tell. It may change args, which holds the fields under their
// declared names, and returns what it did in a few words, or "".
type Normalizer interface {
	Normalize(args map[string]json.RawMessage) (note string)
}

// NewToolbox returns a toolbox of these tools. It fails when a tool's schema
// is not JSON, or when two tools have the same name.
func NewToolbox(o ToolboxOptions, tools ...Tool) (*Toolbox, error) {
	b := &Toolbox{options: o}
	for _, t := range tools {
		spec := t.Spec()
		s, err := parseSchema(spec.Schema)
		if err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", spec.Name, err)
		}
		if _, ok := b.find(spec.Name); ok {
			return nil, fmt.Errorf("two tools are named %s", spec.Name)
		}
		b.tools = append(b.tools, entry{t, spec, s})
	}
	slices.SortFunc(b.tools, func(x, y entry) int { return cmp.Compare(x.spec.Name, y.spec.Name) })
	return b, nil
}

// Specs lists the tools sorted by name.
func (b *Toolbox) Specs() []Spec {
	specs := make([]Spec, len(b.tools))
	for i, e := range b.tools {
		specs[i] = e.spec
	}
	return specs
}

// Resolve finds the tool that a call means and turns its arguments into a JSON
// object that fits the tool's schema; fields that the schema does not declare
// stay. notes say briefly what was mended. The text of an error is for the
// model.
func (b *Toolbox) Resolve(name, args string) (Tool, json.RawMessage, []string, error) {
	e, ok := b.find(name)
	if ok {
		valid, notes, err := b.arguments(e, args)
		if e.spec.Name != name {
			notes = append([]string{taken(name, e.spec.Name)}, notes...)
		}
		return e.tool, valid, notes, err
	}
	for _, target := range aliasTargets(name) {
		e, ok := b.find(target)
		if !ok {
			continue
		}
		if valid, notes, err := b.arguments(e, args); err == nil {
			return e.tool, valid, append([]string{taken(name, target)}, notes...), nil
		}
	}
	for _, e := range b.tools {
		if s, ok := e.tool.(standIn); ok {
			if args, ok := s.standIn(name); ok {
				return e.tool, args, []string{taken(name, e.spec.Name)}, nil
			}
		}
	}
	return nil, nil, nil, b.unknown(name)
}

// standIn is a tool that can be meant by other names than its own, which then
// are its arguments.
type standIn interface {
	standIn(name string) (args json.RawMessage, ok bool)
}

func taken(name, meant string) string {
	return fmt.Sprintf("%s was taken for %s", shown(name), meant)
}

func (b *Toolbox) unknown(name string) error {
	names := make([]string, len(b.tools))
	for i, e := range b.tools {
		names[i] = e.spec.Name
	}
	return fmt.Errorf("[error: there is no tool named %s; your tools are: %s]",
		shown(name), strings.Join(names, ", "))
}

// shown quotes a name that the model made up.
func shown(name string) string {
	return fmt.Sprintf("%q", clipTo(name, maxNameShown))
}

// find looks a name up, forgiving letter case, separators and prefixes.
func (b *Toolbox) find(name string) (entry, bool) {
	for _, e := range b.tools {
		if e.spec.Name == name {
			return e, true
		}
	}
	for _, form := range forms(name) {
		for _, e := range b.tools {
			if foldName(e.spec.Name) == form {
				return e, true
			}
		}
	}
	return entry{}, false
}

// forms lists the folded names that a model may mean by name, the whole first:
// functions.bash, default_api:bash, functions.bash:0, mcp__x__bash,
// bash<|channel|>json, BashTool.
func forms(name string) []string {
	head, _, _ := strings.Cut(name, "<|")
	head = strings.TrimFunc(head, func(r rune) bool { return !isWord(r) })
	if base, digits, ok := cutLast(head, ":"); ok && strings.Trim(digits, "0123456789") == "" {
		head = base
	}
	candidates := []string{head}
	for _, sep := range []string{".", ":", "/", "__"} {
		if _, last, ok := cutLast(head, sep); ok {
			candidates = append(candidates, last)
		}
	}
	var out []string
	for _, c := range candidates {
		f := foldName(c)
		for _, f := range []string{f, strings.TrimSuffix(f, "tool")} {
			if f != "" && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// foldName drops case and separators: readFile, read-file and read_file are
// one name.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
