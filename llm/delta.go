package llm

import "time"

// Delta is one step of a streamed answer. A stream yields any number of
// deltas and, when it succeeds, exactly one Done, last.
type Delta interface{ delta() }

// Phase is what the server is doing, as far as the client can tell.
type Phase string

// The phases of one request, in their usual order.
const (
	Connecting Phase = "connecting"
	Loading    Phase = "loading"   // the server answers 503 while it loads the model
	Reading    Phase = "reading"   // the prompt is being read
	Reasoning  Phase = "reasoning" // the model thinks
	Answering  Phase = "answering" // text is coming
	Composing  Phase = "composing" // a tool call is coming
)

type (
	// PhaseChanged says that the request entered another phase. Detail is
	// one short phrase for the user, or empty.
	PhaseChanged struct {
		Phase  Phase
		Detail string
	}

	// Alive is a sign of life without content: a keep-alive comment, an
	// empty chunk. It feeds the first-token timeout and nothing else.
	Alive struct{}

	// TextDelta is new text of the answer.
	TextDelta struct{ Text string }

	// ReasoningDelta is new text of the model's reasoning.
	ReasoningDelta struct{ Text string }

	// CallDelta is a fragment of a tool call. Call counts from 0 in the
	// order in which the calls began; Name is set on the first fragment.
	CallDelta struct {
		Call int
		Name string
		Args string
	}

	// Progress tells how far the prompt has been read, in tokens. Cached
	// tokens are part of both Total and Processed.
	Progress struct {
		Total, Cached, Processed int
		Elapsed                  time.Duration
	}

	// Done ends a successful stream.
	Done struct{ Response Response }
)

func (PhaseChanged) delta()   {}
func (Alive) delta()          {}
func (TextDelta) delta()      {}
func (ReasoningDelta) delta() {}
func (CallDelta) delta()      {}
func (Progress) delta()       {}
func (Done) delta()           {}

// Finish says why the model stopped. It is the server's hint; whether the
// answer is whole is Response.Complete.
type Finish string

// The finish reasons of the OpenAI chat API. FinishNone means that the stream
// ended without one.
const (
	FinishNone   Finish = ""
	FinishStop   Finish = "stop"
	FinishCalls  Finish = "tool_calls"
	FinishLength Finish = "length"
	FinishFilter Finish = "content_filter"
)

// Response is a whole answer.
type Response struct {
	// Message is what enters the history: text and calls, no reasoning.
	Message   Message
	Reasoning string

	Finish Finish

	// Complete is false when the stream ended early: no finish reason and no
	// [DONE], an event that could not be decoded, or Finish is length. No
	// call of an incomplete response may run, even if its JSON is whole.
	Complete bool

	Usage Usage
	Speed Speed

	// Server names the model and the build that answered, where it tells.
	Server string
}

// Usage counts tokens. Cached tokens are part of Prompt. All zero when the
// server did not tell.
type Usage struct {
	Prompt, Cached, Completion int
}

// Add sums up.
func (u *Usage) Add(more Usage) {
	u.Prompt += more.Prompt
	u.Cached += more.Cached
	u.Completion += more.Completion
}

// Speed holds the server's own timings; zero where it does not tell.
type Speed struct {
	PromptPerSecond     float64 // tokens read per second
	CompletionPerSecond float64 // tokens generated per second
}
