package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/tools"
)

// The user's own command is told while it runs, and ends whatever happens.
func TestOwnCommand(t *testing.T) {
	t.Parallel()
	const told = `
shell_started command="make"
shell_output text="one\n"
`
	code := 3
	for _, tc := range []struct {
		name   string
		end    func(context.Context) tools.Result
		cancel bool
		want   string
		shared bool // the model is told
	}{
		{
			name: "a failure", shared: true, end: func(context.Context) tools.Result {
				return tools.Result{Text: "one\n[exit code: 3]", Status: tools.Failed, ExitCode: &code, Truncated: true}
			},
			want: `shell_ended status="failed" summary="exit 3" output="one\n[exit code: 3]" truncated=true exitcode=3`,
		},
		{
			name: "cancelled", cancel: true, shared: true, end: func(ctx context.Context) tools.Result {
				<-ctx.Done()
				return tools.Result{Text: "one", Status: tools.Stopped}
			},
			want: `shell_ended status="stopped" summary="stopped" output="one"`,
		},
		{
			name: "a panic", end: func(context.Context) tools.Result { panic("oops") },
			want: "shell_ended status=\"failed\" summary=\"failed\"\nfault text=\"internal error: oops; the session is kept\"",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(agenttest.Say("ok"))
			o := options(m, echo{})
			seen := make(chan struct{})
			o.Shell = func(ctx context.Context, _ string, out tools.Sink) tools.Result {
				out("one\n")
				<-seen
				return tc.end(ctx)
			}
			r := agenttest.Run(t, o)
			r.On(func(e agent.Event) {
				if _, ok := e.(agent.ShellOutput); !ok {
					return
				}
				if tc.cancel {
					if err := r.Core.Do(agent.Interrupt{}); err != nil {
						t.Error(err)
					}
				}
				close(seen)
			})
			wantLog(t, r.Do(agent.RunShell{Command: "make"}), told+tc.want+"\nidle\n")
			r.Prompt("and now?")
			if got := lastText(m.Requests()[0]); strings.HasPrefix(got, "[the user ran: make]\none") != tc.shared {
				t.Errorf("the model reads %q", got)
			}
		})
	}
}

// Lines that come faster than they are read are few events.
func TestOwnCommandThatFloods(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const lines = 10_000
		o := options(agenttest.NewModel(), echo{})
		o.BatchInterval = time.Second
		o.Shell = func(_ context.Context, _ string, out tools.Sink) tools.Result {
			for range lines {
				out("line\n")
			}
			return tools.Result{Status: tools.OK}
		}
		got := of[agent.ShellOutput](agenttest.Run(t, o).Do(agent.RunShell{Command: "seq"}))
		if want := []agent.ShellOutput{{Text: strings.Repeat("line\n", lines)}}; !slices.Equal(got, want) {
			t.Errorf("%d events, want the whole text in one", len(got))
		}
	})
}

