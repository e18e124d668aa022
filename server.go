package main

import (
	"context"
	"iter"
	"sync"
	"time"

	"mm/llm"
	"mm/llm/openai"
)

// server is the model that the sessions use. It can be chosen after they have
// begun, when a server is found later.
type server struct {
	mu      sync.Mutex
	client  *openai.Client
	options openai.Options // those of client
	info    llm.ModelInfo
	asked   time.Time // when info came
}

// fresh is how long an answer is not asked for again: at the start the settings
// of the model's family and the core want it one after the other.
const fresh = 2 * time.Second

func (s *server) use(o openai.Options) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client, s.options, s.info = openai.New(o), o, llm.ModelInfo{}
}

// choose goes on with another model of the same server.
func (s *server) choose(model string) {
	s.mu.Lock()
	o := s.options
	s.mu.Unlock()
	o.Model = model
	s.use(o)
}

// patience sets how long the server may be silent, before and after the first
// token. What is known of the model stays.
func (s *server) patience(first, later time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.options; o.FirstTokenTimeout != first || o.WatchdogTimeout != later {
		o.FirstTokenTimeout, o.WatchdogTimeout = first, later
		s.client, s.options = openai.New(o), o
	}
}

// inUse are the options of the server in use.
func (s *server) inUse() openai.Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options
}

// known is what is known of the model so far.
func (s *server) known() llm.ModelInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

func (s *server) current() (*openai.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil, &llm.Error{Kind: llm.Unreachable, Message: "no model server was found"}
	}
	return s.client, nil
}

// Info implements agent.Model.
func (s *server) Info(ctx context.Context) (llm.ModelInfo, error) {
	c, err := s.current()
	if err != nil {
		return llm.ModelInfo{}, err
	}
	if info, ok := s.justAsked(); ok {
		return info, nil
	}
	info, err := c.Info(ctx)
	if err == nil {
		s.mu.Lock()
		if s.client == c { // else another was chosen meanwhile
			s.info, s.asked = info, time.Now()
		}
		s.mu.Unlock()
	}
	return info, err
}

// justAsked returns an answer that is fresh and leaves nothing open.
func (s *server) justAsked() (llm.ModelInfo, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info, s.info.ContextWindow > 0 && time.Since(s.asked) < fresh
}

// Stream implements agent.Model.
func (s *server) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	c, err := s.current()
	if err != nil {
		return func(yield func(llm.Delta, error) bool) { yield(nil, err) }
	}
	return c.Stream(ctx, req)
}

// Free implements agent.Warmer.
func (s *server) Free(ctx context.Context) bool {
	c, err := s.current()
	return err == nil && c.Free(ctx)
}

// Warm implements agent.Warmer.
func (s *server) Warm(ctx context.Context, req llm.Request) (bool, error) {
	c, err := s.current()
	if err != nil {
		return false, err
	}
	return c.Warm(ctx, req)
}

// EndReasoning implements agent.Reasoner.
func (s *server) EndReasoning(ctx context.Context) error {
	c, err := s.current()
	if err != nil {
		return err
	}
	return c.EndReasoning(ctx)
}
