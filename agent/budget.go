package agent

import (
	"mm/agent/session"
	"mm/llm"
)

// replyReserve is the least number of tokens left for an answer, however full
// the window is.
const replyReserve = 256

// gauge knows how full the context window is: the server's count of the last
// request, what was added since, and the window.
type gauge struct {
	limit int // tokens; 0 when unknown
	est   llm.Estimator

	base  int  // tokens of the last request and its answer
	exact bool // base is the server's count and nothing was added since
	added int  // estimated tokens added since
	sent  int  // estimated tokens of the request under way
}

// sending notes the estimated size of a request.
func (g *gauge) sending(req llm.Request) { g.sent = g.est.Request(req) }

// counted takes the server's count, which wins over every estimate where it can
// be of the whole request.
func (g *gauge) counted(u llm.Usage) {
	g.exact = u.Prompt > 0 && !g.inPart(u.Prompt)
	prompt := g.sent
	if g.exact {
		g.est.Learn(g.sent, u.Prompt)
		prompt = u.Prompt
	}
	g.base, g.added = prompt+u.Completion, 0
}

// inPart reports whether a count of the last request is none of all of it. Some
// servers count only what they read anew: such a count is nearer to what was
// added since the last one than to the whole.
func (g *gauge) inPart(count int) bool {
	const least = 0.8 // of the estimate, below which a count is doubted
	anew := 0
	if g.base > 0 {
		anew = max(0, g.added)
	}
	return float64(count) < min(least*float64(g.sent), float64(g.sent+anew)/2)
}

// add notes what was put into the history since the last count.
func (g *gauge) add(item session.Item) {
	if item.Role == llm.Assistant {
		return // the server has counted it
	}
	g.added += g.est.Text(item.Text)
	g.exact = false
}

// grew notes that an answer takes more in the history than the server has
// counted, or less.
func (g *gauge) grew(tokens int) {
	g.added = max(-g.base, g.added+tokens)
	g.exact = false
}

// freed notes that tokens were taken out of the history.
func (g *gauge) freed(tokens int) {
	g.added = max(-g.base, g.added-tokens)
	g.exact = false
}

// forget starts from nothing: the history was emptied.
func (g *gauge) forget() { g.base, g.added, g.sent, g.exact = 0, 0, 0, false }

func (g *gauge) used() int { return g.base + g.added }

// expected is the size of the request about to be sent: counted by the server
// as far as it goes, estimated before the first count.
func (g *gauge) expected() int {
	if g.base > 0 {
		return g.used()
	}
	return g.sent
}

// room caps max_tokens to what is left in the window.
func (g *gauge) room(maxTokens int) int {
	if g.limit == 0 || maxTokens == 0 {
		return maxTokens
	}
	return min(maxTokens, max(replyReserve, g.limit-g.expected()))
}

func (g *gauge) event() ContextUsage {
	return ContextUsage{Used: g.used(), Limit: g.limit, Exact: g.exact}
}
