package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
)

// numbered are the lines from a to b.
func numbered(a, b int) string {
	var s strings.Builder
	for i := a; i <= b; i++ {
		fmt.Fprintf(&s, "line %d\n", i)
	}
	return s.String()
}

// cutWrite is a call of write_file that ends in the middle of its content.
func cutWrite(content string) agenttest.Reply {
	args, err := json.Marshal(map[string]string{"path": "a.txt", "content": content})
	if err != nil {
		panic(err) // a map of strings always marshals
	}
	// The fields are sorted: the content is first, so the path is put before.
	whole := `{"path":"a.txt",` + strings.TrimSuffix(strings.TrimPrefix(string(args), "{"), `,"path":"a.txt"}`)
	r := agenttest.Call("write_file", strings.TrimSuffix(whole, `"`))
	r.Finish = llm.FinishLength
	return r
}

// part is a piece of plain text that was cut, or not.
func part(text string, cut bool) agenttest.Reply {
	r := agenttest.Say(text)
	if cut {
		r.Finish = llm.FinishLength
	}
	return r
}

func TestCutFileIsFinished(t *testing.T) {
	t.Parallel()
	asked := func(ask llm.Request) string {
		last := lastText(ask)
		if ask.Continue || !strings.Contains(last, numbered(16, 30)) || strings.Contains(last, "line 15\n") || !strings.Contains(last, "a.txt") {
			return "want a question with the path and the last 15 lines"
		}
		return ""
	}
	begun := func(ask llm.Request) string {
		n := len(ask.Messages) - 1
		if !ask.Continue || ask.Messages[n].Role != llm.Assistant || ask.Messages[n].Text != numbered(1, 30) || !strings.Contains(ask.Messages[n-1].Text, "a.txt") {
			return "want the draft as the beginning of the answer"
		}
		return ""
	}
	for _, tc := range []struct {
		provider string
		tools    int
		wrong    func(llm.Request) string
	}{
		{"llamacpp", 1, begun},
		{"vllm", 1, asked},
		{"ollama", 0, asked},
	} {
		t.Run(tc.provider, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(
				cutWrite(numbered(1, 30)+"line 3"),
				part(numbered(31, 50)+"line 5", true),
				part(numbered(49, 60), false),
				agenttest.Say("Written."))
			m.Served.Provider = tc.provider
			o, written := writing(t, m)
			events := agenttest.Run(t, o).Prompt("write it")
			closedInOrder(t, events)
			if diff := cmp.Diff([]string{numbered(1, 60)}, *written); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			got := calls(events)
			if len(got) != 1 || got[0].Status != agent.CallOK || !strings.HasPrefix(got[0].Output, "[write_file: 60 lines to a.txt, written in 3 parts]\n") {
				t.Errorf("calls %+v, want one whose result tells the parts", got)
			}
			ask := m.Requests()[1]
			if len(ask.Tools) != tc.tools || tc.tools > 0 && ask.ToolChoice != "none" || !ask.NoThinking {
				t.Errorf("asked with choice %q, %d tools, reasoning off %v", ask.ToolChoice, len(ask.Tools), ask.NoThinking)
			}
			if wrong := tc.wrong(ask); wrong != "" {
				t.Errorf("%s: %+v", wrong, ask.Messages)
			}
			// What is sent and kept afterwards is the one call, as if it had
			// come whole.
			final := m.Requests()[3]
			if n := len(final.Messages); n != 4 || len(final.Messages[2].Calls) != 1 {
				t.Errorf("the history holds %+v", final.Messages)
			}
			wellFormed(t, o.Session.Items)
		})
	}
}

// TestRestIsAskedForWhereGoingOnFails: a server that does not continue a
// message answers it, or refuses it.
func TestRestIsAskedForWhereGoingOnFails(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]agenttest.Reply{
		"refused":     agenttest.Fail(&llm.Error{Kind: llm.BadRequest, Message: "no such field"}),
		"nothing":     part("", false),
		"begun again": part(numbered(1, 30), false),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(cutWrite(numbered(1, 30)+"li"), first, part(numbered(31, 40), false), agenttest.Say("Written."))
			m.Served.Provider = "llamacpp"
			o, written := writing(t, m)
			events := agenttest.Run(t, o).Prompt("write it")
			closedInOrder(t, events)
			if diff := cmp.Diff([]string{numbered(1, 40)}, *written); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			if got := m.Requests(); got[2].Continue || !got[1].Continue {
				t.Errorf("asked %v, then %v; want to go on, then a question", got[1].Continue, got[2].Continue)
			}
		})
	}
}

