package acp_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent/agenttest"
	"mm/tools"
)

// counting is a bash that counts its runs.
func counting(runs *atomic.Int32) bash {
	return bash{run: func(context.Context, string, tools.Sink) tools.Result {
		runs.Add(1)
		return tools.Result{Text: "ran", Status: tools.OK}
	}}
}

func withTools(list ...tools.Tool) func(*setup) {
	return func(s *setup) { s.tools = list }
}

const rejected = "[command rejected by the user]"

func TestAnswersToQuestions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		answer func() (sdk.RequestPermissionResponse, error)
		runs   int32
	}{
		{"allow", func() (sdk.RequestPermissionResponse, error) { return selected("allow"), nil }, 1},
		{"allow always", func() (sdk.RequestPermissionResponse, error) { return selected("allow_always"), nil }, 1},
		{"reject", func() (sdk.RequestPermissionResponse, error) { return selected("reject"), nil }, 0},
		{"unknown option", func() (sdk.RequestPermissionResponse, error) { return selected("banana"), nil }, 0},
		{"cancelled", func() (sdk.RequestPermissionResponse, error) {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}, nil
		}, 0},
		{"error", func() (sdk.RequestPermissionResponse, error) {
			return sdk.RequestPermissionResponse{}, errors.New("the dialog broke")
		}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int32
			r := newRig(t, withTools(counting(&runs)), agenttest.Call("bash", `{"command":"ls"}`), agenttest.Say("Done."))
			r.answerBy(func(sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) { return tc.answer() })
			id, _ := r.open()
			if got := r.prompt(id, "list"); got != "end_turn" {
				t.Errorf("stop reason is %s", got)
			}
			if got := runs.Load(); got != tc.runs {
				t.Errorf("ran %d times, want %d", got, tc.runs)
			}
			got := transcript(t, r.wire.take())
			refused := strings.Contains(got, `rawOutput={"output":"`+rejected+`"} status=failed toolCallId=call_1`)
			if refused != (tc.runs == 0) {
				t.Errorf("got:\n%s", got)
			}
			asked := r.model.Requests()[1].Messages
			if read := asked[len(asked)-1].Text; (read == rejected) != (tc.runs == 0) {
				t.Errorf("the model read %q", read)
			}
		})
	}
}

// Answers that the SDK's client cannot write: the raw result or error of the
// permission request.
func TestMalformedAnswersAreNo(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`"result":{}`,
		`"result":null`,
		`"result":"allow"`,
		`"result":{"outcome":{"optionId":"allow"}}`,
		`"result":{"outcome":{"outcome":"selected"}}`,
		`"result":{"outcome":{"outcome":"cancelled","optionId":"allow"}}`,
		`"error":{"code":-32603,"message":"broken"}`,
		`"error":"broken"`,
		`"error":{"code":"x"}`,
		`"error":null`,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int32
			r := newRawRig(t, withTools(counting(&runs)), agenttest.Call("bash", `{"command":"ls"}`), agenttest.Say("Done."))
			id := r.openRaw(t.TempDir())
			r.writePrompt("turn", id, "list")
			r.waitFor("session/request_permission")
			r.write(`{"jsonrpc":"2.0","id":1,` + answer + `}`)
			r.waitFor(`"id":"turn","result":{"stopReason":"end_turn"}`)
			if runs.Load() != 0 {
				t.Error("the command ran")
			}
		})
	}
}

func TestAlwaysIsOfOneSessionAndTool(t *testing.T) {
	t.Parallel()
	call := agenttest.Call("bash", `{"command":"ls"}`)
	turn := []agenttest.Reply{call, call, agenttest.Say("Done.")}
	var replies []agenttest.Reply
	for range 4 {
		replies = append(replies, turn...)
	}
	r := newRig(t, nil, replies...)
	r.choose("allow_always")
	a, cwd := r.open()
	b, _ := r.open()
	count := func(what string, want int, id string) {
		t.Helper()
		before := len(r.questions())
		r.prompt(id, "list twice")
		if got := len(r.questions()) - before; got != want {
			t.Errorf("%s: asked %d times, want %d", what, got, want)
		}
	}
	count("first turn", 1, a)
	count("another session", 1, b)
	r.prompt(a, "/new")
	count("kept by /new", 0, a)
	if _, err := r.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: sdk.SessionId(a), Cwd: cwd, McpServers: []sdk.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	count("empty after session/load", 1, a)
}

// The question repeats the whole call, and says what is unusual about it. What
// is dangerous cannot be allowed for good, and the option's name says so.
func TestQuestionHoldsTheWholeCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil,
		agenttest.Call("bash", `{"command":"echo 1\necho \u202e2"}`),
		agenttest.Call("bash", `{"command":"rm -r x"}`), agenttest.Say("Done."))
	id, _ := r.open()
	r.prompt(id, "go")
	asked := r.questions()
	if len(asked) != 2 {
		t.Fatalf("asked %d times", len(asked))
	}
	options := func(q sdk.RequestPermissionRequest) string {
		var s []string
		for _, o := range q.Options {
			s = append(s, string(o.OptionId)+" "+string(o.Kind)+" "+o.Name)
		}
		return strings.Join(s, ", ")
	}
	text := func(q sdk.RequestPermissionRequest) string {
		if len(q.ToolCall.Content) != 1 || q.ToolCall.Content[0].Content == nil {
			t.Fatalf("content is %s", mustJSON(q.ToolCall.Content))
		}
		return q.ToolCall.Content[0].Content.Content.Text.Text
	}
	if got, want := *asked[0].ToolCall.Title, "bash: echo 1⏎echo ⟨202E⟩2"; got != want {
		t.Errorf("title is %q, want %q", got, want)
	}
	if got, want := text(asked[0]), "echo 1⏎\necho ⟨202E⟩2"; got != want {
		t.Errorf("content is %q, want %q", got, want)
	}
	if got, want := options(asked[0]), "allow allow_once Allow once, allow_always allow_always Always allow bash in this session, reject reject_once Reject"; got != want {
		t.Errorf("options are %s, want %s", got, want)
	}
	if got, want := text(asked[1]), "why this is asked: touches the machine"; got != want {
		t.Errorf("content is %q, want %q", got, want)
	}
	if got, want := options(asked[1]), "allow allow_once Allow once, allow_always allow_always Allow; such a call is asked about each time, reject reject_once Reject"; got != want {
		t.Errorf("options are %s, want %s", got, want)
	}
}
