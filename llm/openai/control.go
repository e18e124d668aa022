package openai

import (
	"context"
	"encoding/json"
	"net/http"

	"mm/llm"
)

// setRunning notes the server's id of the answer under way.
func (c *Client) setRunning(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = id
}

// EndReasoning tells the server to end the reasoning of the answer under way
// and to answer at once. Only llama-server can; the error of any other, and of
// an answer that does not reason, says so.
func (c *Client) EndReasoning(ctx context.Context) error {
	c.mu.Lock()
	id := c.running
	c.mu.Unlock()
	if c.opts.Provider != LlamaCpp || id == "" {
		return &llm.Error{Kind: llm.BadRequest, Message: "the reasoning cannot be ended here"}
	}
	body, err := json.Marshal(map[string]string{"id": id, "action": "reasoning_end"})
	if err != nil {
		return err
	}
	var done struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	}
	if err := c.ask(ctx, http.MethodPost, "chat/completions/control", body, &done); err != nil {
		return err
	}
	if !done.Success {
		return &llm.Error{Kind: llm.BadRequest, Message: done.Message}
	}
	return nil
}
