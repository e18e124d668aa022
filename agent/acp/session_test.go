package acp_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
)

func withoutStore(s *setup) { s.Store = nil }

func TestInitialize(t *testing.T) {
	t.Parallel()
	const info = `"agentInfo":{"name":"bob","title":"Bob (bash-first agent)","version":"0.11.0"},"authMethods":[]}`
	for _, tc := range []struct {
		name   string
		change func(*setup)
		want   string
	}{
		{"with sessions", nil, `answer {"protocolVersion":1,"agentCapabilities":{"loadSession":true},` + info + "\n"},
		{"without sessions", withoutStore, `answer {"protocolVersion":1,"agentCapabilities":{},` + info + "\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRawRig(t, tc.change)
			r.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"zed","version":"1.2"}}}`)
			r.waitFor("agentInfo")
			r.wantWire(tc.want)
			r.wantLog("[acp] client zed 1.2, protocol version 1\n")
		})
	}
}

func TestAuthenticateAnswersNothing(t *testing.T) {
	t.Parallel()
	r := newRawRig(t, nil)
	r.write(`{"jsonrpc":"2.0","id":0,"method":"authenticate","params":{"methodId":"none"}}`)
	r.waitFor("result")
	r.wantWire("answer {}\n")
}

func TestMethodsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, method := range []string{
		"session/set_mode", "session/set_config_option", "session/list", "session/resume", "session/close", "logout",
		"session/load", // sessions are not kept here
		"session/fork", "no/such", "_zed/extension",
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			r := newRawRig(t, withoutStore)
			r.write(`{"jsonrpc":"2.0","id":0,"method":"` + method + `"}`)
			r.waitFor("error")
			r.wantWire(`answer error {"code":-32601,"message":"Method not found","data":{"method":"` + method + `"}}` + "\n")
		})
	}
}

// A new session is on disk at once. Its commands come once, a moment after the
// answer: editors drop what comes before they know the session.
func TestNewSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRawRig(t, func(s *setup) {
			s.skills = []agent.Skill{{Name: "greetings", Description: "Greets somebody."}}
		})
		cwd := t.TempDir()
		began := time.Now()
		r.write(`{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":` + mustJSON(cwd) + `,"mcpServers":[{"name":"a","command":"b","args":[],"env":[]}]}}`)
		r.waitFor("sessionId")
		got := transcript(t, r.wire.take())
		id := regexp.MustCompile(`^answer \{"sessionId":"(\d{8}-\d{6}-[0-9a-f]{8})"\}\n$`).FindStringSubmatch(got)
		if id == nil {
			t.Fatalf("got %s", got)
		}
		store, err := openStore(cwd)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := store.Load(id[1])
		if err != nil || kept.Cwd != cwd || len(kept.Items) != 0 {
			t.Errorf("on disk is %+v, %v", kept, err)
		}
		r.waitFor("session/update")
		if waited := time.Since(began); waited != 100*time.Millisecond {
			t.Errorf("the commands came after %v", waited)
		}
		r.wantWire(`
available_commands_update availableCommands=[{"description":"Clear the history and start a new session","name":"new"},{"description":"Compress the history now, keeping the last turns","name":"compact"},{"description":"Greets somebody.","input":{"hint":"parameters"},"name":"greetings"}]
`)
		r.wantLog("session " + id[1] + " in " + cwd + ": 1 MCP server(s) ignored\n")
	})
}

// A client that prompts at once knows the session: it hears of the commands
// before the turn, and once.
func TestCommandsComeBeforeTheFirstTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil, agenttest.Say("Hi."))
		r.model.Served.ContextWindow = 0
		resp, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: t.TempDir(), McpServers: []sdk.McpServer{}})
		if err != nil {
			t.Fatal(err)
		}
		r.wire.take()
		r.prompt(string(resp.SessionId), "hi")
		time.Sleep(time.Second)
		var kinds []string
		for line := range strings.Lines(transcript(t, r.wire.take())) {
			kinds = append(kinds, strings.Fields(line)[0])
		}
		if got := strings.Join(kinds, " "); got != "available_commands_update agent_message_chunk answer" {
			t.Errorf("got %s", got)
		}
	})
}

