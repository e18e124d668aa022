package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
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

var windowed = agent.Context{
	Enabled: true, MaskAt: 0.6, MaskTo: 0.35, CompactAt: 0.8,
	MaskAfterTurns: 2, KeepLastTurns: 2, SummaryMaxTokens: 600, MaxMessages: 60,
}

// small is a set of options with a window of 2,000 tokens.
func small(m *agenttest.Model, tool tools.Tool) agent.Options {
	m.Served.ContextWindow = 2000
	o := yolo(options(m, tool))
	o.Context = windowed
	o.Sampling.MaxTokens = 100
	return o
}

func used(r agenttest.Reply, prompt int) agenttest.Reply {
	r.Usage = llm.Usage{Prompt: prompt, Completion: 10}
	return r
}

func compactions(events []agent.Event) []agent.Compacted { return of[agent.Compacted](events) }

// turns fills a session with n turns of about 1,000 characters each.
func turns(o *agent.Options, n int) {
	for i := 1; i <= n; i++ {
		o.Session.Items = append(o.Session.Items,
			session.Item{Message: llm.Message{Role: llm.User, Text: fmt.Sprintf("question %d", i)}, Turn: i},
			session.Item{Message: llm.Message{Role: llm.Assistant, Text: strings.Repeat("word ", 200)}, Turn: i})
		o.Session.Turns = append(o.Session.Turns, session.Turn{Number: i, Stop: "answer"})
	}
}

func TestCompactionReplacesOldTurns(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"llamacpp", "ollama"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(used(agenttest.Say("first"), 1700), agenttest.Say("GOAL: all"), used(agenttest.Say("second"), 400))
			m.Served.Provider = provider
			o := small(m, echo{})
			turns(&o, 4)
			r := agenttest.Run(t, o)
			r.Prompt("five")
			events := r.Prompt("six")
			got := compactions(events)
			if len(got) != 1 || !got[0].Changed || !strings.HasPrefix(got[0].Summary, "GOAL: all\n\nRECORD") || !strings.Contains(got[0].Summary, "question 4") {
				t.Fatalf("compactions %+v, want one with the model's summary and the record", got)
			}
			// Turns 1 to 4 go; 5 and the running 6 stay.
			if want := "compressed 8 messages → 1 summary + 3 kept ("; !strings.HasPrefix(got[0].Line, want) {
				t.Errorf("line %q, want %q...", got[0].Line, want)
			}
			if got := ended(t, events).Stop; got != agent.StopAnswer {
				t.Errorf("the turn ended with %q, want an answer", got)
			}
			first := o.Session.Items[0]
			if !first.Summary || !strings.Contains(first.Text, "GOAL: all") || o.Session.Items[1].Text != "five" {
				t.Errorf("history begins with %+v, %+v", first, o.Session.Items[1])
			}
			reqs := m.Requests()
			ask := reqs[1]
			if want := provider == "llamacpp"; want != (len(ask.Tools) == 1 && ask.ToolChoice == "none") || (!want && len(ask.Tools) != 0) {
				t.Errorf("the summary was asked with %d tools, choice %q", len(ask.Tools), ask.ToolChoice)
			}
			if !ask.NoThinking || ask.Sampling.MaxTokens != 600 {
				t.Errorf("the summary was asked with %+v", ask)
			}
			// The request for the summary goes on from what was sent before.
			n := len(ask.Messages) - 1
			if diff := cmp.Diff(reqs[0].Messages[:n], ask.Messages[:n]); diff != "" {
				t.Errorf("the cached prefix does not hold:\n%s", diff)
			}
		})
	}
}

