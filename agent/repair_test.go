package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// pad is a tool that keeps what it is given in memory: write_file in small.
type pad struct {
	name    string
	written *[]string
}

func (p pad) Spec() tools.Spec {
	return tools.Spec{
		Name: p.name, Description: "Writes a file.", Kind: tools.KindEdit,
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`),
	}
}

func (p pad) Plan(_ context.Context, args json.RawMessage) (tools.Plan, error) {
	var a struct{ Path, Content string }
	err := json.Unmarshal(args, &a)
	return tools.Plan{Title: a.Path, Action: safety.Action{Tool: p.name, Op: safety.Write}, State: a.Content}, err
}

func (p pad) Run(_ context.Context, plan tools.Plan, _ tools.Sink) tools.Result {
	*p.written = append(*p.written, plan.State.(string))
	return tools.Result{Text: "written", Status: tools.OK}
}

// writing are options with write_file as the only tool, and what it wrote.
func writing(t *testing.T, m *agenttest.Model) (agent.Options, *[]string) {
	t.Helper()
	written := new([]string)
	o := yolo(options(m, echo{}))
	box, err := tools.NewToolbox(tools.ToolboxOptions{}, pad{"write_file", written})
	if err != nil {
		t.Fatal(err)
	}
	o.Tools = box
	return o, written
}

// texts are the ends of all texts on the screen.
func texts(events []agent.Event) []string {
	var out []string
	for _, e := range events {
		if e, ok := e.(agent.TextEnded); ok {
			out = append(out, e.Text)
		}
	}
	return out
}

func TestFailedStreamIsTriedWithoutStreaming(t *testing.T) {
	t.Parallel()
	broken := agenttest.Fail(&llm.Error{Kind: llm.Disconnected})
	shown := agenttest.Think("hm", broken)
	shown.Err = broken.Err
	inStream := agenttest.Fail(&llm.Error{Kind: llm.ServerFault, Status: 500, Partial: &llm.Response{}})
	for _, tc := range []struct {
		name     string
		replies  []agenttest.Reply
		noStream []bool // of each request
		want     agent.Stop
	}{
		{"nothing was seen", []agenttest.Reply{broken, broken, agenttest.Say("whole")}, []bool{false, false, true}, agent.StopAnswer},
		{"an error event in mid-stream", []agenttest.Reply{inStream, inStream, agenttest.Say("whole")}, []bool{false, false, true}, agent.StopAnswer},
		{"that fails too", []agenttest.Reply{broken, broken, broken}, []bool{false, false, true}, agent.StopFailed},
		{"something was seen", []agenttest.Reply{shown, broken}, []bool{false, false}, agent.StopFailed},
		{"a tool ran", []agenttest.Reply{agenttest.Call("echo", `{"text":"x"}`), broken, broken}, []bool{false, false, false}, agent.StopFailed},
		{"the server refused", []agenttest.Reply{agenttest.Fail(&llm.Error{Kind: llm.ServerFault, Status: 500})}, []bool{false}, agent.StopFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(tc.replies...)
			events := agenttest.Run(t, yolo(options(m, echo{}))).Prompt("go")
			closedInOrder(t, events)
			if got := ended(t, events).Stop; got != tc.want {
				t.Errorf("stop %q, want %q", got, tc.want)
			}
			var got []bool
			for _, req := range m.Requests() {
				got = append(got, req.NoStream)
			}
			if diff := cmp.Diff(tc.noStream, got); diff != "" {
				t.Errorf("without streaming (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunawayCallIsHandedBack(t *testing.T) {
	t.Parallel()
	run := agenttest.Call("echo", `{"text":"`+strings.Repeat("0", 300))
	run.Err = &llm.Error{Kind: llm.RunawayCall, Message: `echo: "0" repeats over 256 characters of the arguments`, Partial: &llm.Response{
		Message: llm.Message{Calls: []llm.Call{{Name: "echo", Args: `{"text":"000…`}}},
	}}
	m := agenttest.NewModel(run, run, run)
	o := yolo(options(m, echo{}))
	events := agenttest.Run(t, o).Prompt("go")
	closedInOrder(t, events)
	end := ended(t, events)
	if end.Stop != agent.StopFailed || !strings.Contains(end.Text, "derailed") {
		t.Errorf("got %q %q, want the cause after two tries", end.Stop, end.Text)
	}
	if got := lastText(m.Requests()[1]); !strings.Contains(got, "repeats over 256 characters") {
		t.Errorf("the model is not told the cause: %q", got)
	}
	if got := len(notices(events, agent.Repair)); got != 2 {
		t.Errorf("%d repairs were shown, want 2", got)
	}
	for _, item := range o.Session.Items {
		if strings.Contains(item.Text, "000000") || len(item.Calls) > 0 {
			t.Errorf("the runaway call is kept: %+v", item)
		}
	}
}

func TestRunawayAnswerIsKeptShort(t *testing.T) {
	t.Parallel()
	run := agenttest.Say("It is so. " + strings.Repeat("And so on. ", 1000))
	run.Err = &llm.Error{Kind: llm.RunawayAnswer, Message: "the answer repeats"}
	m := agenttest.NewModel(run, agenttest.Say("Yes."))
	o := options(m, echo{})
	r := agenttest.Run(t, o)
	events := r.Prompt("go")
	closedInOrder(t, events)
	if end := ended(t, events); end.Stop != agent.StopFailed || !strings.Contains(end.Text, "repeats itself") {
		t.Errorf("got %q %q, want the cause", end.Stop, end.Text)
	}
	kept := o.Session.Items[1].Text
	if !strings.HasPrefix(kept, "It is so. And so on.") || !strings.HasSuffix(kept, "[stopped: the answer repeated itself]") || len(kept) > 100 {
		t.Errorf("kept %q: want the beginning, and a word for the model", kept)
	}
}

// A server that does not keep to max_tokens: what came is treated like an
// answer cut there, and the user reads whose fault it is, once.
func TestOverlongAnswer(t *testing.T) {
	t.Parallel()
	const fault = "ignored max_tokens (1000)"
	text := agenttest.Say("It is so, and so on")
	text.Err = &llm.Error{Kind: llm.Overlong, Message: fault}
	call := agenttest.Call("echo", `{"text":"and so on`)
	call.Err = &llm.Error{Kind: llm.Overlong, Message: fault, Partial: &llm.Response{
		Message: llm.Message{Calls: []llm.Call{{Name: "echo", Args: `{"text":"and so on`}}},
	}}
	for _, tc := range []struct {
		name     string
		replies  []agenttest.Reply
		want     agent.Stop
		advised  bool // by the end of the turn
		noted    int  // notices of it
		requests int
	}{
		{"text", []agenttest.Reply{text}, agent.StopMaxTokens, true, 0, 1},
		{"call", []agenttest.Reply{call, agenttest.Say("shorter")}, agent.StopAnswer, false, 1, 2},
		{"calls", []agenttest.Reply{call, call, call}, agent.StopMaxTokens, true, 2, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(tc.replies...)
			o := yolo(options(m, echo{}))
			events := agenttest.Run(t, o).Prompt("go")
			closedInOrder(t, events)
			end := ended(t, events)
			if end.Stop != tc.want || strings.Contains(end.Text, fault) != tc.advised {
				t.Errorf("got %q %q", end.Stop, end.Text)
			}
			noted := 0
			for _, line := range notices(events, agent.Warn) {
				if strings.Contains(line, fault) {
					noted++
				}
			}
			if noted != tc.noted || len(m.Requests()) != tc.requests {
				t.Errorf("%d notices in %d requests, want %d in %d", noted, len(m.Requests()), tc.noted, tc.requests)
			}
			if tc.name == "text" && o.Session.Items[1].Text != "It is so, and so on" {
				t.Errorf("kept %+v, want what came", o.Session.Items)
			}
		})
	}
}

func TestRunawayReasoningIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	run := agenttest.Think(strings.Repeat("hm ", 3000), agenttest.Reply{})
	run.Err = &llm.Error{Kind: llm.RunawayAnswer, Message: "the reasoning repeats"}
	m := agenttest.NewModel(run, agenttest.Say("Yes."))
	events := agenttest.Run(t, options(m, echo{})).Prompt("go")
	closedInOrder(t, events)
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	if reqs := m.Requests(); reqs[0].NoThinking || !reqs[1].NoThinking {
		t.Errorf("without reasoning: %v, %v; want the second", reqs[0].NoThinking, reqs[1].NoThinking)
	}
}

