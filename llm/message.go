// Package llm describes conversations with a language model: messages,
// requests, the typed deltas of a streamed answer, and errors. It is data and
// pure helpers; it knows nothing of HTTP, of what a tool means, or of a screen.
package llm

// Role says who speaks in a message.
type Role string

// The four roles of the OpenAI chat API.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation. Reasoning is not part of it: it is
// shown while it streams and never enters the history.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`

	// Calls are the tool calls of an assistant message, in the model's order.
	Calls []Call `json:"calls,omitempty"`

	// CallID names the call that a tool message answers.
	CallID string `json:"callId,omitempty"`
}

// Call is one tool call as the model wrote it.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`

	// Args is the text of the arguments. It is a JSON object when the call
	// was well formed, and whatever arrived otherwise.
	Args string `json:"args"`
}
