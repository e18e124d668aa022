package llm

import "encoding/json"

// Request is one call of the model. Messages and Tools are sent in the order
// given; keeping that order stable keeps the server's prefix cache.
type Request struct {
	Messages []Message
	Tools    []ToolSpec

	// ToolChoice is empty (the server's default, auto) or "none". With
	// "none" llama-server still renders the tools, so that the cached
	// prefix holds.
	ToolChoice string

	Sampling Sampling

	// Schema, when set, has the server produce JSON of this schema, where it
	// can. The answer is to be checked all the same.
	Schema json.RawMessage

	// Continue has the answer go on where the last message ends, which is the
	// assistant's. llama-server can; others answer that message, or refuse it.
	Continue bool

	// NoStream asks for one answer in place of a stream of deltas. The time
	// that the whole answer takes is silence, so the client waits longer.
	NoStream bool

	// NoThinking asks for an answer without reasoning where the server can.
	NoThinking bool

	// Patient doubles the watchdog: nothing is shown while a summary is
	// written, so that nobody waits for its first word.
	Patient bool
}

// ToolSpec declares a tool to the model.
type ToolSpec struct {
	Name        string
	Description string

	// Schema is the JSON schema of the arguments, an object.
	Schema json.RawMessage
}

// Sampling holds the generation parameters. A nil pointer is not sent.
type Sampling struct {
	Temperature       float64
	TopP              float64
	MaxTokens         int
	ParallelToolCalls bool
	TopK              *int
	MinP              *float64
	RepeatPenalty     *float64
	PresencePenalty   *float64
	FrequencyPenalty  *float64
	Seed              *int

	// ThinkingBudget ends the reasoning after so many tokens, where the
	// server can; 0 leaves it to the model.
	ThinkingBudget int
}
