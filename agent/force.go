package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// maxForced bounds the calls of a turn that the server was made to write. A
// model that needs more does not work on the request.
const maxForced = 6

// maxForcedTokens bounds such a call: a text in it that does not end shows
// nothing while it is written.
const maxForcedTokens = 2048

// noTool is what a model writes that is made to write a call and needs none.
const noTool = "none"

// force has the server produce the call that an answer lacks, where its grammar
// can: the same prompt, a schema of all calls, no reasoning. Weak models that
// describe a call, or invent its result, write the right one when nothing else
// is possible. One of the possibilities is that no call is needed.
func (t *turn) force(ctx context.Context, l *lack) forced {
	way, can := constrains[t.model.Provider]
	if !can || t.opts.Repairs.NoConstrain || t.mending.forced >= maxForced {
		return noCall
	}
	specs := t.declared()
	if last := t.lastResult(); t.loop.warned() || t.loop.again() || last.Summed == unchanged {
		// The call that goes round in circles is no choice.
		specs = slices.DeleteFunc(specs, func(s llm.ToolSpec) bool { return s.Name == last.Tool })
	}
	tail := fmt.Sprintf("What is lacking: %s. Write the call that the request needs next as one JSON object: {\"tool\": NAME, \"arguments\": {...}}, or {\"tool\": %q} when it is done or needs none. The request: %s",
		l.what, noTool, t.quoted())
	req := llm.Request{Sampling: t.opts.Sampling, Schema: callSchema(specs), NoThinking: true}
	if way.keepsTools {
		req.Tools, req.ToolChoice = t.toolSpecs(), "none"
	} else if !t.shape().TextTools {
		tail += "\nThe tools:" + signatures(specs)
	}
	items := t.opts.Session.Items
	if last := len(items) - 1; l.madeUp && items[last].Role == llm.Assistant {
		// A model that reads that it is done says that no call is needed.
		items = items[:last]
	}
	req.Messages = t.tailed(items, tail)
	t.calm(&req.Sampling)
	if most := req.Sampling.MaxTokens; most == 0 || most > maxForcedTokens {
		req.Sampling.MaxTokens = maxForcedTokens
	}
	t.mending.forced++
	resp, err := t.aside(ctx, req, "writing the call")
	if err != nil || !resp.Complete {
		t.logf("forced call: %v", err)
		return noCall
	}
	call, err := forcedCall(resp.Message)
	if err == nil && call.Name == noTool {
		return declined
	}
	if err == nil {
		_, _, _, err = t.opts.Tools.Resolve(call.Name, call.Args)
	}
	if err != nil {
		t.logf("forced call: %v: %q", err, resp.Message.Text)
		return noCall
	}
	if l.madeUp {
		t.leaveOut(len(t.opts.Session.Items))
	}
	t.repaired(l.kind, "%s: the server was made to write the call", l.what)
	call.ID = string(t.announce(call.Name).id)
	t.add(session.Item{Message: llm.Message{Role: llm.Assistant, Calls: []llm.Call{call}}, Usage: resp.Usage})
	t.gauge.grew(t.gauge.est.Text(call.Name + call.Args)) // which the server has not counted there
	return written
}

// lastResult is the last result of a tool in this turn.
func (t *turn) lastResult() session.Item {
	for _, item := range slices.Backward(t.opts.Session.Items) {
		if item.Role == llm.Tool && item.Turn == t.number {
			return item
		}
	}
	return session.Item{}
}

// forced is what came of a call that the server was to write.
type forced int

const (
	noCall   forced = iota // the server cannot, or it went wrong
	declined               // the model says that no call is needed
	written                // the history ends in a call
)

// forcedCall reads the call. A grammar can fail open, to a model that makes its
// call in the usual way.
func forcedCall(m llm.Message) (llm.Call, error) {
	if len(m.Calls) > 0 {
		return m.Calls[0], nil
	}
	var call struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	err := json.Unmarshal([]byte(m.Text), &call)
	return llm.Call{Name: call.Tool, Args: string(call.Arguments)}, err
}

// callSchema is the JSON schema of a call of one of the tools, or of none. The
// tool comes first: a grammar has the fields written in the order of the schema.
func callSchema(specs []llm.ToolSpec) json.RawMessage {
	type name struct {
		Enum []string `json:"enum"`
	}
	type fields struct {
		Tool      name            `json:"tool"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
	}
	type object struct {
		Type       string   `json:"type"`
		Properties fields   `json:"properties"`
		Required   []string `json:"required"`
		More       bool     `json:"additionalProperties"`
	}
	var schema struct {
		AnyOf []object `json:"anyOf"`
	}
	for _, spec := range specs {
		schema.AnyOf = append(schema.AnyOf, object{"object", fields{name{[]string{spec.Name}}, spec.Schema}, []string{"tool", "arguments"}, false})
	}
	schema.AnyOf = append(schema.AnyOf, object{"object", fields{Tool: name{[]string{noTool}}}, []string{"tool"}, false})
	data, err := json.Marshal(schema)
	if err != nil {
		return nil // a tool whose schema is no JSON: the answer is checked all the same
	}
	return data
}

// signatures lists tools with their fields.
func signatures(specs []llm.ToolSpec) string {
	var b strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&b, "\n%s %s", spec.Name, signature(spec.Schema))
	}
	return b.String()
}
