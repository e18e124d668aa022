package agent

import (
	"cmp"
	"fmt"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// Masking leaves out results that are large enough to be worth a re-reading
// of what follows them.
const (
	maskLeast = 200 // characters of a result below which masking frees nothing
	maskSteps = 2   // last steps of a turn whose results stay even in need

	// maskBatch is how much of the way from maskAt to maskTo a batch must go.
	// Where the last turns alone fill the window beyond maskTo, batches of one
	// output would move the prefix in every turn: a session of 40 turns in a
	// window of 8,192 read half as much again (docs/small-models.md).
	maskBatch = 0.5
)

// stub stands in a request where a masked result stood. The stored session
// keeps the result.
func stub(item session.Item) string {
	return fmt.Sprintf("[output of %q left out: %s; run it again if needed]", cmp.Or(item.Title, item.Tool), outputSize(item))
}

// seen is a result as the model reads it.
func seen(item session.Item) string {
	switch {
	case item.Masked:
		return stub(item)
	case item.Cut > 0:
		return shortened(item.Text, item.Cut)
	}
	return item.Text
}

// outputSize says how much a result holds, and how its call ended.
func outputSize(item session.Item) string {
	lines := strings.Count(strings.TrimRight(item.Text, "\n"), "\n") + 1
	size := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		size = fmt.Sprintf("%d characters", len([]rune(item.Text)))
	}
	if item.Summed != "" {
		size += ", " + item.Summed
	}
	return size
}

// maskOld masks the oldest results until the window is filled to maskTo.
// Only results of turns before the last maskAfterTurns are taken. All is done
// in one go: between two batches the prefix does not move. What would free
// less than a share of that is not worth a re-reading.
func (c *Core) maskOld(turn int, share float64) {
	o, limit := c.opts.Context, float64(c.gauge.limit)
	c.mask(int(o.MaskTo*limit), int(share*(o.MaskAt-o.MaskTo)*limit), func(item session.Item, _ int) bool {
		return item.Turn <= turn-o.MaskAfterTurns
	})
}

// maskNow masks results of the running turn too, but for those of the last
// steps. It is the last resort of a turn that fills the window by itself.
func (c *Core) maskNow() {
	items := c.opts.Session.Items
	steps, from := 0, len(items)
	for from > 0 && steps < maskSteps {
		from--
		if items[from].Role == llm.Assistant {
			steps++
		}
	}
	target := int(c.opts.Context.MaskTo * float64(c.gauge.limit))
	c.mask(target, 0, func(_ session.Item, at int) bool { return at < from })
}

// mask masks results that may be masked, oldest first, until the window holds
// no more than target tokens. What frees less than least tokens is left.
func (c *Core) mask(target, least int, may func(item session.Item, at int) bool) {
	var batch []*session.Item
	freed := 0
	items := c.opts.Session.Items
	for i := range items {
		item := &items[i]
		if c.gauge.used()-freed <= target {
			break
		}
		if item.Role != llm.Tool || item.Masked || item.Pinned || len(item.Text) < maskLeast || !may(*item, i) {
			continue
		}
		batch = append(batch, item)
		freed += c.gauge.est.Text(seen(*item)) - c.gauge.est.Text(stub(*item))
	}
	if len(batch) == 0 || freed < least {
		return
	}
	for _, item := range batch {
		item.Masked = true
	}
	c.gauge.freed(freed)
	c.cold = true
	c.save()
	c.emit(Notice{Level: Info, Text: fmt.Sprintf("context: %d old output(s) left out, about %d tokens freed", len(batch), freed)})
	c.emit(c.gauge.event())
}
