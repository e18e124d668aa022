package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"mm/llm"
)

// calls joins fragments into tool calls. Local servers leave out indices and
// ids, repeat them, or send a call twice; see add for how each is read.
type calls struct {
	declared []llm.ToolSpec
	list     []*call // in the order of their first fragments
	shown    []*call // those of which a delta told, in the order of the deltas
	current  *call   // the call that a fragment without a place continues
}

type call struct {
	n        int // place in shown, or notShown
	index    int // the server's index, or noIndex
	id, name string
	args     strings.Builder
	guard    llm.ArgsGuard
	runes    runeJoiner
}

const (
	noIndex  = -1 // the server gave no index
	notShown = -1 // only an id has come so far
)

// add takes a fragment and returns what is new, or ok false when nothing is.
// A fragment with a name opens a call, unless it repeats the head of the call
// at its index; so does a new id at an index in use. A fragment without name
// continues the call at its index, else the current one. An empty string
// counts as absent, and a whole call that comes again with the same id is
// dropped.
func (c *calls) add(f wireCall) (d llm.CallDelta, ok bool) {
	name, args := string(f.Function.Name), string(f.Function.Arguments)
	if f.ID == "" && name == "" && args == "" {
		return d, false
	}
	at := c.find(f)
	if c.repeats(string(f.ID), name, args) {
		return d, false
	}
	if at == nil || c.opens(at, string(f.ID), name) {
		at = c.open(f)
	}
	c.current = at
	args = at.runes.add(args)
	at.args.WriteString(args)
	if at.name == "" && name != "" {
		at.name = c.clean(name)
		d.Name = at.name
	}
	if d.Name == "" && args == "" {
		return d, false
	}
	if at.n == notShown {
		at.n = len(c.shown)
		c.shown = append(c.shown, at)
	}
	d.Call, d.Args = at.n, args
	return d, true
}

// find returns the call that a fragment's index or id names, else the current
// one for a fragment without name.
func (c *calls) find(f wireCall) *call {
	for i := len(c.list) - 1; i >= 0; i-- {
		at := c.list[i]
		if f.Index != nil && at.index == *f.Index || f.Index == nil && f.ID != "" && at.id == string(f.ID) {
			return at
		}
	}
	if f.Function.Name == "" && f.ID == "" {
		return c.current
	}
	return nil
}

// opens reports whether a fragment for the place of at is another call.
func (c *calls) opens(at *call, id, name string) bool {
	if id != "" && at.id != "" && id != at.id {
		return true
	}
	if name == "" {
		return false
	}
	sameHead := c.clean(name) == at.name || at.name == ""
	return !sameHead || id == "" && isObject(at.args.String())
}

// isObject is cheap for an object that is not closed yet.
func isObject(args string) bool {
	args = strings.TrimSpace(args)
	return strings.HasSuffix(args, "}") && json.Valid([]byte(args))
}

func (c *calls) open(f wireCall) *call {
	at := &call{n: notShown, index: noIndex, id: string(f.ID)}
	if f.Index != nil {
		at.index = *f.Index
	}
	c.list = append(c.list, at)
	return at
}

// repeats reports whether a fragment is a whole call that was there before.
func (c *calls) repeats(id, name, args string) bool {
	if id == "" || name == "" || !json.Valid([]byte(args)) {
		return false
	}
	for _, at := range c.list {
		if at.id == id && at.name == c.clean(name) && at.args.String() == args {
			return true
		}
	}
	return false
}

func (c *calls) clean(name string) string { return llm.CleanName(name, c.declared) }

// maxCalls bounds the calls of one answer.
const maxCalls = 64

// tooMany says that there are more calls than an answer may have.
func (c *calls) tooMany() bool { return len(c.list) > maxCalls }

// runaway says what is wrong with the call that a delta belongs to, or returns
// an empty string.
func (c *calls) runaway(d llm.CallDelta) string {
	at := c.shown[d.Call]
	if why := at.guard.Add(d.Args); why != "" {
		return at.name + ": " + why
	}
	return ""
}

// finish returns the calls with an id each. Arguments that are absent mean an
// empty object, unless the answer was cut.
func (c *calls) finish(complete bool) []llm.Call {
	var out []llm.Call
	used := map[string]bool{}
	for _, at := range c.shown {
		args := at.args.String() + at.runes.end()
		if at.name == "" && strings.TrimSpace(args) == "" {
			continue
		}
		if t := strings.TrimSpace(args); complete && (t == "" || t == "null") {
			args = "{}"
		}
		id := at.id
		for n := at.n + 1; id == "" || used[id]; n++ {
			id = fmt.Sprintf("call%05d", n)
		}
		used[id] = true
		out = append(out, llm.Call{ID: id, Name: at.name, Args: args})
	}
	return out
}
