package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a tool that answers with its text; what it does can be replaced.
type echo struct {
	run  func(ctx context.Context, text string, out tools.Sink) tools.Result
	plan func(text string) error
	kind tools.Kind
}

func (echo) spec() tools.Spec {
	return tools.Spec{
		Name: "echo", Description: "Says a text.", Kind: tools.KindExecute,
		Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
	}
}

func (e echo) Spec() tools.Spec {
	s := e.spec()
	if e.kind != "" {
		s.Kind = e.kind
	}
	return s
}

func (e echo) Plan(_ context.Context, args json.RawMessage) (tools.Plan, error) {
	var a struct{ Text string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tools.Plan{}, err
	}
	if e.plan != nil {
		if err := e.plan(a.Text); err != nil {
			return tools.Plan{}, err
		}
	}
	return tools.Plan{
		Title:   a.Text,
		Action:  safety.Action{Tool: "echo", Op: safety.Execute, Command: a.Text, Dir: "/work"},
		Preview: tools.CommandPreview{Command: a.Text, Dir: "/work"},
		State:   a.Text,
	}, nil
}

func (e echo) Run(ctx context.Context, p tools.Plan, out tools.Sink) tools.Result {
	text := p.State.(string)
	if e.run != nil {
		return e.run(ctx, text, out)
	}
	out("said ")
	return tools.Result{Text: "said " + text, Status: tools.OK}
}

// box declares one tool, and takes no other.
type box struct{ tool tools.Tool }

func (b box) Specs() []tools.Spec { return []tools.Spec{b.tool.Spec()} }

func (b box) Resolve(name, args string) (tools.Tool, json.RawMessage, []string, error) {
	if name != b.tool.Spec().Name {
		return nil, nil, nil, fmt.Errorf("[error: there is no tool named %q; your tools are: echo]", name)
	}
	if !json.Valid([]byte(args)) {
		return nil, nil, nil, errors.New("[error: invalid arguments for echo]")
	}
	return b.tool, json.RawMessage(args), nil, nil
}

// policy asks unless the mode is yolo or the tool was remembered.
type policy struct {
	mode   safety.Mode
	always map[string]bool
	deny   string
}

func (p *policy) Decide(a safety.Action) safety.Verdict {
	switch {
	case p.deny != "":
		return safety.Verdict{Decision: safety.Deny, Refusal: p.deny}
	case p.mode == safety.Yolo || p.always[a.Tool]:
		return safety.Verdict{Decision: safety.Allow}
	}
	return safety.Verdict{Reasons: []string{"runs a command"}, Always: "echo", Refusal: "[refused: use -yolo]"}
}

func (p *policy) Remember(a safety.Action) {
	if p.always == nil {
		p.always = map[string]bool{}
	}
	p.always[a.Tool] = true
}
func (p *policy) Mode() safety.Mode     { return p.mode }
func (p *policy) SetMode(m safety.Mode) { p.mode = m }

func options(m *agenttest.Model, tool tools.Tool) agent.Options {
	return agent.Options{
		Model:    m,
		Tools:    box{tool},
		Policy:   &policy{mode: safety.AskMode},
		Session:  &session.Session{ID: "20260101-000000-00000000", Cwd: "/work"},
		System:   "You are a test.",
		Sampling: llm.Sampling{MaxTokens: 1000},
	}
}

func wantLog(t *testing.T, got []agent.Event, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), agenttest.Log(got)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func ended(t *testing.T, events []agent.Event) agent.TurnEnded {
	t.Helper()
	for _, e := range events {
		if e, ok := e.(agent.TurnEnded); ok {
			return e
		}
	}
	t.Fatalf("no TurnEnded in:\n%s", agenttest.Log(events))
	return agent.TurnEnded{}
}

