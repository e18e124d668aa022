package agent

import (
	"context"
	"sync"

	"mm/safety"
	"mm/tools"
)

// ask is an approval that waits for an answer.
type ask struct {
	id     ApprovalID
	answer chan Decide // capacity 1
}

// approvals holds the question that waits. The turn asks, the loop settles.
type approvals struct {
	mu      sync.Mutex
	waiting *ask
}

// settle hands an answer to the turn that waits for it. An answer to a
// question that is already settled, or was never asked, is dropped: a late
// "allow" runs nothing.
func (c *Core) settle(d Decide) {
	c.asks.mu.Lock()
	defer c.asks.mu.Unlock()
	if a := c.asks.waiting; a != nil && a.id == d.ID {
		a.answer <- d
		c.asks.waiting = nil
	}
}

func (w *approvals) wait(a *ask) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = a
}

// askUser asks for permission and waits. Anything but a plain yes, the end of
// ctx included, is a no.
func (t *turn) askUser(ctx context.Context, q ApprovalAsked) Decide {
	a := &ask{id: q.ID, answer: make(chan Decide, 1)}
	t.asks.wait(a)
	t.open.approval = q.ID
	t.emit(q)

	d, by := Decide{ID: q.ID, Choice: ChoiceReject}, ByInterrupt
	select {
	case d = <-a.answer:
		by = ByUser
	case <-ctx.Done():
		t.asks.wait(nil)
	}
	if ctx.Err() != nil {
		d, by = Decide{ID: q.ID, Choice: ChoiceReject}, ByInterrupt
	}
	if d.Choice != ChoiceAllow && d.Choice != ChoiceAlways {
		d.Choice = ChoiceReject
	}
	t.open.approval = ""
	t.emit(ApprovalSettled{ID: q.ID, Choice: d.Choice, By: by})
	return d
}

// question builds the approval of a planned call.
func (t *turn) question(id CallID, spec tools.Spec, p tools.Plan, v safety.Verdict) ApprovalAsked {
	q := ApprovalAsked{
		ID:        t.ids.approval(),
		Call:      id,
		Tool:      spec.Name,
		Title:     p.Title,
		Preview:   p.Preview,
		Dir:       p.Action.Dir,
		Reasons:   v.Reasons,
		Dangerous: v.Dangerous,
		Options:   []Option{{ChoiceAllow, "Allow once"}},
	}
	if p.Action.Path.Real != "" && p.Action.Path.Reason != "" {
		q.Target = p.Action.Path.Real
	}
	if v.Always != "" && !v.Dangerous {
		q.Options = append(q.Options, Option{ChoiceAlways, "Always allow " + v.Always + " in this session"})
	}
	q.Options = append(q.Options, Option{ChoiceReject, "Reject"})
	return q
}
