// Package agenttest helps to test the agent: a model that follows a script,
// and a recorder of events that waits for Idle.
package agenttest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"mm/agent"
	"mm/llm"
)

// Reply is one answer of the scripted model: the deltas of a stream, then an
// error or a Done built from them.
type Reply struct {
	Deltas []llm.Delta
	Finish llm.Finish // "" means stop, or tool_calls when there are calls
	Cut    bool       // the stream ended early: Complete is false
	Bare   bool       // and without a finish reason
	Err    error
	Usage  llm.Usage
	Server string // the model and build that answer

	// Block makes the stream wait, after its deltas, for the context's end.
	Block bool
}

// Say is a reply of plain text, in two deltas.
func Say(text string) Reply {
	half := len(text) / 2
	return Reply{Deltas: []llm.Delta{llm.TextDelta{Text: text[:half]}, llm.TextDelta{Text: text[half:]}}}
}

// Think is reasoning to put in front of a reply.
func Think(text string, r Reply) Reply {
	r.Deltas = append([]llm.Delta{llm.ReasoningDelta{Text: text}}, r.Deltas...)
	return r
}

// Call is a reply of one tool call.
func Call(name, args string) Reply { return Calls(name, args) }

// Calls is a reply of several tool calls, given as name and arguments in turn.
func Calls(pairs ...string) Reply {
	var r Reply
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Deltas = append(r.Deltas, llm.CallDelta{Call: i / 2, Name: pairs[i], Args: pairs[i+1]})
	}
	return r
}

// Fail is a reply that is an error.
func Fail(err error) Reply { return Reply{Err: err} }

// Model is a scripted agent.Model. It answers requests in order and records
// them. The zero value answers nothing.
type Model struct {
	Served llm.ModelInfo

	mu       sync.Mutex
	replies  []Reply
	requests []llm.Request
}

// NewModel makes a model that gives these replies, in turn.
func NewModel(replies ...Reply) *Model {
	return &Model{Served: llm.ModelInfo{Provider: "test", ID: "scripted", ContextWindow: 8192, WindowSource: "test"}, replies: replies}
}

// Info implements agent.Model.
func (m *Model) Info(context.Context) (llm.ModelInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Served, nil
}

// Serve changes the window that is served from now on.
func (m *Model) Serve(window int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Served.ContextWindow = window
}

// Requests returns what the model was asked so far.
func (m *Model) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.requests...)
}

func (m *Model) next(req llm.Request) Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	if len(m.replies) == 0 {
		return Fail(&llm.Error{Kind: llm.BadRequest, Message: "the script has no more replies"})
	}
	r := m.replies[0]
	m.replies = m.replies[1:]
	return r
}

// Stream implements agent.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		r := m.next(req)
		resp := llm.Response{Message: llm.Message{Role: llm.Assistant}, Usage: r.Usage, Server: r.Server, Finish: r.Finish, Complete: !r.Cut && !r.Bare && r.Finish != llm.FinishLength}
		for _, d := range r.Deltas {
			switch d := d.(type) {
			case llm.TextDelta:
				resp.Message.Text += d.Text
			case llm.ReasoningDelta:
				resp.Reasoning += d.Text
			case llm.CallDelta:
				if len(resp.Message.Calls) <= d.Call {
					resp.Message.Calls = append(resp.Message.Calls, llm.Call{Name: d.Name})
				}
				resp.Message.Calls[d.Call].Args += d.Args
			}
			if !yield(d, nil) {
				return
			}
		}
		if r.Block {
			<-ctx.Done()
			yield(nil, ctx.Err())
			return
		}
		if r.Err != nil {
			yield(nil, r.Err)
			return
		}
		if resp.Finish == "" && !r.Bare {
			resp.Finish = llm.FinishStop
			if len(resp.Message.Calls) > 0 {
				resp.Finish = llm.FinishCalls
			}
		}
		yield(llm.Done{Response: resp}, nil)
	}
}

