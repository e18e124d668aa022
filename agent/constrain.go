package agent

import (
	"context"
	"fmt"

	"mm/llm"
	"mm/tools"
)

// badCall is a call of a declared tool with arguments that do not fit it.
type badCall struct {
	at    int // in the message
	spec  tools.Spec
	fault string // for the model
}

// badArgs finds the first such call. A call of no tool is another fault, and
// is answered like any call.
func (c *Core) badArgs(m llm.Message) (badCall, bool) {
	for i, call := range m.Calls {
		tool, _, _, err := c.opts.Tools.Resolve(call.Name, call.Args)
		if err != nil && tool != nil {
			return badCall{at: i, spec: tool.Spec(), fault: err.Error()}, true
		}
	}
	return badCall{}, false
}

// mendArgs counts the answers in a row whose arguments fit no tool. Such a call
// is handed back: the fault is its result. The second time the server is made
// to produce valid arguments, where it can. After two hand-backs the turn ends.
func (g *generation) mendArgs(ctx context.Context, a *answer) *outcome {
	bad, found := g.badArgs(a.Message)
	if !found {
		g.mending.badArgs = 0
		return nil
	}
	g.mending.badArgs++
	if g.mending.badArgs == maxHandBacks && g.constrain(ctx, a, bad) {
		g.mending.badArgs = 0
		g.repaired(repairedArgs, "repaired: the arguments of %s were not valid again, so the server was made to write valid ones", bad.spec.Name)
		return nil
	}
	if g.mending.badArgs <= maxHandBacks {
		g.repaired(repairedArgs, "repaired: the arguments of %s were not valid, handed back to the model (%d/%d)", bad.spec.Name, g.mending.badArgs, maxHandBacks)
		return nil
	}
	for _, id := range a.ids {
		g.endCall(CallEnded{ID: id, Status: CallInvalid, Summary: "not a valid call"})
	}
	g.keepPartial(a.Response)
	text := fmt.Sprintf("stuck: the model could not write valid arguments for %s in %d tries; ask for a smaller step, or choose another model", bad.spec.Name, g.mending.badArgs)
	return &outcome{StopStuck, text}
}

// constrains lists the servers whose grammar can hold an answer to a schema.
// keepsTools says that the tools stay in the request, so that the cached prefix
// holds: elsewhere they would be called.
var constrains = map[string]struct{ keepsTools bool }{
	"llamacpp": {keepsTools: true},
	"vllm":     {keepsTools: true},
	"ollama":   {},
}

// constrain has the server produce the arguments of a failed call: the same
// prompt, the tool's schema, no reasoning. What comes is checked like any call:
// a grammar can fail open. The failed attempt does not enter the history.
func (g *generation) constrain(ctx context.Context, a *answer, bad badCall) bool {
	way, can := constrains[g.model.Provider]
	if !can || g.opts.Repairs.NoConstrain {
		return false
	}
	req := llm.Request{
		Messages: g.withTail(fmt.Sprintf("Write the arguments of your call of %s as one JSON object: %s", bad.spec.Name, signature(bad.spec.Schema))),
		Sampling: g.opts.Sampling, Schema: bad.spec.Schema, NoThinking: true,
	}
	if way.keepsTools {
		req.Tools, req.ToolChoice = g.toolSpecs(), "none"
	}
	resp, err := g.aside(ctx, req, "writing the arguments of "+bad.spec.Name+" again")
	if err != nil {
		g.logf("constrained arguments: %v", err)
		return false
	}
	call := &a.Message.Calls[bad.at]
	if _, _, _, err := g.opts.Tools.Resolve(bad.spec.Name, resp.Message.Text); err != nil || !resp.Complete {
		g.logf("constrained arguments: %v: %q", err, resp.Message.Text)
		return false
	}
	call.Name, call.Args = bad.spec.Name, resp.Message.Text
	_, more := g.badArgs(a.Message)
	return !more
}