// What summaries take of the model counts: in the turn, in the statistics and
// beside the summary, also where nothing came of it.
func TestCompactionsCount(t *testing.T) {
	t.Parallel()
	took := func(r agenttest.Reply, prompt, cached, completion int) agenttest.Reply {
		r.Usage = llm.Usage{Prompt: prompt, Cached: cached, Completion: completion}
		return r
	}
	m := agenttest.NewModel(
		took(agenttest.Say("first"), 1700, 0, 10), // passes the threshold
		took(agenttest.Reply{}, 900, 800, 1), took(agenttest.Say("second"), 1710, 100, 10),
		took(agenttest.Say("GOAL: all"), 1000, 700, 60), took(agenttest.Say("third"), 400, 200, 5),
		took(agenttest.Say("GOAL: more"), 800, 30, 20), // asked for
	)
	o := small(m, echo{})
	turns(&o, 4)
	r := agenttest.Run(t, o)
	var stats agent.Stats
	do := func(cmd agent.Command) []agent.Event {
		events := r.Do(cmd)
		for _, e := range events {
			stats.Add(e)
		}
		return events
	}
	for i, want := range []llm.Usage{{Prompt: 1700, Completion: 10}, {Prompt: 2610, Cached: 900, Completion: 11}, {Prompt: 1400, Cached: 900, Completion: 65}} {
		if got := ended(t, do(agent.Prompt{Text: "q"})).Usage; got != want {
			t.Errorf("turn %d took %+v, want %+v", i+1, got, want)
		}
	}
	if got, want := o.Session.Items[0].Usage, (llm.Usage{Prompt: 1000, Cached: 700, Completion: 60}); got != want {
		t.Errorf("the summary took %+v, want %+v", got, want)
	}
	turns(&o, 4)
	do(agent.Compact{})
	if want := (llm.Usage{Prompt: 6510, Cached: 1830, Completion: 106}); stats.Usage != want {
		t.Errorf("in all %+v, want %+v", stats.Usage, want)
	}
	if stats.Expected < stats.Usage.Cached {
		t.Errorf("%d tokens could have been found, %d were", stats.Expected, stats.Usage.Cached)
	}
}

func TestEarlierSummaryIsUpdated(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("GOAL: one"), agenttest.Say("GOAL: one and two"))
	o := small(m, echo{})
	turns(&o, 4)
	r := agenttest.Run(t, o)
	r.Do(agent.Compact{})
	turns(&o, 0)
	for i := 5; i <= 7; i++ {
		o.Session.Items = append(o.Session.Items,
			session.Item{Message: llm.Message{Role: llm.User, Text: "q"}, Turn: i},
			session.Item{Message: llm.Message{Role: llm.Assistant, Text: strings.Repeat("word ", 200)}, Turn: i})
	}
	r.Do(agent.Compact{})
	ask := m.Requests()[1]
	if got := ask.Messages[1].Text; !strings.Contains(got, "GOAL: one") {
		t.Errorf("the earlier summary is not given: %q", got)
	}
	if got := lastText(ask); !strings.Contains(got, "bring it up to date") {
		t.Errorf("the earlier summary is not to be updated: %q", got)
	}
	summaries := 0
	for _, item := range o.Session.Items {
		if item.Summary {
			summaries++
		}
	}
	if summaries != 1 {
		t.Errorf("%d summaries in the history, want 1", summaries)
	}
}

func TestFailedCompactionKeepsTheHistory(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]agenttest.Reply{
		"an error": agenttest.Fail(&llm.Error{Kind: llm.ServerFault, Status: 500, Message: "boom"}),
		"empty":    {},
		"no gain":  agenttest.Say(strings.Repeat("word ", 2000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(reply)
			o := small(m, echo{})
			turns(&o, 4)
			before := append([]session.Item(nil), o.Session.Items...)
			r := agenttest.Run(t, o)
			got := compactions(r.Do(agent.Compact{}))
			if len(got) != 1 || got[0].Changed || !strings.HasPrefix(got[0].Line, "[compact: failed, history kept: ") {
				t.Errorf("got %+v", got)
			}
			if diff := cmp.Diff(before, o.Session.Items); diff != "" {
				t.Errorf("the history changed:\n%s", diff)
			}
		})
	}
}

func TestUselessCompactionIsPaused(t *testing.T) {
	t.Parallel()
	full := used(agenttest.Say("a"), 1900)
	m := agenttest.NewModel(full, agenttest.Reply{}, full, agenttest.Reply{}, full, full, full)
	o := small(m, echo{})
	turns(&o, 4)
	r := agenttest.Run(t, o)
	var warned []string
	for range 5 {
		warned = append(warned, notices(r.Prompt("q"), agent.Warn)...)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "paused for this session") {
		t.Errorf("warnings %q, want one", warned)
	}
	if got := len(m.Requests()); got != 7 {
		t.Errorf("%d requests, want 5 turns and 2 tries", got)
	}
}

// The pause of useless compactions ends with /new, as its line says.
func TestNewLiftsThePauseOfCompaction(t *testing.T) {
	t.Parallel()
	full := used(agenttest.Say("a"), 1900)
	m := agenttest.NewModel(full, agenttest.Reply{}, full, agenttest.Reply{}, full, full, full, agenttest.Say("GOAL"), full)
	o := small(m, echo{})
	turns(&o, 4)
	r := agenttest.Run(t, o)
	for range 4 {
		r.Prompt("q")
	}
	r.Do(agent.Clear{})
	turns(&o, 4)
	r.Prompt("q")
	if got := compactions(r.Prompt("q")); len(got) != 1 || !got[0].Changed {
		t.Errorf("got %+v, want a compaction", got)
	}
}

