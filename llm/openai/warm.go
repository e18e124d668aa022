package openai

import (
	"context"
	"net/url"
	"strings"

	"mm/llm"
)

// warmUp stands where the user's next message will: templates want one, and
// the prefix is the same up to its text.
const warmUp = "."

// Warm has the server read a prompt into its cache, without an answer. It does
// nothing, and returns false, on a server that is not this machine's own, and
// where it would keep somebody waiting: when no slot of llama-server is free,
// or the server does not tell.
func (c *Client) Warm(ctx context.Context, req llm.Request) (warmed bool, err error) {
	if c.err != nil {
		return false, c.err
	}
	if !isNear(c.base()) {
		return false, nil
	}
	model, err := c.modelName(ctx)
	if err != nil {
		return false, err
	}
	req.Sampling.MaxTokens = 1
	if c.opts.Provider == LlamaCpp {
		if !c.pinSlot(ctx, model) {
			return false, nil
		}
		req.Sampling.MaxTokens = 0
	}
	if n := len(req.Messages); n == 0 || req.Messages[n-1].Role != llm.User {
		req.Messages = append(req.Messages[:n:n], llm.Message{Role: llm.User, Text: warmUp})
	}
	s := newStream(ctx, c, req, func(llm.Delta, error) bool { return true })
	s.warming = true
	defer s.close()
	err = s.run()
	c.brokenOff.Store(ctx.Err() != nil)
	return err == nil, err
}

// isNear reports whether a server runs on this machine, for a program inside
// of a container too.
func isNear(base *url.URL) bool {
	host := base.Hostname()
	return isLoopback(host) || strings.HasSuffix(host, ".docker.internal")
}
