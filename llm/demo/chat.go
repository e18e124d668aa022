package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// chat is what the stand-in reads of a request.
type chat struct {
	Messages   []message         `json:"messages"`
	Tools      []json.RawMessage `json:"tools"`
	ToolChoice any               `json:"tool_choice"`
	MaxTokens  *int              `json:"max_tokens"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// exchange is a call with its result.
type exchange struct{ tool, args, result string }

func readChat(body []byte) (*chat, error) {
	var c chat
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, fmt.Errorf("the request is not valid: %w", err)
	}
	if len(c.Messages) == 0 {
		return nil, errors.New("'messages' is required")
	}
	return &c, nil
}

// text returns the text of a message; parts are joined.
func (m *message) text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	// A content of another shape has no text.
	_ = json.Unmarshal(m.Content, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// prompt is the text of the request as a chat template would lay it out. It
// serves to count tokens and to see what has changed.
func (c *chat) prompt() string {
	var b strings.Builder
	for _, t := range c.Tools {
		b.Write(t)
		b.WriteByte('\n')
	}
	for _, m := range c.Messages {
		parts := []string{m.text()}
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
			results[m.ToolCallID] = m.text()
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

// has tells whether a tool is declared.
func (c *chat) has(tool string) bool {
	for i := range c.Tools {
		if c.tool(i).Name == tool {
			return true
		}
	}
	return false
}

// declared is a tool as the request declares it.
type declared struct {
	Name       string `json:"name"`
	Parameters struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type string `json:"type"`
			Enum []any  `json:"enum"`
		} `json:"properties"`
	} `json:"parameters"`
}

func (c *chat) tool(i int) declared {
	var t struct {
		Function declared `json:"function"`
	}
	// A tool of another shape has no name, and so is not there.
	_ = json.Unmarshal(c.Tools[i], &t)
	return t.Function
}

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
