package acp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent/agenttest"
	"mm/tools"
)

// What is no request is answered as JSON-RPC asks, and the next request is
// served.
func TestLinesThatAreNoMessage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, line string
		want       string // start of the answer; empty: none
	}{
		{"not JSON", `hello`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"half a message", `{"jsonrpc":"2.0","id":1,"method":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"two messages", `{"jsonrpc":"2.0","id":1}{}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"deep", strings.Repeat("[", 1<<20), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"number", `7`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"no method", `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"method is no string", `{"jsonrpc":"2.0","id":"x","method":7}`, `{"jsonrpc":"2.0","id":"x","error":{"code":-32600,`},
		{"version 1", `{"id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"initialize"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"id is an object", `{"jsonrpc":"2.0","id":{},"method":"initialize"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"unknown method", `{"jsonrpc":"2.0","id":1.5,"method":"no"}`, `{"jsonrpc":"2.0","id":1.5,"error":{"code":-32601,`},
		{"wrong params", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"one"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"unknown notification", `{"jsonrpc":"2.0","method":"_zed/ping"}`, ""},
		{"cancel of the wrong shape", `{"jsonrpc":"2.0","method":"session/cancel","params":[]}`, ""},
		{"answer to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
		{"empty", ` `, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRawRig(t, nil)
			r.write(tc.line)
			if tc.want != "" {
				r.waitFor("error")
			}
			r.write("\r\n" + `{"jsonrpc":"2.0","id":"next","method":"authenticate"}` + "\r")
			r.waitFor(`{"jsonrpc":"2.0","id":"next","result":{}}`)
			lines := r.wire.take()
			if tc.want == "" && len(lines) != 1 || tc.want != "" && (len(lines) != 2 || !strings.HasPrefix(lines[0], tc.want)) {
				t.Errorf("got %s\nwant %s", lines, tc.want)
			}
		})
	}
}

func TestLineThatIsTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10<<20)
	for _, tc := range []struct{ name, line, want string }{
		{"prompt", `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"a","prompt":[{"type":"text","text":"` + long + `"}]}}`, `"id":7,"error":{"code":-32600,`},
		{"id at the end", `{"jsonrpc":"2.0","method":"session/prompt","params":"` + long + `","id":7}`, `"id":null,"error":{"code":-32600,`},
		{"rubbish", long, `"id":null,"error":{"code":-32600,`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil, agenttest.Say("Hi."))
			id, _ := r.open()
			r.write(tc.line)
			r.waitFor(tc.want)
			if got := r.prompt(id, "hi"); got != "end_turn" {
				t.Errorf("the next turn ends with %s", got)
			}
		})
	}
}

// A line below the limit is served: here with a picture, which is left out.
func TestLongLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Say("Hi."))
	id, _ := r.open()
	picture := sdk.ImageBlock(strings.Repeat("A", 7<<20), "image/png")
	resp, err := r.conn.Prompt(t.Context(), sdk.PromptRequest{
		SessionId: sdk.SessionId(id), Prompt: []sdk.ContentBlock{picture, sdk.TextBlock("hi")},
	})
	if err != nil || resp.StopReason != sdk.StopReasonEndTurn {
		t.Errorf("got %v, %v", resp, err)
	}
	if got := r.model.Requests()[0].Messages[1].Text; got != "hi" {
		t.Errorf("the model read %d bytes", len(got))
	}
}

// A client that closes stdin in mid-turn: the tool is stopped, the answer is
// still written, the session is kept, and Serve returns.
func TestClientVanishes(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	r := newRig(t, withTools(hanging(started, stopped)), agenttest.Call("bash", `{"command":"sleep 600"}`))
	id, cwd := r.open()
	r.begin(id, "sleep")
	<-started
	r.end()
	<-stopped
	if got := transcript(t, r.wire.take()); !strings.HasSuffix(got, `status=failed toolCallId=call_1
answer {"stopReason":"cancelled"}
`) {
		t.Errorf("got %s", got)
	}
	store, err := openStore(cwd)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := store.Load(id); err != nil || len(kept.Items) != 3 {
		t.Errorf("on disk is %+v, %v", kept, err)
	}
}

