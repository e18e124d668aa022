package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// rejected is what the model reads when the user said no.
const rejected = "[command rejected by the user]"

// call is one tool call on its way: resolve → plan → policy → ask → run.
type call struct {
	id    CallID
	raw   llm.Call
	tool  tools.Tool
	spec  tools.Spec
	args  json.RawMessage
	notes []string
	plan  tools.Plan

	ran     bool
	changed bool // a file has another content than before
}

// runCalls runs the calls of the last message one after another, in the
// model's order. Each call gets a result in the history. It returns an outcome
// when the turn is over.
func (t *turn) runCalls(ctx context.Context) *outcome {
	items := t.opts.Session.Items
	calls := items[len(items)-1].Calls
	for i, raw := range calls {
		if ctx.Err() != nil {
			return &outcome{stop: StopCancelled}
		}
		c := &call{id: CallID(raw.ID), raw: raw}
		ended := t.runCall(ctx, c)
		if ended.Status != CallInvalid && !isObject(raw.Args) {
			// What ran is what the model reads of it: a history that calls it
			// invalid beside its success would teach the model wrong.
			calls[i].Args = string(c.args)
		}
		level := t.loop.saw(c.key(), callResult{
			output:  ended.Output,
			changed: c.changed,
			refused: !c.ran || ended.Status == CallFailed && c.spec.Kind == tools.KindEdit,
		})
		if level >= loopWarned {
			ended.Output += "\n" + t.loop.warning(c.name())
		}
		t.record(c, t.unlessKnown(c, ended))
		if level == loopStuck {
			text := fmt.Sprintf("stuck: the model repeated %s %d times with the same result; ask in other words, or name the next step", c.name(), t.loop.repeats())
			return &outcome{StopStuck, text}
		}
	}
	if ctx.Err() != nil {
		return &outcome{stop: StopCancelled}
	}
	if t.loop.again() {
		t.note("You made this call before and have its result. Do not make it again. Use the result for what was asked: " + t.quoted())
		t.repaired(repairedRepeat, "a call was made again with the same result: reminded of the request")
	}
	return nil
}

// quotedRequest bounds the request that a note repeats, in characters.
const quotedRequest = 600

// quoted is what the user asked for in this turn, for a note to a model that
// lost it out of sight.
func (t *turn) quoted() string {
	return fmt.Sprintf("%q", clip(strings.TrimSpace(t.asked), quotedRequest))
}

// runCall takes a call as far as it gets and says how it ended. It emits
// everything but the end.
func (t *turn) runCall(ctx context.Context, c *call) CallEnded {
	if end, ok := t.plan(ctx, c); !ok {
		return end
	}
	if end, ok := t.permit(ctx, c); !ok {
		return end
	}
	t.emit(CallRunning{ID: c.id})
	t.runsNow(c.id)
	c.ran = true
	res := t.run(ctx, c)
	if len(c.notes) > 0 {
		res.Text = "[" + strings.Join(c.notes, "; ") + "]\n" + res.Text
	}
	c.changed = t.changed(res.Changes)
	t.planUpdated(c)
	end := CallEnded{
		ID:        c.id,
		Status:    statusOf(ctx, res),
		Output:    res.Text,
		Preview:   res.Preview,
		Truncated: res.Truncated,
		ExitCode:  res.ExitCode,
	}
	if end.Status == CallStopped {
		end.Output = joinLines(res.Text, "[cancelled by the user]")
	}
	if end.Preview == nil && end.Status == CallOK {
		end.Preview = c.plan.Preview
	}
	end.Summary = summary(end)
	return end
}

// statusOf is how a run ended, by its result and by what its context says.
func statusOf(ctx context.Context, res tools.Result) CallStatus {
	switch {
	case ctx.Err() != nil || res.Status == tools.Stopped:
		return CallStopped
	case res.Status == tools.Failed:
		return CallFailed
	}
	return CallOK
}