func TestRename(t *testing.T) {
	t.Parallel()
	store, err := session.Open(t.TempDir() + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	o := options(agenttest.NewModel(agenttest.Say("a"), agenttest.Say("b")), echo{})
	o.Store = store
	r := agenttest.Run(t, o)
	titles := func(events []agent.Event) (list []string) {
		for _, e := range of[agent.TitleChanged](events) {
			list = append(list, e.Title)
		}
		return list
	}
	if got, want := titles(r.Prompt("mend the port\nplease")), []string{"mend the port"}; !slices.Equal(got, want) {
		t.Errorf("the first words give %q, want %q", got, want)
	}
	for _, tc := range []struct{ name, title, want string }{
		{"plain", " the port ", "the port"},
		{"several lines", "the port\r\nand more", "the port"},
		{"escapes", "\x1b[2J\x1b]52;c;eA==\x07the \u202eport\x00", "the port"},
		{"10,000 characters", strings.Repeat("é", 10_000), strings.Repeat("é", 60) + "…"},
	} {
		events := r.Do(agent.Rename{Title: tc.title})
		if got := titles(events); !slices.Equal(got, []string{tc.want}) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
		if got := notices(events, agent.Info); len(got) != 1 || !strings.Contains(got[0], tc.want) {
			t.Errorf("%s: said %q", tc.name, got)
		}
		if list, err := store.List(); err != nil || len(list) != 1 || list[0].Title != tc.want {
			t.Errorf("%s: kept %+v, %v", tc.name, list, err)
		}
	}
	for _, empty := range []string{"", " \n", "\x1b[2J\u202e"} {
		if err := r.Core.Do(agent.Rename{Title: empty}); !errors.Is(err, agent.ErrNoTitle) {
			t.Errorf("%q: %v, want a refusal", empty, err)
		}
	}
	r.Do(agent.Rename{Title: "the port"})
	if got := titles(r.Prompt("go on")); len(got) > 0 {
		t.Errorf("more words change the title to %q", got)
	}
	kept, err := store.Load(o.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	again := options(agenttest.NewModel(), echo{})
	again.Session = kept
	if got := agenttest.Run(t, again).Start[0].(agent.SessionReady).Title; got != "the port" {
		t.Errorf("taken up again it is called %q", got)
	}
}

// A name given during a turn waits for the turn, as what the user would type.
func TestRenameWaitsForTheTurn(t *testing.T) {
	t.Parallel()
	blocked := agenttest.Say("half an ans")
	blocked.Block = true
	o := options(agenttest.NewModel(blocked), echo{})
	r := agenttest.Run(t, o)
	r.On(func(e agent.Event) {
		var err error
		switch e := e.(type) {
		case agent.TextDelta:
			err = r.Core.Do(agent.Rename{Title: "the port\n"})
		case agent.QueueChanged:
			if slices.Equal(e.Queued, []string{"/rename the port"}) {
				err = r.Core.Do(agent.Interrupt{})
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
	r.Prompt("go")
	if o.Session.Title != "the port" {
		t.Errorf("it is called %q", o.Session.Title)
	}
}

// disk is files by their path.
type disk map[string]string

func (d disk) restore(path string, data, expect []byte) error {
	if d[path] != string(expect) {
		return errors.New("it changed since")
	}
	d[path] = string(data)
	return nil
}

// writer is a tool that writes a file of /work, as text gives it: "a=1".
func (d disk) writer() echo {
	return echo{run: func(_ context.Context, text string, _ tools.Sink) tools.Result {
		name, content, _ := strings.Cut(text, "=")
		path := "/work/" + name
		ch := tools.Change{Path: path, Before: []byte(d[path]), After: []byte(content)}
		d[path] = content
		return tools.Result{Text: "ok", Status: tools.OK, Changes: []tools.Change{ch}}
	}}
}

// writes is a stored session in which each turn writes as one of texts says. Its
// model has one more answer.
func (d disk) writes(t *testing.T, texts ...string) (agent.Options, *agenttest.Runner) {
	t.Helper()
	var script []agenttest.Reply
	for _, text := range texts {
		script = append(script, agenttest.Call("echo", `{"text":"`+text+`"}`), agenttest.Say("ok"))
	}
	script = append(script, agenttest.Say("ok"))
	o := yolo(options(agenttest.NewModel(script...), d.writer()))
	o.Restore = d.restore
	store, err := session.Open(t.TempDir() + "/sessions")
	if err != nil {
		t.Fatal(err)
	}
	o.Store = store
	o.Shell = func(context.Context, string, tools.Sink) tools.Result {
		return tools.Result{Text: "42 problems", Status: tools.OK}
	}
	r := agenttest.Run(t, o)
	for range texts {
		r.Prompt("go")
	}
	return o, r
}

// again takes up a stored session with another model.
func again(t *testing.T, o agent.Options, m *agenttest.Model) *agenttest.Runner {
	t.Helper()
	var err error
	if o.Session, err = o.Store.(*session.Store).Load(o.Session.ID); err != nil {
		t.Fatal(err)
	}
	o.Model = m
	return agenttest.Run(t, o)
}

// What the user did is told to the model also when the session was left in
// between, and once; what was undone can be redone then.
func TestWhatTheUserDidOutlivesTheProgram(t *testing.T) {
	t.Parallel()
	files := disk{}
	o, r := files.writes(t, "a=1", "a=2")
	r.Do(agent.Undo{})
	r.Do(agent.RunShell{Command: "make"})
	m := agenttest.NewModel(agenttest.Say("ok"), agenttest.Say("ok"))
	r = again(t, o, m)
	r.Prompt("and now?")
	const want = "[the user has undone your change of a]\n[the user ran: make]\n42 problems\n\nand now?"
	if got := lastText(m.Requests()[0]); got != want {
		t.Errorf("the model reads %q, want %q", got, want)
	}
	r = again(t, o, m)
	r.Prompt("go on")
	if got := lastText(m.Requests()[1]); got != "go on" {
		t.Errorf("the model reads %q once more", got)
	}
	r.Do(agent.Redo{})
	if files["/work/a"] != "2" {
		t.Errorf("after redo the file is %q, want 2", files["/work/a"])
	}
}

// What was undone last is redone first; what was undone before a change is not.
func TestRedoGoesBackAsUndoCame(t *testing.T) {
	t.Parallel()
	files := disk{}
	o, r := files.writes(t, "a=1", "b=1")
	r.Do(agent.Undo{})
	m := agenttest.NewModel(agenttest.Call("echo", `{"text":"c=1"}`), agenttest.Say("ok"))
	r = again(t, o, m)
	r.Prompt("go")
	for range 2 { // c, a
		r.Do(agent.Undo{})
	}
	r = again(t, o, m)
	var got []string
	for range 3 {
		got = append(got, notices(r.Do(agent.Redo{}), agent.Info)...)
	}
	if want := []string{"redone: a", "redone: c", "nothing to redo"}; !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

// A fresh conversation hears nothing of what was done in the one before it,
// which keeps it.
func TestNewForgetsWhatTheUserDid(t *testing.T) {
	t.Parallel()
	o, r := disk{}.writes(t, "a=1", "a=2")
	r.Do(agent.Undo{})
	r.Do(agent.RunShell{Command: "make"})
	kept := of[agent.Cleared](r.Do(agent.Clear{}))[0].Kept
	r.Prompt("hello")
	reqs := o.Model.(*agenttest.Model).Requests()
	if got := lastText(reqs[len(reqs)-1]); got != "hello" {
		t.Errorf("the fresh conversation begins with %q", got)
	}
	if got := notices(r.Do(agent.Redo{}), agent.Info); !slices.Equal(got, []string{"nothing to redo"}) {
		t.Errorf("redo in the fresh conversation says %q", got)
	}
	o.Session.ID = kept
	m := agenttest.NewModel(agenttest.Say("ok"))
	again(t, o, m).Prompt("and now?")
	if got := lastText(m.Requests()[0]); !strings.Contains(got, "42 problems") {
		t.Errorf("in the conversation that was kept the model reads %q", got)
	}
}

// A turn of which no file can be taken back hides neither the turns before it
// nor, when it is redone, those undone before.
func TestUndoGoesOnBehindWhatTheUserChanged(t *testing.T) {
	t.Parallel()
	files := disk{}
	_, r := files.writes(t, "a=1", "b=1", "c=1")
	said := func(cmd agent.Command) string {
		events := r.Do(cmd)
		return strings.Join(append(notices(events, agent.Warn), notices(events, agent.Info)...), "; ")
	}
	files["/work/c"] = "mine"
	const refused = "not undone: c (it changed since)"
	for i, step := range []struct {
		cmd  agent.Command
		want string
	}{
		{agent.Undo{}, refused + "; undone: b"},
		{agent.Undo{}, refused + "; undone: a"},
		{agent.Undo{}, refused},
	} {
		if got := said(step.cmd); got != step.want {
			t.Errorf("%d: said %q, want %q", i, got, step.want)
		}
	}
	files["/work/a"] = "mine"
	for i, want := range []string{"not redone: a (it changed since); redone: b", "not redone: a (it changed since)"} {
		if got := said(agent.Redo{}); got != want {
			t.Errorf("redo %d: said %q, want %q", i, got, want)
		}
	}
	files["/work/c"] = "1" // as it was written
	if got := said(agent.Undo{}); got != "undone: c" {
		t.Errorf("said %q once the file is again what was written", got)
	}
}

// The list of files says what each one is against the beginning, by every way
// that changes them, and again when the session is taken up.
func TestFilesChanged(t *testing.T) {
	t.Parallel()
	a := func(before, after string) tools.Change {
		return tools.Change{Path: "/work/a", Before: []byte(before), After: []byte(after)}
	}
	edits := []tools.Change{a("1\n2\n", "1\n3\n"), a("1\n3\n", "1\n3\n4\n"), {Path: "/work/b", After: []byte("new\n")}, a("1\n3\n4\n", "1\n2\n")}
	var script []agenttest.Reply
	for range edits {
		script = append(script, agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("ok"))
	}
	rest := edits
	tool := echo{run: func(context.Context, string, tools.Sink) tools.Result {
		ch := rest[0]
		rest = rest[1:]
		return tools.Result{Status: tools.OK, Changes: []tools.Change{ch}}
	}}
	o := yolo(options(agenttest.NewModel(script...), tool))
	o.Restore = func(string, []byte, []byte) error { return nil }
	r := agenttest.Run(t, o)
	oneLine := agent.FileChange{Path: "a", Added: 1, Removed: 1}
	twoLines := agent.FileChange{Path: "a", Added: 2, Removed: 1}
	created := agent.FileChange{Path: "b", Added: 1, Created: true}
	for i, step := range []struct {
		name string
		cmd  agent.Command
		want []agent.FileChange
	}{
		{"a line", agent.Prompt{Text: "1"}, []agent.FileChange{oneLine}},
		{"one more line of the same file", agent.Prompt{Text: "2"}, []agent.FileChange{twoLines}},
		{"a new file", agent.Prompt{Text: "3"}, []agent.FileChange{twoLines, created}},
		{"back to the beginning", agent.Prompt{Text: "4"}, []agent.FileChange{created}},
		{"the way back is undone", agent.Undo{}, []agent.FileChange{twoLines, created}},
		{"the new file is undone", agent.Undo{}, []agent.FileChange{twoLines}},
		{"and is there again", agent.Redo{}, []agent.FileChange{twoLines, created}},
	} {
		got := of[agent.FilesChanged](r.Do(step.cmd))
		if want := []agent.FilesChanged{{Files: step.want}}; !cmp.Equal(got, want) {
			t.Errorf("step %d, %s: %s", i, step.name, cmp.Diff(want, got))
		}
	}
	again := options(agenttest.NewModel(), echo{})
	again.Session = o.Session
	got := of[agent.FilesChanged](agenttest.Run(t, again).Start)
	if want := []agent.FilesChanged{{Files: []agent.FileChange{twoLines, created}}}; !cmp.Equal(got, want) {
		t.Errorf("taken up again: %s", cmp.Diff(want, got))
	}
	for range 3 {
		r.Do(agent.Undo{})
	}
	fresh := options(agenttest.NewModel(), echo{})
	fresh.Session = o.Session
	if got := of[agent.FilesChanged](agenttest.Run(t, fresh).Start); len(got) > 0 {
		t.Errorf("nothing is other, and told is %+v", got)
	}
}