func TestUnreadableCallIsHandedBackOnce(t *testing.T) {
	t.Parallel()
	const broken = "I say it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {text: }}\n</tool_call>"
	for _, tc := range []struct {
		name, prompt, text string
		back               bool
	}{
		{"markup that is no call", "go", broken, true},
		{"a tool that is not there", "go", "<tool_call>\n{\"name\": \"python\", \"arguments\": {\"code\": \"1\"}}\n</tool_call>", true},
		{"Gemma's form, broken", "go", "<|tool_call>call:echo{text hi<tool_call|>", true},
		{"a word about the markup", "go", "Models write <tool_call> before a call.", false},
		{"an example was asked for", "show me an example of a tool call", broken, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(agenttest.Say(tc.text), agenttest.Say(tc.text), agenttest.Say("unused"))
			o := yolo(options(m, echo{}))
			events := agenttest.Run(t, o).Prompt(tc.prompt)
			closedInOrder(t, events)
			if got := len(m.Requests()) == 2; got != tc.back {
				t.Fatalf("%d requests; handed back %v, want %v", len(m.Requests()), got, tc.back)
			}
			shown := texts(events)
			if last := shown[len(shown)-1]; last != tc.text {
				t.Errorf("the last text is %q: what nobody reads is shown in the end", last)
			}
			if !tc.back {
				return
			}
			note := lastText(m.Requests()[1])
			if !strings.Contains(note, `{"name": "`) || !strings.Contains(note, "echo") {
				t.Errorf("the note does not tell the form and the tool: %q", note)
			}
			for _, item := range o.Session.Items[:len(o.Session.Items)-1] {
				if item.Role == llm.Assistant && item.Text != "I say it." {
					t.Errorf("kept %q, want the sentence alone", item.Text)
				}
			}
		})
	}
}

