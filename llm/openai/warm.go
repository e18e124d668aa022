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

// Free reports whether a request that nobody waits for would keep nobody
// waiting: the server is this machine's own, and has a slot free. A llama-server
// that does not tell has none.
func (c *Client) Free(ctx context.Context) bool {
	free, _ := c.free(ctx)
	return free
}

func (c *Client) free(ctx context.Context) (bool, error) {
	if c.err != nil || !isNear(c.base()) {
		return false, c.err
	}
	model, err := c.modelName(ctx)
	if err != nil {
		return false, err
	}
	return c.opts.Provider != LlamaCpp || c.pinSlot(ctx, model), nil
}

// Warm has the server read a prompt into its cache, without an answer. It does
// nothing, and returns false, where the server is not Free.
func (c *Client) Warm(ctx context.Context, req llm.Request) (warmed bool, err error) {
	if free, err := c.free(ctx); !free {
		return false, err
	}
	req.Sampling.MaxTokens = 1
	if c.opts.Provider == LlamaCpp {
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
