package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/acp"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/tools"
)

func TestTurnIsToldInOrder(t *testing.T) {
	t.Parallel()
	call := agenttest.Think("I should run it.", agenttest.Call("bash", `{"command":"echo hi","n":9007199254740993}`))
	call.Usage = llm.Usage{Prompt: 100, Cached: 40, Completion: 10}
	answer := agenttest.Say("It said  hi.\n")
	answer.Usage = llm.Usage{Prompt: 130, Cached: 110, Completion: 5}
	r := newRig(t, nil, call, answer)
	id, _ := r.open()
	if got := r.prompt(id, "say hi"); got != "end_turn" {
		t.Errorf("stop reason is %s", got)
	}
	r.wantWire(`
agent_thought_chunk "I should run it."
usage_update size=8192 used=110
tool_call kind=execute rawInput={"command":"echo hi","n":9007199254740993} status=pending title="bash: echo hi" toolCallId=call_1
permission kind=execute rawInput={"command":"echo hi","n":9007199254740993} status=pending title="bash: echo hi" toolCallId=call_1
tool_call_update status=in_progress toolCallId=call_1
tool_call_update content=[{"type":"content","content":{"text":"ran echo hi","type":"text"}}] rawOutput={"output":"ran echo hi"} status=completed toolCallId=call_1
agent_message_chunk "It said  hi.\n"
usage_update size=8192 used=135
answer {"stopReason":"end_turn"}
`)
	r.wantLog("[acp] turn done: 1 command(s) · 0 file op(s) · 0 skill(s)\n")
}

