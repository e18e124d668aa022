package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Request is what the server understands of a request body.
type Request struct {
	Body          []byte            `json:"-"`
	Stream        bool              `json:"stream"`
	Messages      []Message         `json:"messages"`
	Tools         []json.RawMessage `json:"tools"`
	ToolChoice    any               `json:"tool_choice"`
	MaxTokens     *int              `json:"max_tokens"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ReturnProgress bool `json:"return_progress"`
}

// Message is one of a request.
type Message struct {
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

// Declared is a tool as a request declares it.
type Declared struct {
	Name       string `json:"name"`
	Parameters struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type string `json:"type"`
			Enum []any  `json:"enum"`
		} `json:"properties"`
	} `json:"parameters"`
}

// Declared lists the tools. One of another shape has no name.
func (r *Request) Declared() []Declared {
	out := make([]Declared, len(r.Tools))
	for i, raw := range r.Tools {
		var t struct{ Function *Declared }
		t.Function = &out[i]
		_ = json.Unmarshal(raw, &t)
	}
	return out
}

// Declares tells whether a tool is declared.
func (r *Request) Declares(tool string) bool {
	return slices.ContainsFunc(r.Declared(), func(d Declared) bool { return d.Name == tool })
}

// Last returns the text of the last message of a role, and whether there is
// one.
func (r *Request) Last(role string) (string, bool) {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == role {
			return m.Text(), true
		}
	}
	return "", false
}

// lastResult returns the last tool message and the name of the tool whose call
// it answers.
func (r *Request) lastResult() (tool, text string, ok bool) {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "tool" {
			return r.toolOf(m.ToolCallID), m.Text(), true
		}
	}
	return "", "", false
}

func (r *Request) toolOf(callID string) string {
	for _, m := range slices.Backward(r.Messages) {
		for _, c := range m.ToolCalls {
			if c.ID == callID {
				return c.Function.Name
			}
		}
	}
	return ""
}

// Text joins the text parts of a message. A content of another shape has none.
func (m *Message) Text() string {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// want is one condition on a request.
type want struct {
	what string // system, user, assistant, result, tool, no-tool, body, not
	tool string
	text string
}

func parseWant(rest string) (want, error) {
	what, rest, _ := strings.Cut(rest, " ")
	w := want{what: what}
	var err error
	switch what {
	case "system", "user", "assistant", "body", "not":
		w.text, err = unquote(rest)
	case "result":
		// The tool's name may be left out.
		if rest != "" && rest[0] != '\'' && rest[0] != '"' {
			w.tool, rest, _ = strings.Cut(rest, " ")
		}
		w.text, err = unquote(rest)
	case "tool", "no-tool":
		w.tool = rest
	default:
		err = fmt.Errorf("unknown want %s", what)
	}
	return w, err
}

// check returns what is wrong, or an empty string.
func (w want) check(r *Request) string {
	switch w.what {
	case "tool", "no-tool":
		if r.Declares(w.tool) != (w.what == "tool") {
			return fmt.Sprintf("want %s %s, the request declares %d tools", w.what, w.tool, len(r.Tools))
		}
		return ""
	case "body", "not":
		if strings.Contains(string(r.Body), w.text) != (w.what == "body") {
			return fmt.Sprintf("want %s %q, the body is %s", w.what, w.text, clip(string(r.Body)))
		}
		return ""
	case "result":
		tool, text, ok := r.lastResult()
		if !ok || !strings.Contains(text, w.text) || w.tool != "" && tool != w.tool {
			return fmt.Sprintf("want result %s %q, the last result is %s %q", w.tool, w.text, tool, clip(text))
		}
		return ""
	default:
		text, ok := r.Last(w.what)
		if !ok || !strings.Contains(text, w.text) {
			return fmt.Sprintf("want %s %q, the last %s message is %q", w.what, w.text, w.what, clip(text))
		}
		return ""
	}
}

// clip shortens a text for a message.
func clip(s string) string {
	const keep = 400
	if len(s) <= keep {
		return s
	}
	return s[:keep] + "…"
}