// Where the system prompt and the tools alone leave no room, no compaction can
// help: that is said once in a conversation, with figures and what to do.
func TestFixedPartThatFillsTheWindow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		tokens int // of the system prompt, about; compaction is at 1,600
		want   int // times in each conversation
	}{{"no room", 1700, 1}, {"room", 1400, 0}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			full := used(agenttest.Say("a"), tc.tokens+280)
			o := small(agenttest.NewModel(full, full, full, full, full, full), echo{})
			o.System = strings.Repeat("a", tc.tokens*7/2)
			r := agenttest.Run(t, o)
			for range 2 {
				var said []string
				for i, text := range []string{strings.Repeat("a", 250*7/2), "q", "q"} {
					said = append(said, notices(r.Prompt(text), agent.Warn)...)
					if i == 0 && len(said) != tc.want {
						t.Errorf("before the first answer said %q, want %d", said, tc.want)
					}
				}
				if len(said) != tc.want {
					t.Errorf("said %q, want %d", said, tc.want)
				}
				for _, text := range said {
					if !strings.Contains(text, "of 2000 tokens: turn tools off (planTool, searchTools, fetchContentTool), or serve the model with a larger window") {
						t.Errorf("said %q", text)
					}
				}
				r.Do(agent.Clear{})
			}
		})
	}
}

