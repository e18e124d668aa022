package agent_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
	"mm/tools/proc"
)

// The public reports of kind B, of an agent's behaviour, and H, of sessions,
// with the inputs of the reports. Those that are no matter of this package
// alone are tested under their names elsewhere: B18 and B20 beside bash, H01 in
// TestKilledAtAnyMoment, H03 and the changes of H10 beside the session store,
// H05 beside the program's choice of a session.

// workshop is a conversation in a folder that holds files, with the real tools.
func workshop(t *testing.T, m *agenttest.Model, files map[string]string) (o agent.Options, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := safety.NewWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	runner, err := proc.NewRunner()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(runner.Close)
	f := tools.Files{Workspace: ws, Seen: tools.NewSeen()}
	box, err := tools.NewToolbox(tools.ToolboxOptions{Repair: func(raw string) (string, bool) {
		repaired, _, err := llm.RepairArgs(raw)
		return repaired, err == nil
	}},
		tools.NewReadFile(f), tools.NewWriteFile(f), tools.NewEditFile(f),
		tools.NewBash(tools.BashOptions{Dir: dir, Runner: runner, MaxOutput: func() int { return 16_000 }}))
	if err != nil {
		t.Fatal(err)
	}
	o = options(m, echo{})
	o.Tools, o.Policy, o.Session = box, safety.NewPolicy(safety.Options{Mode: safety.Yolo}), session.New(dir, time.Now())
	o.Sampling.MaxTokens = 4096
	return o, dir
}

// B01: the same command with the same result, then a cosmetic variant of it.
func TestReportB01(t *testing.T) {
	t.Parallel()
	var script []agenttest.Reply
	for _, command := range []string{"ls docs/", "ls -la docs/"} {
		for range 6 {
			script = append(script, agenttest.Call("bash", fmt.Sprintf(`{"command":%q}`, command)))
		}
	}
	o, _ := workshop(t, agenttest.NewModel(script[:11]...), map[string]string{"docs/a.md": "a"})
	events := agenttest.Run(t, o).Prompt("what is in docs?")
	made := calls(events)
	first := slices.IndexFunc(made, func(c agent.CallEnded) bool { return strings.Contains(c.Output, "[LOOP_DETECTED: ") })
	if first != 2 || len(made) != 6 {
		t.Errorf("warned at call %d of %d, want the third of six", first+1, len(made))
	}
	if end := ended(t, events); end.Stop != agent.StopStuck || !strings.Contains(end.Text, "bash 6 times") {
		t.Errorf("the turn ended with %q %q, want a reason that can be read", end.Stop, end.Text)
	}
}

// B04: calls that never reach a tool, with no arguments or broken ones.
func TestReportB04(t *testing.T) {
	t.Parallel()
	var script []agenttest.Reply
	for _, args := range []string{"{}", "{}", "{", "{", "{}", "{}", "{}"} {
		script = append(script, agenttest.Call("edit_file", args))
	}
	for range 40 {
		script = append(script, agenttest.Call("edit_file", "{}"))
	}
	m := agenttest.NewModel(script...)
	o, _ := workshop(t, m, nil)
	end := ended(t, agenttest.Run(t, o).Prompt("mend it"))
	// The last three of the report's calls are alike, and three more are.
	if n := len(m.Requests()); n > 10 {
		t.Errorf("%d rounds, want no more than 10", n)
	}
	if end.Stop != agent.StopStuck || !strings.Contains(end.Text, "edit_file") {
		t.Errorf("the turn ended with %q %q, want an explanation", end.Stop, end.Text)
	}
}

// B06: the next step is announced, and the turn ends.
func TestReportB06(t *testing.T) {
	t.Parallel()
	const announced = "I have found the bug. Now I will update parser.go to handle the empty case:"
	m := agenttest.NewModel(agenttest.Say(announced), agenttest.Say(announced))
	o, _ := workshop(t, m, nil)
	events := agenttest.Run(t, o).Prompt("what is wrong with the parser?")
	if n := len(m.Requests()); n != 2 {
		t.Errorf("%d requests, want one nudge", n)
	}
	if said := notices(events, agent.Repair); len(said) != 1 {
		t.Errorf("the user sees %q, want the nudge", said)
	}
}

