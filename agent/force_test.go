package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
)

// onLlamaCpp serves a model by a server whose grammar can hold an answer.
func onLlamaCpp(replies ...agenttest.Reply) *agenttest.Model {
	m := agenttest.NewModel(replies...)
	m.Served.Provider = "llamacpp"
	return m
}

func forcedCall(text string) agenttest.Reply {
	return agenttest.Say(fmt.Sprintf(`{"tool":"echo","arguments":{"text":%q}}`, text))
}

// What the model made up is seen by the user and stored, and never read by the
// model again; the call that it did not make is made.
func TestServerWritesTheCallThatLacks(t *testing.T) {
	t.Parallel()
	const lie = "I read it with read_file. It holds 7."
	m := onLlamaCpp(agenttest.Say(lie), forcedCall("part2.py"), agenttest.Say("It holds 2."))
	o := yolo(options(m, echo{}))
	o.Session.Cwd = project(t)
	events := agenttest.Run(t, o).Prompt("Read part2.py")
	closedInOrder(t, events)
	wellFormed(t, o.Session.Items)
	if got := notices(events, agent.Repair); len(got) != 1 || got[0] != "part2.py was not read: the server was made to write the call" {
		t.Errorf("repairs %q", got)
	}
	reqs := m.Requests()
	if len(reqs) != 3 {
		t.Fatalf("%d calls of the model, want 3", len(reqs))
	}
	ask := reqs[1]
	if ask.ToolChoice != "none" || len(ask.Tools) != 1 || !ask.NoThinking || ask.Schema == nil {
		t.Errorf("asked with choice %q, %d tools, reasoning off %v, schema %s", ask.ToolChoice, len(ask.Tools), ask.NoThinking, ask.Schema)
	}
	if slices.ContainsFunc(ask.Messages, func(m llm.Message) bool { return strings.Contains(m.Text, lie) }) {
		t.Errorf("what was made up stands before the call: %+v", ask.Messages)
	}
	if s := string(ask.Schema); !strings.Contains(s, `"properties":{"tool":{"enum":["echo"]},"arguments":{`) || !strings.Contains(s, `["none"]`) {
		t.Errorf("the schema has not the tool first, or no way out: %s", s)
	}
	last := reqs[2].Messages
	if slices.ContainsFunc(last, func(m llm.Message) bool { return strings.Contains(m.Text, lie) }) {
		t.Errorf("the model reads what it made up: %+v", last)
	}
	if got := last[len(last)-1]; got.Role != llm.Tool || got.Text != "said part2.py" {
		t.Errorf("the last message is %+v, want the result", got)
	}
	if got := o.Session.Items[1]; got.Text != lie || !got.Unsent {
		t.Errorf("stored as %+v, want what the user has read", got)
	}
}

func TestModelStandsByItsAnswer(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Say("There is nothing to fix."), agenttest.Say(`{"tool":"none"}`))
	o := options(m, echo{})
	events := agenttest.Run(t, o).Prompt("Fix main.go")
	if got := len(m.Requests()); got != 2 {
		t.Errorf("%d calls of the model, want 2", got)
	}
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
	if got := o.Session.Items[len(o.Session.Items)-1]; got.Unsent {
		t.Error("an answer that stands is not sent again")
	}
	if got := notices(events, agent.Warn); !slices.Contains(got, "no file of the project was changed in this turn, whatever the answer says") {
		t.Errorf("the user is told %q", got)
	}
}

// Where the server cannot be made to write a call, or it went wrong, the model
// gets a note.
func TestCallThatCannotBeForced(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		provider string
		off      bool
		replies  []agenttest.Reply
	}{
		"a server without a grammar": {"lmstudio", false, nil},
		"turned off":                 {"llamacpp", true, nil},
		"words":                      {"llamacpp", false, []agenttest.Reply{agenttest.Say("I would rather not.")}},
		"no such tool":               {"llamacpp", false, []agenttest.Reply{agenttest.Say(`{"tool":"python","arguments":{}}`)}},
		"bad arguments":              {"llamacpp", false, []agenttest.Reply{agenttest.Say(`{"tool":"echo","arguments":7`)}},
		"cut off":                    {"llamacpp", false, []agenttest.Reply{{Deltas: []llm.Delta{llm.TextDelta{Text: `{"tool":"echo"`}}, Finish: llm.FinishLength}}},
		"an error":                   {"llamacpp", false, []agenttest.Reply{agenttest.Fail(&llm.Error{Kind: llm.ServerFault, Status: 500, Message: "no grammar"})}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replies := append([]agenttest.Reply{agenttest.Say("It was run.")}, tc.replies...)
			m := agenttest.NewModel(append(replies, agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("Done."))...)
			m.Served.Provider = tc.provider
			o := yolo(options(m, echo{}))
			o.Repairs.NoConstrain = tc.off
			events := agenttest.Run(t, o).Prompt("Run the tests")
			closedInOrder(t, events)
			wellFormed(t, o.Session.Items)
			if got := notices(events, agent.Repair); len(got) != 1 || got[0] != "nothing was run: asked once more" {
				t.Errorf("repairs %q", got)
			}
			if got := ended(t, events).Stop; got != agent.StopAnswer {
				t.Errorf("stop %q, want an answer", got)
			}
		})
	}
}

