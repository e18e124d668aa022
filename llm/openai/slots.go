package openai

import (
	"context"
	"net/url"
	"time"
)

// slotTimeout bounds the question before a request: a server that reads
// another's prompt may take its time to answer.
const slotTimeout = 300 * time.Millisecond

// slot is one of llama-server's.
type slot struct {
	ID   int  `json:"id"`
	Busy bool `json:"is_processing"`
	Task int  `json:"id_task"` // the last one; older versions leave it out
}

// slots lists those of llama-server, or nothing when it does not tell.
func (c *Client) slots(ctx context.Context, model string) []slot {
	var list []slot
	query := url.Values{"model": {model}, "autoload": {"false"}}
	if c.get(ctx, "/slots?"+query.Encode(), &list) != nil {
		return nil
	}
	return list
}

// pinSlot chooses the slot to be warmed, which the requests after it ask for,
// so that another client does not get what was read: the one in use when it is
// free, else the one that has been idle longest. A server with a single slot
// needs no choice. It returns false when no slot is free.
func (c *Client) pinSlot(ctx context.Context, model string) bool {
	list := c.slots(ctx, model)
	c.mu.Lock()
	defer c.mu.Unlock()
	var best *slot
	for i := range list {
		s := &list[i]
		switch {
		case s.Busy:
		case c.pinned != nil && *c.pinned == s.ID:
			return true
		case best == nil || s.Task < best.Task:
			best = s
		}
	}
	if best == nil {
		return false
	}
	c.pinned = nil
	if len(list) > 1 {
		c.pinned = &best.ID
	}
	return true
}

// freePin returns the slot that was chosen, or nil when there is none or
// somebody else uses it: its queue would be waited for while others are free.
func (c *Client) freePin(ctx context.Context, model string) *int {
	c.mu.Lock()
	pinned := c.pinned
	c.mu.Unlock()
	if pinned == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	for _, s := range c.slots(ctx, model) {
		if s.ID == *pinned && !s.Busy {
			return pinned
		}
	}
	return nil
}
