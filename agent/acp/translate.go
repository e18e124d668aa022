package acp

import (
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/safety/clean"
)

// Limits of what is shown of a tool while it runs.
const (
	outputAfter = time.Second // a tool that ends sooner shows its result alone
	outputTail  = 4 << 10     // bytes
)

// translator turns the events of one core into updates. It does nothing else:
// the same events, times and files give the same updates.
type translator struct {
	cwd  string
	ids  *callIDs
	read func(path string) (string, error) // a file, for whole texts of a diff
	held func(path string) (string, bool)  // a file as the client told it last

	replaying bool // until the core is idle for the first time
	tally     tally
	calls     map[agent.CallID]*call
	measured  bool // a model call has ended, and its usage was not told
}

// call is a tool call under way.
type call struct {
	shown toolCall // as it was announced; without an id before that
	tool  string
	plan  agent.Preview

	running time.Time // zero before it runs
	output  string    // the end of its output
	fresh   bool      // output holds what was not sent
	sent    time.Time // when output was sent last
}

// tally counts what a turn did.
type tally struct{ commands, fileOps, skills int }

func (t tally) String() string {
	return fmt.Sprintf("%d command(s) · %d file op(s) · %d skill(s)", t.commands, t.fileOps, t.skills)
}

func (t *tally) count(tool string) {
	switch tool {
	case "bash":
		t.commands++
	case "read_file", "write_file", "edit_file":
		t.fileOps++
	case "read_skill":
		t.skills++
	}
}

// newTranslator makes a translator for a core that has not begun.
func newTranslator(cwd string, ids *callIDs) *translator {
	return &translator{cwd: cwd, ids: ids, read: readWhole, held: (*ClientFiles)(nil).last, replaying: true, calls: map[agent.CallID]*call{}}
}

// translate returns the updates that tell of an event. now is used to hold
// back the output of short tools.
func (t *translator) translate(e agent.Event, now time.Time) []update {
	switch e := e.(type) {
	case agent.TurnStarted:
		t.tally = tally{}
	case agent.UserMessage:
		if t.replaying { // the client shows what its user typed by itself
			return []update{sdk.UpdateUserMessageText(e.Text)}
		}
	case agent.Compacted:
		if t.replaying {
			return []update{sdk.UpdateAgentMessageText("🗜️ " + e.Summary)}
		}
	case agent.TextDelta:
		if e.Text != "" {
			return []update{sdk.UpdateAgentMessageText(e.Text)}
		}
	case agent.ReasoningDelta:
		if e.Text != "" {
			return []update{sdk.UpdateAgentThoughtText(e.Text)}
		}
	case agent.CallStarted:
		t.calls[e.ID] = &call{tool: e.Tool, shown: toolCall{Kind: kindOf(e.Tool, e.ToolKind)}}
	case agent.CallPlanned:
		return t.planned(e)
	case agent.CallRunning:
		return t.running(e.ID, now)
	case agent.CallOutput:
		if c := t.calls[e.ID]; c != nil {
			c.take(e.Text)
		}
	case agent.CallEnded:
		return t.callEnded(e)
	case agent.PlanUpdated:
		return []update{planOf(e.Steps)}
	case agent.StepEnded:
		t.measured = true
	case agent.ContextUsage:
		return t.usage(e)
	case agent.TurnEnded:
		return t.turnEnded(e)
	}
	return nil
}

// planned announces a call: only here is it known what it will do.
func (t *translator) planned(e agent.CallPlanned) []update {
	c := t.calls[e.ID]
	if c == nil {
		return nil
	}
	c.plan = e.Preview
	if e.Tool != "" {
		c.tool = e.Tool
		if k, ok := toolKinds[e.Tool]; ok {
			c.shown.Kind = k
		}
	}
	c.shown.Title = titleOf(c.tool, e.Title, e.RawArgs)
	c.shown.RawInput = rawInput(e.RawArgs)
	for _, l := range e.Locations {
		if l.Path != "" {
			c.shown.Locations = append(c.shown.Locations, location{Path: l.Path, Line: l.Line})
		}
	}
	if t.replaying {
		c.shown.ID = t.ids.replayed(e.ID)
		return nil // its end tells everything at once
	}
	c.shown.ID = t.ids.next()
	c.shown.Content = t.planContent(c)
	announced := c.shown
	announced.Update, announced.Status = kindToolCall, sdk.ToolCallStatusPending
	return []update{announced}
}

// planContent is what is shown of a call before it runs: the diff of an edit,
// and the text of a command where the title does not hold it as it is.
func (t *translator) planContent(c *call) []content {
	switch p := c.plan.(type) {
	case agent.DiffPreview:
		return t.diffs(p, c.shown.Locations, planned)
	case agent.CommandPreview:
		if c.shown.Title != c.tool+": "+p.Command {
			return textOf(clean.Visible(p.Command).String())
		}
	}
	return nil
}