func TestUsageIsLeftOutWithoutWindow(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Say("Hello."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	r.prompt(id, "hi")
	r.wantWire(`
agent_message_chunk "Hello."
answer {"stopReason":"end_turn"}
`)
}

func TestSkillNeedsNoPermission(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(s *setup) {
		s.skills = []agent.Skill{{Name: "greetings", Description: "Greets."}}
	}, agenttest.Call("read_skill", `{"name":"greetings"}`), agenttest.Say("Hello Ada."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	r.prompt(id, "/greetings Ada")
	r.wantWire(`
tool_call kind=read rawInput={"name":"greetings"} status=pending title="read_skill: greetings" toolCallId=call_1
tool_call_update status=in_progress toolCallId=call_1
tool_call_update content=[{"type":"content","content":{"text":"Say hello.","type":"text"}}] rawOutput={"output":"Say hello."} status=completed toolCallId=call_1
agent_message_chunk "Hello Ada."
answer {"stopReason":"end_turn"}
`)
	r.wantLog("turn done: 0 command(s) · 0 file op(s) · 1 skill(s)")
	asked := r.model.Requests()[0].Messages
	const want = "[skill: greetings — load it with read_skill and carry out its steps now; parameters: Ada]"
	if got := asked[len(asked)-1].Text; got != want {
		t.Errorf("the model read %q, want %q", got, want)
	}
}

func TestUnknownToolFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Call("python", `{"code":`), agenttest.Say("Sorry."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	r.prompt(id, "hi")
	r.wantWire(`
tool_call kind=execute rawInput="{\"code\":" status=pending title=python toolCallId=call_1
tool_call_update content=[{"type":"content","content":{"text":"[error: there is no tool named \"python\", or its arguments are not valid]","type":"text"}}] rawOutput={"output":"[error: there is no tool named \"python\", or its arguments are not valid]"} status=failed toolCallId=call_1
agent_message_chunk "Sorry."
answer {"stopReason":"end_turn"}
`)
}

// An edit shows whole files with absolute paths: the text before and after,
// null for the text of a file that did not exist, and no diff where the edit
// failed.
func TestEditsShowDiffs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.go"), filepath.Join(dir, "new.txt")
	before := strings.Repeat("line\n", 20) + "end\r\nno newline"
	after := strings.Replace(before, "end\r\n", "the end\r\n", 1)
	if err := os.WriteFile(old, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	edit := func(path, content string) agenttest.Reply {
		return agenttest.Call("edit_file", mustJSON(map[string]string{"path": path, "content": content}))
	}
	r := newRig(t, nil,
		edit(old, after), edit(fresh, "hello\n"), edit(fresh, "fail"), edit(fresh, "no match"),
		agenttest.Say("Done."))
	id, _ := r.open()
	r.prompt(id, "edit")

	type shown struct {
		Type, Path, NewText string
		OldText             *string
		Content             any
	}
	diff := func(path string, before *string, after string) []shown {
		return []shown{{Type: "diff", Path: path, OldText: before, NewText: after}}
	}
	text := func(s string) []shown {
		return []shown{{Type: "content", Content: map[string]string{"type": "text", "text": s}}}
	}
	want := map[string][]shown{
		"call_1 pending": diff(old, &before, after), "call_1 completed": diff(old, &before, after),
		"call_2 pending": diff(fresh, nil, "hello\n"), "call_2 completed": diff(fresh, nil, "hello\n"),
		"call_3 pending": diff(fresh, sdk.Ptr("hello\n"), "fail"), "call_3 failed": text("[error: the disk is full]"),
		"call_4 pending": nil, "call_4 failed": text("[error: `old` is not in the file]"),
	}
	got := map[string][]shown{}
	for _, line := range r.wire.take() {
		if !strings.Contains(line, "toolCallId") {
			continue
		}
		var m struct {
			Params struct {
				Update, ToolCall struct {
					ToolCallID, Status, Kind string
					Content                  []shown
					Locations                []struct{ Path string }
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if u := m.Params.Update; u.ToolCallID != "" && u.Status != "in_progress" {
			got[u.ToolCallID+" "+u.Status] = u.Content
		}
		if q := m.Params.ToolCall; q.ToolCallID != "" {
			if mustJSON(q.Content) != mustJSON(want[q.ToolCallID+" pending"]) {
				t.Errorf("%s is asked with %s", q.ToolCallID, mustJSON(q.Content))
			}
			if len(q.Locations) != 1 || !filepath.IsAbs(q.Locations[0].Path) || q.Kind != "edit" {
				t.Errorf("%s is asked as %s at %v", q.ToolCallID, q.Kind, q.Locations)
			}
		}
		if strings.Contains(line, `"newText":"hello\n"`) && !strings.Contains(line, `"oldText":null`) {
			t.Errorf("oldText of a new file is not null: %s", line)
		}
	}
	if g, w := mustJSON(got), mustJSON(want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
	r.wantLog("turn done: 0 command(s) · 3 file op(s) · 0 skill(s)")
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestCallIDsAreOfTheProcess(t *testing.T) {
	t.Parallel()
	call := agenttest.Call("bash", `{"command":"ls"}`)
	r := newRig(t, nil, call, agenttest.Say("1"), call, agenttest.Say("2"), call, agenttest.Say("3"))
	a, _ := r.open()
	b, _ := r.open()
	r.prompt(a, "one")
	r.prompt(b, "two")
	r.prompt(a, "/new")
	r.prompt(a, "three")
	var ids []string
	for _, q := range r.questions() {
		ids = append(ids, string(q.ToolCall.ToolCallId))
	}
	if got := strings.Join(ids, " "); got != "call_1 call_2 call_3" {
		t.Errorf("ids are %s", got)
	}
}

func TestStopReasons(t *testing.T) {
	t.Parallel()
	cut := agenttest.Say("Once upon a")
	cut.Finish = llm.FinishLength
	call := agenttest.Call("bash", `{"command":"ls"}`)
	for _, tc := range []struct {
		name    string
		replies []agenttest.Reply
		want    string // the last line on the wire
	}{
		{"answer", []agenttest.Reply{agenttest.Say("Hi.")}, `answer {"stopReason":"end_turn"}`},
		{"cut answer", []agenttest.Reply{cut, cut, cut}, `answer {"stopReason":"max_tokens"}`},
		{"too many calls", []agenttest.Reply{call, call, agenttest.Say("I listed twice.")}, `answer {"stopReason":"max_turn_requests"}`},
		{
			"failure",
			[]agenttest.Reply{agenttest.Fail(&llm.Error{Kind: llm.Unauthorized, Message: "no key"})},
			`answer error {"code":-32603,"message":"Internal error","data":{"error":`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, withMaxTurns(2), tc.replies...)
			id, _ := r.open()
			_, err := r.ask(id, "hi")
			lines := strings.Split(strings.TrimSpace(transcript(t, r.wire.take())), "\n")
			if got := lines[len(lines)-1]; !strings.HasPrefix(got, tc.want) {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
}

// A turn that ends without an answer says why in words: the stop reason alone
// is silent.
func TestEndWithoutAnswerIsSaid(t *testing.T) {
	t.Parallel()
	call := agenttest.Call("bash", `{"command":"ls"}`)
	r := newRig(t, withMaxTurns(1), call, agenttest.Say("I listed."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	r.prompt(id, "hi")
	if got := transcript(t, r.wire.take()); !strings.Contains(got, `agent_message_chunk "I listed.\n\nstopped after 1 model calls (maxTurns)`) {
		t.Errorf("got %s", got)
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.rs")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text, link := sdk.TextBlock, sdk.ResourceLinkBlock
	for _, tc := range []struct {
		name   string
		blocks []sdk.ContentBlock
		want   string
	}{
		{"texts are joined", []sdk.ContentBlock{text("look "), text("here")}, "look here"},
		{"link", []sdk.ContentBlock{text("see"), link("a", "file:///src/a.go")}, "see\n[attached file: /src/a.go]"},
		{
			"link into a file",
			[]sdk.ContentBlock{text("see"), link("a", "file:///src/a%20b.rs?symbol=X#L10:20"), text(" now")},
			"see\n[attached file: /src/a b.rs] now",
		},
		{"link that is not encoded", []sdk.ContentBlock{link("a", "file:///100%.txt")}, "\n[attached file: /100%.txt]"},
		{"link of Windows", []sdk.ContentBlock{link("a", "file:///C:/a.go")}, "\n[attached file: C:/a.go]"},
		{"link elsewhere", []sdk.ContentBlock{link("a", "https://example.com/a?b#c")}, "\n[attached file: https://example.com/a?b#c]"},
		{"other kinds are left out", []sdk.ContentBlock{sdk.ImageBlock("AA==", "image/png"), text("hi")}, "hi"},
		{
			"mention",
			[]sdk.ContentBlock{text(`see @"` + file + `" and ada@example.com`)},
			`see @"` + file + "\" and ada@example.com\n[attached file: " + file + "]",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil, agenttest.Say("Yes."))
			id, _ := r.open()
			if _, err := r.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: sdk.SessionId(id), Prompt: tc.blocks}); err != nil {
				t.Fatal(err)
			}
			asked := r.model.Requests()[0].Messages
			if got := asked[len(asked)-1].Text; got != tc.want {
				t.Errorf("the model read %q, want %q", got, tc.want)
			}
			if strings.Contains(tc.want, file) {
				r.wantLog("[acp] session " + id + ": attached " + file + "\n")
			}
		})
	}
}

func TestPromptsThatCannotRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id, _ := r.open()
	for _, tc := range []struct{ name, params, want string }{
		{"unknown session", `{"sessionId":"20260101-000000-00000000","prompt":[{"type":"text","text":"hi"}]}`, `"sessionId":"20260101-000000-00000000"`},
		{"no text", `{"sessionId":"` + id + `","prompt":[{"type":"audio","data":"AA==","mimeType":"audio/wav"}]}`, "holds no text"},
		{"no prompt", `{"sessionId":"` + id + `"}`, "prompt is missing"},
		{"prompt of the wrong shape", `{"sessionId":"` + id + `","prompt":"hi"}`, "cannot unmarshal"},
		{"params of the wrong shape", `["hi"]`, "params is no object"},
	} {
		r.write(`{"jsonrpc":"2.0","id":"` + tc.name + `","method":"session/prompt","params":` + tc.params + `}`)
		r.waitFor(`"id":"` + tc.name + `"`)
		if got := strings.Join(r.wire.take(), "\n"); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %s", tc.name, got)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(s *setup) { s.tools = []tools.Tool{planTool{}} },
		agenttest.Call("plan", `{"steps":[]}`), agenttest.Say("Done."))
	r.model.Served.ContextWindow = 0
	id, _ := r.open()
	r.prompt(id, "plan")
	r.wantWire(`
tool_call kind=think rawInput={"steps":[]} status=pending title=plan toolCallId=call_1
tool_call_update status=in_progress toolCallId=call_1
plan entries=[{"content":"look","priority":"medium","status":"completed"},{"content":"mend","priority":"medium","status":"in_progress"},{"content":"test","priority":"medium","status":"pending"}]
tool_call_update content=[{"type":"content","content":{"text":"noted","type":"text"}}] rawOutput={"output":"noted"} status=completed toolCallId=call_1
agent_message_chunk "Done."
answer {"stopReason":"end_turn"}
`)
}

type planTool struct{}

func (planTool) Spec() tools.Spec { return spec("plan", tools.KindThink) }

func (planTool) Plan(context.Context, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Preview: tools.ChecklistPreview{Steps: []tools.Step{
		{Text: "look", Status: "done"}, {Text: "mend", Status: "in_progress"}, {Text: "test", Status: "pending"},
	}}}, nil
}

func (planTool) Run(context.Context, tools.Plan, tools.Sink) tools.Result {
	return tools.Result{Text: "noted", Status: tools.OK}
}

// A handler that panics answers, and the agent goes on.
func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	first := true
	r := newRig(t, func(s *setup) {
		open := s.Open
		s.Open = func(cwd string, sess *session.Session, store *session.Store, files *acp.ClientFiles) (*agent.Core, error) {
			if first {
				first = false
				panic("broken wire")
			}
			return open(cwd, sess, store, files)
		}
	}, agenttest.Say("Hi."))
	_, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: t.TempDir(), McpServers: []sdk.McpServer{}})
	var refused *sdk.RequestError
	if !errors.As(err, &refused) || refused.Code != -32603 {
		t.Errorf("got %v, want an internal error", err)
	}
	id, _ := r.open()
	if got := r.prompt(id, "hi"); got != "end_turn" {
		t.Errorf("stop reason is %s", got)
	}
	r.wantLog(fmt.Sprintf("[acp] panic in %s: broken wire", sdk.AgentMethodSessionNew))
}

// A question that got no answer at all is no part of the history.
func TestFailedTurnLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Fail(&llm.Error{Kind: llm.Unauthorized, Message: "no key"}), agenttest.Say("Hi."))
	id, _ := r.open()
	if _, err := r.ask(id, "lost"); err == nil {
		t.Error("the turn did not fail")
	}
	r.prompt(id, "hi")
	if asked := r.model.Requests()[1].Messages; len(asked) != 2 || asked[1].Text != "hi" {
		t.Errorf("the model got %v", asked)
	}
}

// Only the exact text is a slash command.
func TestWordsBehindASlashCommand(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Say("One."), agenttest.Say("Two."))
	id, _ := r.open()
	for i, text := range []string{"/new please", "/compacted"} {
		r.prompt(id, text)
		if asked := r.model.Requests()[i].Messages; asked[len(asked)-1].Text != text {
			t.Errorf("%s: the model got %v", text, asked)
		}
	}
}