// Runner runs a core and collects its events.
type Runner struct {
	Core *agent.Core

	// Start holds the events before the first command.
	Start []agent.Event

	t      testing.TB
	rest   []agent.Event // arrived and not told yet
	answer func(agent.ApprovalAsked) agent.Decide
	on     func(agent.Event)
}

// Run starts a core and stops it at the end of the test.
func Run(t testing.TB, o agent.Options) *Runner {
	t.Helper()
	core := agent.New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := core.Run(ctx); err != nil {
			t.Errorf("core: %v", err)
		}
	}()
	r := &Runner{Core: core, t: t}
	t.Cleanup(func() {
		cancel()
		for range core.Events() { //nolint:revive // drained until it closes
		}
		<-done
	})
	r.untilReady()
	return r
}

// untilReady waits for the start and for what is known of the model, whose
// order is not fixed.
func (r *Runner) untilReady() {
	idle, known := false, false
	for batch := range r.Core.Events() {
		for _, e := range batch {
			switch e.(type) {
			case agent.Idle:
				idle = true
			case agent.ModelChanged:
				known = true
			}
			r.Start = append(r.Start, e)
		}
		if idle && known {
			return
		}
	}
}

// Answer sets what is decided when the core asks; without it the answer is
// "allow".
func (r *Runner) Answer(f func(agent.ApprovalAsked) agent.Decide) { r.answer = f }

// On is called with each event as it arrives.
func (r *Runner) On(f func(agent.Event)) { r.on = f }

// Prompt sends a prompt and returns the events up to Idle.
func (r *Runner) Prompt(text string) []agent.Event { return r.Do(agent.Prompt{Text: text}) }

// Do sends a command and returns the events up to Idle.
func (r *Runner) Do(cmd agent.Command) []agent.Event {
	r.t.Helper()
	if err := r.Core.Do(cmd); err != nil {
		r.t.Fatalf("Do: %v", err)
	}
	return r.UntilIdle()
}

// UntilIdle returns the events up to the next Idle. What comes behind it in
// the same batch is part of the next answer.
func (r *Runner) UntilIdle() []agent.Event {
	r.t.Helper()
	var got []agent.Event
	for {
		for i, e := range r.rest {
			got = append(got, e)
			if r.on != nil {
				r.on(e)
			}
			if q, ok := e.(agent.ApprovalAsked); ok {
				r.decide(q)
			}
			if _, ok := e.(agent.Idle); ok {
				r.rest = r.rest[i+1:]
				return got
			}
		}
		var ok bool
		if r.rest, ok = <-r.Core.Events(); !ok {
			r.t.Fatalf("the core ended before it was idle:\n%s", Log(got))
		}
	}
}

func (r *Runner) decide(q agent.ApprovalAsked) {
	d := agent.Decide{ID: q.ID, Choice: agent.ChoiceAllow}
	if r.answer != nil {
		d = r.answer(q)
		d.ID = q.ID
	}
	if err := r.Core.Do(d); err != nil {
		r.t.Errorf("Decide: %v", err)
	}
}

// Log writes events one a line, neighbours merged and durations left out, so
// that the log of a scripted run is the same each time.
func Log(events []agent.Event) string {
	var b strings.Builder
	for _, e := range agent.Coalesce(events) {
		fmt.Fprintf(&b, "%s%s\n", e.Kind(), fields(e))
	}
	return b.String()
}

// Timeless returns the event without its durations.
func Timeless(e agent.Event) agent.Event {
	switch e := e.(type) {
	case agent.ReasoningEnded:
		e.Elapsed = 0
		return e
	case agent.CallEnded:
		e.Elapsed = 0
		return e
	case agent.ShellEnded:
		e.Elapsed = 0
		return e
	case agent.TurnEnded:
		e.Elapsed = 0
		return e
	case agent.PromptProgress:
		e.Elapsed = time.Duration(0)
		return e
	}
	return e
}