// B07: nothing comes after a result, and blanks when asked again.
func TestReportB07(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Call("bash", `{"command": "wc -l *.go"}`), agenttest.Reply{}, agenttest.Say("  \n"))
	o, _ := workshop(t, m, map[string]string{"a.go": "package a\n"})
	end := ended(t, agenttest.Run(t, o).Prompt("how long are they?"))
	if n := len(m.Requests()); n != 3 || end.Stop != agent.StopFailed || !strings.Contains(end.Text, "the last thing it did was bash") {
		t.Errorf("after %d requests the turn ended with %q %q, want one nudge and a line that names the last result", n, end.Stop, end.Text)
	}
	for _, item := range o.Session.Items {
		if item.Role == llm.Assistant && strings.TrimSpace(item.Text) == "" && len(item.Calls) == 0 {
			t.Error("an empty message is kept")
		}
	}
}

// B09: the reasoning takes all of max_tokens.
func TestReportB09(t *testing.T) {
	t.Parallel()
	reply := agenttest.Think(strings.Repeat("First I list every case. ", 40), agenttest.Reply{Finish: llm.FinishLength})
	o, _ := workshop(t, agenttest.NewModel(reply), nil)
	end := ended(t, agenttest.Run(t, o).Prompt("think"))
	for _, want := range []string{"reasoning", "max_tokens (4096)", "sampling.max_tokens", "thinking"} {
		if !strings.Contains(end.Text, want) {
			t.Errorf("%q does not speak of %s", end.Text, want)
		}
	}
}

// B10: calls of tools that there are not.
func TestReportB10(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(
		agenttest.Call("search_files", `{"pattern": "*.go"}`), agenttest.Call("python", `{"code": "print(1)"}`), agenttest.Say("done"))
	o, _ := workshop(t, m, nil)
	o.Policy = safety.NewPolicy(safety.Options{Mode: safety.AskMode})
	events := agenttest.Run(t, o).Prompt("search")
	made := calls(events)
	for i, name := range []string{"search_files", "python"} {
		want := fmt.Sprintf("[error: there is no tool named %q; your tools are: bash, edit_file, read_file, write_file]", name)
		if len(made) <= i || !strings.Contains(made[i].Output, want) || made[i].Status != agent.CallInvalid {
			t.Errorf("call %d ended as %+v, want %s", i+1, made, want)
		}
	}
	if asked := of[agent.ApprovalAsked](events); len(asked) > 0 {
		t.Errorf("asked %+v", asked)
	}
	if end := ended(t, events); end.Stop != agent.StopAnswer {
		t.Errorf("the turn ended with %q, want the answer", end.Stop)
	}
}

// B13: a file is written anew, and cut at max_tokens, also where what came is
// valid JSON.
func TestReportB13(t *testing.T) {
	t.Parallel()
	cut := func(args string) agenttest.Reply {
		r := agenttest.Call("write_file", args)
		r.Finish, r.Usage = llm.FinishLength, llm.Usage{Prompt: 3000, Completion: 4096}
		return r
	}
	m := agenttest.NewModel(
		cut(`{"path":"README.md","content":"# Doc\n## 1 Intro\ntext`), cut(`{"path":"README.md","content":"# Doc\n"}`), cut(`{"path":"README.md","content":"# Doc`))
	whole := strings.Repeat("a line of the file\n", 400)
	o, dir := workshop(t, m, map[string]string{"README.md": whole})
	events := agenttest.Run(t, o).Prompt("rewrite README.md")
	if got, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || string(got) != whole {
		t.Errorf("the file has %d bytes of %d, %v", len(got), len(whole), err)
	}
	reqs := m.Requests()
	if len(reqs) != 3 {
		t.Errorf("%d requests, want two rounds more", len(reqs))
	}
	for _, req := range reqs[1:] {
		if got := lastText(req); !strings.Contains(got, "about 6000 characters") {
			t.Errorf("the model reads %q, want a budget in figures", got)
		}
	}
	if end := ended(t, events); end.Stop != agent.StopMaxTokens || !strings.Contains(end.Text, "max_tokens (4096)") {
		t.Errorf("the turn ended with %q %q", end.Stop, end.Text)
	}
}