func TestTurnWithReasoningAndCall(t *testing.T) {
	t.Parallel()
	call := agenttest.Think("I should say it.", agenttest.Call("echo", `{"text":"hi"}`))
	call.Usage = llm.Usage{Prompt: 100, Cached: 40, Completion: 10}
	answer := agenttest.Say("It said hi.")
	answer.Usage = llm.Usage{Prompt: 130, Cached: 110, Completion: 5}
	m := agenttest.NewModel(call, answer)
	r := agenttest.Run(t, options(m, echo{}))
	// The first request is estimated: 162 characters with 16 for each message
	// and tool. Then the server's counts stand: 100 read and 10 written are in the window after the first step; the
	// result of the call adds 7 characters at 3.5 a token, rounded up. Of the
	// second request 113 of 137 characters were in the first: of 130 tokens,
	// 107 should be in the cache.
	wantLog(t, r.Prompt("say hi"), `
turn_started turn=1
title_changed title="say hi"
user_message id="i1" text="say hi"
step_started step=1 contexttokens=47
reasoning_delta id="i2" text="I should say it."
reasoning_ended id="i2" tokens=5
call_started id="c1" tool="echo" toolkind="execute"
call_args id="c1" text="{\"text\":\"hi\"}"
step_ended step=1 finish="tool_calls" usage={100 40 10}
context_usage used=110 limit=8192 exact=true
call_planned id="c1" tool="echo" title="hi" rawargs="{\"text\":\"hi\"}" preview=tools.CommandPreview
approval_asked id="a1" call="c1" tool="echo" title="hi" preview=tools.CommandPreview dir="/work" reasons=[runs a command] options=[{allow Allow once} {allow_always Always allow echo in this session} {reject Reject}]
approval_settled id="a1" choice="allow" by="user"
call_running id="c1"
call_output id="c1" text="said "
call_ended id="c1" status="ok" output="said hi" preview=tools.CommandPreview
context_usage used=115 limit=8192
step_started step=2 contexttokens=115
text_delta id="i3" text="It said hi."
text_ended id="i3" text="It said hi."
step_ended step=2 finish="stop" usage={130 110 5} expected=107
context_usage used=135 limit=8192 exact=true
turn_ended turn=1 stop="answer" usage={230 150 15}
idle
`)
}

// closedInOrder checks that every start has its end within the turn, and that
// TurnEnded comes after all of them.
func closedInOrder(t *testing.T, events []agent.Event) {
	t.Helper()
	open := map[string]bool{}
	toggle := func(key string, begins bool) {
		if begins {
			open[key] = true
			return
		}
		if !open[key] {
			t.Errorf("%s ended but was not open", key)
		}
		delete(open, key)
	}
	for _, e := range events {
		switch e := e.(type) {
		case agent.StepStarted:
			toggle("step", true)
		case agent.StepEnded:
			toggle("step", false)
		case agent.TextDelta:
			open["text "+string(e.ID)] = true
		case agent.TextEnded:
			toggle("text "+string(e.ID), false)
		case agent.ReasoningDelta:
			open["reasoning "+string(e.ID)] = true
		case agent.ReasoningEnded:
			toggle("reasoning "+string(e.ID), false)
		case agent.CallStarted:
			toggle("call "+string(e.ID), true)
		case agent.CallEnded:
			toggle("call "+string(e.ID), false)
		case agent.ApprovalAsked:
			toggle("approval "+string(e.ID), true)
		case agent.ApprovalSettled:
			toggle("approval "+string(e.ID), false)
		case agent.TurnEnded:
			if len(open) > 0 {
				t.Errorf("the turn ended with %v open:\n%s", open, agenttest.Log(events))
			}
		}
	}
}

// wellFormed checks that each call of a history has exactly one result.
func wellFormed(t *testing.T, items []session.Item) {
	t.Helper()
	want := map[string]int{}
	for _, item := range items {
		for _, c := range item.Calls {
			want[c.ID]++
		}
		if item.Role == llm.Tool {
			want[item.CallID]--
		}
	}
	for id, n := range want {
		if n != 0 {
			t.Errorf("call %s has %d result(s) too few", id, n)
		}
	}
}