// A model that makes no call by itself is led step by step, and not for ever.
func TestForcedCallsAreBounded(t *testing.T) {
	t.Parallel()
	var replies []agenttest.Reply
	for i := range 6 {
		replies = append(replies, agenttest.Say("Done."), forcedCall(fmt.Sprint(i)))
	}
	m := onLlamaCpp(append(replies, agenttest.Say("Done."), agenttest.Say("Done."))...)
	events := agenttest.Run(t, yolo(options(m, echo{}))).Prompt("Fix main.go")
	made := len(of[agent.CallEnded](events))
	if made != 6 {
		t.Errorf("%d calls were made, want 6", made)
	}
	if got := ended(t, events).Stop; got != agent.StopAnswer {
		t.Errorf("stop %q, want an answer", got)
	}
}

// Esc while the server writes a call ends the turn: nothing is asked after it,
// and what was said stands.
func TestCancelWhileACallIsForced(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Say("It was run."), agenttest.Reply{Block: true})
	o := options(m, echo{})
	r := agenttest.Run(t, o)
	r.On(func(e agent.Event) {
		if e, ok := e.(agent.StepStarted); ok && e.Step == 2 {
			if err := r.Core.Do(agent.Interrupt{}); err != nil {
				t.Error(err)
			}
		}
	})
	events := r.Prompt("Run the tests")
	closedInOrder(t, events)
	if got := ended(t, events).Stop; got != agent.StopCancelled || len(m.Requests()) != 2 {
		t.Errorf("stop %q after %d calls of the model, want cancelled after 2", got, len(m.Requests()))
	}
	last := o.Session.Items[len(o.Session.Items)-1]
	if last.Text != "It was run." || last.Unsent || last.Note {
		t.Errorf("the history ends in %+v", last)
	}
}

// A note that no answer came to would be read as part of the next message.
func TestNoteWithoutAnAnswerGoes(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("It was run."), agenttest.Fail(&llm.Error{Kind: llm.Unreachable, Message: "gone"}), agenttest.Say("Hi."))
	r := agenttest.Run(t, options(m, echo{}))
	r.Prompt("Run the tests")
	r.Prompt("hello")
	reqs := m.Requests()
	if got := lastText(reqs[len(reqs)-1]); got != "hello" {
		t.Errorf("the model reads %q, want what the user said", got)
	}
}

// A forced call that the user refuses is answered like any other.
func TestForcedCallIsRefused(t *testing.T) {
	t.Parallel()
	m := onLlamaCpp(agenttest.Say("It was run."), forcedCall("x"), agenttest.Say("As you wish."))
	o := options(m, echo{})
	r := agenttest.Run(t, o)
	r.Answer(func(q agent.ApprovalAsked) agent.Decide { return agent.Decide{ID: q.ID, Choice: agent.ChoiceReject} })
	events := r.Prompt("Run the tests")
	wellFormed(t, o.Session.Items)
	if got := ended(t, events).Stop; got != agent.StopAnswer || len(m.Requests()) != 3 {
		t.Errorf("stop %q after %d calls of the model, want an answer after 3", got, len(m.Requests()))
	}
}

// A call that goes round in circles is no choice any more.
func TestForcedCallIsNotTheLoopingOne(t *testing.T) {
	t.Parallel()
	announces, same, none := agenttest.Say("Now I will say it."), agenttest.Call("echo", `{"text":"x"}`), agenttest.Say(`{"tool":"none"}`)
	for name, tc := range map[string]struct {
		replies     []agenttest.Reply
		temperature float64
	}{
		"once more":      {[]agenttest.Reply{same, same}, 0},
		"warned of loop": {[]agenttest.Reply{same, same, same}, 0.4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := onLlamaCpp(append(tc.replies, announces, none, agenttest.Say("I cannot."))...)
			o := yolo(options(m, echo{}))
			o.LoopTemperature = 0.4
			agenttest.Run(t, o).Prompt("go")
			reqs := m.Requests()
			ask := reqs[len(tc.replies)+1]
			if ask.Schema == nil || strings.Contains(string(ask.Schema), `"echo"`) || ask.Sampling.Temperature != tc.temperature {
				t.Errorf("asked with temperature %v and schema %s", ask.Sampling.Temperature, ask.Schema)
			}
		})
	}
}

// Where a forced call costs a reading of the whole prompt, the model is asked
// first.
func TestForcedAfterTheNote(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("It was run."), agenttest.Say("It was."), forcedCall("x"), agenttest.Say("Done."))
	m.Served.Provider = "ollama"
	events := agenttest.Run(t, yolo(options(m, echo{}))).Prompt("Run the tests")
	want := []string{"nothing was run: asked once more", "nothing was run: the server was made to write the call"}
	if got := notices(events, agent.Repair); !slices.Equal(got, want) {
		t.Errorf("repairs %q, want %q", got, want)
	}
	ask := m.Requests()[2]
	if len(ask.Tools) > 0 || !strings.Contains(lastText(ask), `echo {"text": string}`) {
		t.Errorf("asked with %d tools and %q, want their fields in words", len(ask.Tools), lastText(ask))
	}
}

// All that was made up since the last result is left out, however often the
// model was asked about it.
func TestTwoMadeUpAnswersAreLeftOut(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("LIE one"), agenttest.Say("LIE two"), forcedCall("x"), agenttest.Say("Done."))
	m.Served.Provider = "ollama"
	o := yolo(options(m, echo{}))
	agenttest.Run(t, o).Prompt("Run the tests")
	reqs := m.Requests()
	for _, msg := range reqs[len(reqs)-1].Messages {
		if strings.Contains(msg.Text, "LIE") {
			t.Errorf("the model reads what it made up: %q", msg.Text)
		}
	}
	wellFormed(t, o.Session.Items)
}
