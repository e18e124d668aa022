package agent

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mm/agent/session"
)

// open remembers what a turn has begun and not ended, so that every start has
// its end whatever happens.
type open struct {
	step      int
	text      ItemID
	textSoFar strings.Builder
	reasoning ItemID
	thought   strings.Builder // the reasoning so far
	thinking  time.Time
	calls     []openCall
	approval  ApprovalID
}

type openCall struct {
	id      CallID
	started time.Time
}

// closeAll ends everything that is open, innermost first.
func (t *turn) closeAll() {
	if id := t.open.approval; id != "" {
		t.open.approval = ""
		t.emit(ApprovalSettled{ID: id, Choice: ChoiceReject, By: ByInterrupt})
	}
	t.endReasoning()
	t.endText(t.open.textSoFar.String())
	for _, call := range t.open.calls {
		t.emit(CallEnded{ID: call.id, Status: CallStopped, Summary: "stopped", Elapsed: time.Since(call.started)})
	}
	t.open.calls = nil
	t.endStep(StepEnded{})
}

func (t *turn) endStep(e StepEnded) {
	if t.open.step == 0 {
		return
	}
	e.Step, t.open.step = t.open.step, 0
	t.emit(e)
}

// endText closes the open text item. whole is its final text.
func (t *turn) endText(whole string) {
	if t.open.text == "" {
		return
	}
	t.emit(TextEnded{ID: t.open.text, Text: whole})
	t.open.text = ""
	t.open.textSoFar.Reset()
}

func (t *turn) endReasoning() {
	if t.open.reasoning == "" {
		return
	}
	t.emit(ReasoningEnded{
		ID:      t.open.reasoning,
		Elapsed: time.Since(t.open.thinking),
		Tokens:  t.gauge.est.Text(t.open.thought.String()),
	})
	t.open.reasoning = ""
	t.open.thought.Reset()
}

func (t *turn) openCall(id CallID) {
	t.open.calls = append(t.open.calls, openCall{id: id, started: time.Now()})
}

// runsNow counts the time of a call from here: what it took to be written and
// allowed is not its own.
func (t *turn) runsNow(id CallID) {
	for i := range t.open.calls {
		if t.open.calls[i].id == id {
			t.open.calls[i].started = time.Now()
		}
	}
}

// endCall closes a call. It returns the event, its Elapsed filled in.
func (t *turn) endCall(e CallEnded) CallEnded {
	for i, call := range t.open.calls {
		if call.id == e.ID {
			e.Elapsed = time.Since(call.started)
			t.open.calls = append(t.open.calls[:i:i], t.open.calls[i+1:]...)
			break
		}
	}
	t.emit(e)
	return e
}

// counters makes the ids of items, calls and approvals.
type counters struct{ items, calls, approvals int }

func (c *counters) item() ItemID {
	c.items++
	return ItemID(fmt.Sprintf("i%d", c.items))
}

func (c *counters) call() CallID {
	c.calls++
	return CallID(fmt.Sprintf("c%d", c.calls))
}

func (c *counters) approval() ApprovalID {
	c.approvals++
	return ApprovalID(fmt.Sprintf("a%d", c.approvals))
}

// resume starts the counter of calls past those of a stored session, so that
// ids stay unique in it.
func (c *counters) resume(items []session.Item) {
	for _, item := range items {
		for _, call := range item.Calls {
			if n, err := strconv.Atoi(strings.TrimPrefix(call.ID, "c")); err == nil {
				c.calls = max(c.calls, n)
			}
		}
	}
}
