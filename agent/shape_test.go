package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
)

// roles writes the roles of messages as letters.
func roles(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteByte(m.Role[0])
		if len(m.Calls) > 0 {
			b.WriteByte('+')
		}
	}
	return b.String()
}

// talked is a history with a call, and with a result that no answer follows.
var talked = []session.Item{
	{Message: llm.Message{Role: llm.User, Text: "q1"}, Turn: 1},
	{Message: llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c1", Name: "echo", Args: `{"text":"a"}`}}}, Turn: 1},
	{Message: llm.Message{Role: llm.Tool, CallID: "c1", Text: "said a"}, Turn: 1},
}

func TestShapeOfMessages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		shape agent.Shape
		roles string
		first string // text of the first message
	}{
		{"as it is", agent.Shape{}, "sua+tu", "You are a test."},
		{"no system role", agent.Shape{MergeSystem: true}, "ua+tu", "You are a test.\n\nq1"},
		{"strictly in turn", agent.Shape{Alternate: true}, "sua+tau", "You are a test."},
		{"both", agent.Shape{MergeSystem: true, Alternate: true}, "ua+tau", "You are a test.\n\nq1"},
		{"tools as text", agent.Shape{TextTools: true, MergeSystem: true}, "uau", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(agenttest.Say("ok"))
			o := yolo(options(m, echo{}))
			o.Shape = tc.shape
			o.Session.Items = append([]session.Item{}, talked...)
			o.Session.Turns = []session.Turn{{Number: 1}}
			agenttest.Run(t, o).Prompt("q2")
			got := m.Requests()[0].Messages
			if roles(got) != tc.roles || tc.first != "" && got[0].Text != tc.first {
				t.Errorf("got %s, first %q; want %s, %q", roles(got), got[0].Text, tc.roles, tc.first)
			}
		})
	}
}

func TestRefusedTemplateReshapesAndGoesOn(t *testing.T) {
	t.Parallel()
	refuse := func(text string) agenttest.Reply {
		return agenttest.Fail(&llm.Error{Kind: llm.BadTemplate, Status: 500, Message: text})
	}
	for _, tc := range []struct {
		name    string
		replies []agenttest.Reply
		roles   []string
		want    agent.Stop
	}{
		{"no system role", []agenttest.Reply{refuse("Jinja Exception: System role not supported"), agenttest.Say("ok"), agenttest.Say("ok")}, []string{"sua+tu", "ua+tu", "ua+tuau"}, agent.StopAnswer},
		{"in turn", []agenttest.Reply{refuse("conversation roles must alternate user and assistant"), agenttest.Say("ok"), agenttest.Say("ok")}, []string{"sua+tu", "sua+tau", "sua+tauau"}, agent.StopAnswer},
		{"one after the other", []agenttest.Reply{refuse("System role not supported"), refuse("roles must alternate"), agenttest.Say("ok"), agenttest.Say("ok")}, []string{"sua+tu", "ua+tu", "ua+tau", "ua+tauau"}, agent.StopAnswer},
		{"in vain", []agenttest.Reply{refuse("raise_exception"), refuse("raise_exception"), agenttest.Say("unused")}, []string{"sua+tu", "ua+tau"}, agent.StopFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(tc.replies...)
			o := yolo(options(m, echo{}))
			o.Session.Items = append([]session.Item{}, talked...)
			o.Session.Turns = []session.Turn{{Number: 1}}
			r := agenttest.Run(t, o)
			end := ended(t, r.Prompt("q2"))
			if end.Stop != tc.want {
				t.Errorf("stop %q %q, want %q", end.Stop, end.Text, tc.want)
			}
			if tc.want == agent.StopAnswer {
				r.Prompt("q3") // what was learnt holds
			}
			var got []string
			for _, req := range m.Requests() {
				got = append(got, roles(req.Messages))
			}
			if diff := cmp.Diff(tc.roles, got); diff != "" {
				t.Errorf("roles (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnotherModelIsAskedAfresh: what one template refused, another may take.
func TestAnotherModelIsAskedAfresh(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(
		agenttest.Fail(&llm.Error{Kind: llm.BadTemplate, Message: "System role not supported"}), agenttest.Say("one"), agenttest.Say("two"))
	r := agenttest.Run(t, options(m, echo{}))
	r.Prompt("q1")
	m.Served.ID = "another"
	r.Do(agent.AskModel{})
	r.Prompt("q2")
	var got []string
	for _, req := range m.Requests() {
		got = append(got, roles(req.Messages))
	}
	if diff := cmp.Diff([]string{"su", "u", "suau"}, got); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

func TestModelWithoutToolsGetsThemDescribed(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} { // by the server at the start, or by its refusal
		replies := []agenttest.Reply{
			agenttest.Say("I say it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"text\": \"hi\"}}\n</tool_call>"),
			agenttest.Say("done"),
		}
		if !told {
			replies = append([]agenttest.Reply{agenttest.Fail(&llm.Error{Kind: llm.NoToolSupport, Message: "does not support tools"})}, replies...)
		}
		m := agenttest.NewModel(replies...)
		m.Served.NoTools = told
		o := yolo(options(m, echo{}))
		o.NoTextCalls = true // calls are read all the same: there is no other way
		events := agenttest.Run(t, o).Prompt("go")
		closedInOrder(t, events)
		if got := calls(events); len(got) != 1 || got[0].Output != "said hi" {
			t.Errorf("told %v: calls %+v", told, got)
		}
		reqs := m.Requests()
		last := reqs[len(reqs)-1]
		if len(last.Tools) != 0 {
			t.Errorf("told %v: %d tools are declared to a server that takes none", told, len(last.Tools))
		}
		system := last.Messages[0].Text
		if !strings.Contains(system, `echo {"text": string}`) || !strings.Contains(system, "<tool_call>") {
			t.Errorf("told %v: the tools are not described: %q", told, system)
		}
		if got, want := lastText(last), "<tool_response>\nsaid hi\n</tool_response>"; got != want {
			t.Errorf("told %v: the result is sent as %q, want %q", told, got, want)
		}
		if got, want := last.Messages[2].Text, "I say it.\n\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"text\": \"hi\"}}\n</tool_call>"; got != want {
			t.Errorf("told %v: the call is sent as %q, want %q", told, got, want)
		}
		if before := reqs[len(reqs)-2]; before.Messages[0].Text != system {
			t.Errorf("told %v: the system prompt changed within the turn", told)
		}
		if got := len(notices(events, agent.Info)); got != 1 {
			t.Errorf("told %v: said %d times, want once", told, got)
		}
	}
}