// B15: a summary that gains nothing or fails, again and again.
func TestReportB15(t *testing.T) {
	t.Parallel()
	for name, summary := range map[string]agenttest.Reply{
		"as long as what it replaces": agenttest.Say(strings.Repeat("word ", 900)),
		"500":                         agenttest.Fail(&llm.Error{Kind: llm.ServerFault, Status: 500, Message: "boom"}),
		"empty":                       {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			full := used(agenttest.Say("a"), 1900)
			m := agenttest.NewModel(full, summary, full, summary, full, full, full)
			o := small(m, echo{})
			turns(&o, 4)
			before := slices.Clone(o.Session.Items)
			r := agenttest.Run(t, o)
			var warned []string
			for range 5 {
				events := r.Prompt("q")
				warned = append(warned, notices(events, agent.Warn)...)
				if got := ended(t, events).Stop; got != agent.StopAnswer {
					t.Errorf("a turn ended with %q", got)
				}
			}
			if diff := cmp.Diff(before, o.Session.Items[:len(before)]); diff != "" || len(o.Session.Items) != len(before)+10 {
				t.Errorf("%d messages, want all %d:\n%s", len(o.Session.Items), len(before)+10, diff)
			}
			if len(warned) != 1 || !strings.Contains(warned[0], "paused") {
				t.Errorf("said %q, want the pause once", warned)
			}
			if n := len(m.Requests()); n != 7 {
				t.Errorf("%d requests, want five turns and two tries", n)
			}
		})
	}
}

// history16 is the conversation of B16.
func history16() []session.Item {
	call := func(id string) llm.Call { return llm.Call{ID: id, Name: "echo", Args: `{"text":"x"}`} }
	long := strings.Repeat("word ", 300)
	items := []session.Item{
		user("q1"), said("", call("c1"), call("c2")), result("c1", long), result("c2", long), said(long),
		user("q2"), said("", call("c3")), result("c3", long), user("q3"),
	}
	for i, turn := range []int{1, 1, 1, 1, 1, 2, 2, 2, 3} {
		items[i].Turn = turn
	}
	return items
}

// sentValid reports each request that a server would refuse.
func sentValid(t *testing.T, m *agenttest.Model) {
	t.Helper()
	for i, req := range m.Requests() {
		if bad := valid(req.Messages); bad != "" {
			t.Errorf("request %d: %s: %+v", i+1, bad, req.Messages)
		}
	}
}

// B16: a compaction never cuts between a call and its result.
func TestReportB16(t *testing.T) {
	t.Parallel()
	for keep := 1; keep <= 4; keep++ {
		t.Run(fmt.Sprintf("keepLastTurns %d", keep), func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(agenttest.Say("GOAL"), agenttest.Say("GOAL"), agenttest.Say("on we go"))
			o := small(m, echo{})
			m.Served.ContextWindow = 8192
			o.Context.KeepLastTurns = keep
			o.Session.Items = history16()
			for i := range 3 {
				o.Session.Turns = append(o.Session.Turns, session.Turn{Number: i + 1})
			}
			r := agenttest.Run(t, o)
			r.Do(agent.Compact{})
			if got, want := o.Session.Items[0].Summary, keep < 3; got != want {
				t.Errorf("compacted: %v, want %v", got, want)
			}
			r.Prompt("q4")
			wellFormed(t, o.Session.Items)
			sentValid(t, m)
		})
	}
	t.Run("a call waits for permission", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(
			agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("done"), // the running turn
			agenttest.Say("GOAL"), agenttest.Say("on we go"))
		o := small(m, echo{})
		m.Served.ContextWindow = 8192
		o.Policy = &policy{mode: safety.AskMode}
		o.Context.KeepLastTurns = 1
		o.Session.Items = history16()[:8]
		o.Session.Turns = []session.Turn{{Number: 1}, {Number: 2}}
		r := agenttest.Run(t, o)
		r.Answer(func(agent.ApprovalAsked) agent.Decide {
			if err := r.Core.Do(agent.Compact{}); err != nil {
				t.Error(err)
			}
			return agent.Decide{Choice: agent.ChoiceAllow}
		})
		events := r.Prompt("q3")
		if got := compactions(events); len(got) != 1 || !got[0].Changed {
			t.Errorf("compactions %+v, want one behind the turn", got)
		}
		if got := calls(events); len(got) != 1 || got[0].Output != "said x" {
			t.Errorf("the call that waited ended as %+v", got)
		}
		r.Prompt("q4")
		wellFormed(t, o.Session.Items)
		sentValid(t, m)
	})
	t.Run("in the middle of a turn", func(t *testing.T) {
		t.Parallel()
		m := agenttest.NewModel(
			used(agenttest.Calls("echo", `{"text":"x"}`, "echo", `{"text":"y"}`), 1700), agenttest.Say("GOAL"), used(agenttest.Say("done"), 400))
		o := small(m, echo{})
		o.Context.KeepLastTurns = 1
		o.Session.Items = history16()[:8]
		o.Session.Turns = []session.Turn{{Number: 1}, {Number: 2}}
		events := agenttest.Run(t, o).Prompt("q3")
		if got := compactions(events); len(got) != 1 || !got[0].Changed {
			t.Errorf("compactions %+v, want one", got)
		}
		wellFormed(t, o.Session.Items)
		sentValid(t, m)
	})
}

