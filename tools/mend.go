package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// wrappers are fields in which models put the real arguments, as if the call
// were inside the call.
var wrappers = []string{"arguments", "parameters", "args", "params", "input", "kwargs"}

// unwrap takes the arguments out of {"name":…, "arguments":{…}} when none of
// the declared fields is there.
func (m *mender) unwrap(s *schema, obj fields) fields {
	for name := range obj {
		if m.declared(s, name) != "" {
			return obj
		}
	}
	for _, w := range wrappers {
		value, ok := obj[w]
		if !ok {
			continue
		}
		if text, ok := inside(value); ok {
			value = text
		}
		inner := fields{}
		if json.Unmarshal(value, &inner) == nil && inner != nil {
			m.note(fmt.Sprintf("the arguments were inside %q; give them directly", w))
			return inner
		}
	}
	return obj
}

// declared returns the declared field that a name means, or "".
func (m *mender) declared(s *schema, name string) string {
	if s.Properties[name] != nil {
		return name
	}
	f := foldName(name)
	for p := range s.Properties {
		if foldName(p) == f {
			return p
		}
	}
	if to := m.synonyms[f]; s.Properties[to] != nil {
		return to
	}
	return ""
}

// rename brings fields to their declared names, drops nulls, and lifts the
// fields of a list's only element to where the list belongs.
func (m *mender) rename(s *schema, obj fields) {
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if kind(obj[name]) == "null" {
			delete(obj, name)
			continue
		}
		to := m.declared(s, name)
		if to == "" || to == name {
			continue
		}
		if _, taken := obj[to]; !taken {
			obj[to] = obj[name]
			delete(obj, name)
			m.note(fmt.Sprintf("%q was taken for %q", name, to))
		}
	}
	for name, p := range s.Properties {
		if _, ok := obj[name]; !ok && p.Type == "array" && p.Items != nil {
			m.lift(name, p.Items, obj)
		}
	}
}

// lift makes {path, old, new} into {path, edits:[{old,new}]}.
func (m *mender) lift(list string, item *schema, obj fields) {
	element := fields{}
	for name, value := range obj {
		if to := m.declared(item, name); to != "" {
			element[to] = value
		}
	}
	for _, r := range item.Required {
		if _, ok := element[r]; !ok {
			return
		}
	}
	if len(element) == 0 {
		return
	}
	for name := range obj {
		if m.declared(item, name) != "" {
			delete(obj, name)
		}
	}
	obj[list] = encode([]fields{element})
	m.note(fmt.Sprintf("one element was taken for the list %q", list))
}

// object checks the fields of one object and puts mended values in place. at
// is the path of the object in messages, "" at the top.
func (m *mender) object(s *schema, obj fields, at string) {
	for _, name := range s.Required {
		if _, ok := obj[name]; !ok {
			m.problem("%q is missing", at+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if p := s.Properties[name]; p != nil {
			obj[name] = m.value(p, obj[name], at+name)
		}
	}
}

// value returns v as the schema wants it, or records a problem.
func (m *mender) value(s *schema, v json.RawMessage, at string) json.RawMessage {
	got, was := v, kind(v)
	switch s.Type {
	case "string":
		got = asString(v)
	case "integer":
		got = asInteger(v)
	case "number":
		got = asNumber(v)
	case "boolean":
		got = asBoolean(v)
	case "array":
		return m.array(s, v, at)
	case "object":
		return m.nested(s, v, at)
	}
	if got == nil {
		m.problem("%q must be %s, not %s", at, article(s.Type), clip(string(v)))
		return v
	}
	if k := kind(got); k != was {
		m.note(fmt.Sprintf("%q was %s, taken as %s", at, article(was), article(s.Type)))
	}
	if len(s.Enum) > 0 {
		got = m.oneOf(s.Enum, got, at)
	}
	return got
}

func (m *mender) array(s *schema, v json.RawMessage, at string) json.RawMessage {
	var list []json.RawMessage
	switch kind(v) {
	case "array":
	case "object":
		m.note(fmt.Sprintf("%q was one object, taken as a list of one", at))
		v = encode([]json.RawMessage{v})
	case "string":
		inner, ok := inside(v)
		if ok && (kind(inner) == "array" || kind(inner) == "object") {
			m.note(fmt.Sprintf("%q was a string, taken as the list in it", at))
			return m.array(s, inner, at)
		}
	}
	if json.Unmarshal(v, &list) != nil {
		m.problem("%q must be a list, not %s", at, clip(string(v)))
		return v
	}
	if s.Items == nil {
		return v
	}
	for i := range list {
		list[i] = m.value(s.Items, list[i], fmt.Sprintf("%s[%d]", at, i))
	}
	return encode(list)
}

func (m *mender) nested(s *schema, v json.RawMessage, at string) json.RawMessage {
	if inner, ok := inside(v); ok && kind(inner) == "object" {
		m.note(fmt.Sprintf("%q was a string, taken as the object in it", at))
		v = inner
	}
	obj := fields{}
	if json.Unmarshal(v, &obj) != nil || obj == nil {
		m.problem("%q must be an object, not %s", at, clip(string(v)))
		return v
	}
	m.rename(s, obj)
	m.object(s, obj, at+".")
	return encode(obj)
}

// oneOf matches a value with the allowed ones, forgiving case and separators.
func (m *mender) oneOf(enum []string, v json.RawMessage, at string) json.RawMessage {
	var s string
	if json.Unmarshal(v, &s) != nil || slices.Contains(enum, s) {
		return v
	}
	for _, e := range enum {
		if foldName(e) == foldName(s) {
			return quote(e)
		}
	}
	m.problem("%q must be one of %s, not %s", at, strings.Join(enum, ", "), clip(string(v)))
	return v
}

// asString takes a number, a boolean or an object for its own text: a model
// that writes a JSON file gives its content as an object. A list is refused,
// since it may as well mean lines.
func asString(v json.RawMessage) json.RawMessage {
	switch kind(v) {
	case "string":
		return v
	case "number", "boolean", "object":
		return quote(string(v))
	}
	return nil
}

// plain returns the text of a number or a boolean, also inside a string.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(v)
}

func asInteger(v json.RawMessage) json.RawMessage {
	const exact = 1 << 53 // beyond it a float may stand for several integers
	s := plain(v)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return json.RawMessage(strconv.FormatInt(n, 10))
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int64(f)) || f > exact || f < -exact {
		return nil
	}
	return json.RawMessage(strconv.FormatInt(int64(f), 10))
}

func asNumber(v json.RawMessage) json.RawMessage {
	s := json.RawMessage(plain(v))
	if kind(s) != "number" || !json.Valid(s) {
		return nil
	}
	return s
}

func asBoolean(v json.RawMessage) json.RawMessage {
	switch s := strings.ToLower(plain(v)); s {
	case "true", "false":
		return json.RawMessage(s)
	}
	return nil
}

func article(kind string) string {
	switch kind {
	case "integer", "array", "object":
		return "an " + kind
	}
	return "a " + kind
}
