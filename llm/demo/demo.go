// Package demo is a scripted stand-in for a model: a server in process that
// speaks llama-server's wire format and answers from rules. It gives a guided
// tour, carries out simple requests in English and French with the caller's
// tools, and says that it is a script. It knows the names and shapes of the
// tools, and nothing of the client or of the agent.
//
// It keeps no conversation: what comes next is derived from the messages of
// each request. What it remembers is the last prompt, to report how much of
// the next one a real server would have found in its cache.
package demo

import (
	"fmt"
	"net/http"
	"os"
	"time"

	"mm/llm/llmtest"
)

// BaseURL is the address to give to a client that uses Transport. Any other
// host serves as well.
const BaseURL = "http://demo/v1"

// Model is the name of the stand-in at /v1/models, Window its context window
// in tokens.
const (
	Model  = "demo"
	Window = 8192
)

// DefaultPace is the pause before each piece of an answer. It makes the speed
// that llmtest reports, 50 tokens a second, that of a small model on a laptop.
const DefaultPace = 20 * time.Millisecond

// Options configure the stand-in. The zero value answers without pauses.
type Options struct {
	// Pace is the pause before each piece, about a word; 0 means none.
	Pace time.Duration

	// Script, when not nil, is replayed in place of the tour and the rules.
	// A request beyond its end gets an error that says so.
	Script *llmtest.Script
}

// Handler returns the stand-in as a server.
func Handler(o Options) http.Handler { return server(o) }

// Transport returns a round tripper that serves the stand-in without a socket.
func Transport(o Options) http.RoundTripper { return server(o).Transport() }

// ReadScript reads a scenario for Options.Script. The format is that of
// package llmtest.
func ReadScript(name string) (*llmtest.Script, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	script, err := llmtest.Parse(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(script.Sections) == 0 {
		return nil, fmt.Errorf("%s: no section llm/1, so there is nothing to answer", name)
	}
	return script, nil
}

func server(o Options) *llmtest.Server {
	if o.Script != nil {
		return llmtest.New(nil, o.Script)
	}
	s := llmtest.New(nil, &llmtest.Script{Server: llmtest.ServerInfo{Model: Model, Window: Window}})
	g := &guide{pace: o.Pace}
	s.SetFallback(g.section)
	return s
}
