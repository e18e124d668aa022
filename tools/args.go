package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// maxProblems is how many faults of one call are told at once: a small
	// model mends few things at a time.
	maxProblems = 3

	// maxValueShown bounds how much of a wrong value is repeated, in bytes.
	maxValueShown = 40
)

// fields is one JSON object, its values as the model wrote them.
type fields = map[string]json.RawMessage

// arguments decodes, mends and checks the arguments of one call.
func (b *Toolbox) arguments(e entry, raw string) (json.RawMessage, []string, error) {
	m := &mender{synonyms: map[string]string{}}
	for to, names := range e.spec.Synonyms {
		for from := range strings.FieldsSeq(names) {
			m.synonyms[foldName(from)] = to
		}
	}
	obj, err := b.decode(e, raw, m)
	if err != nil {
		return nil, nil, invalid(e, err.Error())
	}
	obj = m.unwrap(e.schema, obj)
	m.rename(e.schema, obj)
	if n, ok := e.tool.(Normalizer); ok {
		m.note(n.Normalize(obj))
	}
	m.object(e.schema, obj, "")
	if len(m.problems) > 0 {
		shown := m.problems[:min(len(m.problems), maxProblems)]
		return nil, nil, invalid(e, strings.Join(shown, "; "))
	}
	return encode(obj), m.notes, nil
}

// invalid is the answer to arguments that cannot be mended.
func invalid(e entry, problem string) error {
	return fmt.Errorf("[error: invalid arguments for %s: %s; expected %s]",
		e.spec.Name, problem, e.schema.shape(", "))
}

// decode reads the text of the arguments as one JSON object. An object inside
// a JSON string or in a list of one is taken out; a bare string is the only
// required field when that is one.
func (b *Toolbox) decode(e entry, raw string, m *mender) (fields, error) {
	text := strings.TrimSpace(raw)
	if text == "" || text == "null" {
		return fields{}, nil
	}
	value, err := strict(text)
	if err != nil && b.options.Repair != nil {
		if repaired, ok := b.options.Repair(text); ok {
			if v, rerr := strict(repaired); rerr == nil {
				value, err = v, nil
				m.note("the arguments were not valid JSON and were repaired")
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("not valid JSON (%s)", jsonFault(err))
	}
	obj := fields{}
	for range 3 { // a string in a list in a string is the deepest seen
		if json.Unmarshal(value, &obj) == nil && obj != nil {
			return obj, nil
		}
		inner, ok := inside(value)
		if !ok {
			break
		}
		m.note("the arguments were wrapped; give one JSON object")
		value = inner
	}
	var s string
	if json.Unmarshal(value, &s) == nil && len(e.schema.Required) == 1 {
		name := e.schema.Required[0]
		if e.schema.Properties[name].Type == "string" {
			m.note(fmt.Sprintf("the text was taken for %q", name))
			return fields{name: value}, nil
		}
	}
	return nil, fmt.Errorf("%s is not a JSON object", clip(string(value)))
}

// strict parses text as exactly one JSON value.
func strict(text string) (json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	var v json.RawMessage
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more text after the JSON value")
	}
	return v, nil
}

func jsonFault(err error) string {
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		return "it ends too early"
	}
	return err.Error()
}

// inside takes a JSON value out of a JSON string or a list of one.
func inside(value json.RawMessage) (json.RawMessage, bool) {
	var s string
	if json.Unmarshal(value, &s) == nil {
		v, err := strict(s)
		return v, err == nil && kind(v) != "string"
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && len(list) == 1 {
		return list[0], true
	}
	return nil, false
}

// kind names the type of a JSON value in the words of JSON schema.
func kind(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return "null"
	}
	switch v[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func clip(s string) string { return clipTo(s, maxValueShown) }

// clipTo cuts a text that is repeated to so many bytes.
func clipTo(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// mender collects what was mended in one call and what could not be.
type mender struct {
	synonyms map[string]string // folded name → declared name
	notes    []string
	problems []string
}

func (m *mender) note(s string) {
	if s != "" && !slices.Contains(m.notes, s) {
		m.notes = append(m.notes, s)
	}
}

func (m *mender) problem(format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}
