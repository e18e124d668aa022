package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mm/llm"
)

const (
	probeTimeout = 5 * time.Second
	maxProbe     = 8 << 20 // /props carries a chat template
)

// get asks one of the server's own endpoints and decodes its JSON. path starts
// at the server's root, or at the base URL when it does not start with "/".
func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.ask(ctx, http.MethodGet, path, nil, into)
}

func (c *Client) ask(ctx context.Context, method, path string, body []byte, into any) error {
	return c.reach(ctx, func(base *url.URL) error {
		return c.askAt(ctx, base, method, path, body, into)
	})
}

func (c *Client) askAt(ctx context.Context, base *url.URL, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	u, err := serverURL(base, path)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, u, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.APIKey)
	}
	x := &exchange{c: c}
	if p, err := c.proxy(req); err == nil && p != nil {
		x.proxy = p.Redacted()
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return x.transportError(err)
	}
	defer resp.Body.Close()
	if err := checkResponse(resp); err != nil {
		return x.transportError(err)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxProbe))
	if err != nil {
		return x.transportError(err)
	}
	err = json.Unmarshal(data, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return nil // that field stays unknown, all others are decoded
	}
	if err != nil {
		return &llm.Error{Kind: llm.BadAnswer, Message: plainText(data), Err: err}
	}
	return nil
}

// serverURL resolves path against the base URL, or against the server's root,
// which is the base URL without its version. A path may go up by "..".
func serverURL(base *url.URL, path string) (string, error) {
	ref, err := url.Parse(strings.TrimPrefix(path, "/"))
	if err != nil {
		return "", err
	}
	u := base
	if strings.HasPrefix(path, "/") {
		u = u.JoinPath("..")
	}
	u = u.JoinPath(ref.Path)
	u.RawQuery = ref.RawQuery
	return u.String(), nil
}

// modelName returns the model to ask for: the configured one, else the first
// one that the server lists, loaded ones before others. A server that lists none gets a stand-in name,
// which those with a single model ignore.
func (c *Client) modelName(ctx context.Context) (string, error) {
	c.mu.Lock()
	model := c.model
	c.mu.Unlock()
	if model != "" {
		return model, nil
	}
	models, err := c.Names(ctx)
	if fault, ok := errors.AsType[*llm.Error](err); ok {
		switch fault.Kind {
		case llm.BadRequest, llm.BadAnswer, llm.ServerFault, llm.UnknownModel:
			err = nil // a server without a list may still chat
		}
	}
	if err != nil {
		return "", err
	}
	if len(models) == 0 {
		return "default", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = models[0]
	return c.model, nil
}

// learn keeps the window that a refusal taught. A server that went away may
// come back with another.
func (c *Client) learn(fault *llm.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case fault.Kind == llm.ContextFull && fault.ContextWindow > 0:
		c.taught = fault.ContextWindow
	case fault.Kind == llm.Unreachable || fault.Kind == llm.Disconnected:
		c.forget()
	}
}

// answeredBy notes the model and the build that answer.
func (c *Client) answeredBy(server string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != "" && c.server != server {
		c.forget()
	}
	c.server = server
}

// forget drops what an earlier server told. The caller holds c.mu.
func (c *Client) forget() { c.taught, c.model = 0, c.opts.Model }

// Info asks the server which model answers and how large its window is.
func (c *Client) Info(ctx context.Context) (llm.ModelInfo, error) {
	info := llm.ModelInfo{Provider: c.opts.Provider, BaseURL: c.BaseURL(), ID: c.opts.Model}
	if c.opts.ContextWindow > 0 {
		info.ContextWindow, info.WindowSource = c.opts.ContextWindow, "configuration"
	}
	if c.err != nil {
		return info, c.err
	}
	model, err := c.modelName(ctx)
	info.BaseURL = c.BaseURL()
	if err != nil {
		return info, err
	}
	info.ID = model
	c.askWindow(ctx, &info)
	return info, nil
}
