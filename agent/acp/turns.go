package acp

import (
	"context"
	"slices"
	"sync"
)

// turn is one session/prompt on its way.
type turn struct {
	promptParams

	ctx    context.Context // ends with a cancel of this turn, or with all
	cancel context.CancelFunc
	first  chan struct{} // closed when it is this turn's go
}

// turns is the queue of the process: one turn runs at a time, in the order in
// which the prompts were read. The first of the queue runs.
type turns struct {
	mu     sync.Mutex
	queue  []*turn
	joined map[int]*turn // read but not taken up by a handler
	last   int
}

// join puts a prompt at the end of the queue and returns its number.
func (q *turns) join(ctx context.Context, p promptParams) int {
	t := &turn{promptParams: p, first: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = append(q.queue, t)
	if len(q.queue) == 1 {
		close(t.first)
	}
	q.last++
	q.joined[q.last] = t
	return q.last
}

// take returns the turn of a number, once.
func (q *turns) take(number int) (*turn, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, ok := q.joined[number]
	delete(q.joined, number)
	return t, ok
}

// wait waits for the turn's go. It returns false when the turn was cancelled.
func (t *turn) wait() bool {
	select {
	case <-t.first:
	case <-t.ctx.Done():
	}
	return t.ctx.Err() == nil
}

// leave takes a turn out of the queue, wherever it stands.
func (q *turns) leave(t *turn) {
	t.cancel()
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.queue, t)
	q.queue = slices.Delete(q.queue, at, at+1)
	if at == 0 && len(q.queue) > 0 {
		close(q.queue[0].first)
	}
}

// cancel ends the oldest turn of a session, or all of them: one that waits
// behind the oldest is another turn.
func (q *turns) cancel(session string, all bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.queue {
		if t.SessionID == session {
			t.cancel()
			if !all {
				return
			}
		}
	}
}
