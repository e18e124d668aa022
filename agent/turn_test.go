package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/fileedit"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// notices returns the texts of the notices of a level.
func notices(events []agent.Event, level agent.Level) []string {
	var texts []string
	for _, e := range events {
		if n, ok := e.(agent.Notice); ok && n.Level == level {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// calls returns the ends of all calls.
func calls(events []agent.Event) []agent.CallEnded { return of[agent.CallEnded](events) }

// of returns the events of one type.
func of[T agent.Event](events []agent.Event) []T {
	var out []T
	for _, e := range events {
		if e, ok := e.(T); ok {
			out = append(out, e)
		}
	}
	return out
}

func lastText(req llm.Request) string { return req.Messages[len(req.Messages)-1].Text }

func yolo(o agent.Options) agent.Options {
	o.Policy = &policy{mode: safety.Yolo}
	return o
}

func TestCutCallNeverRuns(t *testing.T) {
	t.Parallel()
	cut := agenttest.Call("echo", `{"text":"whole JSON all the same"}`)
	cut.Finish = llm.FinishLength
	m := agenttest.NewModel(cut, cut, agenttest.Say("I give up."))
	r := agenttest.Run(t, yolo(options(m, echo{run: func(context.Context, string, tools.Sink) tools.Result {
		t.Error("a cut call ran")
		return tools.Result{}
	}})))
	events := r.Prompt("write it")
	closedInOrder(t, events)
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	// 1,000 tokens at 1.5 characters each.
	want := "write it\n\nYour call of echo was cut off at max_tokens (1000): it did not run, nothing was written. " +
		"Write only the first part now (about 1500 characters), then add the rest with edit_file, part by part."
	if got := lastText(m.Requests()[1]); got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	if got := len(notices(events, agent.Repair)); got != 2 {
		t.Errorf("%d repairs were shown, want 2", got)
	}
}

func TestCutCallIsHandedBackTwiceOnly(t *testing.T) {
	t.Parallel()
	cut := agenttest.Call("echo", `{"text":"abc`)
	cut.Finish = llm.FinishLength
	m := agenttest.NewModel(cut, cut, cut)
	r := agenttest.Run(t, yolo(options(m, echo{})))
	end := ended(t, r.Prompt("write it"))
	if end.Stop != agent.StopMaxTokens || !strings.Contains(end.Text, "max_tokens (1000)") {
		t.Errorf("got %q %q, want max tokens with the figure", end.Stop, end.Text)
	}
}

func TestReasoningAloneNamesTheLimit(t *testing.T) {
	t.Parallel()
	reply := agenttest.Reply{Deltas: []llm.Delta{llm.ReasoningDelta{Text: "endless"}}, Finish: llm.FinishLength}
	r := agenttest.Run(t, options(agenttest.NewModel(reply), echo{}))
	end := ended(t, r.Prompt("think"))
	if end.Stop != agent.StopMaxTokens || !strings.Contains(end.Text, "reasoning used up max_tokens (1000)") {
		t.Errorf("got %q %q", end.Stop, end.Text)
	}
}

func TestBrokenStreamIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	broken := agenttest.Say("half of")
	broken.Err = &llm.Error{Kind: llm.Disconnected}
	o := options(agenttest.NewModel(broken, agenttest.Say("the whole answer")), echo{})
	r := agenttest.Run(t, o)
	events := r.Prompt("go")
	closedInOrder(t, events)
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	want := []session.Item{
		{Message: llm.Message{Role: llm.User, Text: "go"}, Turn: 1},
		{Message: llm.Message{Role: llm.Assistant, Text: "the whole answer"}, Turn: 1},
	}
	if diff := cmp.Diff(want, o.Session.Items); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestWhatTheUserRanIsToldAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Fail(&llm.Error{Kind: llm.BadRequest, Status: 400}), agenttest.Say("ok"))
	o := options(m, echo{})
	o.Shell = func(context.Context, string, tools.Sink) tools.Result { return tools.Result{Text: "SHARED"} }
	r := agenttest.Run(t, o)
	r.Do(agent.RunShell{Command: "echo SHARED"})
	r.Prompt("first")
	r.Prompt("second")
	reqs := m.Requests()
	if got := lastText(reqs[len(reqs)-1]); !strings.Contains(got, "SHARED") || !strings.HasSuffix(got, "second") {
		t.Errorf("the model reads %q, want what the user ran and the question", got)
	}
}

func TestStreamWithoutItsEndIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(bare("half"), agenttest.Say("the whole"))
	o := options(m, echo{})
	r := agenttest.Run(t, o)
	if got := ended(t, r.Prompt("go")).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	if n := len(o.Session.Items); o.Session.Items[n-1].Text != "the whole" {
		t.Errorf("kept %+v", o.Session.Items)
	}
}

