// Package openai talks to one OpenAI-compatible server of a local model. It
// turns a request into a stream of typed deltas, and asks the server for its
// models and its context window. It knows nothing of agents or tools.
package openai

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"mm/llm"
)

// Options configure a Client. Only Provider or BaseURL is needed.
type Options struct {
	// Provider is one of Providers, or empty for any OpenAI-compatible
	// server.
	Provider string

	// BaseURL replaces the provider's default. It may lack the scheme or the
	// /v1, or name the chat endpoint.
	BaseURL string

	APIKey string

	// Model is the name to ask for; empty means the first one served.
	Model string

	// ContextWindow is the configured size in tokens; 0 asks the server.
	ContextWindow int

	// FirstTokenTimeout bounds the silence before the first token, and the
	// time that a model may load. 0 means DefaultFirstTokenTimeout.
	FirstTokenTimeout time.Duration

	// WatchdogTimeout bounds the silence after the first token. 0 means
	// DefaultWatchdogTimeout.
	WatchdogTimeout time.Duration

	// HTTPClient replaces the client's own transport, for tests and the demo.
	HTTPClient *http.Client

	// Proxy finds the proxy for a request; nil uses the environment. It is
	// never asked for loopback addresses.
	Proxy func(*http.Request) (*url.URL, error)
}

// Defaults of the timeouts.
const (
	DefaultFirstTokenTimeout = 3 * time.Minute
	DefaultWatchdogTimeout   = 30 * time.Second
)

// Client speaks to one server. Its methods may be called from any goroutine.
type Client struct {
	opts  Options
	err   error // what is wrong with the options
	http  *http.Client
	proxy func(*http.Request) (*url.URL, error)
	sdk   sdk.Client

	mu       sync.Mutex
	bases    []*url.URL      // the address in use, then the other one if there is one
	model    string          // the model in use, when it is known
	running  string          // the server's id of the answer under way, or empty
	server   string          // model and build that answered last
	pinned   *int            // llama-server's slot that holds our prefix, or nil
	taught   int             // window taught by a refusal, in tokens
	rejected map[string]bool // optional fields that the server does not take

	brokenOff atomic.Bool // the last reading ahead was: a server may end its batch
}

// New returns a client. It opens no connection; what is wrong with the options
// is said by the first call.
func New(opts Options) *Client {
	opts.FirstTokenTimeout = cmp.Or(opts.FirstTokenTimeout, DefaultFirstTokenTimeout)
	opts.WatchdogTimeout = cmp.Or(opts.WatchdogTimeout, DefaultWatchdogTimeout)
	c := &Client{opts: opts, model: opts.Model, rejected: map[string]bool{}}
	c.proxy = localProxy(opts.Proxy)
	c.http = httpClient(opts.HTTPClient, c.proxy)
	c.bases, c.err = baseURLs(opts.Provider, opts.BaseURL)
	c.sdk = sdk.Client{Options: []option.RequestOption{
		option.WithHTTPClient(c.http),
		option.WithMaxRetries(0),
	}}
	return c
}

// Provider returns the provider's name.
func (c *Client) Provider() string { return c.opts.Provider }

// BaseURL returns the address in use.
func (c *Client) BaseURL() string {
	if c.err != nil {
		return c.opts.BaseURL
	}
	return c.base().String()
}

func (c *Client) base() *url.URL {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bases[0]
}

// reach calls do with the address in use and, when nothing is reached there,
// once with the other one that the provider has. An address that was reached
// stays in use.
func (c *Client) reach(ctx context.Context, do func(base *url.URL) error) error {
	c.mu.Lock()
	bases := c.bases
	c.mu.Unlock()
	err := do(bases[0])
	if !isUnreachable(err) || len(bases) == 1 || ctx.Err() != nil {
		return err
	}
	second := do(bases[1])
	if isUnreachable(second) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bases = []*url.URL{bases[1], bases[0]}
	return second
}

func isUnreachable(err error) bool {
	fault, ok := errors.AsType[*llm.Error](err)
	return ok && fault.Kind == llm.Unreachable
}

// Stream sends the request and yields deltas as they come. The last pair is
// either a Done or an error: a *llm.Error, or the cause of ctx's end. When the
// consumer stops early the request is cancelled.
func (c *Client) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		s := newStream(ctx, c, req, yield)
		defer s.close()
		if err := s.run(); err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}
