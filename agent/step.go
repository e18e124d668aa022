package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mm/agent/session"
	"mm/llm"
)

// How often a model call is repeated, per kind of trouble.
const (
	maxHandBacks = 2 // notes about a cut or malformed answer, per generation
	maxRetries   = 1 // repeats of a call that failed in mid-stream
	maxOverflows = 1 // repeats after the prompt did not fit and room was made
)

// request is what differs from one call of the model to another.
type request struct {
	noTools bool // tools are still declared, so that the prefix holds
}

// generate calls the model until an answer is usable: it retries a broken
// stream once and hands a cut answer back to the model. The usable answer is
// in the history when generate returns. end is set when the turn is over.
func (t *turn) generate(ctx context.Context) (llm.Response, *outcome) {
	return t.generateWith(ctx, request{})
}

func (t *turn) generateWith(ctx context.Context, r request) (resp llm.Response, end *outcome) {
	handBacks, retries, overflows := 0, 0, 0
	for {
		t.fit(ctx)
		resp, ids, err := t.stream(ctx, r)
		if ctx.Err() != nil {
			t.keepPartial(resp)
			return resp, &outcome{stop: StopCancelled}
		}
		if err != nil {
			if e, ok := errors.AsType[*llm.Error](err); ok && e.Kind == llm.ContextFull && overflows < maxOverflows {
				overflows++
				t.emit(Retrying{Attempt: overflows, Max: maxOverflows, Cause: explain(err, t.model)})
				if t.overflowed(ctx, e) {
					continue
				}
			}
			if retries < maxRetries && retryable(err) {
				retries++
				t.emit(Retrying{Attempt: retries, Max: maxRetries, Cause: explain(err, t.model)})
				continue
			}
			t.keepPartial(resp)
			return resp, t.failed(err)
		}
		if !resp.Complete {
			if r.noTools || !t.handBack(resp, &handBacks) {
				return resp, t.cutOff(resp)
			}
			continue
		}
		if r.noTools {
			resp.Message.Calls = nil
		}
		t.keep(resp, ids)
		return resp, nil
	}
}

// retryable tells the errors after which the same request may succeed. What
// the server refused it will refuse again.
func retryable(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return false
	}
	switch e.Kind {
	case llm.Disconnected, llm.Stalled, llm.BadAnswer:
		return true
	case llm.ServerFault:
		return e.Status == 0 || e.Status >= 502 // in mid-stream, or a gateway's
	}
	return false
}

// failed turns an error into the end of the turn.
func (t *turn) failed(err error) *outcome {
	text := explain(err, t.model)
	t.logf("model call: %v", err)
	t.emit(Fault{Text: text})
	return &outcome{StopFailed, text}
}

func explain(err error, info llm.ModelInfo) string { return llm.Explain(err, info) }

// stream makes one call of the model and emits its deltas. What had arrived is
// returned also with an error.
func (t *turn) stream(ctx context.Context, r request) (llm.Response, []CallID, error) {
	t.steps++
	req := t.request(r)
	t.cold = false
	t.open.step = t.steps
	t.emit(StepStarted{Step: t.steps, ContextTokens: t.gauge.expected()})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	s := streaming{turn: t}
	for delta, err := range t.opts.Model.Stream(ctx, req) {
		if err != nil {
			resp := s.partial(err)
			s.closeItems(resp.Message.Text)
			s.dropCalls()
			t.endStep(StepEnded{Finish: resp.Finish})
			return resp, nil, err
		}
		s.take(delta)
		if s.done {
			break
		}
	}
	if !s.done {
		err := &llm.Error{Kind: llm.Disconnected, Message: "the answer ended early"}
		resp := s.partial(err)
		s.closeItems(resp.Message.Text)
		s.dropCalls()
		t.endStep(StepEnded{})
		return resp, nil, err
	}
	s.recoverCalls(req)
	s.closeItems(s.resp.Message.Text)
	ids := s.matchCalls()
	t.measured(s.resp)
	t.endStep(StepEnded{Finish: s.resp.Finish, Usage: s.resp.Usage, Speed: s.resp.Speed})
	t.emit(t.gauge.event())
	return s.resp, ids, nil
}