// bare is an answer that ends with neither a finish reason nor [DONE].
func bare(text string) agenttest.Reply {
	r := agenttest.Say(text)
	r.Bare = true
	return r
}

func TestUnansweredQuestionIsTakenOut(t *testing.T) {
	t.Parallel()
	o := options(agenttest.NewModel(agenttest.Fail(&llm.Error{Kind: llm.Unreachable, Message: "refused"}), agenttest.Say("hello")), echo{})
	r := agenttest.Run(t, o)
	if got := ended(t, r.Prompt("anyone?")).Stop; got != agent.StopFailed {
		t.Errorf("stop %q, want failed", got)
	}
	if len(o.Session.Items) != 0 {
		t.Errorf("kept %+v, want nothing", o.Session.Items)
	}
	if got := ended(t, r.Prompt("again")).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
}

func TestEmptyAnswerIsNudgedOnce(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Reply{}, agenttest.Reply{})
	o := yolo(options(m, echo{}))
	r := agenttest.Run(t, o)
	events := r.Prompt("go")
	end := ended(t, events)
	if end.Stop != agent.StopFailed || !strings.Contains(end.Text, "the last thing it did was echo") {
		t.Errorf("got %q %q, want a sentence that names the last result", end.Stop, end.Text)
	}
	if got := len(m.Requests()); got != 3 {
		t.Errorf("%d requests, want 3: one nudge", got)
	}
	for _, item := range o.Session.Items {
		if item.Role == llm.Assistant && item.Text == "" && len(item.Calls) == 0 {
			t.Error("an empty message is kept")
		}
	}
}

