package doctor

import (
	"context"
	"strings"
	"time"

	"mm/llm/openai"
)

// surveyTimeout bounds the look for other servers; all are asked at once.
const surveyTimeout = 500 * time.Millisecond

// Others names the known local servers that answer at their own addresses,
// but for the one at the base URL in use. It finds nothing to report when there
// are none.
func Others(ctx context.Context, inUse string) (Finding, bool) {
	ctx, cancel := context.WithTimeout(ctx, surveyTimeout)
	defer cancel()
	names := []string{openai.LlamaCpp, openai.DMR, openai.Ollama, openai.LMStudio, openai.VLLM}
	answers := make([]chan bool, len(names))
	for i, name := range names {
		answers[i] = make(chan bool, 1)
		p, _ := openai.Defaults(name)
		if p.BaseURL == inUse {
			answers[i] <- false
			continue
		}
		go func() {
			_, err := openai.New(openai.Options{Provider: name, BaseURL: p.BaseURL}).Names(ctx)
			answers[i] <- err == nil
		}()
	}
	var found []string
	for i, name := range names {
		if p, _ := openai.Defaults(name); <-answers[i] {
			found = append(found, name+" at "+p.BaseURL)
		}
	}
	return Finding{Area: "server", Status: OK, Text: "also running: " + strings.Join(found, ", ")}, len(found) > 0
}
