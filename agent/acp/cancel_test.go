package acp_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
	"mm/tools"
)

// hanging is a tool that runs until it is stopped.
func hanging(started, stopped chan<- struct{}) bash {
	return bash{run: func(ctx context.Context, _ string, _ tools.Sink) tools.Result {
		started <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return tools.Result{Text: "half", Status: tools.Stopped}
	}}
}

func TestCancelOfAStream(t *testing.T) {
	t.Parallel()
	half := agenttest.Say("Once upon")
	half.Block = true
	r := newRig(t, nil, half, agenttest.Say("Hello."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	answer := r.begin(id, "tell")
	r.waitFor("upon")
	r.cancel(id)
	if got := r.receive(answer); got != "cancelled" {
		t.Errorf("stop reason is %s", got)
	}
	r.wantWire(`
agent_message_chunk "Once upon"
answer {"stopReason":"cancelled"}
`)
	if got := r.prompt(id, "again"); got != "end_turn" {
		t.Errorf("the next turn ends with %s", got)
	}
	asked := r.model.Requests()[1].Messages
	if got := asked[2].Text; got != "Once upon" {
		t.Errorf("what came before the cancel is %q in the history", got)
	}
}

func TestCancelOfATool(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	r := newRig(t, withTools(hanging(started, stopped)), agenttest.Call("bash", `{"command":"sleep 60"}`), agenttest.Say("Hello."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	answer := r.begin(id, "sleep")
	<-started
	r.cancel(id)
	<-stopped
	if got := r.receive(answer); got != "cancelled" {
		t.Errorf("stop reason is %s", got)
	}
	lines := strings.Split(strings.TrimSpace(transcript(t, r.wire.take())), "\n")
	last := strings.Join(lines[len(lines)-2:], "\n")
	const want = `tool_call_update content=[{"type":"content","content":{"text":"half\n[cancelled by the user]","type":"text"}}] rawOutput={"output":"half\n[cancelled by the user]"} status=failed toolCallId=call_1
answer {"stopReason":"cancelled"}`
	if last != want {
		t.Errorf("got:\n%s\nwant:\n%s", last, want)
	}
	if got := r.prompt(id, "again"); got != "end_turn" {
		t.Errorf("the next turn ends with %s", got)
	}
}

// A client answers an open question after its cancel. Whatever it says then,
// nothing runs.
func TestLateAllowRunsNothing(t *testing.T) {
	t.Parallel()
	var runs atomic.Int32
	r := newRig(t, withTools(counting(&runs)), agenttest.Call("bash", `{"command":"ls"}`), agenttest.Say("Hello."))
	asked, answered := make(chan struct{}), make(chan struct{})
	r.answerBy(func(sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
		close(asked)
		<-answered
		return selected("allow"), nil
	})
	id, _ := r.open()
	answer := r.begin(id, "list")
	<-asked
	r.cancel(id)
	if got := r.receive(answer); got != "cancelled" {
		t.Errorf("stop reason is %s", got)
	}
	r.wire.take()
	close(answered)
	if got := r.prompt(id, "again"); got != "end_turn" {
		t.Errorf("the next turn ends with %s", got)
	}
	if runs.Load() != 0 {
		t.Error("the command ran")
	}
	if got := r.wire.String(); strings.Contains(got, "cancel_request") || strings.Contains(got, "call_1") {
		t.Errorf("after the answer came %s", got)
	}
}

// The client's cancel counts in the order in which it was written, also right
// behind its prompt.
func TestCancelRightBehindPrompt(t *testing.T) {
	t.Parallel()
	replies := make([]agenttest.Reply, 100)
	for i := range replies {
		replies[i].Block = true
	}
	r := newRawRig(t, nil, replies...)
	id := r.openRaw(t.TempDir())
	for i := range replies {
		name := fmt.Sprintf("p%d", i)
		r.writePrompt(name, id, "hi")
		r.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`)
		r.waitFor(`"id":"` + name + `"`)
		lines := r.wire.take()
		if got, want := lines[len(lines)-1], `{"jsonrpc":"2.0","id":"`+name+`","result":{"stopReason":"cancelled"}}`; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

// A cancel that has no turn to cancel does not touch the next one.
func TestCancelWithoutTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Say("One."), agenttest.Say("Two."))
	id, _ := r.open()
	r.cancel(id)
	r.cancel("20260101-000000-00000000")
	if got := r.prompt(id, "one"); got != "end_turn" {
		t.Errorf("first turn: %s", got)
	}
	r.cancel(id)
	if got := r.prompt(id, "two"); got != "end_turn" {
		t.Errorf("second turn: %s", got)
	}
}

// A second prompt waits for the first. A cancel, or two, end the turn that
// runs and not the one that waits.
func TestSecondPromptWaits(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	r := newRawRig(t, withTools(hanging(started, stopped)), agenttest.Call("bash", `{"command":"sleep 60"}`), agenttest.Say("Second."))
	r.model.Served.ContextWindow = 0
	id := r.openRaw(t.TempDir())
	r.writePrompt("first", id, "first")
	r.writePrompt("second", id, "second")
	r.waitFor("session/request_permission")
	r.write(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
	<-started
	cancel := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`
	r.write(cancel + "\n" + cancel)
	<-stopped
	r.waitFor(`"id":"second"`)
	var answers []string
	for _, line := range r.wire.take() {
		if strings.Contains(line, "stopReason") {
			answers = append(answers, line)
		}
	}
	const want = `{"jsonrpc":"2.0","id":"first","result":{"stopReason":"cancelled"}}
{"jsonrpc":"2.0","id":"second","result":{"stopReason":"end_turn"}}`
	if got := strings.Join(answers, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	asked := r.model.Requests()[1].Messages
	if got := asked[len(asked)-1].Text; got != "second" {
		t.Errorf("the second turn asked %q", got)
	}
}

// One turn runs at a time in the process. New sessions do not wait, and a
// prompt that waits can be cancelled.
func TestSessionsTakeTurns(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	r := newRig(t, withTools(hanging(started, stopped)), agenttest.Call("bash", `{"command":"sleep 60"}`), agenttest.Say("B."))
	a, _ := r.open()
	first := r.begin(a, "sleep")
	<-started
	b, _ := r.open()
	c, _ := r.open()
	r.writePrompt("waiting", c, "never mind")
	r.cancel(c)
	r.waitFor(`"id":"waiting","result":{"stopReason":"cancelled"}`)
	second := r.begin(b, "hi")
	r.cancel(a)
	<-stopped
	if got := r.receive(first); got != "cancelled" {
		t.Errorf("the first turn ends with %s", got)
	}
	if got := r.receive(second); got != "end_turn" {
		t.Errorf("the second turn ends with %s", got)
	}
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times: the cancelled prompt is not to reach it", n)
	}
}

// $/cancel_request, which the SDKs send when a caller gives up, is a cancel.
func TestRequestIsCancelled(t *testing.T) {
	t.Parallel()
	half := agenttest.Say("Once upon")
	half.Block = true
	r := newRig(t, nil, half, agenttest.Say("Hello."))
	id, _ := r.open()
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = r.conn.Prompt(ctx, sdk.PromptRequest{SessionId: sdk.SessionId(id), Prompt: []sdk.ContentBlock{sdk.TextBlock("hi")}})
	}()
	r.waitFor("upon")
	giveUp()
	<-done
	r.waitFor(`"stopReason":"cancelled"`)
	if got := r.prompt(id, "again"); got != "end_turn" {
		t.Errorf("the next turn ends with %s", got)
	}
}

// warming is a model that reads ahead while nobody asks, and is slow to stop.
type warming struct {
	*agenttest.Model
	stopping chan<- struct{}
	stopped  <-chan struct{}
}

func (warming) Free(context.Context) bool { return true }

func (m warming) Warm(ctx context.Context, _ llm.Request) (bool, error) {
	<-ctx.Done()
	close(m.stopping)
	<-m.stopped
	return true, nil
}

// A prompt that waits while the core ends its idle work, and is cancelled
// there, does not run.
func TestCancelWhileIdleWorkEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopping, stopped := make(chan struct{}), make(chan struct{})
		r := newRawRig(t, withCore(func(o *agent.Options) {
			o.Model, o.Prewarm = warming{o.Model.(*agenttest.Model), stopping, stopped}, true
		}), agenttest.Reply{Block: true})
		id := r.openRaw(t.TempDir())
		synctest.Wait() // the model reads ahead
		r.writePrompt("turn", id, "hi")
		<-stopping
		r.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`)
		synctest.Wait() // the cancel has found nothing that it could stop
		close(stopped)
		r.waitFor(`"id":"turn","result":{"stopReason":"cancelled"}`)
	})
}