// Each way to answer nothing gets one nudge of its own in a turn.
func TestEachKindIsNudgedOnce(t *testing.T) {
	t.Parallel()
	empty, thought, announced := agenttest.Reply{}, agenttest.Think("Hm.", agenttest.Reply{}), agenttest.Say("Now I will edit the file.")
	m := agenttest.NewModel(thought, empty, announced, thought)
	events := agenttest.Run(t, options(m, echo{})).Prompt("go")
	want := []string{
		"there was reasoning and no answer: asked once more", "the answer was empty: asked once more",
		"a step was announced and not taken: asked once more",
	}
	if diff := cmp.Diff(want, notices(events, agent.Repair)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnnouncedStepIsNudged(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Now I will edit the file.":                     true,
		"I read it. Let me fix the bug:":                true,
		"The bug is in main.go.\n\nI'll run the tests.": true,
		"Done. Let me know if you need more.":           false,
		// Of Qwen2.5-Coder 1.5B.
		"To find out which port the service uses, I will look into the `NOTES.txt` file.": true,
		"I need to read main.go first.":                  true,
		"To change it, edit NOTES.txt.":                  false,
		"Should I go on?":                                false,
		"I will do it if you want. Shall I?":             false,
		"The function now returns 2.":                    false,
		"Use:\n```sh\nlet me in\n```":                    false,
		"The changes I will summarise are small and ok.": false,
	} {
		m := agenttest.NewModel(agenttest.Say(text), agenttest.Say("Done."))
		r := agenttest.Run(t, options(m, echo{}))
		r.Prompt("go")
		if got := len(m.Requests()) == 2; got != want {
			t.Errorf("%q: nudged %v, want %v", text, got, want)
		}
	}
}

func TestMaxTurnsAsksForASummary(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(
		agenttest.Call("echo", `{"text":"1"}`), agenttest.Call("echo", `{"text":"2"}`), agenttest.Say("I did 1 and 2; 3 remains."))
	o := yolo(options(m, echo{}))
	o.MaxTurns = 2
	r := agenttest.Run(t, o)
	end := ended(t, r.Prompt("count"))
	if end.Stop != agent.StopMaxTurns {
		t.Errorf("stop %q, want max turns", end.Stop)
	}
	reqs := m.Requests()
	last := reqs[len(reqs)-1]
	if last.ToolChoice != "none" || len(last.Tools) != 1 {
		t.Errorf("the summary was asked with tool choice %q and %d tools; want none, tools kept for the prefix", last.ToolChoice, len(last.Tools))
	}
	if n := len(o.Session.Items); o.Session.Items[n-1].Text != "I did 1 and 2; 3 remains." {
		t.Errorf("the summary is not in the history: %+v", o.Session.Items[n-1])
	}
}

func TestLoopIsWarnedThenStopped(t *testing.T) {
	t.Parallel()
	same := agenttest.Call("echo", `{"text":"ls docs/"}`)
	m := agenttest.NewModel(same, same, same, same, same, same, same)
	o := yolo(options(m, echo{}))
	o.LoopTemperature = 0.4
	r := agenttest.Run(t, o)
	events := r.Prompt("go")
	if got := ended(t, events).Stop; got != agent.StopStuck {
		t.Errorf("stop %q, want stuck", got)
	}
	var warned []int
	for i, c := range calls(events) {
		if strings.Contains(c.Output, "[LOOP_DETECTED: you have made this call") {
			warned = append(warned, i+1)
		}
	}
	if diff := cmp.Diff([]int{3, 4, 5, 6}, warned); diff != "" {
		t.Errorf("warned calls (-want +got):\n%s", diff)
	}
	var temps []float64
	for _, req := range m.Requests() {
		temps = append(temps, req.Sampling.Temperature)
	}
	if diff := cmp.Diff([]float64{0, 0, 0, 0.4, 0.4, 0.4}, temps); diff != "" {
		t.Errorf("temperatures (-want +got):\n%s", diff)
	}
}

func TestAnswersToQuestions(t *testing.T) {
	t.Parallel()
	call := agenttest.Call("echo", `{"text":"x"}`)
	for _, tc := range []struct {
		name   string
		answer agent.Decide
		want   []string // outputs of two calls
		asked  int
	}{
		{"allow", agent.Decide{Choice: agent.ChoiceAllow}, []string{"said x", "said x"}, 2},
		{"always", agent.Decide{Choice: agent.ChoiceAlways}, []string{"said x", "said x"}, 1},
		{"reject", agent.Decide{Choice: agent.ChoiceReject}, []string{"[command rejected by the user]", "[command rejected by the user]"}, 2},
		{"unknown choice", agent.Decide{Choice: "banana"}, []string{"[command rejected by the user]", "[command rejected by the user]"}, 2},
		{"reject and say why", agent.Decide{Choice: agent.ChoiceReject, Note: "use y"}, []string{"[command rejected by the user]\nThe user says: use y", "[command rejected by the user]\nThe user says: use y"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := agenttest.Run(t, options(agenttest.NewModel(call, call, agenttest.Say("ok")), echo{}))
			asked := 0
			r.Answer(func(agent.ApprovalAsked) agent.Decide { asked++; return tc.answer })
			var got []string
			for _, c := range calls(r.Prompt("go")) {
				got = append(got, c.Output)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
			if asked != tc.asked {
				t.Errorf("asked %d times, want %d", asked, tc.asked)
			}
		})
	}
}

// A mode that forbids a call forbids it also when it came while the question
// stood; one that still asks, or asks no more, leaves the answer as it is.
func TestModeChangedBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for mode, runs := range map[safety.Mode]bool{
		safety.ReadOnly: false, safety.AcceptEdits: true, safety.Yolo: true,
	} {
		for _, d := range []agent.Decide{
			{Choice: agent.ChoiceAllow}, {Choice: agent.ChoiceAlways}, {Choice: agent.ChoiceAllow, Command: "ls"},
		} {
			t.Run(fmt.Sprintf("%s %s %s", mode, d.Choice, d.Command), func(t *testing.T) {
				t.Parallel()
				ran := false
				tool := echo{run: func(context.Context, string, tools.Sink) tools.Result {
					ran = true
					return tools.Result{Status: tools.OK}
				}}
				o := options(agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("ok")), tool)
				o.Policy = safety.NewPolicy(safety.Options{})
				r := agenttest.Run(t, o)
				r.Answer(func(agent.ApprovalAsked) agent.Decide {
					if err := r.Core.Do(agent.SetMode{Mode: mode}); err != nil {
						t.Error(err)
					}
					return d
				})
				got := calls(r.Prompt("go"))[0]
				if ran != runs {
					t.Errorf("ran %v, want %v: %+v", ran, runs, got)
				}
				if !runs && (got.Status != agent.CallDenied || !strings.Contains(got.Output, "read-only")) {
					t.Errorf("got %+v, want a refusal that names the mode", got)
				}
			})
		}
	}
}

