package agent

import (
	"context"

	"mm/llm"
)

// leastWindow is the smallest window that a server is believed to serve, in
// tokens: what it counted of a prompt may be less.
const leastWindow = 2048

// trustedShare is how much of a window that the server itself told an estimate
// may fill and still be sure to fit.
const trustedShare = 0.8

// cutSilently reports whether the server has dropped the beginning of a prompt
// and answered all the same.
func (t *turn) cutSilently(now llm.Prompt) bool {
	before := t.past.prompt
	if now.Counted > 0 {
		t.past.prompt = now
	}
	// A server has no reason to cut what fits into the window that it serves.
	served := t.gauge.limit > 0 && !t.model.WindowIsMaximum && t.model.WindowSource != "configuration"
	if served && float64(now.Estimated) < trustedShare*float64(t.gauge.limit) {
		return false
	}
	return llm.SilentlyCut(now, before, t.gauge.limit)
}

// readInPart answers a prompt of which the server dropped the beginning: the
// user is told, room is made once, and without it the turn ends. What the model
// called for is not done: it did not see what it was asked.
func (g *generation) readInPart(ctx context.Context, a *answer) (again bool, end *outcome) {
	g.drop(a)
	for _, id := range a.ids {
		g.endCall(CallEnded{ID: id, Status: CallInvalid, Summary: "not run"})
	}
	text := llm.ExplainSilentCut(a.prompt, g.model)
	g.emit(Notice{Level: Warn, Text: text})
	window := max(a.prompt.Counted, leastWindow)
	if g.gauge.limit == 0 || window < g.gauge.limit {
		g.gauge.limit = window
		g.emit(g.gauge.event())
	}
	if g.overflows < maxOverflows {
		g.overflows++
		g.overflowed(ctx, &llm.Error{Kind: llm.ContextFull, ContextWindow: g.gauge.limit, PromptTokens: a.prompt.Estimated})
		if g.gauge.used() < g.gauge.limit {
			g.emit(Retrying{Attempt: g.overflows, Max: maxOverflows, Cause: "room was made in the context"})
			return true, nil
		}
	}
	g.keepPartial(a.Response)
	return false, &outcome{StopFailed, text}
}
