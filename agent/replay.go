package agent

import (
	"cmp"
	"strings"

	"mm/llm"
)

// replay tells a stored conversation by the events that told it when it was
// live, so that a front end draws old and new turns alike.
func (c *Core) replay() {
	s := c.opts.Session
	results := map[string]int{} // call id → index of its result
	for i, item := range s.Items {
		if item.Role == llm.Tool {
			results[item.CallID] = i
		}
	}
	turn := 0
	for _, item := range s.Items {
		if item.Turn != turn {
			c.endReplayed(turn)
			turn = item.Turn
			c.emit(TurnStarted{Turn: turn})
		}
		switch {
		case item.Summary:
			c.emit(Compacted{Changed: true, Line: "earlier turns were compressed into a summary", Summary: strings.TrimPrefix(item.Text, summaryIntro)})
		case item.Note, item.Role == llm.System:
		case item.Role == llm.User:
			c.emit(UserMessage{ID: c.ids.item(), Text: cmp.Or(item.Shown, item.Text)})
		case item.Role == llm.Assistant:
			if item.Text != "" {
				id := c.ids.item()
				c.emit(TextDelta{ID: id, Text: item.Text})
				c.emit(TextEnded{ID: id, Text: item.Text})
			}
			for _, call := range item.Calls {
				c.emit(CallStarted{ID: CallID(call.ID), Tool: call.Name, ToolKind: c.kindOf(call.Name)})
			}
			for _, call := range item.Calls {
				c.replayCall(call, results)
			}
		}
	}
	c.endReplayed(turn)
	if files := c.filesChanged(); len(files.Files) > 0 {
		c.emit(files)
	}
}

func (c *Core) replayCall(call llm.Call, results map[string]int) {
	id := CallID(call.ID)
	ended := CallEnded{ID: id, Status: CallStopped, Summary: "no result"}
	tool, title := call.Name, call.Name
	if i, ok := results[call.ID]; ok {
		item := c.opts.Session.Items[i]
		tool, title = cmp.Or(item.Tool, tool), cmp.Or(item.Title, title)
		ended = CallEnded{
			ID: id, Status: CallStatus(item.Status), Output: item.Text, Summary: item.Summed,
			ExitCode: item.ExitCode, Elapsed: item.Elapsed,
		}
		if len(item.Diff) > 0 {
			ended.Preview = DiffPreview{Files: item.Diff}
		}
	}
	c.emit(CallPlanned{ID: id, Tool: tool, Title: title, RawArgs: call.Args})
	c.emit(ended)
}

func (c *Core) endReplayed(number int) {
	if number == 0 {
		return
	}
	end := TurnEnded{Turn: number, Stop: StopAnswer}
	for _, t := range c.opts.Session.Turns {
		if t.Number == number {
			end.Stop, end.Text, end.Usage, end.Elapsed = Stop(cmp.Or(t.Stop, string(StopCancelled))), t.Error, t.Usage, t.Elapsed
		}
	}
	c.emit(end)
}
