package agent

import (
	"cmp"
	"fmt"

	"mm/agent/session"
	"mm/llm"
)

// bigOutput is the size in tokens from which a result is listed by itself.
const bigOutput = 150

// Part is one entry of the context map.
type Part struct {
	Name   string
	Tokens int // as sent

	// Call names a tool result, which can be dropped or pinned; empty for
	// everything else. Frees is what masking it would free, in tokens.
	Call           CallID
	Frees          int
	Masked, Pinned bool
}

// mapContext lists what fills the window: the system prompt, each tool, each
// turn without its big outputs, and those outputs.
func (c *Core) mapContext() ContextMapped {
	m := ContextMapped{Used: c.gauge.used(), Limit: c.gauge.limit}
	est := &c.gauge.est
	m.Parts = append(m.Parts, Part{Name: "system prompt", Tokens: est.Text(c.opts.System)})
	for _, tool := range c.toolSpecs() {
		m.Parts = append(m.Parts, Part{
			Name:   "tool " + tool.Name,
			Tokens: est.Request(llm.Request{Tools: []llm.ToolSpec{tool}}),
		})
	}
	turn, at := 0, -1
	for _, item := range c.opts.Session.Items {
		if item.Turn != turn || at < 0 {
			turn, at = item.Turn, len(m.Parts)
			m.Parts = append(m.Parts, Part{Name: turnName(item)})
		}
		if big, ok := c.bigPart(item); ok {
			m.Parts = append(m.Parts, big)
			continue
		}
		m.Parts[at].Tokens += c.itemTokens(item)
	}
	return m
}

func turnName(item session.Item) string {
	if item.Summary {
		return "summary of earlier turns"
	}
	return fmt.Sprintf("turn %d: %s", item.Turn, title(cmp.Or(item.Shown, item.Text)))
}

// bigPart is the entry of a result that is large, or was before it was masked.
func (c *Core) bigPart(item session.Item) (Part, bool) {
	if item.Role != llm.Tool || c.gauge.est.Text(item.Text) < bigOutput {
		return Part{}, false
	}
	p := Part{
		Name:   "output of " + cmp.Or(item.Title, item.Tool),
		Tokens: c.itemTokens(item),
		Call:   CallID(item.CallID),
		Masked: item.Masked,
		Pinned: item.Pinned,
	}
	if !item.Masked {
		p.Frees = max(0, p.Tokens-c.gauge.est.Text(stub(item)))
	}
	return p, true
}

// itemTokens estimates an item as it is sent.
func (c *Core) itemTokens(item session.Item) int {
	if item.Unsent {
		return 0
	}
	n := c.gauge.est.Text(seen(item))
	for _, call := range item.Calls {
		n += c.gauge.est.Text(call.Name + call.Args)
	}
	return n
}

// setOutput drops a result from the context, or pins it there. It tells the
// map anew.
func (c *Core) setOutput(id CallID, change func(*session.Item)) {
	for i := range c.opts.Session.Items {
		item := &c.opts.Session.Items[i]
		if item.Role != llm.Tool || item.CallID != string(id) {
			continue
		}
		before := c.itemTokens(*item)
		change(item)
		if freed := before - c.itemTokens(*item); freed != 0 {
			c.gauge.freed(freed)
			c.cold = true
			c.emit(c.gauge.event())
		}
		c.save()
	}
	c.emit(c.mapContext())
}
