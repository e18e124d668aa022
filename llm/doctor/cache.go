package doctor

import (
	"fmt"
	"strings"
	"time"

	"mm/llm"
	"mm/llm/openai"
)

const (
	// prefixLines of about ten tokens are the common prefix: enough to be
	// seen in the figures, and read in seconds on a slow machine.
	prefixLines = 40

	// goodShare of the second prompt comes from the cache when it holds: all
	// but the last message and the end of the template.
	goodShare = 0.7

	// plainWait is a first wait long enough to compare a second one with.
	plainWait = 300 * time.Millisecond
)

// prefix is a text that never changes.
func prefix() string {
	var b strings.Builder
	b.WriteString("You answer with one word. For reference, a list:\n")
	for i := range prefixLines {
		fmt.Fprintf(&b, "Item %d of the list has the value %d.\n", i+1, (i*37+11)%100)
	}
	return b.String()
}

// cache sends two requests with a common prefix and says how much of the second
// was read again.
func (e *examination) cache() {
	first, err := e.ask(e.prefixed("one"))
	var second answer
	if err == nil {
		second, err = e.ask(e.prefixed("two"))
	}
	if err != nil {
		e.add(Finding{Area: "cache", Status: Warning, Text: "two requests with a common beginning failed", Advice: e.explain(err)})
		return
	}
	f := Finding{Area: "cache", Status: OK}
	prompt, cached := second.Usage.Prompt, second.Usage.Cached
	switch {
	case second.cached && prompt > 0:
		f.Figures = map[string]float64{"prompt": float64(prompt), "cached": float64(cached)}
		f.Text = fmt.Sprintf("of %d tokens with a common beginning, %d were read again", prompt, prompt-cached)
		if float64(cached) < goodShare*float64(prompt) {
			f.Status, f.Advice = Warning, cacheAdvice(e.info.Provider)
		}
	case first.firstAfter > plainWait && second.firstAfter < first.firstAfter/2:
		f.Text = fmt.Sprintf("kept: the second of two requests with a common beginning began after %.1f s, the first after %.1f s", second.firstAfter.Seconds(), first.firstAfter.Seconds())
	default:
		f.Text = fmt.Sprintf("not told: two requests with a common beginning began after %.1f s and %.1f s", first.firstAfter.Seconds(), second.firstAfter.Seconds())
	}
	e.add(f)
}

func (e *examination) prefixed(word string) llm.Request {
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Text: prefix()},
			{Role: llm.User, Text: "Answer with the word " + word + "."},
		},
		Sampling:   e.sampling(cacheTokens),
		NoThinking: true,
	}
	if e.tools {
		req.Tools = []llm.ToolSpec{probeTool}
	}
	return req
}

// cacheTokens is the length of the answers to the cache's probes: only their
// prompts matter.
const cacheTokens = 8

func cacheAdvice(provider string) string {
	if provider == openai.LlamaCpp {
		return "each question reads everything again: let no other program use the server's slot (-np), keep its RAM cache on (--cache-ram); a model with a sliding window needs --swa-full"
	}
	return "each question reads everything again: let no other program use the server, and turn its prompt cache on"
}
