package agent

import (
	"context"

	"mm/llm"
)

// Warmer is a Model that can read a prompt ahead, into the server's cache. It
// does nothing, and returns false, where that would be in the way: on a server
// that is not local, or whose only slot is busy.
type Warmer interface {
	Warm(ctx context.Context, req llm.Request) (warmed bool, err error)
}

// idleCompactAt is how near to compactAt, as a share of it, a compaction is
// done while nobody waits.
const idleCompactAt = 0.85

// startIdle uses the time in which the user reads or types: old outputs are
// masked, old turns are compacted when that is due soon, and the prefix is
// read into the server's cache. It is cancelled by the next command, and a
// step that did not finish changes nothing.
func (c *Core) startIdle(ctx context.Context) {
	if c.running != nil || len(c.queue) > 0 || c.asked {
		return
	}
	compact := c.compactsSoon()
	if !compact && !c.warms() {
		return
	}
	c.start(ctx, func(ctx context.Context) {
		t := &turn{Core: c, number: c.lastTurn()}
		if compact {
			t.maskOld(t.number+1, maskBatch)
			if c.compactsSoon() {
				t.compactUnasked(ctx)
			}
		}
		c.warm(ctx)
	})
	c.running.idle = true
}

// compactsSoon tells whether the next turn would begin by making room.
func (c *Core) compactsSoon() bool {
	o := c.opts.Context
	return o.Enabled && c.opts.IdleSteps && c.gauge.limit > 0 && c.useless == 0 &&
		float64(c.gauge.used()) > idleCompactAt*o.CompactAt*float64(c.gauge.limit)
}

// warms tells whether the server may not know the prefix of the next request.
func (c *Core) warms() bool {
	_, ok := c.opts.Model.(Warmer)
	return ok && c.opts.Prewarm && c.cold
}

// warm has the prefix of the next request read ahead.
func (c *Core) warm(ctx context.Context) {
	if !c.warms() || ctx.Err() != nil {
		return
	}
	req := llm.Request{
		Messages: c.outgoingPrefix(),
		Tools:    c.toolSpecs(),
		Sampling: c.opts.Sampling,
	}
	c.emit(Warming{On: true})
	warmed, err := c.opts.Model.(Warmer).Warm(ctx, req)
	c.emit(Warming{On: false})
	if err != nil && ctx.Err() == nil {
		c.logf("warming: %v", err)
	}
	c.cold = !warmed && ctx.Err() != nil // what failed by itself is not tried again
}
