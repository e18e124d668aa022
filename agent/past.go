package agent

import "mm/llm"

// past is what the requests so far have told of the server and its model.
type past struct {
	model  string      // with its address
	shape  Shape       // taught by refusals
	prompt llm.Prompt  // the last prompt
	cache  cacheRecord // what the server has read last

	server string // the model and build that answered last

	windowSaid bool // the user knows that the window is not certain

	textSaid bool // the user knows that the tools are described as text
}

// about forgets what was learnt of another model.
func (p *past) about(m llm.ModelInfo) {
	if now := m.BaseURL + " " + m.ID; p.model != now {
		*p = past{model: now}
	}
}
