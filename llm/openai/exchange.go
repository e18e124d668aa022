package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"mm/llm"
)

// exchange is one HTTP request for an answer.
type exchange struct {
	c      *Client
	proxy  string // the proxy in the way, if any
	reader *reader
	events *ssestream.Stream[chunk]
}

// send posts a chat request. The error is a *llm.Error, unless ctx ended.
func (c *Client) send(ctx context.Context, base *url.URL, body []byte) (*exchange, error) {
	x := &exchange{c: c}
	var resp *http.Response
	opts := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithMiddleware(x.middleware),
		option.WithHeader("Accept", "text/event-stream, application/json"),
	}
	if c.opts.APIKey != "" {
		opts = append(opts, option.WithAPIKey(c.opts.APIKey))
	}
	err := c.sdk.Post(ctx, "chat/completions", body, &resp, opts...)
	if err != nil {
		return nil, x.transportError(err)
	}
	x.events = ssestream.NewStream[chunk](ssestream.NewDecoder(resp), nil)
	return x, nil
}

// middleware stands between the SDK and the network: it turns HTTP errors into
// typed ones and puts the reader in front of the SDK's decoder.
func (x *exchange) middleware(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	// A proxy that cannot be found is the transport's error to tell.
	if p, err := x.c.proxy(req); err == nil && p != nil {
		x.proxy = p.Redacted()
	}
	resp, err := next(req)
	if err != nil {
		return nil, err
	}
	if err := checkResponse(resp); err != nil {
		resp.Body.Close()
		return nil, err
	}
	x.reader = newReader(resp.Body)
	resp.Body = x.reader
	// The SDK looks up a decoder by this type; ours is its default.
	resp.Header.Set("Content-Type", "text/event-stream")
	return resp, nil
}

// checkResponse returns the error that a response stands for.
func checkResponse(resp *http.Response) error {
	if enc := resp.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return &llm.Error{
			Kind: llm.BadAnswer, Status: resp.StatusCode,
			Message: "the server sent a compressed answer that was not asked for",
		}
	}
	if resp.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	fault := parseError(resp.StatusCode, body)
	if fault.Message == "" {
		fault.Message = resp.Status
	}
	fault.Err = err
	return fault
}

// transportError types an error of the connection.
func (x *exchange) transportError(err error) error {
	fault, ok := errors.AsType[*llm.Error](err)
	switch redirect, redirected := errors.AsType[redirectError](err); {
	case ok:
	case redirected:
		fault = &llm.Error{Kind: llm.BadAnswer, Message: redirect.reason, Err: err}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		fault = &llm.Error{Kind: llm.Disconnected, Err: err}
	case notHTTP(err):
		fault = &llm.Error{Kind: llm.BadAnswer, Message: "the server does not speak HTTP as it should", Err: err}
	default:
		fault = &llm.Error{Kind: llm.Unreachable, Err: err}
	}
	fault.Proxy = x.proxy
	return fault
}

// notHTTP reports whether something answered, but not as an HTTP server. The
// errors of net/http have no types for it.
func notHTTP(err error) bool {
	text := err.Error()
	return strings.Contains(text, "malformed HTTP") || strings.Contains(text, "response headers exceeded")
}

// close drops the connection.
func (x *exchange) close() {
	// Nothing more is read, so an error means nothing.
	_ = x.events.Close()
}