// B22: a model that no catalogue knows, on a server that does not tell its
// window.
func TestReportB22(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Say("GOAL"), agenttest.Say("GOAL"), agenttest.Say("hello"))
	o := small(m, echo{})
	m.Served = llm.ModelInfo{Provider: "dmr", ID: "huggingface.co/unsloth/qwen3.5-4b-gguf:Q4_K_M"}
	turns(&o, 4)
	r := agenttest.Run(t, o)
	events := append(r.Start, r.Do(agent.Compact{})...)
	if said := notices(events, agent.Warn); len(said) != 1 || !strings.Contains(said[0], "contextWindow") {
		t.Errorf("at the start %q is said, want how to set the window", said)
	}
	if got := compactions(events); len(got) != 1 || !got[0].Changed {
		t.Errorf("/compact: %+v", got)
	}
	for len(o.Session.Items) <= o.Context.MaxMessages {
		turns(&o, 1)
		o.Session.Items[len(o.Session.Items)-1].Turn = len(o.Session.Items)
	}
	if got := compactions(r.Prompt("q")); len(got) != 1 || !got[0].Changed {
		t.Errorf("above maxMessages: %+v", got)
	}
}

// H07: a session that holds what a server refuses for ever.
func TestReportH07(t *testing.T) {
	t.Parallel()
	store, err := session.Open(filepath.Join(t.TempDir(), "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	const id = "20260101-000000-aaaaaaaa"
	file := filepath.Join(store.Dir(), id+".json")
	stored := []byte(`{"version":1,"items":[
		{"role":"user","text":"a\u0000 ` + "\xff" + `","turn":1},
		{"role":"assistant","calls":[{"id":"1","name":"bash","args":"{\"command\":"}],"turn":1},
		{"role":"user","text":"b","turn":2},
		{"role":"tool","callId":"zz","text":"of nobody","turn":2},
		{"role":"assistant","text":null,"turn":2}]}`)
	if err := os.WriteFile(file, stored, 0o600); err != nil {
		t.Fatal(err)
	}
	m := agenttest.NewModel(agenttest.Say("I see."))
	o := options(m, echo{})
	o.Store = store
	if o.Session, err = store.Load(id); err != nil {
		t.Fatal(err)
	}
	if len(o.Session.Items) != 5 || len(o.Session.Items[1].Calls) != 1 {
		t.Fatalf("loaded as %+v", o.Session.Items)
	}
	r := agenttest.Run(t, o)
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, stored) {
		t.Errorf("the file was changed before anything was saved: %s, %v", got, err)
	}
	if got := ended(t, r.Prompt("c")).Stop; got != agent.StopAnswer {
		t.Errorf("the turn ended with %q", got)
	}
	sentValid(t, m)
	sent := fmt.Sprint(m.Requests()[0].Messages)
	if strings.Contains(sent, "of nobody") || !strings.Contains(sent, "[a call of bash that was not valid]") || !strings.Contains(sent, "[interrupted: ") {
		t.Errorf("sent: %s", sent)
	}
}

// H10: an output of 50 MB. What is stored is bounded, and shown again it is what
// it was.
func TestReportH10(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(agenttest.Call("bash", `{"command":"yes 0123456 | head -c 50000000"}`), agenttest.Say("done"))
	o, dir := workshop(t, m, nil)
	store, err := session.Open(filepath.Join(dir, ".mm", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	o.Store = store
	shown := calls(agenttest.Run(t, o).Prompt("go"))
	info, err := os.Stat(filepath.Join(store.Dir(), o.Session.ID+".json"))
	if err != nil || info.Size() > 64<<10 {
		t.Errorf("the session has %d bytes, %v", info.Size(), err)
	}
	if o.Session, err = store.Load(o.Session.ID); err != nil {
		t.Fatal(err)
	}
	o.Model = agenttest.NewModel()
	again := calls(agenttest.Run(t, o).Start)
	if len(shown) != 1 || len(again) != 1 || again[0].Output != shown[0].Output || !strings.Contains(again[0].Output, "left out") {
		t.Errorf("shown %+v, and again %+v", shown, again)
	}
}
