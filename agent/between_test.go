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