func TestCallInsideOfReasoningIsMade(t *testing.T) {
	t.Parallel()
	inside := agenttest.Reply{Deltas: []llm.Delta{llm.ReasoningDelta{Text: "I say it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"text\": \"hi\"}}\n</tool_call>"}}}
	m := agenttest.NewModel(inside, agenttest.Say("done"))
	events := agenttest.Run(t, yolo(options(m, echo{}))).Prompt("go")
	closedInOrder(t, events)
	if got := calls(events); len(got) != 1 || got[0].Output != "said hi" {
		t.Errorf("calls %+v, want one that said hi", got)
	}
}

// TestCutCallInTextIsHandedBack: the markup is neither shown nor kept.
func TestCutCallInTextIsHandedBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"I say it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"te",
		"```json\n{\"name\": \"echo\", \"arguments\": {\"te",
	} {
		cut := agenttest.Say(text)
		cut.Finish = llm.FinishLength
		m := agenttest.NewModel(cut, agenttest.Say("done"))
		o := yolo(options(m, echo{}))
		events := agenttest.Run(t, o).Prompt("go")
		closedInOrder(t, events)
		if got := strings.Join(texts(events), ""); strings.Contains(got, "arguments") {
			t.Errorf("%q: shown as %q", text, got)
		}
		if note := lastText(m.Requests()[1]); !strings.Contains(note, "Your call of echo was cut off at max_tokens (1000)") {
			t.Errorf("%q: note %q", text, note)
		}
		if got := o.Session.Items[1].Text; strings.Contains(got, "arguments") {
			t.Errorf("%q: kept as %q", text, got)
		}
	}
}

