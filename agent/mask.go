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
)

// stub stands in a request where a masked result stood. The stored session
// keeps the result.
func stub(item session.Item) string {
	lines := strings.Count(strings.TrimRight(item.Text, "\n"), "\n") + 1
	detail := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		detail = fmt.Sprintf("%d characters", len([]rune(item.Text)))
	}
	if item.Summed != "" {
		detail += ", " + item.Summed
	}
	return fmt.Sprintf("[output of %q left out: %s; run it again if needed]", cmp.Or(item.Title, item.Tool), detail)
}

// maskOld masks the oldest results until the window is filled to maskTo.
// Only results of turns before the last maskAfterTurns are taken. All is done
// in one go: between two batches the prefix does not move.
func (c *Core) maskOld(turn int) {
	target := int(c.opts.Context.MaskTo * float64(c.gauge.limit))
	c.mask(target, func(item session.Item, _ int) bool {
		return item.Turn <= turn-c.opts.Context.MaskAfterTurns
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
	c.mask(target, func(_ session.Item, at int) bool { return at < from })
}

// mask masks results that may be masked, oldest first, until the window holds
// no more than target tokens.
func (c *Core) mask(target int, may func(item session.Item, at int) bool) {
	masked, freed := 0, 0
	items := c.opts.Session.Items
	for i := range items {
		item := &items[i]
		if c.gauge.used()-freed <= target {
			break
		}
		if item.Role != llm.Tool || item.Masked || item.Pinned || len(item.Text) < maskLeast || !may(*item, i) {
			continue
		}
		item.Masked = true
		masked++
		freed += c.gauge.est.Text(item.Text) - c.gauge.est.Text(stub(*item))
	}
	if masked == 0 {
		return
	}
	c.gauge.freed(freed)
	c.cold = true
	c.emit(Notice{Level: Info, Text: fmt.Sprintf("context: %d old output(s) left out, about %d tokens freed", masked, freed)})
	c.emit(c.gauge.event())
}