func TestSessionsThatCannotBegin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRawRig(t, nil)
	for _, params := range []string{
		``, `{}`, `[]`, `{"cwd":"src"}`, `{"cwd":7}`, `{"cwd":"."}`,
		`{"cwd":` + mustJSON(file) + `}`, `{"cwd":` + mustJSON(filepath.Join(dir, "none")) + `}`,
		`{"cwd":` + mustJSON(dir) + `,"mcpServers":{}}`,
	} {
		if params != "" {
			params = `,"params":` + params
		}
		r.write(`{"jsonrpc":"2.0","id":0,"method":"session/new"` + params + `}`)
		r.waitFor("error")
		if got := transcript(t, r.wire.take()); !strings.HasPrefix(got, `answer error {"code":-32602,`) {
			t.Errorf("%s: got %s", params, got)
		}
	}
}

// Where the session cannot be written, it is used all the same.
func TestSessionThatCannotBeKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(s *setup) {
		s.Store = func(string) (*session.Store, error) { return nil, errors.New("read-only disk") }
	}, agenttest.Say("Hi."))
	id, _ := r.open()
	if got := r.prompt(id, "hi"); got != "end_turn" {
		t.Errorf("stop reason is %s", got)
	}
	r.wantLog("session " + id + " is not kept: read-only disk\n")
}

func (r *rig) load(id, cwd string) error {
	_, err := r.conn.LoadSession(r.t.Context(), sdk.LoadSessionRequest{SessionId: sdk.SessionId(id), Cwd: cwd, McpServers: []sdk.McpServer{}})
	return err
}

// A loaded session tells all that was said, in order and before the answer.
// Nothing runs, and ids go on.
func TestLoadReplays(t *testing.T) {
	t.Parallel()
	first := agenttest.Say("I will look. ")
	first.Deltas = append(first.Deltas, agenttest.Call("bash", `{"command":"ls","n":9007199254740993}`).Deltas...)
	r := newRig(t, nil, agenttest.Think("Hm.", first), agenttest.Call("bash", `{"command":"false"}`), agenttest.Say("Done."))
	id, cwd := r.open()
	r.prompt(id, "look @.mm")

	other := newRig(t, nil)
	if err := other.load(id, cwd); err == nil || !strings.Contains(err.Error(), "open in another mm") {
		t.Errorf("two processes hold one session: %v", err)
	}
	r.end()
	again := newRig(t, nil, agenttest.Call("bash", `{"command":"pwd"}`), agenttest.Say("Bye."))
	again.model.Served.ContextWindow = 0
	if err := again.load(id, cwd); err != nil {
		t.Fatal(err)
	}
	again.wantWire(`
user_message_chunk "look @.mm"
agent_message_chunk "I will look. "
tool_call content=[{"type":"content","content":{"text":"ran ls","type":"text"}}] kind=execute rawInput={"command":"ls","n":9007199254740993} rawOutput={"output":"ran ls"} status=completed title="bash: ls" toolCallId=call_1
tool_call content=[{"type":"content","content":{"text":"ran false","type":"text"}}] kind=execute rawInput={"command":"false"} rawOutput={"output":"ran false"} status=completed title="bash: false" toolCallId=call_2
agent_message_chunk "Done."
available_commands_update availableCommands=[{"description":"Clear the history and start a new session","name":"new"},{"description":"Compress the history now, keeping the last turns","name":"compact"}]
answer {}
`)
	again.wantLog("[acp] session " + id + " loaded from " + filepath.Join(cwd, ".mm", "sessions") + ": 6 message(s) replayed\n")
	again.prompt(id, "where?")
	again.wantWire(`
tool_call kind=execute rawInput={"command":"pwd"} status=pending title="bash: pwd" toolCallId=call_3
permission kind=execute rawInput={"command":"pwd"} status=pending title="bash: pwd" toolCallId=call_3
tool_call_update status=in_progress toolCallId=call_3
tool_call_update content=[{"type":"content","content":{"text":"ran pwd","type":"text"}}] rawOutput={"output":"ran pwd"} status=completed toolCallId=call_3
agent_message_chunk "Bye."
answer {"stopReason":"end_turn"}
`)
	asked := again.model.Requests()[0].Messages
	if asked[0].Text != "You are a test." || len(asked) != 8 {
		t.Errorf("the model got %d messages, first %q", len(asked), asked[0].Text)
	}
}