func TestFileThatCannotBeFinishedIsHandedBack(t *testing.T) {
	t.Parallel()
	start := cutWrite(numbered(1, 30) + "line 3")
	for _, tc := range []struct {
		name    string
		first   agenttest.Reply
		rest    []agenttest.Reply // what is answered to requests for the rest
		repairs agent.Repairs
	}{
		{"begun again", start, []agenttest.Reply{part(numbered(1, 40), false)}, agent.Repairs{}},
		{"empty", start, []agenttest.Reply{part("", false)}, agent.Repairs{}},
		{"an error", start, []agenttest.Reply{agenttest.Fail(&llm.Error{Kind: llm.Disconnected})}, agent.Repairs{}},
		{"the second part goes wrong", start, []agenttest.Reply{part(numbered(31, 40)+"li", true), part("", false)}, agent.Repairs{}},
		{"no end in sight", start, []agenttest.Reply{part(numbered(31, 40)+"li", true), part(numbered(41, 50)+"li", true)}, agent.Repairs{SalvageCalls: 2}},
		{"turned off", start, nil, agent.Repairs{NoSalvage: true}},
		{"too little of it", cutWrite(numbered(1, 19) + "line 2"), nil, agent.Repairs{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(append(append([]agenttest.Reply{tc.first}, tc.rest...), agenttest.Say("Then in parts."))...)
			o, written := writing(t, m)
			o.Repairs = tc.repairs
			events := agenttest.Run(t, o).Prompt("write it")
			closedInOrder(t, events)
			if len(*written) != 0 {
				t.Errorf("written: %q, want nothing", *written)
			}
			reqs := m.Requests()
			if got, want := len(reqs), len(tc.rest)+2; got != want {
				t.Fatalf("%d requests, want %d", got, want)
			}
			if got := lastText(reqs[len(reqs)-1]); !strings.Contains(got, "cut off at max_tokens (1000)") || strings.Contains(got, "<lines>") {
				t.Errorf("the call was not handed back: %q", got)
			}
			if got := ended(t, events).Stop; got != agent.StopAnswer {
				t.Errorf("stop %q, want an answer", got)
			}
		})
	}
}

func TestCancelledSalvageWritesNothing(t *testing.T) {
	t.Parallel()
	blocked := part(numbered(31, 40), false)
	blocked.Block = true
	m := agenttest.NewModel(cutWrite(numbered(1, 30)+"li"), blocked)
	o, written := writing(t, m)
	r := agenttest.Run(t, o)
	r.On(func(e agent.Event) {
		if s, ok := e.(agent.StepStarted); ok && s.Step == 2 {
			if err := r.Core.Do(agent.Interrupt{}); err != nil {
				t.Error(err)
			}
		}
	})
	events := r.Prompt("write it")
	closedInOrder(t, events)
	if got := ended(t, events).Stop; got != agent.StopCancelled || len(*written) != 0 {
		t.Errorf("stop %q, written %q; want cancelled and nothing", got, *written)
	}
}

// TestUnterminatedArgumentsAreCut: whatever finish reason the server gives.
func TestUnterminatedArgumentsAreCut(t *testing.T) {
	t.Parallel()
	lying := cutWrite("# Title\nunterminated")
	lying.Finish = llm.FinishCalls
	m := agenttest.NewModel(lying, agenttest.Say("Sorry."), agenttest.Say("Later."))
	o, written := writing(t, m)
	r := agenttest.Run(t, o)
	r.Prompt("write it")
	if len(*written) != 0 {
		t.Errorf("written %q: half a file", *written)
	}
	o2, _ := writing(t, m)
	o2.Session.Items = append([]session.Item{}, o.Session.Items...)
	agenttest.Run(t, o2).Prompt("and now?")
	for i, req := range m.Requests() {
		if bad := valid(req.Messages); bad != "" {
			t.Errorf("request %d: %s", i, bad)
		}
	}
}
