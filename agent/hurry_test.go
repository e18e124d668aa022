package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
)

// reasoner is a scripted model whose server can end the reasoning, or cannot.
type reasoner struct {
	*agenttest.Model
	can   bool
	asked atomic.Int32
}

func (r *reasoner) EndReasoning(context.Context) error {
	r.asked.Add(1)
	if r.can {
		return nil
	}
	return errors.New("the reasoning cannot be ended here")
}

func TestAnswerNowAsksAgainWithoutReasoning(t *testing.T) {
	t.Parallel()
	thinking := agenttest.Think("so much to think of", agenttest.Reply{})
	thinking.Block = true
	for _, canAsk := range []bool{true, false} {
		m := agenttest.NewModel(thinking, agenttest.Say("42"))
		o := options(m, echo{})
		if canAsk {
			o.Model = &reasoner{Model: m}
		}
		r := agenttest.Run(t, o)
		r.On(func(e agent.Event) {
			if _, ok := e.(agent.ReasoningDelta); ok {
				if err := r.Core.Do(agent.AnswerNow{}); err != nil {
					t.Error(err)
				}
			}
		})
		events := r.Prompt("go")
		closedInOrder(t, events)
		if got := ended(t, events).Stop; got != agent.StopAnswer {
			t.Errorf("stop %q, want an answer", got)
		}
		if reqs := m.Requests(); len(reqs) != 2 || reqs[0].NoThinking || !reqs[1].NoThinking {
			t.Errorf("%d requests, want a second one without reasoning", len(reqs))
		}
		if got := o.Session.Items; len(got) != 2 || got[1].Text != "42" {
			t.Errorf("kept %+v, want the answer alone", got)
		}
	}
}

func TestAnswerNowWithoutReasoningSaysSo(t *testing.T) {
	t.Parallel()
	r := agenttest.Run(t, options(agenttest.NewModel(), echo{}))
	if err := r.Core.Do(agent.AnswerNow{}); err != nil {
		t.Fatal(err)
	}
	events := r.Do(agent.Compact{})
	if got := notices(events, agent.Info); len(got) == 0 || got[0] != "the model is not reasoning" {
		t.Errorf("notices %q", got)
	}
}

func TestThinkingBudgetEndsReasoning(t *testing.T) {
	t.Parallel()
	// Pieces of 350 characters, about 100 tokens each.
	long := agenttest.Reply{Block: true}
	for range 5 {
		long.Deltas = append(long.Deltas, llm.ReasoningDelta{Text: strings.Repeat("I think ", 44)})
	}
	short := agenttest.Think("brief", agenttest.Say("7"))
	for _, tc := range []struct {
		name     string
		budget   int
		first    agenttest.Reply
		requests int
	}{
		{"over it", 200, long, 2},
		{"under it", 200, short, 1},
	} {
		m := agenttest.NewModel(tc.first, agenttest.Say("42"))
		o := options(m, echo{})
		o.Sampling.ThinkingBudget = tc.budget
		events := agenttest.Run(t, o).Prompt("go")
		closedInOrder(t, events)
		if got := ended(t, events).Stop; got != agent.StopAnswer {
			t.Errorf("%s: stop %q, want an answer", tc.name, got)
		}
		if got := len(m.Requests()); got != tc.requests {
			t.Errorf("%s: %d requests, want %d", tc.name, got, tc.requests)
		}
	}
	// A server that ends it by itself is asked, and not cut off.
	m := agenttest.NewModel(agenttest.Reply{Deltas: append(long.Deltas[:5:5], llm.TextDelta{Text: "42"})})
	o := options(m, echo{})
	server := &reasoner{Model: m, can: true}
	o.Model, o.Sampling.ThinkingBudget = server, 200
	events := agenttest.Run(t, o).Prompt("go")
	if got := ended(t, events).Stop; got != agent.StopAnswer || server.asked.Load() != 1 || len(m.Requests()) != 1 {
		t.Errorf("stop %q, asked %d times, %d requests; want an answer, once, one", got, server.asked.Load(), len(m.Requests()))
	}
}
