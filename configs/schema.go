package configs

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// schemaNode is the part of JSON Schema that is used here. The order of its
// fields is the order in the file.
type schemaNode struct {
	Schema      string                 `json:"$schema,omitempty"`
	Title       string                 `json:"title,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        string                 `json:"type,omitempty"`
	Enum        []string               `json:"enum,omitempty"`
	Pattern     string                 `json:"pattern,omitempty"`
	Default     any                    `json:"default,omitempty"`
	Items       *schemaNode            `json:"items,omitempty"`
	Properties  map[string]*schemaNode `json:"properties,omitempty"`

	// AdditionalProperties is a *schemaNode, or false.
	AdditionalProperties any `json:"additionalProperties,omitempty"`
}

// durationPattern is what time.ParseDuration takes, without a sign.
const durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$`

// Schema is a JSON Schema of agent.yaml, for editors.
func Schema() []byte {
	about := descriptions()
	root := &schemaNode{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		Title:  "agent.yaml, the configuration of mm",
	}
	section := object(root)
	for _, k := range keys {
		at, prefix := section, ""
		parts := strings.Split(k.path, ".")
		for _, part := range parts[:len(parts)-1] {
			prefix += part
			if at[part] == nil {
				at[part] = &schemaNode{Description: about[prefix]}
				object(at[part])
			}
			at = at[part].Properties
			prefix += "."
		}
		at[parts[len(parts)-1]] = leafSchema(k, about[k.path])
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err) // strings, numbers and maps of them always marshal
	}
	return b.Bytes()
}

// object makes a node a mapping of known keys.
func object(n *schemaNode) map[string]*schemaNode {
	n.Type, n.AdditionalProperties = "object", false
	n.Properties = map[string]*schemaNode{}
	return n.Properties
}

// leafSchema describes the values of a key.
func leafSchema(k key, about string) *schemaNode {
	n := &schemaNode{Description: about, Default: defaultOf(k.path)}
	t := k.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	texts := &schemaNode{Type: "array", Items: &schemaNode{Type: "string"}}
	switch {
	case t == reflect.TypeFor[time.Duration]():
		n.Type, n.Pattern = "string", durationPattern
	case t.Kind() == reflect.Bool:
		n.Type = "boolean"
	case t.Kind() == reflect.Int:
		n.Type = "integer"
	case t.Kind() == reflect.Float64:
		n.Type = "number"
	case t == reflect.TypeFor[[]Rule]():
		rule, pattern := &schemaNode{}, &schemaNode{Type: "object", AdditionalProperties: &schemaNode{Type: "string"}}
		fields := object(rule)
		fields["allow"], fields["ask"], fields["deny"] = pattern, pattern, pattern
		fields["match"], fields["notMatch"] = texts, texts
		n.Type, n.Items = "array", rule
	case t.Kind() == reflect.Slice:
		n.Type, n.Items = texts.Type, texts.Items
	case t.Kind() == reflect.Map:
		server := &schemaNode{}
		fields := object(server)
		fields["command"], fields["extensions"] = texts, texts
		n.Type, n.AdditionalProperties = "object", server
	default:
		n.Type, n.Enum = "string", Choices(k.path)
	}
	return n
}

// defaultOf is the default of a key as JSON has it, or nil.
func defaultOf(path string) any {
	node := defaultsNode()
	for part := range strings.SplitSeq(path, ".") {
		i := 0 // of a key: values stand between them
		for i < len(node.Content) && node.Content[i].Value != part {
			i += 2
		}
		if i+1 >= len(node.Content) {
			return nil
		}
		node = node.Content[i+1]
	}
	var value any
	if node.Decode(&value) != nil {
		return nil
	}
	return value
}

// Choices lists the values of a key that takes one of a list, or nil.
func Choices(path string) []string {
	if path == "profile" {
		return append([]string{autoProfile, noProfile}, Profiles()...)
	}
	return choices[path]
}
