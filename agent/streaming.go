package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	"mm/llm"
)

// streaming turns the deltas of one answer into events.
type streaming struct {
	*turn
	ctx     context.Context
	cancel  context.CancelCauseFunc
	noTools bool // calls are neither announced nor made

	calls []announced
	hold  llm.CallFilter // what may be a call written as text
	resp  llm.Response
	done  bool

	looked     int  // length of the reasoning when its budget was looked at
	overBudget bool // its end was asked for
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
		s.looked = 0
		s.hurry.begin(s.ctx, s.cancel)
	}
	s.mending.shown = true
	s.open.thought.WriteString(text)
	s.emit(ReasoningDelta{ID: s.open.reasoning, Text: text})
	s.watchReasoning()
}

// answering says that the reasoning is over.
func (s *streaming) answering() {
	s.hurry.end()
	s.endReasoning()
}

func (s *streaming) text(text string) {
	s.answering()
	before := s.hold.Holding()
	s.show(s.hold.Write(text))
	if s.hold.Holding() && !before {
		s.emit(PhaseChanged{Step: s.steps, Phase: llm.Composing})
	}
}

// show adds to the text on the screen.
func (s *streaming) show(text string) {
	if text == "" {
		return
	}
	if s.open.text == "" {
		s.open.text = s.ids.item()
	}
	s.mending.shown = true
	s.open.textSoFar.WriteString(text)
	s.emit(TextDelta{ID: s.open.text, Text: text})
}

func (s *streaming) call(d llm.CallDelta) {
	s.answering()
	if s.noTools {
		return
	}
	s.mending.shown = true
	for len(s.calls) <= d.Call {
		s.calls = append(s.calls, s.announce(d.Name))
	}
	if d.Args != "" {
		s.emit(CallArgs{ID: s.calls[d.Call].id, Text: d.Args})
	}
}

// announce shows a call that has begun.
func (t *turn) announce(name string) announced {
	c := announced{id: t.ids.call(), name: name}
	t.openCall(c.id)
	t.emit(CallStarted{ID: c.id, Tool: name, ToolKind: t.kindOf(name)})
	return c
}

func (c *Core) kindOf(name string) ToolKind {
	for _, spec := range c.opts.Tools.Specs() {
		if spec.Name == name {
			return spec.Kind
		}
	}
	return "other"
}

// partial is what had arrived when the stream failed. What is held back is no
// part of it: the beginning of a call is of no use to anybody.
func (s *streaming) partial(err error) *answer {
	a := &answer{announced: s.calls, Response: llm.Response{
		Message:   llm.Message{Role: llm.Assistant, Text: s.open.textSoFar.String()},
		Reasoning: s.open.thought.String(),
	}}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Partial != nil {
		a.Usage, a.Message.Calls = e.Partial.Usage, e.Partial.Message.Calls
	}
	if s.hold.Holding() {
		a.unread = s.hold.Held()
	}
	return a
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

// drop ends the calls of an answer that are open: none of them will run.
func (t *turn) drop(a *answer) {
	for _, c := range a.announced {
		t.endCall(CallEnded{ID: c.id, Status: CallInvalid, Summary: "cut off"})
	}
	a.announced = nil
}

// match gives each call of a whole answer the id under which it was announced.
// An announced call that is not in it ends as no call; one that was never
// announced, recovered from text, is announced here.
func (t *turn) match(a *answer) {
	known := a.announced
	a.ids = make([]CallID, len(a.Message.Calls))
	next := 0
	for i, call := range a.Message.Calls {
		for next < len(known) && known[next].name != call.Name && len(known)-next > len(a.ids)-i {
			t.endCall(CallEnded{ID: known[next].id, Status: CallInvalid, Summary: "not a call"})
			next++
		}
		if next < len(known) {
			a.ids[i] = known[next].id
			next++
			continue
		}
		a.ids[i] = t.announce(call.Name).id
	}
	for _, c := range known[next:] {
		t.endCall(CallEnded{ID: c.id, Status: CallInvalid, Summary: "not a call"})
	}
	a.announced = nil
}
