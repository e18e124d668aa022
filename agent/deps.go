// Package agent runs a conversation: it calls the model, runs the tools that
// the model asks for, and emits typed events. It knows neither Bubble Tea nor
// ACP; both are fed by the same events and answer with the same commands.
package agent

import (
	"context"
	"encoding/json"
	"iter"

	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// Model answers requests.
type Model interface {
	// Info asks the server what it serves. It returns what is known, with a
	// *llm.Error when the server cannot be reached.
	Info(ctx context.Context) (llm.ModelInfo, error)

	// Stream yields deltas until Done or an error, which is then the last.
	Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error]
}

// Toolbox holds the tools that are declared to the model.
type Toolbox interface {
	// Specs lists the tools sorted by name.
	Specs() []tools.Spec

	// Resolve finds the tool that a call means and turns its arguments into
	// a valid JSON object. notes say what was mended. The text of an error
	// is for the model.
	Resolve(name, args string) (t tools.Tool, valid json.RawMessage, notes []string, err error)
}

// Policy decides what may run unasked.
type Policy interface {
	Decide(safety.Action) safety.Verdict
	Remember(safety.Action) // the user answered "always"
	Mode() safety.Mode
	SetMode(safety.Mode)
}

// Store keeps the session on disk.
type Store interface {
	// Save writes the whole session atomically.
	Save(*session.Session) error

	// Fork writes a copy under a new id, and returns that id.
	Fork(*session.Session) (string, error)
}
