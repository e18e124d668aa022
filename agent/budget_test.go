package agent_test

import (
	"strings"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
)

// A server that counts only what it read anew does not hide that the window
// fills, nor does it teach that texts take few tokens.
func TestCountOfNewTokensAlone(t *testing.T) {
	t.Parallel()
	const whole = 150                     // tokens of the first request
	long := strings.Repeat("a", 1000*7/2) // more than half of the third
	anew := []int{whole, 10, 1010, 10, 10, 10}
	var replies []agenttest.Reply
	for _, n := range anew {
		replies = append(replies, used(agenttest.Say(strings.Repeat("word ", 200)), n))
	}
	m := agenttest.NewModel(replies...)
	o := small(m, echo{})
	o.System = strings.Repeat("Rules. ", whole/2-20) // 3.5 characters a token; the tool and the question take the rest
	o.Context.CompactAt = 10                         // the gauge alone is looked at
	r := agenttest.Run(t, o)
	for i := range replies {
		text := "q"
		if i == 2 {
			text = long
		}
		events := r.Prompt(text)
		gauge := of[agent.ContextUsage](events)
		last := gauge[len(gauge)-1]
		reqs := m.Requests()
		est := llm.Estimator{}
		size := est.Request(reqs[len(reqs)-1])
		if i == 0 {
			if !last.Exact || size < whole*9/10 || size > whole*11/10 {
				t.Fatalf("the first request of about %d tokens, told as %+v, is to be counted rightly", size, last)
			}
			continue
		}
		if last.Exact || last.Used < size*9/10 {
			t.Errorf("turn %d: the window holds about %d tokens, and told is %+v", i+1, size, last)
		}
	}
}

// A count that is lower than the estimate stands where the model's tokens are
// long, or the text is.
func TestLowCountOfAllStands(t *testing.T) {
	t.Parallel()
	m := agenttest.NewModel(used(agenttest.Say("one"), 700), used(agenttest.Say("two"), 1000))
	o := small(m, echo{})
	o.System = strings.Repeat("word ", 700) // about 1,000 tokens
	r := agenttest.Run(t, o)
	for i, text := range []string{"q", strings.Repeat("text ", 300)} {
		gauge := of[agent.ContextUsage](r.Prompt(text))
		want := agent.ContextUsage{Used: []int{710, 1010}[i], Limit: 2000, Exact: true}
		if got := gauge[len(gauge)-1]; got != want {
			t.Errorf("turn %d: %+v, want %+v", i+1, got, want)
		}
	}
}
