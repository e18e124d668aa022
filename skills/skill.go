// Package skills reads procedures that a model can load by name: Markdown with
// YAML front matter. It knows nothing of tools or of the agent.
package skills

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	// maxKeywords is how many keywords of a skill are told to the model:
	// enough to link "greet Bob" to greetings, little enough to send with
	// every request.
	maxKeywords = 8

	// maxDescription bounds a description in the catalogue, in characters.
	maxDescription = 200
)

// Skill is one procedure.
type Skill struct {
	Name        string
	Description string // one line
	Keywords    []string
	Body        string // Markdown, for the model

	// Layer names where it was found; Dir is its folder when it is one that
	// may hold further files.
	Layer string
	Dir   string
}

// names follows the Agent Skills format, and lets underscores pass.
var names = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$`)

// front is the front matter. Keys that are not listed are ignored.
type front struct {
	Name        string
	Description string
	Keywords    words
	Metadata    struct{ Keywords words }
}

// words is a list, or a string with commas.
type words []string

// UnmarshalYAML reads both forms.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = strings.Split(n.Value, ",")
		return nil
	}
	return n.Decode((*[]string)(w))
}

// Parse reads one skill. name is used when the front matter has none.
func Parse(name string, data []byte) (Skill, error) {
	head, body, err := split(data)
	if err != nil {
		return Skill{}, err
	}
	var f front
	if err := yaml.Unmarshal(head, &f); err != nil {
		return Skill{}, fmt.Errorf("front matter: %w", err)
	}
	s := Skill{
		Name:        strings.ToLower(f.Name),
		Description: oneLine(f.Description),
		Keywords:    keywords(slices.Concat(f.Keywords, f.Metadata.Keywords)),
		Body:        strings.TrimSpace(string(body)),
	}
	if s.Name == "" {
		s.Name = strings.ToLower(name)
	}
	switch {
	case !names.MatchString(s.Name):
		return Skill{}, fmt.Errorf("the name %q is not made of letters, digits and hyphens", s.Name)
	case s.Description == "":
		return Skill{}, errors.New("it has no description")
	case s.Body == "":
		return Skill{}, errors.New("it has no text")
	case !utf8.Valid(data):
		return Skill{}, errors.New("it is not UTF-8")
	}
	return s, nil
}

// split takes the front matter off.
func split(data []byte) (head, body []byte, err error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(data, []byte("---\n"))
	if !ok {
		return nil, nil, errors.New("it does not begin with front matter (---)")
	}
	if body, ok := bytes.CutPrefix(rest, []byte("---\n")); ok {
		return nil, body, nil
	}
	head, body, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return nil, nil, errors.New("its front matter has no end (---)")
	}
	return head, body, nil
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > maxDescription {
		s = string([]rune(s)[:maxDescription-1]) + "…"
	}
	return s
}

func keywords(list []string) []string {
	var out []string
	for _, k := range list {
		if k = oneLine(k); k != "" && !slices.Contains(out, k) && len(out) < maxKeywords {
			out = append(out, k)
		}
	}
	return out
}
