package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/acp"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
)

// palette is a setting with three values.
type palette struct {
	mu   sync.Mutex
	now  string
	used []string
}

func (p *palette) setting() acp.Setting {
	return acp.Setting{
		ID: "model", Name: "Model", Description: "Who answers",
		List: func(context.Context) ([]string, string, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return []string{"red", "green", "blue"}, p.now, nil
		},
		Use: func(_ context.Context, value string) (agent.Command, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if value == "blue" {
				return nil, errors.New("blue is not ready")
			}
			p.now = value
			p.used = append(p.used, value)
			return agent.AskModel{Sampling: &llm.Sampling{Temperature: 0.5}}, nil
		},
	}
}

func extended(p *palette) func(*setup) {
	broken := acp.Setting{ID: "broken", List: func(context.Context) ([]string, string, error) { return nil, "", errors.New("no server") }}
	return func(s *setup) { s.Extended, s.Settings = true, []acp.Setting{p.setting(), broken} }
}

func TestExtendedCapabilities(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		change func(*setup)
		want   string
	}{
		{"with sessions", extended(&palette{}), `{"loadSession":true,"sessionCapabilities":{"close":{},"list":{},"resume":{}}}`},
		{"without sessions", func(s *setup) { extended(&palette{})(s); withoutStore(s) }, `{"sessionCapabilities":{"close":{}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRawRig(t, tc.change)
			r.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
			r.waitFor(`"agentCapabilities":` + tc.want + `,"agentInfo"`)
		})
	}
}

// Nothing of it is there unless it is asked for, sessions kept or not.
func TestExtendedIsOffByDefault(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"session/set_mode", "session/set_config_option", "session/list", "session/resume", "session/close"} {
		r := newRawRig(t, func(s *setup) { s.Settings = []acp.Setting{(&palette{}).setting()} })
		r.write(`{"jsonrpc":"2.0","id":0,"method":"` + method + `","params":{"sessionId":"20260101-000000-00000000","cwd":"/","modeId":"ask","configId":"mode","value":"ask"}}`)
		r.waitFor("error")
		r.wantWire(`answer error {"code":-32601,"message":"Method not found","data":{"method":"` + method + `"}}` + "\n")
	}
}

func TestModesAndSettingsOfANewSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, extended(&palette{now: "grey"}))
	cwd := t.TempDir()
	made, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: cwd, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := r.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: made.SessionId, Cwd: cwd, McpServers: []sdk.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if mustJSON(made.Modes) != mustJSON(loaded.Modes) || mustJSON(made.ConfigOptions) != mustJSON(loaded.ConfigOptions) {
		t.Errorf("a loaded session has %s, %s", mustJSON(loaded.Modes), mustJSON(loaded.ConfigOptions))
	}
	var modes []string
	for _, m := range made.Modes.AvailableModes {
		modes = append(modes, string(m.Id))
	}
	slices.Sort(modes)
	if got := strings.Join(modes, " "); got != "accept-edits ask read-only yolo" || made.Modes.CurrentModeId != "ask" {
		t.Errorf("modes are %s, now %s", got, made.Modes.CurrentModeId)
	}
	if got, want := selectors(made.ConfigOptions), "mode=ask of 4, model=grey of 4"; got != want {
		t.Errorf("settings are %s, want %s", got, want)
	}
	for _, o := range made.ConfigOptions {
		if o.Select.Category == nil || string(*o.Select.Category) != string(o.Select.Id) {
			t.Errorf("%s has no category", o.Select.Id)
		}
	}
}

// selectors writes settings as "mode=ask of 4, ...".
func selectors(options []sdk.SessionConfigOption) string {
	var all []string
	for _, o := range options {
		s := o.Select
		all = append(all, string(s.Id)+"="+string(s.CurrentValue)+" of "+mustJSON(len(*s.Options.Ungrouped)))
	}
	return strings.Join(all, ", ")
}

func (r *rig) choice(id, setting, value string) (string, error) {
	resp, err := r.conn.SetSessionConfigOption(r.t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: sdk.SessionId(id), ConfigId: sdk.SessionConfigId(setting), Value: sdk.SessionConfigValueId(value),
	}})
	return selectors(resp.ConfigOptions), err
}

func TestModeIsChanged(t *testing.T) {
	t.Parallel()
	pol := &policy{}
	r := newRig(t, func(s *setup) {
		extended(&palette{now: "red"})(s)
		s.core = func(o *agent.Options) { o.Policy = pol }
	}, agenttest.Say("Hi."))
	id, _ := r.open()
	if _, err := r.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: sdk.SessionId(id), ModeId: "yolo"}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.choice(id, "mode", "accept-edits"); err != nil || got != "mode=accept-edits of 4, model=red of 3" {
		t.Errorf("got %s, %v", got, err)
	}
	r.prompt(id, "hi") // the core takes commands in order
	if got := strings.Join(pol.set(), " "); got != "yolo accept-edits" {
		t.Errorf("the policy was set to %s", got)
	}
}

// A setting is of all sessions: each hears of it, and the model's sampling
// changes. It waits for the turn that runs.
func TestSettingIsChanged(t *testing.T) {
	t.Parallel()
	p := &palette{now: "red"}
	half := agenttest.Say("Once upon")
	half.Block = true
	r := newRig(t, extended(p), half, agenttest.Say("Hi."))
	a, _ := r.open()
	b, _ := r.open()
	answer := r.begin(a, "tell")
	r.waitFor("upon")
	type changed struct {
		options string
		err     error
	}
	done := make(chan changed, 1)
	go func() {
		options, err := r.choice(b, "model", "green")
		done <- changed{options, err}
	}()
	r.waitForMode(b) // the mode does not wait
	p.mu.Lock()
	if len(p.used) > 0 {
		t.Error("the setting changed during a turn")
	}
	p.mu.Unlock()
	r.wire.take()
	r.cancel(a)
	r.receive(answer)
	if got := <-done; got.err != nil || got.options != "mode=read-only of 4, model=green of 3" {
		t.Errorf("got %+v", got)
	}
	r.waitFor(`"sessionId":"` + a + `","update":{"configOptions":[`)
	if got := r.wire.String(); strings.Contains(got, `"sessionId":"`+b+`","update":{"configOptions":[`) {
		t.Errorf("the session that asked is told twice: %s", got)
	}
	r.prompt(a, "hi")
	if got := r.model.Requests()[1].Sampling.Temperature; got != 0.5 {
		t.Errorf("the temperature is %v", got)
	}
}

// waitForMode changes the mode of a session, which is answered at once.
func (r *rig) waitForMode(id string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if _, err := r.conn.SetSessionMode(ctx, sdk.SetSessionModeRequest{SessionId: sdk.SessionId(id), ModeId: "read-only"}); err != nil {
		r.t.Fatal(err)
	}
}

func TestExtendedRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, extended(&palette{now: "red"}))
	id, _ := r.open()
	const none = "20260101-000000-00000000"
	for _, tc := range []struct{ method, params, want string }{
		{"set_mode", `{"sessionId":"` + id + `","modeId":"bogus"}`, `there is no mode`},
		{"set_mode", `{"sessionId":"` + none + `","modeId":"ask"}`, none},
		{"set_config_option", `{"sessionId":"` + id + `","configId":"mode","value":"bogus"}`, `there is no mode`},
		{"set_config_option", `{"sessionId":"` + id + `","configId":"model","value":"pink"}`, `there is no model`},
		{"set_config_option", `{"sessionId":"` + id + `","configId":"model","value":"blue"}`, `blue is not ready`},
		{"set_config_option", `{"sessionId":"` + id + `","configId":"colour","value":"red"}`, `there is no setting`},
		{"set_config_option", `{"sessionId":"` + id + `","configId":"broken","value":"x"}`, `no server`},
		{"set_config_option", `{"sessionId":"` + id + `","configId":"mode","type":"boolean","value":true}`, `cannot unmarshal`},
		{"set_config_option", `{"sessionId":"` + none + `","configId":"mode","value":"ask"}`, none},
		{"close", `{"sessionId":"` + none + `"}`, none},
		{"close", `[]`, "params is no object"},
		{"list", `{"cwd":"src"}`, "not an absolute path"},
		{"list", `{"cwd":7}`, "cannot unmarshal"},
		{"resume", `{"sessionId":"` + none + `","cwd":` + mustJSON(t.TempDir()) + `}`, none},
	} {
		r.write(`{"jsonrpc":"2.0","id":"x","method":"session/` + tc.method + `","params":` + tc.params + `}`)
		r.waitFor(`"id":"x"`)
		if got := strings.Join(r.wire.take(), "\n"); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: got %s", tc.method, tc.params, got)
		}
	}
	if _, err := r.choice(id, "model", "green"); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

func TestListOfSessions(t *testing.T) {
	t.Parallel()
	r := newRig(t, extended(&palette{}), agenttest.Say("Hi."), agenttest.Say("Hi."))
	used, cwd := r.open()
	r.prompt(used, "see\nthe \u202etests")
	other, elsewhere := r.open()
	r.prompt(other, "look")
	r.open() // never used
	store, err := openStore(cwd)
	if err != nil {
		t.Fatal(err)
	}
	empty := session.New(cwd, time.Now())
	if err := store.Save(empty); err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(empty.ID, "2", "1", 1)
	if err := os.WriteFile(store.Dir()+"/"+damaged+".json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	one, err := r.conn.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &cwd})
	if err != nil || len(one.Sessions) != 1 || string(one.Sessions[0].SessionId) != used || one.Sessions[0].Cwd != cwd {
		t.Fatalf("got %s, %v", mustJSON(one), err)
	}
	if title := *one.Sessions[0].Title; strings.ContainsAny(title, "\n\u202e") || !strings.Contains(title, "see") {
		t.Errorf("the title is %q", title)
	}
	if _, err := time.Parse(time.RFC3339, *one.Sessions[0].UpdatedAt); err != nil {
		t.Error(err)
	}
	r.write(`{"jsonrpc":"2.0","id":"all","method":"session/list"}`)
	r.waitFor(`"id":"all"`)
	if got := r.wire.String(); !strings.Contains(got, `"cwd":`+mustJSON(elsewhere)) {
		t.Errorf("without a directory: %s", got)
	}
	r.write(`{"jsonrpc":"2.0","id":"none","method":"session/list","params":{"cwd":` + mustJSON(t.TempDir()) + `}}`)
	r.waitFor(`{"jsonrpc":"2.0","id":"none","result":{"sessions":[]}}`)
}

// /rename is a slash command; the client hears of each title. Without the
// setting there is neither, and the words go to the model.
func TestRename(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		extended       bool
		text           string
		commands, wire string
		title          string
	}{
		{
			name: "a title", extended: true, text: "/rename the \x1b[31mport\n\nand more", commands: "new compact rename greetings", title: "the port",
			wire: `
session_info_update title="the port"
agent_message_chunk "🏷️ This session is called \"the port\" now."
answer {"stopReason":"end_turn"}
`,
		},
		{
			name: "no title", extended: true, text: " /rename ", commands: "new compact rename greetings", title: "hi",
			wire: `
agent_message_chunk "a title is missing: /rename TITLE"
answer {"stopReason":"end_turn"}
`,
		},
		{name: "another word", extended: true, text: "/renamed", commands: "new compact rename greetings", title: "hi"},
		{name: "not offered", text: "/rename the port", commands: "new compact greetings", title: "hi"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(s *setup) {
				s.Extended, s.skills = tc.extended, []agent.Skill{{Name: "greetings", Description: "Greets somebody."}}
			}, agenttest.Say("Hello."), agenttest.Say("Bye."))
			cwd := t.TempDir()
			made, err := r.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: cwd, McpServers: []sdk.McpServer{}})
			if err != nil {
				t.Fatal(err)
			}
			r.waitFor("available_commands_update")
			if got := commandNames(r.wire.take()); got != tc.commands {
				t.Errorf("commands are %s, want %s", got, tc.commands)
			}
			id := string(made.SessionId)
			r.prompt(id, "hi")
			if got := transcript(t, r.wire.take()); strings.Contains(got, "session_info_update title=hi\n") != tc.extended {
				t.Errorf("the first title is told otherwise: %s", got)
			}
			r.prompt(id, tc.text)
			if tc.wire != "" {
				r.wantWire(tc.wire)
			} else if asked := r.model.Requests()[1].Messages; asked[len(asked)-1].Text != tc.text {
				t.Errorf("the model got %v", asked)
			}
			store, err := openStore(cwd)
			if err != nil {
				t.Fatal(err)
			}
			if kept, err := store.Load(id); err != nil || kept.Title != tc.title {
				t.Errorf("kept is %+v, %v, want the title %q", kept, err, tc.title)
			}
		})
	}
}

// commandNames are the names of an available_commands_update.
func commandNames(lines []string) string {
	var names []string
	for _, line := range lines {
		var m struct {
			Params struct {
				Update struct{ AvailableCommands []struct{ Name string } }
			}
		}
		if json.Unmarshal([]byte(line), &m) == nil {
			for _, c := range m.Params.Update.AvailableCommands {
				names = append(names, c.Name)
			}
		}
	}
	return strings.Join(names, " ")
}

// A resumed session goes on without a replay, its ids go on too.
func TestResume(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil, agenttest.Call("bash", `{"command":"ls"}`), agenttest.Say("Done."))
	id, cwd := r.open()
	r.prompt(id, "look")
	r.end()

	again := newRig(t, extended(&palette{now: "red"}), agenttest.Call("bash", `{"command":"pwd"}`), agenttest.Say("Bye."))
	again.model.Served.ContextWindow = 0
	resp, err := again.conn.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: sdk.SessionId(id), Cwd: cwd})
	if err != nil || resp.Modes == nil || len(resp.ConfigOptions) != 2 {
		t.Fatalf("got %s, %v", mustJSON(resp), err)
	}
	if got := transcript(t, again.wire.take()); strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "available_commands_update ") {
		t.Errorf("got %s", got)
	}
	again.prompt(id, "where?")
	if got := again.questions()[0].ToolCall.ToolCallId; got != "call_2" {
		t.Errorf("the next call is %s", got)
	}
	if asked := again.model.Requests()[0].Messages; len(asked) != 6 {
		t.Errorf("the model got %d messages, want 6: the system prompt, four of before, the new one", len(asked))
	}
}

// To close a session ends its turns, those that wait too, and gives its file
// free. Others go on.
func TestCloseSession(t *testing.T) {
	t.Parallel()
	started, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	r := newRig(t, func(s *setup) {
		extended(&palette{})(s)
		withTools(hanging(started, stopped))(s)
	}, agenttest.Call("bash", `{"command":"sleep 60"}`), agenttest.Say("Hi."))
	id, cwd := r.open()
	other, _ := r.open()
	first := r.begin(id, "sleep")
	<-started
	r.writePrompt("second", id, "and then")
	r.write(`{"jsonrpc":"2.0","id":"read","method":"authenticate"}`)
	r.waitFor(`"id":"read"`)
	if _, err := r.conn.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: sdk.SessionId(id)}); err != nil {
		t.Fatal(err)
	}
	<-stopped
	if got := r.receive(first); got != "cancelled" {
		t.Errorf("the turn ends with %s", got)
	}
	r.waitFor(`"id":"second","result":{"stopReason":"cancelled"}`)
	if _, err := r.ask(id, "hi"); err == nil {
		t.Error("a closed session answers")
	}
	if got := r.prompt(other, "hi"); got != "end_turn" {
		t.Errorf("the other session's turn ends with %s", got)
	}
	again := newRig(t, nil)
	if err := again.load(id, cwd); err != nil {
		t.Errorf("another process: %v", err)
	}
}