func TestNothingToCompact(t *testing.T) {
	t.Parallel()
	o := small(agenttest.NewModel(), echo{})
	turns(&o, 2)
	r := agenttest.Run(t, o)
	want := []agent.Compacted{{Line: "nothing to compact: 4 message(s), no turn older than the last 2"}}
	if diff := cmp.Diff(want, compactions(r.Do(agent.Compact{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompactionWithoutAWindow(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("GOAL"), agenttest.Say("answer"))
	o := small(m, echo{})
	m.Served.ContextWindow = 0
	o.Context.MaxMessages = 6
	turns(&o, 4)
	r := agenttest.Run(t, o)
	if got := compactions(r.Prompt("q")); len(got) != 1 || !got[0].Changed {
		t.Errorf("got %+v, want a compaction by the number of messages", got)
	}
}

// A turn that fills the window by itself leaves nothing to compact: that is no
// useless try, and the turns after it are compacted as ever.
func TestNothingToCompactPausesNothing(t *testing.T) {
	t.Parallel()
	call := used(agenttest.Call("echo", `{"text":"x"}`), 1700)
	m := agenttest.NewModel(call, call, call, used(agenttest.Say("a"), 1700))
	o := small(m, echo{})
	r := agenttest.Run(t, o)
	if got := notices(r.Prompt("q"), agent.Warn); len(got) > 0 {
		t.Errorf("warned %q, want nothing", got)
	}
}

// The user learns of a compaction that failed also when nobody asked for it.
func TestFailedCompactionIsTold(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(used(agenttest.Say("a"), 1900), agenttest.Reply{}, agenttest.Say("b"))
	o := small(m, echo{})
	turns(&o, 4)
	r := agenttest.Run(t, o)
	r.Prompt("q")
	got := compactions(r.Prompt("q"))
	if len(got) != 1 || got[0].Changed || !strings.HasPrefix(got[0].Line, "[compact: failed, history kept: ") {
		t.Errorf("got %+v, want one line that tells", got)
	}
}

// What a server leaves open of its window is said once, and asked again before
// each turn until it is known; so is a server that may be another.
func TestWindowIsAskedAgain(t *testing.T) {
	t.Parallel()
	say := func(server string) agenttest.Reply {
		r := agenttest.Say("a")
		r.Server = server
		return r
	}
	gone := agenttest.Fail(&llm.Error{Kind: llm.Unreachable})
	m := agenttest.NewModel(say("m b1"), say("m b1"), say("m b1"), say("m b2"), gone, say("m b2"), say("m b2"))
	o := small(m, echo{})
	m.Served.ContextWindow = 0
	r := agenttest.Run(t, o)
	var said []string
	windows := []int{0, 0, 4000, 8000, 8000, 16000, 32000}
	want := []int{0, 0, 4000, 4000, 8000, 16000, 16000} // known; b2 tells after its answer
	for i, window := range windows {
		m.Serve(window)
		events := r.Prompt("q")
		if i == 0 {
			events = append(r.Start, events...)
		}
		said = append(said, notices(events, agent.Warn)...)
		limit := 0
		for _, u := range of[agent.ContextUsage](events) {
			limit = u.Limit
		}
		if i != 4 && limit != want[i] {
			t.Errorf("turn %d: the window is %d, want %d", i+1, limit, want[i])
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "does not tell its context window") {
		t.Errorf("said %q, want one line", said)
	}
}

// A file that did not change is not shown twice, until its content has left the
// context.
func TestUnchangedFileIsNotShownAgain(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("line\n", 100)
	tool := reader{content: &content}
	read := agenttest.Call("read_file", `{"path":"a.go"}`)
	m := agenttest.NewModel(read, read, agenttest.Say("ok"), read, agenttest.Say("ok"), read, agenttest.Say("ok"))
	o := yolo(options(m, echo{}))
	o.Tools = box{tool}
	r := agenttest.Run(t, o)
	const note = "has not changed since you read it"
	outputs := func(events []agent.Event) (known []bool) {
		for _, c := range calls(events) {
			known = append(known, strings.Contains(c.Output, note))
		}
		return known
	}
	got := outputs(r.Prompt("read it twice"))
	content += "more\n"
	got = append(got, outputs(r.Prompt("now it has changed"))...)
	for i := range o.Session.Items {
		o.Session.Items[i].Masked = true
	}
	got = append(got, outputs(r.Prompt("now it is left out"))...)
	if diff := cmp.Diff([]bool{false, true, false, false}, got); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
}

// reader is read_file in small.
type reader struct{ content *string }

func (reader) Spec() tools.Spec {
	return tools.Spec{Name: "read_file", Kind: tools.KindRead, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (reader) Plan(context.Context, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Title: "a.go", Action: safety.Action{Tool: "read_file", Op: safety.Read}}, nil
}

func (r reader) Run(context.Context, tools.Plan, tools.Sink) tools.Result {
	return tools.Result{Text: *r.content, Status: tools.OK}
}

// speaks is a tool with a long output.
var speaks = echo{run: func(_ context.Context, text string, _ tools.Sink) tools.Result {
	return tools.Result{Text: strings.Repeat(text+"\n", 200), Status: tools.OK}
}}

// talkative is a model that makes n calls with a long output, one in each turn,
// in a window of 4,000 tokens.
func talkative(n int) (*agenttest.Model, agent.Options) {
	var replies []agenttest.Reply
	for i := range n {
		replies = append(replies, agenttest.Call("echo", fmt.Sprintf(`{"text":"n%d"}`, i)), agenttest.Say("ok"))
	}
	m := agenttest.NewModel(replies...)
	o := small(m, speaks)
	m.Served.ContextWindow = 4000
	return m, o
}

func TestMaskingInBatches(t *testing.T) {
	t.Parallel()
	m, o := talkative(12)
	o.Context.CompactAt = 1
	r := agenttest.Run(t, o)
	moved, stubs := 0, 0
	for i := range 12 {
		r.Prompt(fmt.Sprintf("q%d", i))
	}
	reqs := m.Requests()
	for i := 1; i < len(reqs); i++ {
		n := len(reqs[i-1].Messages)
		if cmp.Diff(reqs[i-1].Messages, reqs[i].Messages[:n]) != "" {
			moved++
		}
	}
	for _, msg := range reqs[len(reqs)-1].Messages {
		if strings.HasPrefix(msg.Text, "[output of \"n") {
			stubs++
			if !strings.HasSuffix(msg.Text, "left out: 200 lines; run it again if needed]") {
				t.Errorf("stub %q", msg.Text)
			}
		}
	}
	// An output is about 220 tokens; 60 % of the window hold ten of them, and
	// a batch goes down to 35 %.
	if moved == 0 || moved > 2 || stubs < 4 {
		t.Errorf("the prefix moved %d times and %d outputs are masked; want one or two batches", moved, stubs)
	}
	for _, item := range o.Session.Items {
		if item.Role == llm.Tool && len(item.Text) < 600 {
			t.Error("a stored output was shortened")
		}
	}
}

// Where the last turns alone hold the window above maskTo, masking one output
// in each turn would move the prefix each time.
func TestMaskingWaitsForABatch(t *testing.T) {
	t.Parallel()
	m, o := talkative(14)
	// Ten outputs of about 220 tokens, 55 % of the window, are never masked,
	// and a batch is worth it from 12.5 % on: from three more on.
	o.Context.CompactAt, o.Context.MaskAfterTurns = 1, 10
	r := agenttest.Run(t, o)
	for i := range 14 {
		r.Prompt(fmt.Sprintf("q%d", i))
	}
	var sizes []int
	masked := 0
	for _, req := range m.Requests() {
		n := 0
		for _, msg := range req.Messages {
			if strings.HasPrefix(msg.Text, "[output of \"n") {
				n++
			}
		}
		if n > masked {
			sizes, masked = append(sizes, n-masked), n
		}
	}
	if len(sizes) == 0 || slices.Min(sizes) < 2 {
		t.Errorf("batches of %v outputs, want none of one", sizes)
	}
}

func TestOverflowMakesRoomAndGoesOn(t *testing.T) {
	t.Parallel()
	overflow := agenttest.Fail(&llm.Error{Kind: llm.ContextFull, PromptTokens: 4139, ContextWindow: 1500})
	m := agenttest.NewModel(overflow, agenttest.Say("GOAL"), agenttest.Say("answer"))
	o := small(m, echo{})
	m.Served.ContextWindow = 0 // not told: the refusal teaches it
	turns(&o, 4)
	r := agenttest.Run(t, o)
	events := r.Prompt("q")
	closedInOrder(t, events)
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	if got := len(m.Requests()); got != 3 {
		t.Errorf("%d requests, want 3: one compaction, one retry", got)
	}
}

// A result that is no larger than the window in characters, and still does not
// fit beside the rest, is cut until it does.
func TestOverflowCutsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	overflow := agenttest.Fail(&llm.Error{Kind: llm.ContextFull, PromptTokens: 1800, ContextWindow: 1500})
	m := agenttest.NewModel(agenttest.Call("echo", `{"text":"1234567"}`), overflow, agenttest.Say("answer"))
	output := strings.Repeat("1234567\n", 180)
	o := small(m, echo{run: func(context.Context, string, tools.Sink) tools.Result {
		return tools.Result{Text: output, Status: tools.OK}
	}})
	m.Served.ContextWindow = 0
	store, err := session.Open(t.TempDir() + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	o.Store = store
	events := agenttest.Run(t, o).Prompt("q")
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Fatalf("stop %q, want an answer", got)
	}
	reqs := m.Requests()
	last := reqs[len(reqs)-1].Messages
	for _, msg := range last {
		if msg.Role == llm.Tool && (len(msg.Text) > 1200 || !strings.Contains(msg.Text, "characters left out: the context window is too small")) {
			t.Errorf("a result of %d characters was sent again", len(msg.Text))
		}
	}
	// What is kept is the whole, and a resumed session sends it as it was sent.
	kept, err := store.Load(o.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.Items[2].Text; got != output {
		t.Errorf("%d characters of the result are kept, want all %d", len(got), len(output))
	}
	if diff := cmp.Diff(last, agent.Outgoing(o.System, kept.Items)[:len(last)]); diff != "" {
		t.Errorf("sent after a resumption (-want +got):\n%s", diff)
	}
}

func TestOverflowThatStaysIsExplained(t *testing.T) {
	t.Parallel()
	overflow := agenttest.Fail(&llm.Error{Kind: llm.ContextFull, PromptTokens: 4139, ContextWindow: 1500})
	m := agenttest.NewModel(overflow, overflow)
	o := small(m, echo{})
	m.Served.Provider = "llamacpp"
	events := agenttest.Run(t, o).Prompt("q")
	const want = "the conversation (4139 tokens) does not fit the context window (1500 tokens): /compact shortens it; for a larger window: llama-server -c 16384"
	if end := ended(t, events); end.Stop != agent.StopFailed || end.Text != want {
		t.Errorf("ended with %q %q, want failed with figures and what to do", end.Stop, end.Text)
	}
	if faults := of[agent.Fault](events); len(faults) != 1 || faults[0].Text != want {
		t.Errorf("told %+v", faults)
	}
	if got := len(m.Requests()); got > 2 {
		t.Errorf("%d requests: a loop", got)
	}
}

func TestOneTurnThatFillsTheWindow(t *testing.T) {
	t.Parallel()
	var replies []agenttest.Reply
	for i := range 20 {
		replies = append(replies, agenttest.Call("echo", fmt.Sprintf(`{"text":"n%d"}`, i)))
	}
	m := agenttest.NewModel(append(replies, agenttest.Say("done"))...)
	o := small(m, speaks)
	r := agenttest.Run(t, o)
	if got := ended(t, r.Prompt("all at once")).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	est := llm.Estimator{}
	for i, req := range m.Requests() {
		if got := est.Request(req); got > 2000 {
			t.Errorf("request %d has about %d tokens, more than the window", i, got)
		}
	}
}
