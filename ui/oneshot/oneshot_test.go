package oneshot

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
)

// played is a core that answers a prompt with given events.
type played struct {
	events chan []agent.Event
	script []agent.Event

	mu  sync.Mutex
	did []agent.Command
}

func (p *played) done() []agent.Command {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.did
}

func (p *played) Do(cmd agent.Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did = append(p.did, cmd)
	if _, ok := cmd.(agent.Prompt); ok {
		p.events <- p.script
	}
	return nil
}

func (p *played) Events() <-chan []agent.Event { return p.events }

func play(t *testing.T, o Options, script ...agent.Event) (code int, did []agent.Command, err error) {
	t.Helper()
	p := &played{events: make(chan []agent.Event, 2), script: append(script, agent.Idle{})}
	// A stored conversation is told first, and not printed again.
	p.events <- []agent.Event{agent.TextDelta{ID: "i0", Text: "old"}, agent.TextEnded{ID: "i0", Text: "old"}, agent.TurnEnded{Stop: agent.StopStuck}, agent.Idle{}}
	code, err = Run(context.Background(), p, o)
	return code, p.done(), err
}

func TestAnswerGoesToOutActivityToErr(t *testing.T) {
	t.Parallel()
	var out, activity strings.Builder
	code, _, err := play(t, Options{Prompt: "q", Out: &out, Err: &activity},
		agent.TextDelta{ID: "i1", Text: "Let me "}, agent.TextDelta{ID: "i1", Text: "look."}, agent.TextEnded{ID: "i1", Text: "Let me look."},
		agent.CallPlanned{ID: "c1", Tool: "bash", Title: "ls\x1b[2J"}, agent.CallEnded{ID: "c1", Status: agent.CallOK, Summary: "exit 0"},
		agent.TextDelta{ID: "i2", Text: "Two \x1b[31mfiles.\n"}, agent.TextEnded{ID: "i2"},
		agent.TurnEnded{Stop: agent.StopAnswer})
	if code != 0 || err != nil {
		t.Errorf("code %d, %v", code, err)
	}
	// Not a terminal: as the model wrote it.
	if want := "Let me look.\nTwo \x1b[31mfiles.\n"; out.String() != want {
		t.Errorf("out %q, want %q", out.String(), want)
	}
	if want := "⚙ bash ls  ok exit 0\n"; activity.String() != want {
		t.Errorf("err %q, want %q", activity.String(), want)
	}
}

func TestTextsAroundACallStandOnLinesOfTheirOwn(t *testing.T) {
	t.Parallel()
	var out, activity strings.Builder
	_, _, err := play(t, Options{Prompt: "q", Out: &out, Err: &activity},
		agent.TextDelta{ID: "i1", Text: "I read it."}, agent.CallStarted{ID: "c1", Tool: "read_file"}, agent.TextEnded{ID: "i1", Text: "I read it."},
		agent.CallPlanned{ID: "c1", Tool: "read_file", Title: "f.txt"}, agent.CallEnded{ID: "c1", Status: agent.CallFailed, Summary: "failed"},
		agent.TextDelta{ID: "i2", Text: "It failed."}, agent.TextEnded{ID: "i2"},
		agent.TurnEnded{Stop: agent.StopAnswer})
	if want := "I read it.\nIt failed.\n"; err != nil || out.String() != want {
		t.Errorf("out %q, %v; want %q", out.String(), err, want)
	}
	if want := "⚙ read_file f.txt  failed\n"; activity.String() != want {
		t.Errorf("err %q, want %q", activity.String(), want)
	}
}

func TestAnAnswerThatIsMadeAgainIsPrintedOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	_, _, _ = play(t, Options{Out: &out, Err: io.Discard},
		agent.TextDelta{ID: "i1", Text: "half of"}, agent.TextEnded{ID: "i1"}, agent.StepEnded{Step: 1}, agent.Retrying{Attempt: 1, Max: 1},
		agent.TextDelta{ID: "i2", Text: "the whole"}, agent.TextEnded{ID: "i2"}, agent.StepEnded{Step: 2}, agent.ContextUsage{},
		agent.TurnEnded{Stop: agent.StopAnswer})
	if want := "the whole\n"; out.String() != want {
		t.Errorf("out %q, want %q", out.String(), want)
	}
}

func TestInterruptAtAQuestionIsANo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	p := &played{events: make(chan []agent.Event, 2), script: []agent.Event{agent.ApprovalAsked{ID: "a1"}, agent.TurnEnded{Stop: agent.StopCancelled}, agent.Idle{}}}
	p.events <- []agent.Event{agent.Idle{}}
	asked := make(chan struct{})
	defer close(asked)
	code, err := Run(ctx, p, Options{Out: io.Discard, Err: io.Discard, Ask: func(agent.ApprovalAsked) agent.Decide {
		cancel()
		<-asked // the person never answers
		return agent.Decide{Choice: agent.ChoiceAllow}
	}})
	if code != ExitCancelled || err != nil {
		t.Errorf("code %d, %v; want 130", code, err)
	}
	for _, cmd := range p.done() {
		if d, ok := cmd.(agent.Decide); ok && d.Choice != agent.ChoiceReject {
			t.Errorf("decided %+v, want a no", d)
		}
	}
}