// plan resolves the call and computes its effect. What cannot be planned is
// answered with a text for the model.
func (t *turn) plan(ctx context.Context, c *call) (CallEnded, bool) {
	var err error
	c.tool, c.args, c.notes, err = t.opts.Tools.Resolve(c.raw.Name, c.raw.Args)
	repairs := c.notes
	c.notes = t.noted(c.id, c.notes) // which the user was told of
	if err != nil {
		t.emit(CallPlanned{ID: c.id, Tool: c.raw.Name, Title: cmp.Or(c.raw.Name, "(no name)"), RawArgs: c.raw.Args})
		return CallEnded{ID: c.id, Status: CallInvalid, Summary: "not a valid call", Output: err.Error()}, false
	}
	c.spec = c.tool.Spec()
	if err := t.planArgs(ctx, c); err != nil {
		// The action of a plan that failed is the reading that its words show.
		switch v := t.opts.Policy.Decide(c.plan.Action); v.Decision {
		case safety.Deny:
			err = errors.New(v.Refusal)
		case safety.Ask:
			err = errors.New("[error: it is not possible as it stands; read the file with read_file, then make the call anew]")
		}
		t.emit(CallPlanned{ID: c.id, Tool: c.spec.Name, Title: c.spec.Name, RawArgs: string(c.args), Repairs: repairs})
		return CallEnded{ID: c.id, Status: CallFailed, Summary: "not possible", Output: err.Error()}, false
	}
	t.emit(CallPlanned{
		ID:        c.id,
		Tool:      c.spec.Name,
		Title:     c.plan.Title,
		RawArgs:   string(c.args),
		Locations: c.plan.Locations,
		Preview:   c.plan.Preview,
		Repairs:   repairs,
	})
	return CallEnded{}, true
}

// planArgs makes the plan; a tool that panics fails like any other.
func (t *turn) planArgs(ctx context.Context, c *call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			t.logf("panic in %s: %v\n%s", c.spec.Name, p, debug.Stack())
			err = fmt.Errorf("[error: %s failed inside: %v; try another way]", c.spec.Name, p)
		}
	}()
	c.plan, err = c.tool.Plan(ctx, c.args)
	return err
}

// permit asks the policy and, where it says so, the user.
func (t *turn) permit(ctx context.Context, c *call) (CallEnded, bool) {
	v := t.opts.Policy.Decide(c.plan.Action)
	c.plan.Permit = v.Permit
	switch v.Decision {
	case safety.Allow:
		return CallEnded{}, true
	case safety.Deny:
		return CallEnded{ID: c.id, Status: CallDenied, Summary: "refused", Output: v.Refusal}, false
	}
	if t.opts.Unattended {
		t.refused = true
		return CallEnded{
			ID: c.id, Status: CallDenied, Summary: "refused",
			Output: v.Refusal,
		}, false
	}
	q := t.question(c.id, c.spec, c.plan, v)
	if c.plan.Action.Op == safety.Write {
		q.NewText, _ = newText(c.args)
	}
	d := t.askUser(ctx, q)
	switch {
	case ctx.Err() != nil:
		return CallEnded{ID: c.id, Status: CallStopped, Summary: "stopped", Output: "[cancelled by the user]"}, false
	case d.Choice == ChoiceReject:
		text := rejected
		if d.Note != "" {
			text += "\nThe user says: " + d.Note
		}
		return CallEnded{ID: c.id, Status: CallDenied, Summary: "rejected", Output: text}, false
	}
	// An answer holds for the mode in force: that may have changed while the
	// question stood.
	if v = t.opts.Policy.Decide(c.plan.Action); v.Decision == safety.Deny {
		return CallEnded{ID: c.id, Status: CallDenied, Summary: "refused", Output: v.Refusal}, false
	}
	c.plan.Permit = v.Permit
	if d.Choice == ChoiceAlways && v.Always != "" && !v.Dangerous {
		t.opts.Policy.Remember(c.plan.Action)
	}
	if d.Command != "" && d.Command != c.plan.Action.Command && c.plan.Action.Op == safety.Execute {
		return t.edited(ctx, c, v, d.Command)
	}
	if d.NewText != "" && q.NewText != "" && d.NewText != q.NewText {
		return t.rewritten(ctx, c, d.NewText)
	}
	return CallEnded{}, true
}

// edited plans the command that the user wrote in place of the model's.
func (t *turn) edited(ctx context.Context, c *call, v safety.Verdict, command string) (CallEnded, bool) {
	command, permit := v.Edited(command)
	args, err := json.Marshal(map[string]string{"command": command})
	if err == nil {
		c.args = args
		err = t.planArgs(ctx, c)
	}
	if err != nil {
		return CallEnded{ID: c.id, Status: CallFailed, Summary: "not possible", Output: err.Error()}, false
	}
	c.plan.Permit = permit
	c.notes = append(c.notes, "the user changed the command to: "+command)
	return CallEnded{}, true
}

