package demo

import (
	"bytes"
	"encoding/json"
	"strings"

	"mm/llm/llmtest"
)

// chat is a request, as the stand-in reads it.
type chat struct{ *llmtest.Request }

// exchange is a call with its result.
type exchange struct{ tool, args, result string }

// prompt is the text of the request as a chat template would lay it out. It
// serves to count tokens and to see what has changed.
func (c *chat) prompt() string {
	var b strings.Builder
	for _, t := range c.Tools {
		b.Write(t)
		b.WriteByte('\n')
	}
	for _, m := range c.Messages {
		parts := []string{m.Text()}
		for _, call := range m.ToolCalls {
			parts = append(parts, call.Function.Name, call.Function.Arguments)
		}
		b.WriteString(rendered(m.Role, parts...))
	}
	return b.String()
}

func rendered(role string, parts ...string) string {
	return "<" + role + ">" + strings.Join(parts, "\n") + "\n"
}

// users returns the indices of the user's messages.
func (c *chat) users() []int {
	var out []int
	for i, m := range c.Messages {
		if m.Role == "user" {
			out = append(out, i)
		}
	}
	return out
}

// since returns the calls with their results after message i, in order. A call
// that was cancelled counts as not made.
func (c *chat) since(i int) []exchange {
	var out []exchange
	results := map[string]string{}
	for _, m := range c.Messages[i:] {
		if m.Role == "tool" {
			results[m.ToolCallID] = m.Text()
		}
	}
	for _, m := range c.Messages[i:] {
		for _, call := range m.ToolCalls {
			result, ok := results[call.ID]
			if ok && !strings.HasPrefix(result, "[cancelled") && !strings.HasPrefix(result, "[interrupted") {
				out = append(out, exchange{call.Function.Name, call.Function.Arguments, result})
			}
		}
	}
	return out
}

// mayCall tells whether a call of any tool is possible.
func (c *chat) mayCall() bool { return len(c.Tools) > 0 && c.ToolChoice != "none" }

// encode writes a value as JSON on one line, with < and > as they are.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and maps of strings always marshal
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func quoteJSON(s string) string { return encode(s) }