func TestEditedCommandIsTold(t *testing.T) {
	t.Parallel()
	tool := echo{run: func(_ context.Context, text string, _ tools.Sink) tools.Result {
		return tools.Result{Text: text, Status: tools.OK}
	}}
	// The echo tool takes "text", so the edited plan has an empty one: what
	// counts is that the model's command did not run and that it is told.
	r := agenttest.Run(t, options(agenttest.NewModel(agenttest.Call("echo", `{"text":"rm x"}`), agenttest.Say("ok")), tool))
	r.Answer(func(agent.ApprovalAsked) agent.Decide {
		return agent.Decide{Choice: agent.ChoiceAllow, Command: "ls x"}
	})
	got := calls(r.Prompt("go"))[0].Output
	if want := "[the user changed the command to: ls x]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnattendedRefusesWithText(t *testing.T) {
	t.Parallel()
	o := options(agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("I may not.")), echo{})
	o.Unattended = true
	r := agenttest.Run(t, o)
	events := r.Prompt("go")
	if got := calls(events)[0]; got.Status != agent.CallDenied || !strings.Contains(got.Output, "-yolo") {
		t.Errorf("got %+v, want a refusal that names the flag", got)
	}
	if got := ended(t, events).Stop; got != agent.StopRefused {
		t.Errorf("stop %q, want refused", got)
	}
}

func TestUnknownToolIsAnswered(t *testing.T) {
	t.Parallel()
	r := agenttest.Run(t, options(agenttest.NewModel(agenttest.Call("python", `{}`), agenttest.Say("done")), echo{}))
	events := r.Prompt("go")
	c := calls(events)[0]
	if c.Status != agent.CallInvalid || !strings.Contains(c.Output, `no tool named "python"`) {
		t.Errorf("got %+v", c)
	}
	for _, e := range events {
		if e.Kind() == "approval_asked" {
			t.Error("permission was asked for an invented tool")
		}
	}
}

