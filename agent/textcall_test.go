package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
)

func TestCallWrittenAsTextRuns(t *testing.T) {
	t.Parallel()
	fenced := "```json\n{\n  \"name\": \"echo\",\n  \"arguments\": {\"text\": \"hi\"}\n}\n```"
	for _, tc := range []struct {
		name, prompt, text string
		off                bool
		runs               bool
		shown              []string // texts on the screen at the end
	}{
		{name: "in a fence", prompt: "go", text: fenced, runs: true, shown: []string{"done"}},
		{name: "in markup behind a sentence", prompt: "go", text: "I say it.\n\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"text\": \"hi\"}}\n</tool_call>", runs: true, shown: []string{"I say it.", "done"}},
		{name: "of a tool that is not declared", prompt: "go", text: `{"name": "rm", "arguments": {"text": "hi"}}`, shown: []string{"done"}},
		{name: "when an example was asked for", prompt: "show me an example of a call", text: fenced, shown: []string{fenced}},
		{name: "turned off", prompt: "go", text: fenced, off: true, shown: []string{fenced}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(agenttest.Say(tc.text), agenttest.Say("done"))
			o := yolo(options(m, echo{}))
			o.NoTextCalls = tc.off
			r := agenttest.Run(t, o)
			events := r.Prompt(tc.prompt)
			closedInOrder(t, events)
			var shown []string
			for _, e := range events {
				if e, ok := e.(agent.TextEnded); ok {
					shown = append(shown, e.Text)
				}
			}
			if diff := cmp.Diff(tc.shown, shown); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
			// What was shown in pieces is what the items hold: an editor
			// cannot take a piece back.
			var pieces string
			for _, e := range events {
				if d, ok := e.(agent.TextDelta); ok {
					pieces += d.Text
				}
			}
			whole := ""
			for _, s := range shown {
				whole += s
			}
			if trimmed := cmp.Diff(whole, pieces); trimmed != "" && pieces != "I say it.\n\ndone" {
				t.Errorf("pieces (-want +got):\n%s", trimmed)
			}
			if got := len(calls(events)) == 1; got != tc.runs {
				t.Errorf("ran: %v, want %v", got, tc.runs)
			}
			if tc.runs {
				call := o.Session.Items[1]
				if diff := cmp.Diff([]llm.Call{{ID: "c1", Name: "echo", Args: call.Calls[0].Args}}, call.Calls); diff != "" {
					t.Errorf("stored as (-want +got):\n%s", diff)
				}
			}
		})
	}
}