func TestLoadOfASummaryAndAnOpenCall(t *testing.T) {
	t.Parallel()
	cwd := t.TempDir()
	store, err := openStore(cwd)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New("/elsewhere", time.Now())
	s.Items = []session.Item{
		{Message: llm.Message{Role: llm.User, Text: "Goal: mend it."}, Summary: true},
		{Message: llm.Message{Role: llm.User, Text: "go on"}, Turn: 1},
		{Message: llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c5", Name: "write_file", Args: `{"path":"a.go","content":""}`}}}, Turn: 1},
	}
	if err := store.Save(s); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, nil)
	if err := r.load(s.ID, cwd); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(transcript(t, r.wire.take()), "available_commands_update")
	const want = `agent_message_chunk "🗜️ Goal: mend it."
user_message_chunk "go on"
tool_call kind=edit rawInput={"path":"a.go","content":""} status=failed title="write_file: a.go" toolCallId=call_5
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A session with no turn yet can be loaded, and one that is running is ended
// and loaded anew.
func TestLoadOfALiveSession(t *testing.T) {
	t.Parallel()
	half := agenttest.Say("Once upon")
	half.Block = true
	r := newRig(t, nil, half, agenttest.Say("Hello."))
	id, cwd := r.open()
	if err := r.load(id, cwd); err != nil {
		t.Errorf("before the first turn: %v", err)
	}
	answer := r.begin(id, "tell")
	r.waitFor("upon")
	if err := r.load(id, cwd); err != nil {
		t.Errorf("during a turn: %v", err)
	}
	if got := r.receive(answer); !strings.Contains(got, "the session is closed") {
		t.Errorf("the turn was answered by %s", got)
	}
	if got := r.prompt(id, "hi"); got != "end_turn" {
		t.Errorf("the next turn ends with %s", got)
	}
	if asked := r.model.Requests()[1].Messages; len(asked) != 4 || asked[2].Text != "Once upon" {
		t.Errorf("the model got %v", asked)
	}
}

// A damaged one is public report H03.
func TestSessionsThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	cwd := t.TempDir()
	if _, err := openStore(cwd); err != nil {
		t.Fatal(err)
	}
	const damaged, none = "20260916-101530-4f2a9c1e", "20260916-101530-00000000"
	if err := os.WriteFile(filepath.Join(cwd, ".mm", "sessions", damaged+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, nil)
	for _, tc := range []struct{ id, cwd, want string }{
		{none, cwd, "there is no session " + none},
		{damaged, cwd, "session " + damaged + " is damaged"},
		{"../secret", cwd, "not a session id"},
		{none, "src", "not an absolute path"},
	} {
		var refused *sdk.RequestError
		err := r.load(tc.id, tc.cwd)
		if !errors.As(err, &refused) || refused.Code != -32602 {
			t.Errorf("%s: got %v", tc.id, err)
			continue
		}
		var data struct{ SessionID, Error string }
		if json.Unmarshal([]byte(mustJSON(refused.Data)), &data) != nil || data.SessionID != tc.id || !strings.Contains(data.Error, tc.want) {
			t.Errorf("%s: got %s", tc.id, mustJSON(refused.Data))
		}
	}
}

func TestSlashNew(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Say("Hello."), agenttest.Say("Again."))
	id, cwd := r.open()
	r.prompt(id, "hi")
	r.wire.take()
	r.prompt(id, " /new\n")
	r.wantWire(`
agent_message_chunk "🆕 New session: 2 message(s) forgotten."
answer {"stopReason":"end_turn"}
`)
	r.wantLog("[acp] session " + id + ": new session, 2 message(s) forgotten\n")
	kept := regexp.MustCompile(`previous conversation kept as (\S+)\n`).FindStringSubmatch(r.log.String())
	if kept == nil {
		t.Fatalf("log: %s", r.log)
	}
	store, err := openStore(cwd)
	if err != nil {
		t.Fatal(err)
	}
	if old, err := store.Load(kept[1]); err != nil || len(old.Items) != 2 {
		t.Errorf("kept is %+v, %v", old, err)
	}
	if now, err := store.Load(id); err != nil || len(now.Items) != 0 {
		t.Errorf("the session's file holds %+v, %v", now, err)
	}
	r.prompt(id, "hi again")
	if asked := r.model.Requests()[1].Messages; len(asked) != 2 {
		t.Errorf("the model got %v", asked)
	}
}

func TestSlashNewOfNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, withoutStore)
	id, _ := r.open()
	r.prompt(id, "/new")
	r.wantWire(`
agent_message_chunk "🆕 New session: 0 message(s) forgotten."
answer {"stopReason":"end_turn"}
`)
	if strings.Contains(r.log.String(), "kept as") {
		t.Errorf("log: %s", r.log)
	}
}

// /new waits for the turn that runs, which it would else cut short.
func TestSlashWaits(t *testing.T) {
	t.Parallel()
	half := agenttest.Say("Once upon")
	half.Block = true
	r := newRawRig(t, nil, half)
	r.model.Served.ContextWindow = 0
	id := r.openRaw(t.TempDir())
	r.writePrompt("tell", id, "tell")
	r.waitFor("upon")
	r.writePrompt("new", id, "/new")
	r.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`)
	r.waitFor(`"id":"tell"`)
	r.waitFor(`"id":"new"`)
	// The answers are written beside each other; what is said is in order.
	got := transcript(t, r.wire.take())
	for _, want := range []string{`answer {"stopReason":"cancelled"}`, `answer {"stopReason":"end_turn"}`} {
		if strings.Count(got, want) != 1 {
			t.Errorf("got:\n%swant %s in it, once", got, want)
		}
	}
	if !regexp.MustCompile(`(?s)Once upon.*🆕 New session: 2 message\(s\) forgotten\.`).MatchString(got) {
		t.Errorf("got:\n%s", got)
	}
}