func TestQueueRunsInOrderAndCanBeTakenBack(t *testing.T) {
	t.Parallel()
	blocked := agenttest.Say("first")
	blocked.Block = true
	o := options(agenttest.NewModel(blocked, agenttest.Say("third answered")), echo{})
	r := agenttest.Run(t, o)
	sent := false
	r.On(func(e agent.Event) {
		if _, ok := e.(agent.TextDelta); ok && !sent {
			sent = true
			for _, cmd := range []agent.Command{agent.Prompt{Text: "two"}, agent.Prompt{Text: "three"}, agent.Unqueue{Index: 0}, agent.Interrupt{}} {
				if err := r.Core.Do(cmd); err != nil {
					t.Error(err)
				}
			}
		}
	})
	r.Prompt("one")
	var texts []string
	for _, item := range o.Session.Items {
		texts = append(texts, item.Text)
	}
	if diff := cmp.Diff([]string{"one", "first", "three", "third answered"}, texts); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestPrefixIsStable checks that each request begins with the tools and the
// messages of the one before, byte for byte, over a session of several turns
// with calls, refusals and repaired answers. Only the last message may have
// grown at its end: two user messages in a row are sent as one.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	cut := agenttest.Call("echo", `{"text":"ab`)
	cut.Finish = llm.FinishLength
	call := agenttest.Call("echo", `{"text":"x"}`)
	m := agenttest.NewModel(
		call, agenttest.Say("one"),
		cut, call, agenttest.Say("two"),
		agenttest.Call("nope", `{}`), agenttest.Call("echo", `{"text"`), agenttest.Reply{}, agenttest.Say("three"),
		agenttest.Calls("echo", `{"text":"a"}`, "echo", `{"text":"b"}`), agenttest.Say("four"),
	)
	r := agenttest.Run(t, yolo(options(m, echo{})))
	for _, q := range []string{"q1", "q2", "q3", "q4"} {
		r.Prompt(q)
	}
	reqs := m.Requests()
	if len(reqs) != 11 {
		t.Fatalf("%d requests, want 11", len(reqs))
	}
	for i := 1; i < len(reqs); i++ {
		before, now := reqs[i-1], reqs[i]
		if diff := cmp.Diff(before.Tools, now.Tools); diff != "" {
			t.Errorf("request %d: tools changed:\n%s", i, diff)
		}
		last := len(before.Messages) - 1
		if len(now.Messages) <= last {
			t.Fatalf("request %d has %d messages, the one before %d", i, len(now.Messages), last+1)
		}
		if diff := cmp.Diff(before.Messages[:last], now.Messages[:last]); diff != "" {
			t.Errorf("request %d rewrites what was sent (-before +now):\n%s", i, diff)
		}
		if a, b := before.Messages[last], now.Messages[last]; a.Role != b.Role || !strings.HasPrefix(b.Text, a.Text) {
			t.Errorf("request %d rewrites the last message: %q, was %q", i, b.Text, a.Text)
		}
	}
}

func TestReplayTellsTheSame(t *testing.T) {
	t.Parallel()
	code := 2
	diff := agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("a.go", []byte("a\n"), []byte("b\n"))}}
	tool := echo{run: func(_ context.Context, text string, _ tools.Sink) tools.Result {
		return tools.Result{Text: text, Status: tools.OK, Preview: diff, ExitCode: &code}
	}}
	o := options(agenttest.NewModel(agenttest.Calls("echo", `{"text":"a"}`, "nope", `{}`), agenttest.Say("done"), agenttest.Say("again")), tool)
	r := agenttest.Run(t, yolo(o))
	live := append(r.Prompt("go"), r.Prompt("more")...)

	o2 := options(agenttest.NewModel(), echo{})
	o2.Session = o.Session
	replayed := agenttest.Run(t, o2).Start
	if diff := cmp.Diff(told(live), told(replayed)); diff != "" {
		t.Errorf("replay (-live +replayed):\n%s", diff)
	}
}

// told are the events of the conversation itself. Left out is what is told only
// while it happens: progress, questions, reasoning, and what a call would do.
func told(events []agent.Event) string {
	var out []agent.Event
	for _, e := range events {
		switch e := e.(type) {
		case agent.TurnStarted, agent.UserMessage, agent.TextDelta, agent.TextEnded, agent.CallStarted, agent.CallEnded, agent.TurnEnded:
			out = append(out, e)
		case agent.CallPlanned:
			e.Preview, e.Locations, e.Repairs = nil, nil, nil
			out = append(out, e)
		}
	}
	return agenttest.Log(out)
}

