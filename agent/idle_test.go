package agent_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
	"mm/tools"
)

// warmer is a scripted model that can be warmed.
type warmer struct {
	*agenttest.Model
	block bool // warming lasts until it is cancelled

	mu     sync.Mutex
	warmed []llm.Request
	ended  []bool // true: cancelled
}

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
	for _, block := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			summary := agenttest.Say("GOAL")
			summary.Block = block // the user asks before it is done
			m := agenttest.NewModel(used(agenttest.Say("one"), 1500), summary, used(agenttest.Say("two"), 300))
			o := small(m, echo{})
			o.IdleSteps = true
			turns(&o, 4)
			r := agenttest.Run(t, o)
			r.Prompt("q")
			synctest.Wait()
			if got := o.Session.Items[0].Summary; got == block {
				t.Errorf("compacted in idle time: %v, want %v", got, !block)
			}
			n := len(o.Session.Items)
			if got := ended(t, r.Prompt("next")).Stop; got != agent.StopAnswer {
				t.Errorf("stop %q, want an answer", got)
			}
			if got := len(o.Session.Items); got != n+2 {
				t.Errorf("%d messages, want %d: a cancelled step changes nothing", got, n+2)
			}
		})
	}
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
