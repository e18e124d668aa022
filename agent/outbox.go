package agent

import (
	"sync"
	"time"
)

// outbox holds events until the reader takes them. Neighbours that say more
// of the same are merged, so that a slow reader bounds neither the model's
// speed nor, with the text itself aside, the memory.
type outbox struct {
	mu     sync.Mutex
	buf    []Event
	seen   map[ItemID]bool // items whose first delta was sent
	urgent bool
	closed bool
	wake   chan struct{} // capacity 1

	every time.Duration // least time between two batches
	out   chan []Event
}

// drainLimit is how long a closed outbox waits for a reader that went away.
const drainLimit = 2 * time.Second

func newOutbox(every time.Duration) *outbox {
	return &outbox{
		seen:  map[ItemID]bool{},
		wake:  make(chan struct{}, 1),
		every: every,
		out:   make(chan []Event),
	}
}

// put appends an event. It never blocks.
func (o *outbox) put(e Event) {
	o.mu.Lock()
	o.urgent = o.urgent || o.isUrgent(e)
	if n := len(o.buf); n > 0 {
		if merged, ok := merge(o.buf[n-1], e); ok {
			o.buf[n-1] = merged
			o.mu.Unlock()
			o.signal()
			return
		}
	}
	o.buf = append(o.buf, e)
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// isUrgent tells which events do not wait for the end of the interval: the
// first delta of an item, a question, and the end of all work.
func (o *outbox) isUrgent(e Event) bool {
	switch e := e.(type) {
	case TextDelta:
		return o.first(e.ID)
	case ReasoningDelta:
		return o.first(e.ID)
	case ApprovalAsked, Idle:
		return true
	}
	return false
}

func (o *outbox) first(id ItemID) bool {
	first := !o.seen[id]
	o.seen[id] = true
	return first
}

// waiting says how many events wait and whether they may not wait longer.
func (o *outbox) waiting() (n int, urgent, closed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.buf), o.urgent, o.closed
}

// take removes the waiting events: one that is on its way must not be merged
// into.
func (o *outbox) take() []Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch := o.buf
	o.buf, o.urgent = nil, false
	return batch
}

// pump sends batches until the outbox is closed and empty, then closes the
// channel.
func (o *outbox) pump() {
	defer close(o.out)
	var last time.Time
	for {
		n, urgent, closed := o.waiting()
		switch {
		case n == 0 && closed:
			return
		case n == 0:
			<-o.wake
			continue
		}
		if wait := o.every - time.Since(last); wait > 0 && !urgent && !closed {
			o.rest(wait)
			continue
		}
		if !o.send(o.take()) {
			return
		}
		last = time.Now()
	}
}

// rest waits until the interval ends or something new happens.
func (o *outbox) rest(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-o.wake:
	}
}

func (o *outbox) send(batch []Event) bool {
	for {
		select {
		case o.out <- batch:
			return true
		case <-o.wake:
		}
		if _, _, closed := o.waiting(); !closed {
			continue
		}
		timer := time.NewTimer(drainLimit)
		defer timer.Stop()
		select {
		case o.out <- batch:
			return true
		case <-timer.C:
			return false
		}
	}
}

// Coalesce merges neighbouring events as the core does for a slow reader.
func Coalesce(events []Event) []Event {
	var out []Event
	for _, e := range events {
		if n := len(out); n > 0 {
			if merged, ok := merge(out[n-1], e); ok {
				out[n-1] = merged
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// merge joins two neighbouring events where the second only adds to the
// first, or replaces it. Everything else stays apart.
func merge(a, b Event) (Event, bool) {
	switch b := b.(type) {
	case TextDelta:
		if a, ok := a.(TextDelta); ok && a.ID == b.ID {
			return TextDelta{ID: a.ID, Text: a.Text + b.Text}, true
		}
	case ReasoningDelta:
		if a, ok := a.(ReasoningDelta); ok && a.ID == b.ID {
			return ReasoningDelta{ID: a.ID, Text: a.Text + b.Text}, true
		}
	case CallArgs:
		if a, ok := a.(CallArgs); ok && a.ID == b.ID {
			return CallArgs{ID: a.ID, Text: a.Text + b.Text}, true
		}
	case CallOutput:
		if a, ok := a.(CallOutput); ok && a.ID == b.ID {
			return CallOutput{ID: a.ID, Text: a.Text + b.Text}, true
		}
	case PromptProgress:
		if a, ok := a.(PromptProgress); ok && a.Step == b.Step {
			return b, true
		}
	case ContextUsage:
		if _, ok := a.(ContextUsage); ok {
			return b, true
		}
	case QueueChanged:
		if _, ok := a.(QueueChanged); ok {
			return b, true
		}
	}
	return nil, false
}