func TestTerminalGetsCleanText(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	_, _, _ = play(t, Options{Out: &out, Err: io.Discard, OutIsTerminal: true},
		agent.TextDelta{ID: "i1", Text: "a\x1b"}, agent.TextDelta{ID: "i1", Text: "]0;title\x07b"}, agent.TextEnded{ID: "i1"},
		agent.TurnEnded{Stop: agent.StopAnswer})
	if want := "ab\n"; out.String() != want {
		t.Errorf("out %q, want %q", out.String(), want)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for stop, want := range map[agent.Stop]int{
		agent.StopAnswer: 0, agent.StopFailed: 1, agent.StopStuck: 3, agent.StopMaxTurns: 3,
		agent.StopRefused: 3, agent.StopMaxTokens: 3, agent.StopCancelled: 130,
	} {
		if code, _, _ := play(t, Options{Out: io.Discard, Err: io.Discard}, agent.TurnEnded{Stop: stop}); code != want {
			t.Errorf("%s: code %d, want %d", stop, code, want)
		}
	}
}

type closed struct{}

var errClosed = errors.New("closed")

func (closed) Write([]byte) (int, error) { return 0, errClosed }

func TestClosedOutputCancels(t *testing.T) {
	t.Parallel()
	_, did, err := play(t, Options{Out: closed{}, Err: io.Discard},
		agent.TextDelta{ID: "i1", Text: "a"}, agent.TextDelta{ID: "i1", Text: "b"}, agent.TurnEnded{Stop: agent.StopCancelled})
	if !errors.Is(err, errClosed) {
		t.Errorf("error %v, want the write's", err)
	}
	if diff := cmp.Diff([]agent.Command{agent.Prompt{}, agent.Interrupt{}}, did); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	code := 2
	got, err := Line(agent.CallEnded{ID: "c1", Status: agent.CallFailed, Output: "a\nb<", ExitCode: &code, Elapsed: 1500 * time.Millisecond, Preview: agent.CommandPreview{Command: "ls", Dir: "/w"}})
	want := `{"elapsedMs":1500,"event":"call_ended","exitCode":2,"id":"c1","output":"a\nb\u003c","preview":{"command":"ls","dir":"/w"},"status":"failed","summary":"","truncated":false}` + "\n"
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s (%v)", got, want, err)
	}
	for name, want := range map[string]string{"ID": "id", "ExitCode": "exitCode", "BaseURL": "baseURL", "URLPath": "urlPath", "x": "x"} {
		if got := lowerFirst(name); got != want {
			t.Errorf("lowerFirst(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	in := bufio.NewReader(strings.NewReader("y\nno way\na\na\n\n"))
	var out strings.Builder
	var got []agent.Choice
	for _, dangerous := range []bool{false, false, false, true, false, false} {
		q := agent.ApprovalAsked{Tool: "bash", Dangerous: dangerous, Reasons: []string{"network"}, Preview: agent.CommandPreview{Command: "curl x\x1b[1A", Dir: "/w"}}
		got = append(got, ask(in, &out, q).Choice)
	}
	want := []agent.Choice{"allow", "reject", "allow_always", "reject", "reject", "reject"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("an escape sequence reached the terminal: %q", out.String())
	}
}

// An answer that the core doubts is printed when nothing comes of the doubt,
// and not when a call does.
func TestDoubtedAnswer(t *testing.T) {
	t.Parallel()
	said := func(id agent.ItemID, text string) []agent.Event {
		return []agent.Event{agent.StepStarted{}, agent.TextDelta{ID: id, Text: text}, agent.TextEnded{ID: id, Text: text}, agent.StepEnded{}, agent.ContextUsage{}}
	}
	for name, tc := range map[string]struct {
		after []agent.Event
		want  string
	}{
		"stands":  {said("i2", "The request is done."), "It holds 7.\nThe request is done.\n"},
		"made up": {append([]agent.Event{agent.StepStarted{}, agent.StepEnded{}, agent.CallStarted{ID: "c1"}, agent.CallEnded{ID: "c1"}}, said("i2", "It holds 2.")...), "It holds 2.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			script := append(said("i1", "It holds 7."), agent.AnswerDoubted{})
			script = append(script, tc.after...)
			script = append(script, agent.TurnEnded{Stop: agent.StopAnswer}, agent.Idle{})
			if _, _, err := play(t, Options{Prompt: "x", Out: &out, Err: io.Discard}, script...); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != tc.want {
				t.Errorf("printed %q, want %q", got, tc.want)
			}
		})
	}
}
