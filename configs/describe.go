package configs

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// optionalKeys are sent only when set, so that the defaults do not name them.
var optionalKeys = map[string]string{
	"sampling.top_k":             "The number of likeliest tokens that are chosen from.",
	"sampling.min_p":             "Tokens less likely than this share of the likeliest one are left out.",
	"sampling.repeat_penalty":    "Over 1, tokens that were used are made less likely.",
	"sampling.presence_penalty":  "Over 0, tokens that were used at all are made less likely.",
	"sampling.frequency_penalty": "Over 0, tokens are made less likely each time they are used.",
	"sampling.seed":              "A number that makes the choice of tokens repeatable.",
}

// descriptions maps each key, and each section, to the comment above it in the
// defaults, as one paragraph.
func descriptions() map[string]string {
	out := map[string]string{}
	var walk func(prefix string, node *yaml.Node)
	walk = func(prefix string, node *yaml.Node) {
		for i := 0; i+1 < len(node.Content); i += 2 {
			name, value := node.Content[i], node.Content[i+1]
			path := prefix + name.Value
			out[path] = paragraph(name.HeadComment)
			if isSection(path) {
				walk(path+".", value)
			}
		}
	}
	walk("", defaultsNode())
	for key, text := range optionalKeys {
		out[key] = text
	}
	return out
}

// paragraph joins the lines of a comment.
func paragraph(comment string) string {
	if i := strings.LastIndex(comment, "\n\n"); i >= 0 {
		comment = comment[i:] // the file's title stands apart
	}
	var words []string
	for line := range strings.Lines(comment) {
		words = append(words, strings.Fields(strings.TrimLeft(line, "# "))...)
	}
	return strings.Join(words, " ")
}

// settings writes the values of a mapping on one line, without its sections.
func settings(node *yaml.Node) string {
	var parts []string
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if value.Kind == yaml.MappingNode {
			parts = append(parts, settings(value))
			continue
		}
		parts = append(parts, name.Value+" "+value.Value)
	}
	return strings.Join(parts, ", ")
}
