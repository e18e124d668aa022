package configs

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"
)

// key is one entry of the configuration: its dotted path and its type.
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
	read := node.Decode
	if t == reflect.TypeFor[map[string]LSP]() || t == reflect.TypeFor[[]Rule]() {
		read = func(into any) error { return strictly(node, into) }
	}
	if err := read(v.Interface()); err != nil || node.Tag == "!!null" || (t.Kind() == reflect.String && node.Tag != "!!str") {
		return nil, fmt.Errorf("is not %s", typeName(t))
	}
	return v.Elem().Interface(), nil
}

// strictly decodes a node with fields of its own; one that is not known is an
// error, which the node's own method would pass over. It writes the node out
// and reads it again, so it is not for the many plain values of a start.
func strictly(node *yaml.Node, into any) error {
	data, err := yaml.Marshal(node)
	if err != nil {
		return err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	return dec.Decode(into)
}

// typeName says in words for the user what a key wants.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[map[string]LSP]():
		return "a map of language servers, each with {command: [...], extensions: [...]}"
	case t == reflect.TypeFor[[]Rule]():
		return "a list of rules, each with one of allow, ask and deny ({bash: \"go test *\"}), match and notMatch"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Slice:
		return "a list of texts"
	}
	return "a text"
}
