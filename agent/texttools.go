package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"mm/llm"
	"mm/tools"
)

// describeTools tells a model of the tools in its system prompt, and how to
// call them, in the form that most models were trained on.
func describeTools(specs []tools.Spec) string {
	var b strings.Builder
	b.WriteString(`TOOLS
To use a tool, end your answer with one block like this, and write nothing after it:
<tool_call>
{"name": "NAME", "arguments": {"FIELD": "VALUE"}}
</tool_call>
The result comes in the next message, in <tool_response>. One call at a time. Your tools:
`)
	for _, spec := range specs {
		fmt.Fprintf(&b, "\n%s %s\n%s\n", spec.Name, signature(spec.Schema), spec.Description)
	}
	return strings.TrimSpace(b.String())
}

// signature writes the fields of a schema, in its order: {"path": string,
// "edits": [{"old": string, "new": string}], "start"?: integer}.
func signature(schema json.RawMessage) string {
	var s struct {
		Type       string
		Properties json.RawMessage
		Required   []string
		Items      json.RawMessage
		Enum       []string
	}
	// A schema that cannot be read is a value of any kind.
	_ = json.Unmarshal(schema, &s)
	switch {
	case len(s.Enum) > 0:
		return `"` + strings.Join(s.Enum, `"|"`) + `"`
	case s.Type == "array":
		return "[" + signature(s.Items) + "]"
	case s.Type != "object":
		return cmp.Or(s.Type, "value")
	}
	var fields []string
	for _, name := range keysInOrder(s.Properties) {
		var properties map[string]json.RawMessage
		_ = json.Unmarshal(s.Properties, &properties)
		mark := "?"
		for _, required := range s.Required {
			if required == name {
				mark = ""
			}
		}
		fields = append(fields, fmt.Sprintf("%q%s: %s", name, mark, signature(properties[name])))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// keysInOrder lists the keys of a JSON object as they are written.
func keysInOrder(object json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			break
		}
		keys = append(keys, name)
	}
	return keys
}

// textMessages writes calls and their results as text, as describeTools tells
// the model to.
func textMessages(messages []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range messages {
		switch {
		case m.Role == llm.Tool:
			m = llm.Message{Role: llm.User, Text: "<tool_response>\n" + m.Text + "\n</tool_response>"}
		case len(m.Calls) > 0:
			for _, call := range m.Calls {
				m.Text = joinParagraphs(m.Text, textCall(call))
			}
			m.Calls = nil
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Text = joinParagraphs(out[n-1].Text, m.Text)
			continue
		}
		out = append(out, m)
	}
	return out
}

func textCall(call llm.Call) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", call.Name, call.Args)
}
