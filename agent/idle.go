package agent

import (
	"context"

	"mm/llm"
)

// Warmer is a Model that can work while nobody waits.
type Warmer interface {
	// Free reports whether that would be in nobody's way: not on a server
	// that is not local, nor where no slot is free.
	Free(ctx context.Context) bool

	// Warm reads a prompt ahead, into the server's cache. It does nothing, and
	// returns false, where the server is not free.
	Warm(ctx context.Context, req llm.Request) (warmed bool, err error)
}

// nearly is how near to a threshold, as a share of it, masking and compaction
// are done while nobody waits.
const nearly = 0.85

// startIdle uses the time in which the user reads or types: old outputs are
// masked and old turns are compacted when that is due soon, and the prefix is
// read into the server's cache. It is cancelled by the next command, or by the
// turn of another core, and a step that did not finish changes nothing.
func (c *Core) startIdle(ctx context.Context) {
	if c.running != nil || len(c.queue) > 0 || c.asked {
		return
	}
	if !c.dueSoon(c.opts.Context.MaskAt) && !c.compactsSoon() && !c.warms() {
		return
	}
	c.start(ctx, func(ctx context.Context) { c.opts.TurnLock.whileIdle(ctx, c.idleSteps) })
	c.running.idle = true
}

func (c *Core) idleSteps(ctx context.Context) {
	t := &turn{Core: c, number: c.lastTurn()}
	if c.dueSoon(c.opts.Context.MaskAt) {
		t.maskOld(t.number+1, maskBatch)
	}
	if w, ok := c.opts.Model.(Warmer); ok && c.compactsSoon() && w.Free(ctx) {
		t.compactUnasked(ctx)
	}
	c.warm(ctx)
}

// dueSoon tells whether the window is nearly filled to a share of it.
func (c *Core) dueSoon(share float64) bool {
	o := c.opts.Context
	return o.Enabled && c.opts.IdleSteps && c.gauge.limit > 0 &&
		float64(c.gauge.used()) > nearly*share*float64(c.gauge.limit)
}

// compactsSoon tells whether one of the next turns would begin with a
// compaction.
func (c *Core) compactsSoon() bool {
	return c.useless == 0 && c.dueSoon(c.opts.Context.CompactAt)
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