// request builds the next request from the history.
func (t *turn) request(r request) llm.Request {
	req := llm.Request{
		Messages: Outgoing(t.opts.System, t.opts.Session.Items),
		Sampling: t.opts.Sampling,
	}
	req.Tools = t.toolSpecs()
	if r.noTools {
		req.ToolChoice = "none"
	}
	if t.loop.warned() && t.opts.LoopTemperature > 0 {
		req.Sampling.Temperature = t.opts.LoopTemperature
	}
	t.gauge.sending(req)
	req.Sampling.MaxTokens = t.gauge.room(req.Sampling.MaxTokens)
	return req
}

func (c *Core) toolSpecs() []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, spec := range c.opts.Tools.Specs() {
		out = append(out, llm.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
	return out
}

// keep puts a whole answer into the history. An empty one is not kept.
func (t *turn) keep(resp llm.Response, ids []CallID) {
	if resp.Message.Text == "" && len(resp.Message.Calls) == 0 {
		return
	}
	msg := llm.Message{Role: llm.Assistant, Text: resp.Message.Text}
	for i, call := range resp.Message.Calls {
		call.ID = string(ids[i])
		msg.Calls = append(msg.Calls, call)
	}
	t.add(session.Item{Message: msg})
}

// keepPartial keeps the text of an answer that did not end, without its calls.
func (t *turn) keepPartial(resp llm.Response) {
	if resp.Message.Text != "" {
		t.add(session.Item{Message: llm.Message{Role: llm.Assistant, Text: resp.Message.Text}})
	}
}

// measured takes the server's counts of an answer.
func (t *turn) measured(resp llm.Response) {
	t.usage.Prompt += resp.Usage.Prompt
	t.usage.Cached += resp.Usage.Cached
	t.usage.Completion += resp.Usage.Completion
	t.gauge.counted(resp.Usage)
}

// streaming turns the deltas of one answer into events.
type streaming struct {
	*turn
	calls []CallID // ids given to the calls as they began
	names []string
	hold  llm.CallFilter // what may be a call written as text
	resp  llm.Response
	done  bool
}

func (s *streaming) take(d llm.Delta) {
	switch d := d.(type) {
	case llm.PhaseChanged:
		s.emit(PhaseChanged{Step: s.steps, Phase: d.Phase, Detail: d.Detail})
	case llm.Progress:
		s.emit(PromptProgress{Step: s.steps, Done: d.Processed, Total: d.Total, Cached: d.Cached, Elapsed: d.Elapsed})
	case llm.ReasoningDelta:
		s.reasoning(d.Text)
	case llm.TextDelta:
		s.text(d.Text)
	case llm.CallDelta:
		s.call(d)
	case llm.Repaired:
		s.emit(Notice{Level: Repair, Text: d.What})
	case llm.Done:
		s.resp, s.done = d.Response, true
	case llm.Alive:
	}
}

func (s *streaming) reasoning(text string) {
	if s.open.reasoning == "" {
		s.endText(s.open.textSoFar.String())
		s.open.reasoning = s.ids.item()
		s.open.thinking = time.Now()
	}
	s.open.thought.WriteString(text)
	s.emit(ReasoningDelta{ID: s.open.reasoning, Text: text})
}

func (s *streaming) text(text string) {
	s.endReasoning()
	before := s.hold.Holding()
	text = s.hold.Write(text)
	if s.hold.Holding() && !before {
		s.emit(PhaseChanged{Step: s.steps, Phase: llm.Composing})
	}
	s.show(text)
}

// show adds to the text on the screen.
func (s *streaming) show(text string) {
	if text == "" {
		return
	}
	if s.open.text == "" {
		s.open.text = s.ids.item()
	}
	s.open.textSoFar.WriteString(text)
	s.emit(TextDelta{ID: s.open.text, Text: text})
}

func (s *streaming) call(d llm.CallDelta) {
	s.endReasoning()
	for len(s.calls) <= d.Call {
		id := s.ids.call()
		s.calls, s.names = append(s.calls, id), append(s.names, d.Name)
		s.openCall(id)
		s.emit(CallStarted{ID: id, Tool: d.Name, ToolKind: s.kindOf(d.Name)})
	}
	if d.Args != "" {
		s.emit(CallArgs{ID: s.calls[d.Call], Text: d.Args})
	}
}

// partial is what had arrived when the stream failed.
func (s *streaming) partial(err error) llm.Response {
	resp := llm.Response{
		Message:   llm.Message{Role: llm.Assistant, Text: s.open.textSoFar.String() + s.hold.Held()},
		Reasoning: s.open.thought.String(),
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Partial != nil {
		resp.Usage = e.Partial.Usage
	}
	return resp
}

// closeItems ends the text and the reasoning. whole is the final text, which
// may lack what a later look took out of the deltas.
func (s *streaming) closeItems(whole string) {
	s.endReasoning()
	shown := s.open.textSoFar.String()
	switch {
	case s.open.text == "":
		s.show(whole) // it came in one piece, or was held back
	case len(whole) > len(shown) && strings.HasPrefix(whole, shown):
		s.show(whole[len(shown):])
	}
	s.endText(whole)
}

// recoverCalls takes calls that the model wrote into its answer in place of
// making them. It is strict, and never done when the user asked for an
// example, or when no tool may be called.
func (s *streaming) recoverCalls(req llm.Request) {
	m := &s.resp.Message
	if s.opts.NoTextCalls || !s.resp.Complete || len(m.Calls) > 0 || m.Text == "" {
		return
	}
	calls, rest, ok := llm.TextCalls(m.Text, req.Tools)
	if !ok || llm.AsksForExample(s.asked) {
		return
	}
	m.Text = rest
	if req.ToolChoice == "none" {
		return // not to be run, and not to be shown either
	}
	m.Calls = calls
	s.emit(Notice{Level: Repair, Text: "repaired: a call written as text was taken for a call of " + calls[0].Name})
}

// dropCalls ends the calls that were being composed: none of them will run.
func (s *streaming) dropCalls() {
	for _, id := range s.calls {
		s.endCall(CallEnded{ID: id, Status: CallInvalid, Summary: "cut off"})
	}
	s.calls = nil
}

// matchCalls gives each call of the final answer the id under which it was
// announced. An announced call that is not in it ends as no call; one that was
// never announced, recovered from text, is announced here.
func (s *streaming) matchCalls() []CallID {
	if !s.resp.Complete {
		s.dropCalls()
		return nil
	}
	ids := make([]CallID, len(s.resp.Message.Calls))
	next := 0
	for i, call := range s.resp.Message.Calls {
		for next < len(s.calls) && s.names[next] != call.Name && len(s.calls)-next > len(ids)-i {
			s.endCall(CallEnded{ID: s.calls[next], Status: CallInvalid, Summary: "not a call"})
			next++
		}
		if next < len(s.calls) {
			ids[i] = s.calls[next]
			next++
			continue
		}
		ids[i] = s.ids.call()
		s.openCall(ids[i])
		s.emit(CallStarted{ID: ids[i], Tool: call.Name, ToolKind: s.kindOf(call.Name)})
	}
	for _, id := range s.calls[next:] {
		s.endCall(CallEnded{ID: id, Status: CallInvalid, Summary: "not a call"})
	}
	return ids
}

func (c *Core) kindOf(name string) ToolKind {
	for _, spec := range c.opts.Tools.Specs() {
		if spec.Name == name {
			return spec.Kind
		}
	}
	return "other"
}

// cutOff ends the turn after a cut answer that could not be handed back.
func (t *turn) cutOff(resp llm.Response) *outcome {
	t.keepPartial(resp)
	limit := t.opts.Sampling.MaxTokens
	var advice string
	switch {
	case resp.Finish != llm.FinishLength:
		advice = "the answer ended early (" + orElse(string(resp.Finish), "no finish reason") + "): ask again"
	case len(resp.Message.Calls) > 0:
		advice = fmt.Sprintf("the model hit max_tokens (%d) while writing a tool call: raise sampling.max_tokens, or ask for less at once", limit)
	case resp.Message.Text == "":
		advice = fmt.Sprintf("the reasoning used up max_tokens (%d) before any answer: raise sampling.max_tokens, or turn thinking off", limit)
	default:
		advice = fmt.Sprintf("[answer cut off at max_tokens (%d)]: send \"go on\", or raise sampling.max_tokens", limit)
	}
	t.emit(Notice{Level: Warn, Text: advice})
	return &outcome{StopMaxTokens, advice}
}