func TestEveryEndClosesEverything(t *testing.T) {
	t.Parallel()
	blocked := agenttest.Think("hm", agenttest.Say("half an ans"))
	blocked.Block = true
	composing := agenttest.Call("echo", `{"text":`)
	composing.Block = true
	broken := agenttest.Say("half")
	broken.Err = &llm.Error{Kind: llm.ServerFault, Status: 500, Message: "boom"}
	for _, tc := range []struct {
		name    string
		reply   agenttest.Reply
		tool    echo
		cancel  string // kind of the event after which the turn is cancelled
		want    agent.Stop
		kept    string // text of the last stored message
		pending bool   // the question is never answered
	}{
		{name: "cancel while answering", reply: blocked, cancel: "text_delta", want: agent.StopCancelled, kept: "half an ans"},
		{name: "cancel while composing", reply: composing, cancel: "call_args", want: agent.StopCancelled},
		{name: "cancel while asking", reply: agenttest.Call("echo", `{"text":"x"}`), cancel: "approval_asked", pending: true, want: agent.StopCancelled, kept: "[cancelled by the user]"},
		{name: "error in mid-stream", reply: broken, want: agent.StopFailed, kept: "half"},
		{
			name: "a tool panics", reply: agenttest.Call("echo", `{"text":"x"}`), want: agent.StopFailed, tool: echo{run: func(context.Context, string, tools.Sink) tools.Result { panic("oops") }},
			kept: "[error: echo failed inside: oops; try another way]",
		},
		{
			name: "cancel while a tool runs", reply: agenttest.Call("echo", `{"text":"x"}`), cancel: "call_output", want: agent.StopCancelled, kept: "so far\n[cancelled by the user]",
			tool: echo{run: func(ctx context.Context, _ string, out tools.Sink) tools.Result {
				out("so far")
				<-ctx.Done()
				return tools.Result{Text: "so far", Status: tools.Stopped}
			}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := options(agenttest.NewModel(tc.reply), tc.tool)
			r := agenttest.Run(t, o)
			cancelled := false
			r.On(func(e agent.Event) {
				if e.Kind() == tc.cancel && !cancelled {
					cancelled = true
					if err := r.Core.Do(agent.Interrupt{}); err != nil {
						t.Error(err)
					}
				}
			})
			if tc.pending {
				r.Answer(func(agent.ApprovalAsked) agent.Decide { return agent.Decide{} })
			}
			events := r.Prompt("go")
			closedInOrder(t, events)
			if got := ended(t, events).Stop; got != tc.want {
				t.Errorf("stop %q, want %q", got, tc.want)
			}
			wellFormed(t, o.Session.Items)
			if tc.kept != "" {
				items := o.Session.Items
				if len(items) == 0 || items[len(items)-1].Text != tc.kept {
					t.Errorf("the history ends with %+v, want %q", items, tc.kept)
				}
			}
		})
	}
}

// TestModelOfARunningTurnIsKept: a turn that is killed has the model that it
// asked, also when that was another than the last one.
func TestModelOfARunningTurnIsKept(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two"))
	m.Served.ContextWindow = 0 // asked for again before each turn
	o := options(m, echo{})
	store, err := session.Open(t.TempDir() + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	o.Store = store
	r := agenttest.Run(t, o)
	for i, id := range []string{"scripted", "another"} {
		m.Served.ID = id
		r.On(func(e agent.Event) {
			if e.Kind() != "step_started" {
				return
			}
			kept, err := store.Load(o.Session.ID)
			if err != nil || len(kept.Turns) != i+1 || kept.Turns[i].Model != id || kept.Turns[i].Provider != "test" {
				t.Errorf("turn %d is kept as %+v, %v; want provider test and model %s", i+1, kept.Turns, err, id)
			}
		})
		r.Prompt("go")
	}
}