func TestUndoAndRedo(t *testing.T) {
	t.Parallel()
	files := disk{"/work/a": "old"}
	o := yolo(options(agenttest.NewModel(agenttest.Call("echo", `{"text":"a"}`), agenttest.Say("ok")), echo{
		run: func(context.Context, string, tools.Sink) tools.Result {
			files["/work/a"] = "new"
			return tools.Result{Text: "ok", Status: tools.OK, Changes: []tools.Change{{Path: "/work/a", Before: []byte("old"), After: []byte("new")}}}
		},
	}))
	o.Restore = files.restore
	r := agenttest.Run(t, o)
	r.Prompt("go")
	for _, step := range []struct {
		cmd  agent.Command
		want string
	}{{agent.Undo{}, "old"}, {agent.Undo{}, "old"}, {agent.Redo{}, "new"}, {agent.Redo{}, "new"}, {agent.Undo{}, "old"}} {
		r.Do(step.cmd)
		if files["/work/a"] != step.want {
			t.Errorf("after %T the file is %q, want %q", step.cmd, files["/work/a"], step.want)
		}
	}
	o.Session.Turns[0].Dropped = true
	if got := notices(r.Do(agent.Undo{}), agent.Info); len(got) != 1 || !strings.Contains(got[0], "too large") {
		t.Errorf("undo of a turn that was not kept: notices %q", got)
	}
	o.Session.Turns[0].Dropped = false
	files["/work/a"] = "mine"
	if got := notices(r.Do(agent.Redo{}), agent.Warn); len(got) != 1 || files["/work/a"] != "mine" {
		t.Errorf("redo over the user's change: notices %q, file %q; want a refusal", got, files["/work/a"])
	}
}

// A file that the user has changed since is left alone, and still counts as
// changed by the session.
func TestUndoOfSomeFiles(t *testing.T) {
	t.Parallel()
	files := disk{}
	o := yolo(options(agenttest.NewModel(agenttest.Call("echo", `{"text":"a"}`), agenttest.Say("ok")), echo{
		run: func(context.Context, string, tools.Sink) tools.Result {
			res := tools.Result{Text: "ok", Status: tools.OK}
			for _, path := range []string{"/work/a", "/work/b"} {
				files[path] = "new\n"
				res.Changes = append(res.Changes, tools.Change{Path: path, Before: []byte("old\n"), After: []byte("new\n")})
			}
			return res
		},
	}))
	o.Restore = files.restore
	r := agenttest.Run(t, o)
	r.Prompt("go")
	files["/work/b"] = "mine\n"
	changed := func(events []agent.Event) string {
		var paths []string
		for _, f := range of[agent.FilesChanged](events)[0].Files {
			paths = append(paths, f.Path)
		}
		return strings.Join(paths, " ")
	}
	events := r.Do(agent.Undo{})
	if got := changed(events); got != "b" || files["/work/a"] != "old\n" || files["/work/b"] != "mine\n" {
		t.Errorf("after undo the session has changed %q, the files are %q; want b, which the user has changed", got, files)
	}
	if got := notices(events, agent.Warn); len(got) != 1 || !strings.Contains(got[0], "not undone: b (it changed since)") {
		t.Errorf("the user is told %q", got)
	}
	events = r.Do(agent.Redo{})
	if got := changed(events); got != "a b" || files["/work/a"] != "new\n" || files["/work/b"] != "mine\n" {
		t.Errorf("after redo the session has changed %q, the files are %q; want a and b", got, files)
	}
	if got := notices(events, agent.Warn); len(got) > 0 {
		t.Errorf("redo speaks of what was not undone: %q", got)
	}
}
