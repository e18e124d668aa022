package llm

// ModelInfo says which model answers, and what is known of it.
type ModelInfo struct {
	Provider string // llamacpp, ollama, ...
	BaseURL  string
	ID       string // the model's name at the server

	// Asked is the name that was asked for, where the server does not have it
	// and answers with ID all the same.
	Asked string

	// ContextWindow is the number of tokens served for one conversation, or
	// 0 when unknown. WindowSource says where the figure came from, in a few
	// words ("/props", "configuration").
	ContextWindow int
	WindowSource  string

	// WindowIsMaximum is true when ContextWindow is what the model was trained
	// for, since the server does not tell what it serves, which may be less.
	WindowIsMaximum bool

	// NoTools is true when the server said that the model's template drops
	// tool definitions.
	NoTools bool
}

// ListedModel is a model that a server offers. What the server does not tell is
// zero.
type ListedModel struct {
	ID           string // its name at the server
	Parameters   string // number of weights: "494M", "1.5B", "35B-A3B"
	Bytes        int64  // of its file
	Quantisation string // "Q4_K_M"

	// ContextWindow is in tokens. WindowIsMaximum is true when it is what the
	// model was trained for, since it is not loaded or the server does not say
	// what it serves.
	ContextWindow   int
	WindowIsMaximum bool

	Loaded bool // false too where the server does not tell
}
