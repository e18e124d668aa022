package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/knadh/koanf/providers/confmap"
	"go.yaml.in/yaml/v3"
)

// text sets a value given as text, by a flag or the environment. A list may be
// written with commas alone.
func (l *Loaded) text(origin, path, value string) error {
	k, ok := find(path)
	if !ok {
		return unknownKey(origin, path)
	}
	v, err := decode(textNode(value, k.typ), k.typ)
	if err != nil {
		return fmt.Errorf("%s: %q %w", origin, value, err)
	}
	l.Origins[path] = origin
	return l.values.Load(confmap.Provider(map[string]any{path: v}, "."), nil)
}

// textNode is a text as the YAML node of a key's type.
func textNode(value string, t reflect.Type) *yaml.Node {
	text := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	if t.Kind() == reflect.String {
		return text
	}
	if t == reflect.TypeFor[[]string]() && !strings.HasPrefix(strings.TrimSpace(value), "[") {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: part})
			}
		}
		return list
	}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(value), &doc) == nil && len(doc.Content) == 1 {
		return doc.Content[0]
	}
	return text
}

// nearestEnv is a hint at the variable that a wrong one most looks like, or "".
func nearestEnv(name string) string {
	best, bestDistance := "", 4
	for _, k := range keys {
		if d := levenshtein.ComputeDistance(name, envName(k.path)); d < bestDistance {
			best, bestDistance = "; did you mean "+envName(k.path)+"?", d
		}
	}
	return best
}

// otherVariables start with MM_ and are no keys.
var otherVariables = []string{"MM_DEMO_SCRIPT"}

// env loads the variables that start with MM_. Two underscores between the
// parts of a key mean the same as one.
func (l *Loaded) env(environ []string) error {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "MM_") || slices.Contains(otherVariables, name) {
			continue
		}
		i := slices.IndexFunc(keys, func(k key) bool { return envName(k.path) == strings.ReplaceAll(name, "__", "_") })
		if i < 0 {
			l.Warnings = append(l.Warnings, "environment: "+name+" is not a setting of mm"+nearestEnv(name))
			continue
		}
		if err := l.text(name, keys[i].path, value); err != nil {
			return err
		}
	}
	return nil
}
