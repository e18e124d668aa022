package uitest

import (
	"encoding/json"
	"fmt"

	"mm/agent"
	"mm/fileedit"
)

// extra are the parts of an event that JSON cannot hold.
type extra struct {
	Diff    *struct{ Path, Before, After string }
	Command string
	Text    string
	Steps   []agent.Step
}

// preview builds the preview that the extra parts describe.
func (x extra) preview() agent.Preview {
	switch {
	case x.Diff != nil:
		return agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff(x.Diff.Path, before(x.Diff.Before), []byte(x.Diff.After))}}
	case x.Command != "":
		return agent.CommandPreview{Command: x.Command}
	case x.Text != "":
		return agent.TextPreview{Text: x.Text}
	case x.Steps != nil:
		return agent.ChecklistPreview{Steps: x.Steps}
	}
	return nil
}

// before is nil for a file that did not exist.
func before(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

func plain[E agent.Event](data []byte) (agent.Event, error) {
	var e E
	err := json.Unmarshal(data, &e)
	return e, err
}

// decoders by the kind of event.
var decoders = map[string]func([]byte) (agent.Event, error){}

func register[E agent.Event]() {
	var e E
	decoders[e.Kind()] = plain[E]
}

func init() {
	register[agent.SessionReady]()
	register[agent.ModelChanged]()
	register[agent.ModeChanged]()
	register[agent.QueueChanged]()
	register[agent.Idle]()
	register[agent.CacheBroken]()
	register[agent.TurnStarted]()
	register[agent.UserMessage]()
	register[agent.StepStarted]()
	register[agent.PhaseChanged]()
	register[agent.PromptProgress]()
	register[agent.ReasoningDelta]()
	register[agent.ReasoningEnded]()
	register[agent.TextDelta]()
	register[agent.TextEnded]()
	register[agent.StepEnded]()
	register[agent.CallStarted]()
	register[agent.CallArgs]()
	register[agent.CallPlanned]()
	register[agent.ApprovalAsked]()
	register[agent.ApprovalSettled]()
	register[agent.CallRunning]()
	register[agent.CallOutput]()
	register[agent.CallEnded]()
	register[agent.PlanUpdated]()
	register[agent.ContextUsage]()
	register[agent.Compacted]()
	register[agent.Cleared]()
	register[agent.Retrying]()
	register[agent.AnswerDoubted]()
	register[agent.Notice]()
	register[agent.Fault]()
	register[agent.ShellStarted]()
	register[agent.ShellOutput]()
	register[agent.ShellEnded]()
	register[agent.TitleChanged]()
	register[agent.FilesChanged]()
	register[agent.TurnEnded]()
	register[agent.Warming]()
	register[agent.ChangesMapped]()
	register[agent.ContextMapped]()
}

// ParseEvent reads an event from its kind and its fields in JSON. A preview is
// written as one of the fields Diff, Command, Text or Steps.
func ParseEvent(kind string, data []byte) (agent.Event, error) {
	decode, ok := decoders[kind]
	if !ok {
		return nil, fmt.Errorf("there is no event %q", kind)
	}
	if len(data) == 0 {
		data = []byte("{}")
	}
	e, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	var x extra
	switch e := e.(type) {
	case agent.CallPlanned:
		err = json.Unmarshal(data, &x)
		e.Preview = x.preview()
		return e, err
	case agent.ApprovalAsked:
		err = json.Unmarshal(data, &x)
		e.Preview = x.preview()
		return e, err
	case agent.CallEnded:
		err = json.Unmarshal(data, &x)
		e.Preview = x.preview()
		return e, err
	}
	return e, nil
}
