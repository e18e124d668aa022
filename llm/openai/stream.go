package openai

import (
	"context"
	"errors"
	"net/url"
	"time"

	"mm/llm"
)

const (
	firstBackOff = 250 * time.Millisecond // between two tries while the model loads
	maxBackOff   = 2 * time.Second
)

// errStopped says that the consumer wants no more.
var errStopped = errors.New("the consumer stopped")

// stream is one request from its first try to its last delta.
type stream struct {
	c      *Client
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	req    llm.Request
	yield  func(llm.Delta, error) bool
	guard  *guard
	x      *exchange
	phase  llm.Phase

	warming bool // max_tokens is sent even though it is 0
	answer
}

func newStream(parent context.Context, c *Client, req llm.Request, yield func(llm.Delta, error) bool) *stream {
	s := &stream{
		c: c, parent: parent, req: req, yield: yield,
		answer: answer{
			calls:  calls{declared: req.Tools},
			length: llm.LengthGuard{MaxTokens: req.Sampling.MaxTokens},
		},
	}
	s.ctx, s.cancel = context.WithCancelCause(parent)
	s.filter.KeepStart = req.Continue
	first, idle := c.patience(req)
	s.guard = newGuard(s.cancel, first, idle)
	return s
}

func (s *stream) close() {
	s.cancel(errStopped)
	s.c.setRunning("")
	if s.x != nil {
		s.x.close()
	}
}

// run sends the request and reads the answer to its end.
func (s *stream) run() error {
	if s.c.err != nil {
		return s.c.err
	}
	detail := ""
	if s.c.brokenOff.Swap(false) && !s.warming {
		// llama-server looks at a broken connection between two batches of
		// up to 2,048 tokens, and answers nobody until then.
		detail = "it ends what it began to read ahead; nothing of that is lost"
	}
	if err := s.enter(llm.Connecting, detail); err != nil {
		return err
	}
	if err := s.connect(); err != nil {
		return s.explain(err)
	}
	if err := s.enter(llm.Reading, ""); err != nil {
		return err
	}
	err := s.read()
	if err == errStopped {
		return err
	}
	if err != nil && !s.endsWhole(err) {
		return s.explain(err)
	}
	return s.done()
}

// connect tries until the server answers: it waits for a model that loads and
// leaves out what the server rejects.
func (s *stream) connect() error {
	start, backOff := time.Now(), firstBackOff
	for {
		err := s.try()
		if err == nil {
			return nil
		}
		fault, ok := errors.AsType[*llm.Error](err)
		switch {
		case !ok || s.ctx.Err() != nil:
			return err
		case s.c.reject(fault):
		case fault.Kind == llm.LoadingModel:
			if time.Since(start)+backOff > s.c.opts.FirstTokenTimeout {
				return err
			}
			if err := s.enter(llm.Loading, "the server is loading the model"); err != nil {
				return err
			}
			if err := sleep(s.ctx, backOff); err != nil {
				return err
			}
			backOff = min(2*backOff, maxBackOff)
		default:
			return err
		}
	}
}

// try sends the request once.
func (s *stream) try() error {
	s.guard.saw(signAlive)
	s.guard.wait()
	defer s.guard.rest()
	model, err := s.c.modelName(s.ctx)
	if err != nil {
		return err
	}
	wire := s.c.wire(s.req, model)
	wire.Slot = s.c.freePin(s.ctx, model)
	if s.warming {
		wire.MaxTokens = &s.req.Sampling.MaxTokens
	}
	body, err := marshal(wire)
	if err != nil {
		return err
	}
	return s.c.reach(s.ctx, func(base *url.URL) error {
		x, err := s.c.send(s.ctx, base, body)
		if err == nil {
			s.x = x
		}
		return err
	})
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read yields the events of the answer.
func (s *stream) read() error {
	for {
		s.guard.wait()
		more := s.x.events.Next()
		s.guard.rest()
		if !more {
			return s.x.events.Err()
		}
		c := s.x.events.Current()
		if err := s.take(&c); err != nil {
			return err
		}
	}
}

// endsWhole reports whether an error comes after everything that matters: the
// connection was lost, or garbage followed, after the finish reason.
func (s *stream) endsWhole(err error) bool {
	if s.finish == llm.FinishNone || s.ctx.Err() != nil {
		return false
	}
	fault, ok := errors.AsType[*llm.Error](err)
	return ok && fault.Kind == llm.Disconnected
}

// done yields the last delta.
func (s *stream) done() error {
	if s.x.reader.events == 0 && !s.x.reader.done {
		return &llm.Error{Kind: llm.Disconnected, Message: "the server closed the connection without an answer"}
	}
	if err := s.think(s.thoughtRunes.end()); err != nil {
		return err
	}
	if err := s.pieces(s.filter.Write(s.textRunes.end())); err != nil {
		return err
	}
	tail, r := s.response()
	if err := s.pieces(tail); err != nil {
		return err
	}
	return s.emit(llm.Done{Response: r})
}

// explain types an error and adds what had arrived.
func (s *stream) explain(err error) error {
	if err == errStopped {
		return err
	}
	if s.parent.Err() != nil {
		return context.Cause(s.parent)
	}
	fault, ok := errors.AsType[*llm.Error](err)
	switch cause := context.Cause(s.ctx); {
	case errors.Is(cause, errNoAnswer):
		fault = &llm.Error{Kind: llm.NoAnswer, Message: "nothing for " + s.guard.first.String(), Err: err}
	case errors.Is(cause, errStalled):
		fault = &llm.Error{Kind: llm.Stalled, Message: "nothing for " + s.guard.idle.String(), Err: err}
	case !ok:
		fault = &llm.Error{Kind: llm.BadAnswer, Err: err}
	}
	if s.x != nil {
		_, r := s.response()
		r.Complete = false
		if fault.Kind == llm.RunawayCall {
			clipLast(r.Message.Calls)
		}
		fault.Partial = &r
	}
	s.c.learn(fault)
	if fault.Kind == llm.UnknownModel && len(fault.Nearest) == 0 {
		// The list is only a help: without it the error stands.
		if models, err := s.c.Names(s.parent); err == nil {
			fault.Nearest = llm.NearestNames(s.c.opts.Model, models)
		}
	}
	return fault
}

// enter yields a change of phase.
func (s *stream) enter(phase llm.Phase, detail string) error {
	if s.phase == phase {
		return nil
	}
	s.phase = phase
	return s.emit(llm.PhaseChanged{Phase: phase, Detail: detail})
}

// show yields content, after the change of phase that it means.
func (s *stream) show(phase llm.Phase, d llm.Delta) error {
	if err := s.enter(phase, ""); err != nil {
		return err
	}
	return s.emit(d)
}

func (s *stream) emit(d llm.Delta) error {
	if !s.yield(d, nil) {
		return errStopped
	}
	return nil
}