func (t *translator) running(id agent.CallID, now time.Time) []update {
	c := t.calls[id]
	if c == nil || c.shown.ID == "" {
		return nil
	}
	c.running, c.sent = now, now
	t.tally.count(c.tool)
	return []update{toolCall{Update: kindToolCallUpdate, ID: c.shown.ID, Status: sdk.ToolCallStatusInProgress}}
}

// take keeps the end of a running tool's output.
func (c *call) take(text string) {
	c.output += text
	if over := len(c.output) - outputTail; over > 0 {
		c.output = c.output[over:]
	}
	c.fresh = true
}

// hasOutput tells whether output of a running tool waits to be sent.
func (t *translator) hasOutput() bool {
	for _, c := range t.calls {
		if c.fresh && !c.running.IsZero() {
			return true
		}
	}
	return false
}

// outputs returns the new output of tools that have been running for a while.
// Calls run one after another, so that there is at most one.
func (t *translator) outputs(now time.Time) []update {
	for _, c := range t.calls {
		if c.fresh && !c.running.IsZero() && now.Sub(c.sent) >= outputAfter {
			c.fresh, c.sent = false, now
			return []update{toolCall{
				Update:  kindToolCallUpdate,
				ID:      c.shown.ID,
				Content: textOf(clean.Block(c.output).String()),
			}}
		}
	}
	return nil
}

// callEnded ends a call. One that was dropped while the model wrote it was
// never announced.
func (t *translator) callEnded(e agent.CallEnded) []update {
	c := t.calls[e.ID]
	delete(t.calls, e.ID)
	if c == nil || c.shown.ID == "" {
		return nil
	}
	if t.replaying {
		return []update{replayedCall(c.shown, e)}
	}
	end := toolCall{
		Update:    kindToolCallUpdate,
		ID:        c.shown.ID,
		Status:    sdk.ToolCallStatusFailed,
		Content:   textOf(e.Output),
		RawOutput: &rawOutput{Output: e.Output},
	}
	if e.Status == agent.CallOK {
		end.Status = sdk.ToolCallStatusCompleted
		if d, ok := e.Preview.(agent.DiffPreview); ok {
			end.Content = t.doneDiffs(c, d, e.Output)
		}
	}
	return []update{end}
}

// doneDiffs is the content of a completed edit: the diff that was announced,
// unless the tool did something else.
func (t *translator) doneDiffs(c *call, done agent.DiffPreview, output string) []content {
	diffs := c.shown.Content
	if !reflect.DeepEqual(c.plan, agent.Preview(done)) {
		diffs = t.diffs(done, c.shown.Locations, carriedOut)
	}
	if len(diffs) == 0 {
		return textOf(output)
	}
	return diffs
}

// replayedCall is a stored call in one piece. A result, whatever it says,
// completes it.
func replayedCall(shown toolCall, e agent.CallEnded) update {
	shown.Update, shown.Status = kindToolCall, sdk.ToolCallStatusCompleted
	if e.Status == agent.CallStopped && e.Output == "" {
		shown.Status = sdk.ToolCallStatusFailed
		return shown
	}
	shown.Content = textOf(e.Output)
	shown.RawOutput = &rawOutput{Output: e.Output}
	return shown
}

// usage tells the fill of the window after a call of the model.
func (t *translator) usage(e agent.ContextUsage) []update {
	if !t.measured || e.Limit == 0 {
		return nil
	}
	t.measured = false
	return []update{sdk.SessionUpdate{UsageUpdate: &sdk.SessionUsageUpdate{Used: e.Used, Size: e.Limit}}}
}

// turnEnded says in the answer why a turn ended without one, where the
// protocol does not.
func (t *translator) turnEnded(e agent.TurnEnded) []update {
	t.calls, t.measured = map[agent.CallID]*call{}, false
	if t.replaying || e.Text == "" {
		return nil
	}
	switch e.Stop {
	case agent.StopMaxTurns, agent.StopMaxTokens, agent.StopStuck, agent.StopRefused:
		return []update{sdk.UpdateAgentMessageText("\n\n" + e.Text)}
	}
	return nil
}

// asked is the call of a permission request. It holds all that was announced,
// since some clients show only this.
func (t *translator) asked(q agent.ApprovalAsked) toolCall {
	c := t.calls[q.Call]
	if c == nil {
		return toolCall{Title: clean.Visible(q.Title).String()}
	}
	asked := c.shown
	asked.Status = sdk.ToolCallStatusPending
	if why := reasons(q); why != "" {
		asked.Content = append(asked.Content[:len(asked.Content):len(asked.Content)], textOf(why)...)
	}
	return asked
}

// absolute completes a path as it is shown to the user.
func (t *translator) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.cwd, path)
}