// run carries out the plan; a tool that panics fails like any other.
func (t *turn) run(ctx context.Context, c *call) (res tools.Result) {
	defer func() {
		if p := recover(); p != nil {
			t.logf("panic in %s: %v\n%s", c.spec.Name, p, debug.Stack())
			res = tools.Result{Status: tools.Failed, Text: fmt.Sprintf("[error: %s failed inside: %v; try another way]", c.spec.Name, p)}
		}
	}()
	return c.tool.Run(ctx, c.plan, func(text string) {
		t.emit(CallOutput{ID: c.id, Text: text})
	})
}

// unchanged sums up the result of a reading that told nothing new.
const unchanged = "unchanged"

// unlessKnown puts a note in place of what a file holds, when the model has read
// the same before and that is still in the context.
func (t *turn) unlessKnown(c *call, ended CallEnded) CallEnded {
	if c.spec.Name != "read_file" || ended.Status != CallOK || len(ended.Output) < maskLeast {
		return ended
	}
	for _, item := range t.opts.Session.Items {
		if item.Tool == c.spec.Name && item.Title == c.plan.Title && seen(item) == ended.Output {
			ended.Output = fmt.Sprintf("[%s has not changed since you read it: its content stands above, use that]", c.plan.Title)
			ended.Summary = unchanged
			return ended
		}
	}
	return ended
}

// record ends the call for the screen and puts its result into the history.
// The user sees the output before the model does.
func (t *turn) record(c *call, ended CallEnded) {
	t.lastTool = strings.TrimSpace(c.name() + " " + ended.Summary)
	t.failed = ended.Status == CallFailed || ended.Status == CallInvalid
	ended = t.endCall(ended)
	item := session.Item{
		Message:  llm.Message{Role: llm.Tool, CallID: c.raw.ID, Text: ended.Output},
		Tool:     c.name(),
		Title:    cmp.Or(c.plan.Title, c.name()),
		Status:   string(ended.Status),
		Summed:   ended.Summary,
		ExitCode: ended.ExitCode,
		Elapsed:  ended.Elapsed,
	}
	if d, ok := ended.Preview.(DiffPreview); ok {
		item.Diff = d.Files
	}
	t.add(item)
	t.emit(t.gauge.event())
}

// changed remembers written files for undo. It returns false when no content
// is another than before.
func (t *turn) changed(changes []tools.Change) bool {
	changed := false
	for _, ch := range changes {
		if ch.Before != nil && bytes.Equal(ch.Before, ch.After) {
			continue
		}
		changed = true
		t.opts.Session.Record(session.Change{Path: ch.Path, Before: ch.Before, After: ch.After})
	}
	if changed {
		t.emit(t.filesChanged())
	}
	return changed
}

func (t *turn) planUpdated(c *call) {
	if p, ok := c.plan.Preview.(ChecklistPreview); ok {
		t.emit(PlanUpdated{Steps: p.Steps})
	}
}

func (c *call) name() string {
	return cmp.Or(cmp.Or(c.spec.Name, toolName(c.raw.Name)), "a tool without a name")
}

// key is what the loop detector compares: the tool and its arguments, white
// space and order of keys aside.
func (c *call) key() callKey {
	args := c.raw.Args
	if c.args != nil {
		args = string(c.args)
	}
	var v any
	if json.Unmarshal([]byte(args), &v) == nil {
		if b, err := json.Marshal(v); err == nil {
			args = string(b)
		}
	}
	k := callKey{tool: c.name(), args: args}
	if len(c.plan.Locations) > 0 {
		k.path = c.plan.Locations[0].Path
	} else {
		var at struct{ Path string }
		if json.Unmarshal([]byte(args), &at) == nil {
			k.path = at.Path
		}
	}
	return k
}

// summary is a few words on how a call ended.
func summary(e CallEnded) string {
	if e.ExitCode != nil {
		return fmt.Sprintf("exit %d", *e.ExitCode)
	}
	if d, ok := e.Preview.(DiffPreview); ok {
		added, removed := 0, 0
		for _, f := range d.Files {
			added, removed = added+f.Added, removed+f.Removed
		}
		return fmt.Sprintf("+%d −%d", added, removed)
	}
	switch e.Status {
	case CallFailed:
		return "failed"
	case CallStopped:
		return "stopped"
	}
	return ""
}

func joinLines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n" + b
}
