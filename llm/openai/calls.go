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
	list     []*call
	current  *call // the call that a fragment without a place continues
}

type call struct {
	n        int // place in the list
	index    int // the server's index, or -1
	id, name string
	args     strings.Builder
	guard    llm.ArgsGuard
	runes    runeJoiner
}

// noIndex marks a call that came without one.
const noIndex = -1

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
	opened := at == nil || c.opens(at, string(f.ID), name)
	if opened {
		if name == "" && args == "" {
			return d, false // only an id: the name is still to come
		}
		at = c.open(f, c.clean(name))
	}
	c.current = at
	args = at.runes.add(args)
	at.args.WriteString(args)
	d = llm.CallDelta{Call: at.n, Args: args}
	if at.name == "" {
		at.name = c.clean(name) // the name came late
		opened = name != ""
	}
	if opened {
		d.Name = at.name
	}
	return d, opened || args != ""
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

func (c *calls) open(f wireCall, name string) *call {
	at := &call{n: len(c.list), index: noIndex, id: string(f.ID), name: name}
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

// runaway says what is wrong with the call that a delta belongs to, or returns
// an empty string.
func (c *calls) runaway(d llm.CallDelta) string {
	if len(c.list) > maxCalls {
		return fmt.Sprintf("more than %d tool calls in one answer", maxCalls)
	}
	at := c.list[d.Call]
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
	for _, at := range c.list {
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
