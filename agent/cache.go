package agent

import (
	"fmt"
	"slices"
	"strings"

	"mm/llm"
)

// stubIntro begins what stands in place of an old output.
const stubIntro = "[output of "

// Below these figures, in tokens, a cache that did not hold is not worth a
// word, and an estimate is too uncertain to accuse anybody.
const (
	cacheLeast = 512
	cacheSlack = 0.15 // of the tokens that should have been cached
)

// CacheBroken says that the server read tokens again that it had read before.
// Own is true when the program itself has changed what was sent: masking, a
// compaction, /new.
type CacheBroken struct {
	Step  int
	Again int // tokens read again, about
	Cause string
	Own   bool
}

// Kind implements Event.
func (CacheBroken) Kind() string { return "cache_broken" }

// cacheRecord is the last request whose prompt the server has read.
type cacheRecord struct {
	req    llm.Request
	tokens int  // of its prompt, as the server counted them
	tells  bool // the server tells how much it found in its cache
}

// sharing is how much of a request the one before it has brought to the server.
type sharing struct {
	share float64 // of the request, by its length
	cause string  // what ends it before the end of the earlier request, or ""
}

// compare finds the longest common prefix of a request with the one before it.
// Tools come first, as in most templates.
func (c *cacheRecord) compare(req llm.Request) sharing {
	whole := size(req)
	if c.tokens == 0 || whole == 0 {
		return sharing{}
	}
	common := 0
	for i, tool := range c.req.Tools {
		if i >= len(req.Tools) || !sameTool(tool, req.Tools[i]) {
			return sharing{share: float64(common) / float64(whole), cause: "the tools changed (" + tool.Name + ")"}
		}
		common += sizeOfTool(tool)
	}
	if len(req.Tools) > len(c.req.Tools) {
		return sharing{share: float64(common) / float64(whole), cause: "the tools changed (" + req.Tools[len(c.req.Tools)].Name + ")"}
	}
	for i, before := range c.req.Messages {
		if i >= len(req.Messages) {
			break // what was left out at the end costs nothing
		}
		now := req.Messages[i]
		if before.Role == now.Role && before.Text == now.Text && slices.Equal(before.Calls, now.Calls) {
			common += sizeOfMessage(now)
			continue
		}
		text := commonPrefix(before.Text, now.Text)
		share := sharing{share: float64(common+text) / float64(whole)}
		if last := i == len(c.req.Messages)-1; !last || text < len(before.Text) {
			share.cause = rewritten(i, before, now)
		}
		return share
	}
	return sharing{share: float64(common) / float64(whole)}
}

// rewritten says what became of a message.
func rewritten(i int, before, now llm.Message) string {
	switch {
	case before.Role == llm.System || now.Role == llm.System:
		return "the system prompt changed"
	case strings.Contains(now.Text, summaryIntro) && !strings.Contains(before.Text, summaryIntro):
		return "old turns became a summary"
	case now.Role == llm.Tool && strings.HasPrefix(now.Text, stubIntro):
		return "old outputs were left out"
	case i <= 1:
		return "another conversation was begun"
	}
	return fmt.Sprintf("message %d changed", i+1)
}

// judge compares what the server found in its cache with what it should have
// found, and remembers the request. It returns the tokens that should have been
// there, and what is to be said, or nil.
func (c *cacheRecord) judge(req llm.Request, u llm.Usage) (expected int, said *CacheBroken) {
	if u.Prompt == 0 {
		return 0, nil
	}
	c.tells = c.tells || u.Cached > 0
	s := c.compare(req)
	before := c.tokens
	c.req, c.tokens = req, u.Prompt
	if !c.tells {
		return 0, nil
	}
	expected = int(s.share * float64(u.Prompt))
	lost := expected - u.Cached
	switch {
	case lost >= cacheLeast && float64(lost) > cacheSlack*float64(expected):
		return expected, &CacheBroken{Again: lost, Cause: "the server had lost it: another client used its slot, or it was restarted"}
	case s.cause != "" && min(before, u.Prompt)-u.Cached >= cacheLeast:
		return expected, &CacheBroken{Again: min(before, u.Prompt) - u.Cached, Cause: s.cause, Own: true}
	}
	return expected, nil
}

// size is the length of a request in characters, as the estimate counts it.
func size(req llm.Request) int {
	n := 0
	for _, t := range req.Tools {
		n += sizeOfTool(t)
	}
	for _, m := range req.Messages {
		n += sizeOfMessage(m)
	}
	return n
}

func sizeOfTool(t llm.ToolSpec) int { return len(t.Name) + len(t.Description) + len(t.Schema) }

func sizeOfMessage(m llm.Message) int {
	n := len(m.Text)
	for _, call := range m.Calls {
		n += len(call.Name) + len(call.Args)
	}
	return n
}

func sameTool(a, b llm.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Schema) == string(b.Schema)
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