func TestCutCallInTextNamesTheLimitInTheEnd(t *testing.T) {
	t.Parallel()
	cut := agenttest.Say("<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"te")
	cut.Finish = llm.FinishLength
	end := ended(t, agenttest.Run(t, yolo(options(agenttest.NewModel(cut, cut, cut), echo{}))).Prompt("go"))
	if end.Stop != agent.StopMaxTokens || !strings.Contains(end.Text, "max_tokens (1000) while writing a tool call") {
		t.Errorf("got %q %q, want the limit", end.Stop, end.Text)
	}
}

func TestHeldTextOfAFailedStreamIsDropped(t *testing.T) {
	t.Parallel()
	for _, block := range []bool{true, false} {
		half := agenttest.Say("I say it.\n<tool_call>\n{\"name\": ")
		half.Block = block
		if !block {
			half.Err = &llm.Error{Kind: llm.Disconnected}
		}
		o := options(agenttest.NewModel(half, half), echo{})
		r := agenttest.Run(t, o)
		r.On(func(e agent.Event) {
			if p, ok := e.(agent.PhaseChanged); ok && p.Phase == llm.Composing && block {
				if err := r.Core.Do(agent.Interrupt{}); err != nil {
					t.Error(err)
				}
			}
		})
		events := r.Prompt("go")
		closedInOrder(t, events)
		for _, text := range append(texts(events), o.Session.Items[len(o.Session.Items)-1].Text) {
			if text != "I say it.\n" {
				t.Errorf("cancelled %v: got %q, want the sentence alone", block, text)
			}
		}
	}
}

func TestLastWordsHoldNoCalls(t *testing.T) {
	t.Parallel()
	for _, last := range []agenttest.Reply{
		agenttest.Say("I did it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"text\": \"3\"}}\n</tool_call>"),
		agenttest.Say("I did it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {\"te"),
		agenttest.Say("I did it.\n<tool_call>\n{\"name\": \"echo\", \"arguments\": {broken}}\n</tool_call>"),
		{Deltas: []llm.Delta{llm.TextDelta{Text: "I did it."}, llm.CallDelta{Name: "echo", Args: `{"text":"3"}`}}},
	} {
		m := agenttest.NewModel(agenttest.Call("echo", `{"text":"1"}`), last)
		o := yolo(options(m, echo{}))
		o.MaxTurns = 1
		events := agenttest.Run(t, o).Prompt("count")
		closedInOrder(t, events)
		if got := ended(t, events).Stop; got != agent.StopMaxTurns {
			t.Errorf("stop %q, want max turns", got)
		}
		if got := texts(events); len(got) != 1 || strings.TrimSpace(got[0]) != "I did it." {
			t.Errorf("shown %q, want the sentence alone", got)
		}
		if got := len(calls(events)); got != 1 {
			t.Errorf("%d calls were shown, want the first alone", got)
		}
		if got := o.Session.Items[len(o.Session.Items)-1]; strings.TrimSpace(got.Text) != "I did it." || len(got.Calls) > 0 {
			t.Errorf("kept %+v", got)
		}
	}
}

func TestReasoningAloneIsNudged(t *testing.T) {
	t.Parallel()
	only := agenttest.Think("I know it.", agenttest.Reply{})
	m := agenttest.NewModel(only, agenttest.Say("Now I will look."), agenttest.Say("Done."))
	events := agenttest.Run(t, options(m, echo{})).Prompt("go")
	want := []string{
		"there was reasoning and no answer: asked once more",
		"a step was announced and not taken: asked once more",
	}
	if diff := cmp.Diff(want, notices(events, agent.Repair)); diff != "" {
		t.Errorf("nudges (-want +got):\n%s", diff)
	}
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
}

// wide is a session of a question and an answer of about 1,700 tokens each.
func wide(o *agent.Options) {
	for i := 1; i <= 4; i++ {
		o.Session.Items = append(o.Session.Items,
			session.Item{Message: llm.Message{Role: llm.User, Text: strings.Repeat("word ", 600)}, Turn: i},
			session.Item{Message: llm.Message{Role: llm.Assistant, Text: strings.Repeat("word ", 600)}, Turn: i})
		o.Session.Turns = append(o.Session.Turns, session.Turn{Number: i, Stop: "answer"})
	}
}

func TestSilentlyCutPromptIsNotActedOn(t *testing.T) {
	t.Parallel()
	// 24,000 characters are about 7,000 tokens; the server read 2,047.
	blind := agenttest.Call("echo", `{"text":"rm -rf build"}`)
	blind.Usage = llm.Usage{Prompt: 2047, Completion: 10}
	setUp := func(m *agenttest.Model) agent.Options {
		m.Served = llm.ModelInfo{Provider: "ollama", ID: "m", ContextWindow: 32768, WindowIsMaximum: true}
		o := yolo(options(m, echo{}))
		o.Context = windowed
		o.Sampling.MaxTokens = 100
		wide(&o)
		return o
	}
	t.Run("room is made", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(blind, agenttest.Say("GOAL: all"), used(agenttest.Say("I see all of it."), 300))
		o := setUp(m)
		o.Context.KeepLastTurns = 1
		events := agenttest.Run(t, o).Prompt("go on")
		closedInOrder(t, events)
		if got := ended(t, events).Stop; got != agent.StopAnswer {
			t.Errorf("stop %q, want an answer", got)
		}
		// What is uncertain about the window is said at the start, which may
		// be in the first turn.
		warned := slices.DeleteFunc(notices(events, agent.Warn), func(text string) bool { return strings.Contains(text, "set contextWindow") })
		if len(warned) != 1 || !strings.Contains(warned[0], "OLLAMA_CONTEXT_LENGTH") || !strings.Contains(warned[0], "2047") {
			t.Errorf("warnings %q, want one with the figure and the fix", warned)
		}
		for _, c := range calls(events) {
			if c.Status == agent.CallOK {
				t.Errorf("a call ran blind: %+v", c)
			}
		}
	})
	t.Run("no room can be made", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(blind)
		o := setUp(m)
		o.Session.Items, o.Session.Turns = nil, nil
		events := agenttest.Run(t, o).Prompt(strings.Repeat("word ", 5000))
		closedInOrder(t, events)
		if end := ended(t, events); end.Stop != agent.StopFailed || !strings.Contains(end.Text, "OLLAMA_CONTEXT_LENGTH") {
			t.Errorf("got %q %q, want the fix", end.Stop, end.Text)
		}
		wellFormed(t, o.Session.Items)
	})
	t.Run("a window that the server told", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(used(agenttest.Say("fine"), 2047))
		o := setUp(m)
		m.Served.WindowIsMaximum = false
		events := agenttest.Run(t, o).Prompt("go on")
		if got := notices(events, agent.Warn); len(got) != 0 {
			t.Errorf("warned %q of a prompt that fits", got)
		}
	})
}
