package openai

import (
	"context"
	"errors"
	"time"

	"mm/llm"
)

// Causes with which a guard cancels.
var (
	errNoAnswer = errors.New("nothing came from the server")
	errStalled  = errors.New("the stream went silent")
)

// sign is what an event tells a guard.
type sign int

const (
	signAlive    sign = iota // a keep-alive
	signProgress             // the prompt is being read
	signToken                // text, reasoning or a call
)

// guard cancels a request on which nothing comes. The first-token timeout
// rules until the first token, fed by any sign of life: a large model reads a
// long prompt for minutes. After it the watchdog rules, fed by content alone:
// a dying server goes on sending keep-alives.
//
// Time counts only while the client waits, never while the consumer works.
type guard struct {
	cancel      context.CancelCauseFunc
	first, idle time.Duration

	answering bool // the first token was seen
	left      time.Duration
	since     time.Time
	timer     *time.Timer
}

func newGuard(cancel context.CancelCauseFunc, first, idle time.Duration) *guard {
	return &guard{cancel: cancel, first: first, idle: idle, left: first}
}

// How much longer than usual a request waits.
const (
	patientTimes  = 2 // a summary is written while nobody looks on
	noStreamTimes = 4 // the whole answer is written before its first byte comes
)

// patience is how long a request may be silent, before the first token and
// after it.
func (c *Client) patience(req llm.Request) (first, idle time.Duration) {
	first, idle = c.opts.FirstTokenTimeout, c.opts.WatchdogTimeout
	if req.Patient {
		idle *= patientTimes
	}
	if req.NoStream {
		first *= noStreamTimes
	}
	return first, idle
}

// wait starts the clock.
func (g *guard) wait() {
	cause := errNoAnswer
	if g.answering {
		cause = errStalled
	}
	g.since = time.Now()
	g.timer = time.AfterFunc(g.left, func() { g.cancel(cause) })
}

// rest stops the clock.
func (g *guard) rest() {
	g.timer.Stop()
	g.left -= time.Since(g.since)
}

// saw tells the guard what came.
func (g *guard) saw(s sign) {
	switch {
	case s == signToken:
		g.answering = true
		g.left = g.idle
	case !g.answering:
		g.left = g.first
	case s == signProgress:
		g.left = g.idle
	}
}
