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