// A client that no longer reads: the first failed write ends all.
func TestClientStopsReading(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	tool := hanging(started, stopped)
	r := newRig(t, withTools(tool), agenttest.Call("bash", `{"command":"sleep 600"}`))
	id, _ := r.open()
	r.begin(id, "sleep")
	<-started
	r.waitFor("in_progress") // the last that the agent has to say
	if err := r.stdout.Close(); err != nil {
		t.Fatal(err)
	}
	r.write(`{"jsonrpc":"2.0","id":"next","method":"authenticate"}`)
	<-stopped
	r.wait()
	r.wantLog("[acp] the client is gone: ")
}

// A client that neither reads nor closes its end is not waited for: the tool
// is stopped, and Serve returns without an error.
func TestClientLeavesLinesUnread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
		r := newRawRig(t, withTools(hanging(started, stopped)), agenttest.Call("bash", `{"command":"sleep 600"}`))
		id := r.openRaw(t.TempDir())
		r.writePrompt("turn", id, "sleep")
		r.waitFor("session/request_permission")
		r.wire.pause()
		defer r.wire.goOn()
		r.write(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
		<-started
		began := time.Now()
		if err := r.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		<-stopped
		r.wait()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		r.wantLog("the client does not read")
	})
}

// The end of the process's context is an end like another.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	r := newRig(t, withTools(hanging(started, stopped)), agenttest.Call("bash", `{"command":"sleep 600"}`))
	id, _ := r.open()
	r.begin(id, "sleep")
	<-started
	r.stop()
	<-stopped
	r.wait()
	r.waitFor(`"result":{"stopReason":"cancelled"}`) // the SDK's client may give up before it
}

// A question that waits for an answer does not hold up the end.
func TestVanishesAtAQuestion(t *testing.T) {
	t.Parallel()
	r := newRawRig(t, nil, agenttest.Call("bash", `{"command":"ls"}`))
	id := r.openRaw(t.TempDir())
	r.writePrompt("turn", id, "list")
	r.waitFor("session/request_permission")
	r.end()
	if got := r.wire.String(); strings.Contains(got, "in_progress") || !strings.Contains(got, `"id":"turn","result":{"stopReason":"cancelled"}`) {
		t.Errorf("got %s", got)
	}
}

// Requests that were read are answered although stdin is at its end, and what
// they began ends: the agent serves a here-document too.
func TestAnswersAfterTheEndOfInput(t *testing.T) {
	t.Parallel()
	for range 20 {
		r := newRawRig(t, nil)
		r.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":2,"method":"authenticate"}
{"jsonrpc":"2.0","id":3,"method":"no/such"}`)
		r.end()
		if got := len(r.wire.take()); got != 3 {
			t.Fatalf("%d answers, want 3", got)
		}
	}
}

// The output of a tool that runs for a while is shown as it comes, its last
// part at most, without what a terminal would obey.
func TestOutputOfARunningTool(t *testing.T) {
	t.Parallel()
	slow := bash{run: func(_ context.Context, _ string, out tools.Sink) tools.Result {
		out("early ")
		time.Sleep(1500 * time.Millisecond)
		out("\x1b[31mlate\x1b[0m")
		time.Sleep(10 * time.Second)
		return tools.Result{Text: "all", Status: tools.OK}
	}}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, withTools(slow), agenttest.Call("bash", `{"command":"make"}`), agenttest.Say("Done."))
		r.model.Served.ContextWindow = 0
		id, _ := r.open()
		r.prompt(id, "build")
		r.wantWire(`
tool_call kind=execute rawInput={"command":"make"} status=pending title="bash: make" toolCallId=call_1
permission kind=execute rawInput={"command":"make"} status=pending title="bash: make" toolCallId=call_1
tool_call_update status=in_progress toolCallId=call_1
tool_call_update content=[{"type":"content","content":{"text":"early ","type":"text"}}] toolCallId=call_1
tool_call_update content=[{"type":"content","content":{"text":"early late","type":"text"}}] toolCallId=call_1
tool_call_update content=[{"type":"content","content":{"text":"all","type":"text"}}] rawOutput={"output":"all"} status=completed toolCallId=call_1
agent_message_chunk "Done."
answer {"stopReason":"end_turn"}
`)
	})
}
