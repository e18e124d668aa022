package agent

import (
	"context"
	"sync"
)

// TurnLock keeps the turns of a process from running side by side. What is done
// while nobody waits gives way to them.
type TurnLock struct {
	held chan struct{} // capacity 1

	mu      sync.Mutex
	waiting int    // turns
	stop    func() // ends the idle work that has the lock, or nil
}

// NewTurnLock makes a lock for the cores of a process.
func NewTurnLock() *TurnLock { return &TurnLock{held: make(chan struct{}, 1)} }

// take waits until no other core works, or for the end of ctx; idle work is
// ended for it. A nil lock is always free.
func (l *TurnLock) take(ctx context.Context) (unlock func()) {
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	l.waiting++
	if l.stop != nil {
		l.stop()
	}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waiting--
		l.mu.Unlock()
	}()
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held }
	case <-ctx.Done():
		return func() {}
	}
}

// whileIdle does work when no other core does any. Its ctx ends when a turn is
// to begin.
func (l *TurnLock) whileIdle(ctx context.Context, work func(context.Context)) {
	if l == nil {
		work(ctx)
		return
	}
	select {
	case l.held <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-l.held }()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer l.idle(nil)
	if l.idle(stop) {
		work(ctx)
	}
}

// idle says how the idle work that has the lock is ended; nil says that it is
// over. It returns false when a turn waits.
func (l *TurnLock) idle(stop func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop = stop
	return l.waiting == 0
}
