package agent

import (
	"strings"
	"sync"
	"time"
)

// outbox holds events until the reader takes them. Neighbours that say more
// of the same are merged, so that a slow reader bounds neither the model's
// speed nor, with the text itself aside, the memory.
type outbox struct {
	mu     sync.Mutex
	buf    []Event
	text   strings.Builder // of the last event, when more than one was merged
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
	o.merge(e)
	o.mu.Unlock()
	o.signal()
}

// merge appends an event, or joins it to the last one where it only adds to
// that or replaces it. Text is gathered, so that a delta costs its own length.
func (o *outbox) merge(e Event) {
	last := len(o.buf) - 1
	if last >= 0 {
		before, _ := textOf(o.buf[last])
		switch text, adds := textOf(e); {
		case adds && itemOf(o.buf[last]) == itemOf(e):
			if o.text.Len() == 0 {
				o.text.WriteString(before)
			}
			o.text.WriteString(text)
			return
		case replaces(e, o.buf[last]):
			o.buf[last] = e
			return
		}
	}
	o.settle()
	o.buf = append(o.buf, e)
}

// settle gives the last event the text that was gathered for it.
func (o *outbox) settle() {
	if o.text.Len() == 0 {
		return
	}
	last := len(o.buf) - 1
	o.buf[last] = withText(o.buf[last], o.text.String())
	o.text.Reset()
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
	o.settle()
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
	o := newOutbox(0)
	for _, e := range events {
		o.merge(e)
	}
	return o.take()
}

// itemKey is what a delta belongs to.
type itemKey struct{ kind, id string }

func itemOf(e Event) itemKey {
	switch e := e.(type) {
	case TextDelta:
		return itemKey{e.Kind(), string(e.ID)}
	case ReasoningDelta:
		return itemKey{e.Kind(), string(e.ID)}
	case CallArgs:
		return itemKey{e.Kind(), string(e.ID)}
	case CallOutput:
		return itemKey{e.Kind(), string(e.ID)}
	case ShellOutput:
		return itemKey{kind: e.Kind()}
	}
	return itemKey{}
}

// textOf is the new text of a delta.
func textOf(e Event) (text string, ok bool) {
	switch e := e.(type) {
	case TextDelta:
		return e.Text, true
	case ReasoningDelta:
		return e.Text, true
	case CallArgs:
		return e.Text, true
	case CallOutput:
		return e.Text, true
	case ShellOutput:
		return e.Text, true
	}
	return "", false
}

// withText is a delta with another text.
func withText(e Event, text string) Event {
	switch e := e.(type) {
	case TextDelta:
		e.Text = text
		return e
	case ReasoningDelta:
		e.Text = text
		return e
	case CallArgs:
		e.Text = text
		return e
	case CallOutput:
		e.Text = text
		return e
	case ShellOutput:
		e.Text = text
		return e
	}
	return e
}

// replaces tells whether an event makes the one before it out of date.
func replaces(e, before Event) bool {
	switch e := e.(type) {
	case PromptProgress:
		b, ok := before.(PromptProgress)
		return ok && b.Step == e.Step
	case ContextUsage:
		_, ok := before.(ContextUsage)
		return ok
	case QueueChanged:
		_, ok := before.(QueueChanged)
		return ok
	}
	return false
}