func TestSlashCompact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("many words ", 100)
	r := newRig(t, withCore(func(o *agent.Options) { o.Context = agent.Context{KeepLastTurns: 1, SummaryMaxTokens: 500} }),
		agenttest.Say(long), agenttest.Say("Two."), agenttest.Say("GOAL: words"),
		agenttest.Say("Three."), agenttest.Fail(&llm.Error{Kind: llm.ServerFault, Status: 500, Message: "out of memory"}))
	id, cwd := r.open()
	compact := func(want string) {
		t.Helper()
		r.wire.take()
		if got := r.prompt(id, "/compact"); got != "end_turn" {
			t.Errorf("stop reason is %s", got)
		}
		got := transcript(t, r.wire.take())
		if !regexp.MustCompile(`^agent_message_chunk "` + want + `"\nanswer [^\n]*\n$`).MatchString(got) {
			t.Errorf("got %swant %s", got, want)
		}
		r.wantLog("[acp] session " + id + ": /compact — ")
	}
	compact(`🗜️ nothing to compact: 0 message\(s\), no turn older than the last 1`)
	r.prompt(id, "one "+long)
	r.prompt(id, "two")
	compact(`🗜️ compressed 2 messages → 1 summary \+ 2 kept \(\d+ tokens, \d+\.\ds\)`)
	store, err := openStore(cwd)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := store.Load(id); err != nil || len(kept.Items) != 3 || !kept.Items[0].Summary {
		t.Errorf("on disk is %+v, %v", kept, err)
	}
	r.prompt(id, "three")
	compact(`\[compact: failed, history kept: .*out of memory.*\]`)
}
