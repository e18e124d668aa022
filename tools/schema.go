package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Field declares one argument of a tool. The types are those of JSON schema:
// string, integer, number, boolean, array. An array holds objects with the
// fields Items.
//
// Only type, properties, required, enum, items and description are written:
// every server's chat template and grammar copes with these, and each further
// keyword costs tokens in every request.
type Field struct {
	Name, Type  string
	Description string
	Optional    bool
	Enum        []string
	Items       []Field
}

// Schema writes the JSON schema of an object with these fields, in order.
func Schema(fields ...Field) json.RawMessage {
	var b strings.Builder
	writeObject(&b, fields)
	return json.RawMessage(b.String())
}

func writeObject(b *strings.Builder, fields []Field) {
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(f.Name))
		b.WriteByte(':')
		writeField(b, f)
		if !f.Optional {
			required = append(required, f.Name)
		}
	}
	b.WriteString(`},"required":`)
	b.Write(encode(required))
	b.WriteByte('}')
}

func writeField(b *strings.Builder, f Field) {
	b.WriteString(`{"type":`)
	b.Write(quote(f.Type))
	if f.Description != "" {
		b.WriteString(`,"description":`)
		b.Write(quote(f.Description))
	}
	if len(f.Enum) > 0 {
		b.WriteString(`,"enum":`)
		b.Write(encode(f.Enum))
	}
	if f.Type == "array" {
		b.WriteString(`,"items":`)
		writeObject(b, f.Items)
	}
	b.WriteByte('}')
}

func quote(s string) []byte { return encode(s) }

// encode marshals values that cannot fail to: strings, lists and maps of them
// and raw JSON that was checked. It leaves <, > and & as they are, since they
// are common in code.
func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("tools: encode: " + err.Error()) // the caller's contract
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// schema is the part of a JSON schema that calls are checked against.
type schema struct {
	Type       string             `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Enum       []string           `json:"enum"`
	Items      *schema            `json:"items"`
}

func parseSchema(raw json.RawMessage) (*schema, error) {
	s := new(schema)
	err := json.Unmarshal(raw, s)
	return s, err
}

// shape writes what an object must hold in the short form that messages to the
// model use: {path, edits:[{old,new}]}. Optional fields appear, marked, only
// where nothing is required.
func (s *schema) shape(sep string) string {
	names, mark := s.Required, ""
	if len(names) == 0 {
		names, mark = slices.Sorted(maps.Keys(s.Properties)), "?"
	}
	fields := make([]string, len(names))
	for i, name := range names {
		fields[i] = name + mark
		if p := s.Properties[name]; p != nil && p.Type == "array" && p.Items != nil &&
			p.Items.Type == "object" {
			fields[i] += ":[" + p.Items.shape(",") + "]"
		}
	}
	return "{" + strings.Join(fields, sep) + "}"
}
