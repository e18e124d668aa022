package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// answer is one answer of the model, as far as it came.
type answer struct {
	llm.Response

	ids       []CallID    // of the calls, when the answer is whole
	announced []announced // calls on the screen that are still open
	unread    string      // a call in the text that is not understood, or was cut
	blind     bool        // the server dropped the beginning of the prompt
	prompt    llm.Prompt
}

// announced is a call that the screen knows.
type announced struct {
	id   CallID
	name string
}

// stream makes one call of the model and emits its deltas. What had arrived is
// returned also with an error.
func (t *turn) stream(ctx context.Context, r request) (*answer, error) {
	t.steps++
	req := t.request(r)
	t.cold = false
	t.open.step = t.steps
	t.emit(StepStarted{Step: t.steps, ContextTokens: t.gauge.expected()})
	ctx, cancel := context.WithCancelCause(ctx)
	defer t.hurry.asking.Wait()
	defer cancel(nil)
	defer t.hurry.end()

	s := streaming{turn: t, ctx: ctx, cancel: cancel, noTools: r.noTools}
	var failure error
	for delta, err := range t.opts.Model.Stream(ctx, req) {
		if err != nil {
			failure = err
			break
		}
		if s.take(delta); s.done {
			break
		}
	}
	switch {
	case context.Cause(ctx) == errAnswerNow && !s.done:
		failure = errAnswerNow
	case failure == nil && !s.done:
		failure = &llm.Error{Kind: llm.Disconnected, Message: "the answer ended early"}
	}
	if failure != nil {
		a := s.partial(failure)
		s.closeItems(a.Message.Text)
		t.drop(a)
		t.endStep(StepEnded{})
		return a, failure
	}
	return s.ended(req), nil
}

// ended takes in a stream that came to its end.
func (s *streaming) ended(req llm.Request) *answer {
	a := &answer{Response: s.resp, announced: s.calls}
	if slices.ContainsFunc(a.Message.Calls, endsInside) {
		a.Complete = false
	}
	s.readText(a)
	s.closeItems(a.Message.Text)
	switch {
	case s.noTools:
		a.Message.Calls = nil
	case a.Complete:
		s.match(a)
	case !s.salvageable(a.Response):
		s.drop(a)
	}
	if a.Server != "" {
		s.stale = s.stale || s.past.server != "" && s.past.server != a.Server
		s.past.server = a.Server
	}
	expected, broken := s.measured(req, a)
	s.endStep(StepEnded{Finish: a.Finish, Usage: a.Usage, Speed: a.Speed, Expected: expected})
	if broken != nil {
		broken.Step = s.steps
		s.emit(*broken)
	}
	s.emit(s.gauge.event())
	return a
}

// endsInside reports whether the arguments of a call end in the middle of a
// text: it was cut, whatever the server says.
func endsInside(call llm.Call) bool {
	_, cut := llm.FindCut(call.Args)
	return cut
}

// request builds the next request from the history.
func (t *turn) request(r request) llm.Request {
	req := llm.Request{
		Messages:   t.outgoing(t.opts.Session.Items),
		Tools:      t.toolSpecs(),
		Sampling:   t.opts.Sampling,
		NoThinking: r.noThinking,
		NoStream:   r.noStream,
	}
	if r.noTools {
		req.ToolChoice = "none"
	}
	t.calm(&req.Sampling)
	t.gauge.sending(req)
	req.Sampling.MaxTokens = t.gauge.room(req.Sampling.MaxTokens)
	if !t.past.textSaid && t.shape().TextTools {
		t.past.textSaid = true
		t.emit(Notice{Level: Info, Text: "the model's template has no tools: they are described in the system prompt, and calls are read from the text"})
	}
	return req
}

// calm samples more freely while the model goes round in circles.
func (t *turn) calm(s *llm.Sampling) {
	if t.loop.warned() && t.opts.LoopTemperature > 0 {
		s.Temperature = t.opts.LoopTemperature
	}
}

// toolSpecs are the tools that a request declares: none where the model cannot
// see them.
func (c *Core) toolSpecs() []llm.ToolSpec {
	if c.shape().TextTools {
		return nil
	}
	return c.declared()
}

// declared are the tools that the model may call.
func (c *Core) declared() []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, spec := range c.opts.Tools.Specs() {
		out = append(out, llm.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
	return out
}

// keep puts a whole answer into the history. An empty one is not kept.
func (t *turn) keep(a *answer) {
	if strings.TrimSpace(a.Message.Text) == "" && len(a.Message.Calls) == 0 {
		return
	}
	msg := llm.Message{Role: llm.Assistant, Text: a.Message.Text}
	for i, call := range a.Message.Calls {
		call.ID = string(a.ids[i])
		msg.Calls = append(msg.Calls, call)
	}
	t.add(session.Item{Message: msg, Usage: a.Usage})
}

// keepPartial keeps the text of an answer that did not end, without its calls.
func (t *turn) keepPartial(resp llm.Response) {
	if strings.TrimSpace(resp.Message.Text) != "" {
		t.add(session.Item{Message: llm.Message{Role: llm.Assistant, Text: resp.Message.Text}, Usage: resp.Usage})
	}
}

// measured takes the server's counts of an answer: what the prompt took, and
// what of it was found in the cache. A count of a prompt that was read in part
// teaches nothing.
func (t *turn) measured(req llm.Request, a *answer) (expected int, broken *CacheBroken) {
	t.usage.Add(a.Usage)
	a.prompt = llm.Prompt{Estimated: t.gauge.sent, Counted: a.Usage.Prompt}
	a.blind = t.cutSilently(a.prompt)
	if a.blind {
		t.gauge.counted(llm.Usage{})
		return 0, nil
	}
	t.gauge.counted(a.Usage)
	t.opts.Session.TokenRatio = t.gauge.est.Ratio()
	return t.past.cache.judge(req, a.Usage)
}

// aside makes a call of the model beside the conversation. Nothing of the
// answer is shown; detail says what it is for.
func (t *turn) aside(ctx context.Context, req llm.Request, detail string) (llm.Response, error) {
	t.steps++
	t.open.step = t.steps
	req.Sampling.MaxTokens = t.gauge.room(req.Sampling.MaxTokens)
	t.emit(StepStarted{Step: t.steps, ContextTokens: t.gauge.est.Request(req)})
	for delta, err := range t.opts.Model.Stream(ctx, req) {
		if err != nil {
			t.endStep(StepEnded{})
			return llm.Response{}, err
		}
		switch d := delta.(type) {
		case llm.PhaseChanged:
			t.emit(PhaseChanged{Step: t.steps, Phase: d.Phase, Detail: detail})
		case llm.Progress:
			t.emit(PromptProgress{Step: t.steps, Done: d.Processed, Total: d.Total, Cached: d.Cached, Elapsed: d.Elapsed})
		case llm.Done:
			t.usage.Add(d.Response.Usage)
			t.endStep(StepEnded{Finish: d.Response.Finish, Usage: d.Response.Usage, Speed: d.Response.Speed})
			return d.Response, nil
		}
	}
	t.endStep(StepEnded{})
	return llm.Response{}, errors.New("the answer ended early")
}
