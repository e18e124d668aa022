package openai

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
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

	filter    llm.ThinkFilter
	thoughts  llm.TextGuard
	answer    llm.TextGuard
	reasoning strings.Builder // from the server's own field
	textRunes runeJoiner
	thinkRune runeJoiner
	calls     calls
	finish    llm.Finish
	usage     llm.Usage
	speed     llm.Speed
}

func newStream(parent context.Context, c *Client, req llm.Request, yield func(llm.Delta, error) bool) *stream {
	s := &stream{
		c: c, parent: parent, req: req, yield: yield,
		calls: calls{declared: req.Tools},
	}
	s.ctx, s.cancel = context.WithCancelCause(parent)
	s.guard = newGuard(s.cancel, c.opts.FirstTokenTimeout, c.opts.WatchdogTimeout)
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
	if err := s.enter(llm.Connecting, ""); err != nil {
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
	body, err := s.c.body(s.req, model)
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

// take yields what one event says.
func (s *stream) take(c *chunk) error {
	if c.ID != "" {
		s.c.setRunning(c.ID)
	}
	delta, finish := c.delta()
	if finish != "" {
		s.finish = finishOf(string(finish))
	}
	s.count(c)
	seen := signAlive
	if c.Progress != nil {
		seen = signProgress
		if err := s.progress(c.Progress); err != nil {
			return err
		}
	}
	token, err := s.content(&delta)
	if err != nil {
		return err
	}
	if token {
		seen = signToken
	}
	s.guard.saw(seen)
	if seen == signAlive {
		return s.emit(llm.Alive{})
	}
	return nil
}

// content yields reasoning, text and calls, and reports whether there were
// any.
func (s *stream) content(d *wireDelta) (token bool, err error) {
	thought := d.ReasoningContent
	if thought == "" {
		thought = d.Reasoning
	}
	if thought != "" {
		token = true
		if err := s.think(s.thinkRune.add(string(thought))); err != nil {
			return token, err
		}
	}
	if said := d.Content + d.Refusal; said != "" {
		token = true
		if err := s.pieces(s.filter.Write(s.textRunes.add(string(said)))); err != nil {
			return token, err
		}
	}
	for _, f := range d.ToolCalls {
		delta, ok := s.calls.add(f)
		if s.calls.tooMany() {
			return true, &llm.Error{Kind: llm.RunawayCall, Message: fmt.Sprintf("more than %d tool calls in one answer", maxCalls)}
		}
		if !ok {
			continue
		}
		token = true
		if err := s.show(llm.Composing, delta); err != nil {
			return token, err
		}
		if why := s.calls.runaway(delta); why != "" {
			return token, &llm.Error{Kind: llm.RunawayCall, Message: why}
		}
	}
	return token, nil
}

func (s *stream) think(text string) error {
	if text == "" {
		return nil
	}
	s.reasoning.WriteString(text)
	return s.showReasoning(text)
}

func (s *stream) showReasoning(text string) error {
	if err := s.show(llm.Reasoning, llm.ReasoningDelta{Text: text}); err != nil {
		return err
	}
	return runawayAnswer("the reasoning: ", s.thoughts.Add(text))
}

func (s *stream) showText(text string) error {
	if err := s.show(llm.Answering, llm.TextDelta{Text: text}); err != nil {
		return err
	}
	return runawayAnswer("the answer: ", s.answer.Add(text))
}

func runawayAnswer(where, why string) error {
	if why == "" {
		return nil
	}
	return &llm.Error{Kind: llm.RunawayAnswer, Message: where + why}
}

func (s *stream) pieces(pieces []llm.Piece) error {
	for _, p := range pieces {
		var err error
		if p.Reasoning {
			err = s.showReasoning(p.Text)
		} else {
			err = s.showText(p.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) progress(p *wireProgress) error {
	return s.emit(llm.Progress{
		Total: p.Total, Cached: p.Cache, Processed: p.Processed,
		Elapsed: time.Duration(p.TimeMS * float64(time.Millisecond)),
	})
}

// count keeps usage and timings. The usage field wins where both are sent.
func (s *stream) count(c *chunk) {
	if t := c.Timings; t != nil {
		s.speed = llm.Speed{PromptPerSecond: t.PromptPerSecond, CompletionPerSecond: t.PredictedPerSecond}
		s.usage = llm.Usage{Prompt: t.Cached + t.Prompt, Cached: t.Cached, Completion: t.Predicted}
	}
	if u := c.Usage; u != nil && u.Prompt+u.Completion > 0 {
		s.usage = llm.Usage{Prompt: u.Prompt, Cached: u.Details.Cached, Completion: u.Completion}
	}
}

// finishOf maps the words that servers use.
func finishOf(reason string) llm.Finish {
	switch reason {
	case "function_call", "tool_use":
		return llm.FinishCalls
	case "eos", "end_turn", "stop_sequence":
		return llm.FinishStop
	case "max_tokens":
		return llm.FinishLength
	}
	return llm.Finish(reason)
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
	if err := s.think(s.thinkRune.end()); err != nil {
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

// response assembles what has come.
func (s *stream) response() (tail []llm.Piece, r llm.Response) {
	complete := s.x != nil && !s.x.reader.broken && s.finish != llm.FinishLength &&
		(s.finish != llm.FinishNone || s.x.reader.done)
	tail, text, leaked := s.filter.End(!complete)
	return tail, llm.Response{
		Message:   llm.Message{Role: llm.Assistant, Text: text, Calls: s.calls.finish(complete)},
		Reasoning: strings.TrimSpace(s.reasoning.String() + leaked),
		Finish:    s.finish,
		Complete:  complete,
		Usage:     s.usage,
		Speed:     s.speed,
	}
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
		fault = &llm.Error{Kind: llm.NoAnswer, Message: "nothing for " + s.c.opts.FirstTokenTimeout.String(), Err: err}
	case errors.Is(cause, errStalled):
		fault = &llm.Error{Kind: llm.Stalled, Message: "nothing for " + s.c.opts.WatchdogTimeout.String(), Err: err}
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
		if models, err := s.c.Models(s.parent); err == nil {
			fault.Nearest = llm.NearestNames(s.c.opts.Model, models)
		}
	}
	return fault
}

// clipLast shortens the call that ran away: its full length helps nobody, and
// would fill the history.
func clipLast(calls []llm.Call) {
	const keep = 200
	if n := len(calls) - 1; n >= 0 && len(calls[n].Args) > keep {
		calls[n].Args = strings.ToValidUTF8(calls[n].Args[:keep], "") + "…"
	}
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
