package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"mm/llm"
)

// Optional fields of a request. A server that rejects one gets no more of it.
const (
	fieldProgress   = "return_progress"
	fieldUsage      = "stream_options"
	fieldThinking   = "chat_template_kwargs"
	fieldEffort     = "reasoning_effort"
	fieldParallel   = "parallel_tool_calls"
	fieldToolChoice = "tool_choice"
	fieldControl    = "reasoning_control"
	fieldBudget     = "reasoning_budget_tokens"
	fieldSchema     = "response_format"
)

// wireRequest is the body of a chat request. The order of the fields makes the
// next request of a conversation start with the bytes of this one: tools and
// messages come last, and messages only grow.
type wireRequest struct {
	Model         string          `json:"model"`
	Slot          *int            `json:"id_slot,omitempty"` // llama-server's
	Stream        bool            `json:"stream,omitempty"`
	StreamOptions *streamOptions  `json:"stream_options,omitempty"`
	Progress      bool            `json:"return_progress,omitempty"`
	Temperature   float64         `json:"temperature"`
	TopP          float64         `json:"top_p,omitempty"`
	MaxTokens     *int            `json:"max_tokens,omitempty"`
	TopK          *int            `json:"top_k,omitempty"`
	MinP          *float64        `json:"min_p,omitempty"`
	RepeatPenalty *float64        `json:"repeat_penalty,omitempty"`
	Presence      *float64        `json:"presence_penalty,omitempty"`
	Frequency     *float64        `json:"frequency_penalty,omitempty"`
	Seed          *int            `json:"seed,omitempty"`
	TemplateArgs  map[string]bool `json:"chat_template_kwargs,omitempty"`
	Effort        string          `json:"reasoning_effort,omitempty"`
	Control       bool            `json:"reasoning_control,omitempty"`
	Budget        int             `json:"reasoning_budget_tokens,omitempty"`
	Format        *wireFormat     `json:"response_format,omitempty"`
	Continue      bool            `json:"continue_final_message,omitempty"`
	NewMessage    *bool           `json:"add_generation_prompt,omitempty"`
	Parallel      *bool           `json:"parallel_tool_calls,omitempty"`
	ToolChoice    string          `json:"tool_choice,omitempty"`
	Tools         []wireTool      `json:"tools,omitempty"`
	Messages      []wireMessage   `json:"messages"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// wireFormat asks for JSON of a schema.
type wireFormat struct {
	Type   string     `json:"type"`
	Schema wireSchema `json:"json_schema"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type wireTool struct {
	Type     string       `json:"type"`
	Function wireToolSpec `json:"function"`
}

type wireToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// wireMessage always has a content: some templates print a missing one as
// "None".
type wireMessage struct {
	Role       string        `json:"role"`
	Content    string        `json:"content"`
	ToolCalls  []wireOutCall `json:"tool_calls,omitempty"`
	ToolCallID string        `json:"tool_call_id,omitempty"`
}

type wireOutCall struct {
	ID       string      `json:"id"`
	Type     string      `json:"type"`
	Function wireOutFunc `json:"function"`
}

type wireOutFunc struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// emptySchema stands in for a tool without one: templates expect an object.
const emptySchema = `{"type":"object","properties":{}}`

// wire builds the body of a request, leaving out what the server rejected
// before.
func (c *Client) wire(req llm.Request, model string) wireRequest {
	w := wireRequest{
		Model:         model,
		Stream:        !req.NoStream,
		Temperature:   req.Sampling.Temperature,
		TopP:          req.Sampling.TopP,
		TopK:          req.Sampling.TopK,
		MinP:          req.Sampling.MinP,
		RepeatPenalty: req.Sampling.RepeatPenalty,
		Presence:      req.Sampling.PresencePenalty,
		Frequency:     req.Sampling.FrequencyPenalty,
		Seed:          req.Sampling.Seed,
		Messages:      wireMessages(req.Messages),
		Tools:         wireTools(req.Tools),
	}
	if n := req.Sampling.MaxTokens; n > 0 {
		w.MaxTokens = &n
	}
	if w.Stream && c.takes(fieldUsage) {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	w.Progress = w.Stream && c.takes(fieldProgress)
	if len(w.Tools) > 0 {
		if c.takes(fieldParallel) {
			w.Parallel = &req.Sampling.ParallelToolCalls
		}
		if c.takes(fieldToolChoice) {
			w.ToolChoice = req.ToolChoice
		}
	}
	if len(req.Schema) > 0 && c.takes(fieldSchema) {
		w.Format = &wireFormat{Type: "json_schema", Schema: wireSchema{Name: "answer", Strict: true, Schema: req.Schema}}
	}
	if req.Continue {
		w.Continue, w.NewMessage = true, new(bool)
	}
	c.think(&w, req)
	return w
}

func marshal(w wireRequest) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w); err != nil {
		return nil, &llm.Error{Kind: llm.BadRequest, Message: "the request cannot be written as JSON", Err: err}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// think says how the answer may reason. llama-server takes a budget, and can
// be told to end the reasoning; see EndReasoning.
func (c *Client) think(w *wireRequest, req llm.Request) {
	if req.NoThinking {
		c.forbidThinking(w)
		return
	}
	if c.opts.Provider != LlamaCpp {
		return
	}
	w.Control = w.Stream && c.takes(fieldControl)
	if c.takes(fieldBudget) {
		w.Budget = req.Sampling.ThinkingBudget
	}
}

// forbidThinking asks for an answer without reasoning in the provider's way.
func (c *Client) forbidThinking(w *wireRequest) {
	switch c.opts.Provider {
	case LlamaCpp, DMR, VLLM:
		if c.takes(fieldThinking) {
			w.TemplateArgs = map[string]bool{"enable_thinking": false}
		}
	case Ollama:
		if c.takes(fieldEffort) {
			w.Effort = "none"
		}
	}
}

func wireMessages(messages []llm.Message) []wireMessage {
	out := make([]wireMessage, 0, len(messages))
	for _, m := range messages {
		w := wireMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
		for _, call := range m.Calls {
			w.ToolCalls = append(w.ToolCalls, wireOutCall{
				ID: call.ID, Type: "function",
				Function: wireOutFunc{Name: call.Name, Arguments: call.Args},
			})
		}
		out = append(out, w)
	}
	return out
}

func wireTools(specs []llm.ToolSpec) []wireTool {
	var out []wireTool
	for _, s := range specs {
		schema := s.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(emptySchema)
		}
		out = append(out, wireTool{
			Type:     "function",
			Function: wireToolSpec{Name: s.Name, Description: s.Description, Parameters: schema},
		})
	}
	return out
}

// takes reports whether the server may get an optional field.
func (c *Client) takes(field string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.rejected[field]
}

// reject notes the optional field that an error complains about, and reports
// whether there is one that was sent until now.
func (c *Client) reject(err *llm.Error) bool {
	if err.Kind != llm.BadRequest {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, field := range []string{
		fieldProgress, fieldUsage, fieldThinking, fieldEffort, fieldParallel, fieldToolChoice, fieldControl,
		fieldBudget, fieldSchema,
	} {
		if strings.Contains(err.Message, field) && !c.rejected[field] {
			c.rejected[field] = true
			return true
		}
	}
	return false
}
