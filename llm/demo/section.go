package demo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"mm/llm/llmtest"
)

// How the reading of a prompt is paced and reported.
const (
	charsPerToken = 3.5 // as package llm estimates
	batch         = 256 // tokens read between two reports of progress
	maxReports    = 6   // reports of progress at most
	readSpeed     = 10  // tokens read in the time that one piece takes
	maxReading    = 60  // pieces' time that reading takes at most
)

// reply is one answer of the stand-in.
type reply struct {
	think, say string
	tool, args string // a call, unless tool is empty
}

// guide answers chat requests.
type guide struct {
	pace time.Duration

	mu     sync.Mutex
	cached string // the prompt and the answer that a real server's cache would hold
}

// section answers a request by a section in llmtest's format.
func (g *guide) section(r *llmtest.Request) string {
	if len(r.Messages) == 0 {
		return failure(400, "invalid_request_error", "'messages' is required", "")
	}
	c := &chat{r}
	prompt := c.prompt()
	if total := tokens(len(prompt)); total >= Window {
		return failure(400, "exceed_context_size_error",
			fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", total, Window),
			fmt.Sprintf(`,"n_prompt_tokens":%d,"n_ctx":%d`, total, Window))
	}
	if c.MaxTokens != nil && *c.MaxTokens == 0 {
		// The caller warms the cache.
		return g.write(prompt, reply{}, "length")
	}
	said := answer(c)
	if said.tool != "" {
		return g.write(prompt, said, "tool_calls")
	}
	return g.write(prompt, said, "stop")
}

// write turns a reply into a section with its progress and its figures.
func (g *guide) write(prompt string, r reply, finish string) string {
	g.mu.Lock()
	same := commonPrefix(g.cached, prompt)
	g.cached = prompt + rendered("assistant", r.say)
	if r.tool != "" {
		g.cached = prompt + rendered("assistant", r.say, r.tool, r.args)
	}
	g.mu.Unlock()
	total := tokens(len(prompt))
	hit := min(tokens(same), total-1) // the last token is always read anew

	var b strings.Builder
	g.progress(&b, hit, total)
	fmt.Fprintf(&b, "slow %s\n", g.pace)
	if r.think != "" {
		fmt.Fprintf(&b, "think %s\n", strconv.Quote(r.think))
	}
	if r.say != "" {
		fmt.Fprintf(&b, "say %s\n", strconv.Quote(r.say))
	}
	if r.tool != "" {
		fmt.Fprintf(&b, "call %s %s\n", r.tool, r.args)
	}
	fmt.Fprintf(&b, "usage %d %d %d\n", total, tokens(len(r.think)+len(r.say)+len(r.tool)+len(r.args)), hit)
	fmt.Fprintf(&b, "finish %s\n", finish)
	return b.String()
}

// progress reports the reading of the prompt, from what was cached to its end.
func (g *guide) progress(b *strings.Builder, hit, total int) {
	fresh := total - hit
	reports := min(1+fresh/batch, maxReports)
	pause := g.pace * time.Duration(min(fresh/readSpeed, maxReading)) / time.Duration(reports)
	fmt.Fprintf(b, "progress %d/%d cached %d\n", hit, total, hit)
	for i := range reports {
		fmt.Fprintf(b, "wait %s\nprogress %d/%d cached %d\n", pause, hit+fresh*(i+1)/reports, total, hit)
	}
}

// failure is a section that answers with an error as llama-server words it.
func failure(status int, kind, message, extra string) string {
	return fmt.Sprintf("status %d {\"error\":{\"code\":%d,\"message\":%s,\"type\":%q%s}}\n",
		status, status, quoteJSON(message), kind, extra)
}

// tokens estimates the tokens of a text of n bytes, rounded up.
func tokens(n int) int { return int(math.Ceil(float64(n) / charsPerToken)) }

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
