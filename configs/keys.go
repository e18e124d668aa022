package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"
)

// key is one entry of the configuration: its dotted path and its type. For a
// map, Elem is what its values look like.
type key struct {
	path string
	typ  reflect.Type
}

// keys lists the leaves of Config in the order of its fields.
var keys = leaves(reflect.TypeFor[Config](), "")

func leaves(t reflect.Type, prefix string) []key {
	var out []key
	for i := range t.NumField() {
		f := t.Field(i)
		path := prefix + f.Tag.Get("koanf")
		if f.Type.Kind() == reflect.Struct {
			out = append(out, leaves(f.Type, path+".")...)
			continue
		}
		out = append(out, key{path, f.Type})
	}
	return out
}

// Keys lists the dotted paths of all keys.
func Keys() []string {
	paths := make([]string, len(keys))
	for i, k := range keys {
		paths[i] = k.path
	}
	return paths
}

func find(path string) (key, bool) {
	for _, k := range keys {
		if k.path == path {
			return k, true
		}
	}
	return key{}, false
}

// isSection tells whether path is a group of keys.
func isSection(path string) bool {
	return slices.ContainsFunc(keys, func(k key) bool { return strings.HasPrefix(k.path, path+".") })
}

// nearest is the known key that a wrong one most looks like, or "". A right
// name in the wrong section counts as near.
func nearest(path string) string {
	best, bestDistance := "", len(path)/2+1
	for _, k := range keys {
		d := levenshtein.ComputeDistance(strings.ToLower(path), strings.ToLower(k.path))
		if last := k.path[strings.LastIndex(k.path, ".")+1:]; strings.EqualFold(last, path[strings.LastIndex(path, ".")+1:]) {
			d = 1
		}
		if d < bestDistance {
			best, bestDistance = k.path, d
		}
	}
	return best
}

// unknownKey is the error for a key that does not exist.
func unknownKey(where, path string) error {
	if near := nearest(path); near != "" {
		return fmt.Errorf("%s: there is no key %q; did you mean %q?", where, path, near)
	}
	return fmt.Errorf("%s: there is no key %q; \"mm config\" lists all", where, path)
}

// envName is the environment variable of a key: MM_SAMPLING_MAX_TOKENS.
func envName(path string) string {
	var b strings.Builder
	b.WriteString("MM_")
	prev := rune(0)
	for _, r := range path {
		switch {
		case r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			b.WriteByte('_')
			b.WriteRune(r)
		default:
			b.WriteRune(unicode.ToUpper(r))
		}
		prev = r
	}
	return b.String()
}

// decode turns a YAML value into the type of a key. The error says what was
// expected, in words for the user.
func decode(node *yaml.Node, t reflect.Type) (any, error) {
	if t == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(node.Value)
		if node.Kind != yaml.ScalarNode || err != nil || d < 0 {
			return nil, fmt.Errorf("is not a duration such as 30s or 3m")
		}
		return d, nil
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	v := reflect.New(t)
	if t.Kind() == reflect.Map {
		return decodeServers(node)
	}
	if err := node.Decode(v.Interface()); err != nil || node.Tag == "!!null" || (t.Kind() == reflect.String && node.Tag != "!!str") {
		return nil, fmt.Errorf("is not %s", typeName(t))
	}
	return v.Elem().Interface(), nil
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list of texts"
	}
	return "a text"
}

// decodeServers reads the map of language servers; unknown fields are errors.
func decodeServers(node *yaml.Node) (any, error) {
	servers := map[string]any{}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("is not a map of language servers")
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i].Value, node.Content[i+1]
		if value.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("has no {command, extensions} for %q", name)
		}
		server := map[string]any{}
		for j := 0; j+1 < len(value.Content); j += 2 {
			field := value.Content[j].Value
			var list []string
			if (field != "command" && field != "extensions") || value.Content[j+1].Decode(&list) != nil {
				return nil, fmt.Errorf("has a wrong field %q for %q: command and extensions are lists of texts", field, name)
			}
			server[field] = list
		}
		servers[name] = server
	}
	return servers, nil
}
