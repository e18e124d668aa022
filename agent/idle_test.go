package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/tools"
)

// warmer is a scripted model that can be warmed.
type warmer struct {
	*agenttest.Model
	block bool // warming lasts until it is cancelled
	busy  bool // the server has no slot free

	mu     sync.Mutex
	warmed []llm.Request
	ended  []bool // true: cancelled
}

func (w *warmer) Free(context.Context) bool { return !w.busy }

func (w *warmer) Warm(ctx context.Context, req llm.Request) (bool, error) {
	w.mu.Lock()
	w.warmed = append(w.warmed, req)
	w.mu.Unlock()
	if w.block {
		<-ctx.Done()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = append(w.ended, ctx.Err() != nil)
	return ctx.Err() == nil, ctx.Err()
}

func TestPrefixIsWarmedAtTheStartAndAfterNew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &warmer{Model: agenttest.NewModel(agenttest.Say("one"), agenttest.Say("two"))}
		o := options(w.Model, echo{})
		o.Model, o.Prewarm = w, true
		r := agenttest.Run(t, o)
		synctest.Wait()
		r.Prompt("q")
		synctest.Wait()
		if len(w.warmed) != 1 {
			t.Fatalf("warmed %d times, want once: a turn leaves the cache warm", len(w.warmed))
		}
		first := w.Requests()[0]
		n := len(w.warmed[0].Messages)
		if diff := cmp.Diff(w.warmed[0].Messages, first.Messages[:n]); diff != "" || n == 0 {
			t.Errorf("what was warmed is no prefix of the request:\n%s", diff)
		}
		if diff := cmp.Diff(w.warmed[0].Tools, first.Tools); diff != "" {
			t.Errorf("other tools were warmed:\n%s", diff)
		}
		r.Do(agent.Clear{})
		synctest.Wait()
		if len(w.warmed) != 2 {
			t.Errorf("warmed %d times, want again after /new", len(w.warmed))
		}
	})
}

func TestPromptCancelsWarming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &warmer{Model: agenttest.NewModel(agenttest.Say("one")), block: true}
		o := options(w.Model, echo{})
		o.Model, o.Prewarm = w, true
		r := agenttest.Run(t, o)
		synctest.Wait()
		if got := ended(t, r.Prompt("q")).Stop; got != agent.StopAnswer {
			t.Errorf("stop %q, want an answer", got)
		}
		if diff := cmp.Diff([]bool{true}, w.ended); diff != "" {
			t.Errorf("warming (-want +got):\n%s", diff)
		}
	})
}

func TestCompactionInIdleTime(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		block, busy bool
		want        bool
	}{
		{"nobody waits", false, false, true},
		{"the user asks before it is done", true, false, false},
		{"the server is another's, or busy", false, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				script := []agenttest.Reply{used(agenttest.Say("one"), 1500)}
				if !tc.busy {
					summary := agenttest.Say("GOAL")
					summary.Block = tc.block
					script = append(script, summary)
				}
				m := agenttest.NewModel(append(script, used(agenttest.Say("two"), 300))...)
				o := small(m, echo{})
				o.Model, o.IdleSteps = &warmer{Model: m, busy: tc.busy}, true
				turns(&o, 4)
				r := agenttest.Run(t, o)
				r.Prompt("q")
				synctest.Wait()
				if got := o.Session.Items[0].Summary; got != tc.want {
					t.Errorf("compacted in idle time: %v, want %v", got, tc.want)
				}
				n := len(o.Session.Items)
				if got := ended(t, r.Prompt("next")).Stop; got != agent.StopAnswer {
					t.Errorf("stop %q, want an answer", got)
				}
				if got := len(o.Session.Items); got != n+2 {
					t.Errorf("%d messages, want %d: a cancelled step changes nothing", got, n+2)
				}
			})
		})
	}
}

// nearlyFull is a conversation that is compacted as soon as nobody waits, by a
// model that answers once, or not at all.
func nearlyFull(lock *agent.TurnLock, summary agenttest.Reply) (*agenttest.Model, agent.Options) {
	m := agenttest.NewModel(summary)
	o := small(m, echo{})
	m.Served.ContextWindow = 1500
	o.Model, o.IdleSteps, o.TurnLock = &warmer{Model: m}, true, lock
	turns(&o, 4) // about 1,200 tokens
	return m, o
}

// What is done while nobody waits gives way to the turn of another core.
func TestIdleWorkGivesWayToAnotherCore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock := agent.NewTurnLock()
		m, o := nearlyFull(lock, agenttest.Reply{Block: true})
		agenttest.Run(t, o)
		synctest.Wait()
		if got := len(m.Requests()); got != 1 {
			t.Fatalf("%d requests, want the one for the summary", got)
		}
		if got := ended(t, waitingTurn(t, lock, agenttest.Say("hi")).UntilIdle()).Stop; got != agent.StopAnswer {
			t.Errorf("the other core's turn ended with %q, want an answer", got)
		}
		if o.Session.Items[0].Summary {
			t.Error("a compaction that did not finish changed the history")
		}
	})
}

