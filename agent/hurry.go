package agent

import (
	"context"
	"errors"
	"sync"
)

// AnswerNow ends the reasoning of the answer under way: on the server where it
// can, else by a new request without reasoning. What was thought stays.
type AnswerNow struct{}

func (AnswerNow) command() {}

// Reasoner is a Model that can end the reasoning of the answer under way.
type Reasoner interface {
	EndReasoning(ctx context.Context) error
}

// errAnswerNow is the cause of a stream's end when its reasoning was ended.
var errAnswerNow = errors.New("the reasoning was ended")

// hurry ends the reasoning of the answer under way. Its methods may be called
// from any goroutine.
type hurry struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc // nil while nothing reasons
	asked  bool
	asking sync.WaitGroup
}

// begin says that the answer of ctx reasons. cancel ends its stream.
func (h *hurry) begin(ctx context.Context, cancel context.CancelCauseFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ctx, h.cancel, h.asked = ctx, cancel, false
}

// end says that the reasoning is over.
func (h *hurry) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cancel = nil
}

// now ends the reasoning, and returns false when there is none. Asked twice, it
// does not wait for the server.
func (h *hurry) now(m Model) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancel == nil {
		return false
	}
	r, ok := m.(Reasoner)
	if !ok || h.asked {
		h.cancel(errAnswerNow)
		return true
	}
	h.asked = true
	ctx := h.ctx
	h.asking.Go(func() {
		if r.EndReasoning(ctx) == nil {
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.cancel != nil && h.ctx == ctx {
			h.cancel(errAnswerNow)
		}
	})
	return true
}

// answerNow is the user's command.
func (c *Core) answerNow() {
	if !c.hurry.now(c.opts.Model) {
		c.emit(Notice{Level: Info, Text: "the model is not reasoning"})
	}
}

// budgetStride is after how many bytes of new reasoning its length is looked
// at.
const budgetStride = 1 << 8

// overBudget is how much longer than its budget reasoning may be before it is
// ended from here: a server that knows the budget keeps it by itself.
const overBudget = 1.25

// watchReasoning ends reasoning that is over its budget.
func (s *streaming) watchReasoning() {
	budget, length := s.opts.Sampling.ThinkingBudget, s.open.thought.Len()
	if budget <= 0 || s.overBudget || length-s.looked < budgetStride {
		return
	}
	s.looked = length
	if tokens := s.gauge.est.Text(s.open.thought.String()); float64(tokens) > overBudget*float64(budget) {
		s.overBudget = s.hurry.now(s.opts.Model)
	}
}