// Of what waits for a turn to end, the next turn comes first.
func TestTurnsComeBeforeIdleWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock := agent.NewTurnLock()
		busy := waitingTurn(t, lock, agenttest.Reply{Block: true})
		m, o := nearlyFull(lock, agenttest.Reply{Block: true})
		agenttest.Run(t, o)
		synctest.Wait()
		next := waitingTurn(t, lock, agenttest.Say("hi"))
		busy.Do(agent.Interrupt{})
		if got := ended(t, next.UntilIdle()).Stop; got != agent.StopAnswer {
			t.Errorf("the next turn ended with %q, want an answer", got)
		}
		if got := len(m.Requests()); got != 0 {
			t.Errorf("%d requests of the idle work", got)
		}
	})
}

// waitingTurn begins a turn of another core, and waits until it waits.
func waitingTurn(t *testing.T, lock *agent.TurnLock, reply agenttest.Reply) *agenttest.Runner {
	t.Helper()
	o := options(agenttest.NewModel(reply), echo{})
	o.TurnLock = lock
	r := agenttest.Run(t, o)
	if err := r.Core.Do(agent.Prompt{Text: "q"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return r
}

// A compaction waits for the turn of another core, asked for or not.
func TestCompactionWaitsForAnotherCore(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			lock := agent.NewTurnLock()
			busy := waitingTurn(t, lock, agenttest.Reply{Block: true})
			m, o := nearlyFull(lock, agenttest.Say("GOAL"))
			o.IdleSteps = !asked
			r := agenttest.Run(t, o)
			if asked {
				if err := r.Core.Do(agent.Compact{}); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if got := len(m.Requests()); got != 0 {
				t.Errorf("asked %v: %d requests beside the other core's turn", asked, got)
			}
			busy.Do(agent.Interrupt{})
			synctest.Wait()
			if !o.Session.Items[0].Summary {
				t.Errorf("asked %v: not compacted after the other core's turn", asked)
			}
		})
	}
}

// Masking that is nearly due is done in idle time, and kept, so that no turn
// begins with it.
func TestMaskingInIdleTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 14
		_, o := talkative(n)
		o.IdleSteps = true
		store, err := session.Open(t.TempDir() + "/sessions")
		if err != nil {
			t.Fatal(err)
		}
		o.Store = store
		r := agenttest.Run(t, o)
		idle, late := 0, 0 // batches
		for range n {
			begun := false
			for _, e := range r.Prompt("q") {
				switch e := e.(type) {
				case agent.TurnStarted:
					begun = true
				case agent.Notice:
					if begun {
						late++
					} else if strings.Contains(e.Text, "old output(s) left out") {
						idle++
					}
				}
			}
			synctest.Wait()
			kept, err := store.Load(o.Session.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(o.Session.Items, kept.Items); diff != "" {
				t.Fatalf("kept (-want +got):\n%s", diff)
			}
		}
		if idle == 0 || late > 0 {
			t.Errorf("%d batches in idle time, %d notices in turns; want all in idle time", idle, late)
		}
	})
}

// TestCancelReachesThePromptBehindIdleWork: what was asked while an idle step
// was on its way out can be cancelled like any other prompt.
func TestCancelReachesThePromptBehindIdleWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &warmer{Model: agenttest.NewModel(agenttest.Say("never"), agenttest.Say("two")), block: true}
		o := options(w.Model, echo{})
		o.Model, o.Prewarm = w, true
		r := agenttest.Run(t, o)
		synctest.Wait()
		if err := r.Core.Do(agent.Prompt{Text: "q"}); err != nil {
			t.Fatal(err)
		}
		events := r.Do(agent.Interrupt{})
		if got := ended(t, events).Stop; got != agent.StopCancelled {
			t.Errorf("stop %q, want cancelled", got)
		}
		if got := ended(t, r.Prompt("next")).Stop; got != agent.StopAnswer {
			t.Errorf("the next prompt: %q, want an answer", got)
		}
	})
}

// TestElapsedIsTheRun: the time of a call is what it ran, not what the user
// took to allow it.
func TestElapsedIsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := echo{run: func(context.Context, string, tools.Sink) tools.Result {
			time.Sleep(3 * time.Second)
			return tools.Result{Text: "ok", Status: tools.OK}
		}}
		r := agenttest.Run(t, options(agenttest.NewModel(agenttest.Call("echo", `{"text":"x"}`), agenttest.Say("done")), tool))
		r.Answer(func(agent.ApprovalAsked) agent.Decide {
			time.Sleep(time.Minute)
			return agent.Decide{Choice: agent.ChoiceAllow}
		})
		if got := calls(r.Prompt("go"))[0].Elapsed; got != 3*time.Second {
			t.Errorf("elapsed %v, want 3s", got)
		}
	})
}
