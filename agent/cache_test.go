package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
)

// counted is a reply to a prompt of which the server found a part in its cache.
func counted(prompt, cached int) agenttest.Reply {
	r := agenttest.Say("ok")
	r.Usage = llm.Usage{Prompt: prompt, Cached: cached, Completion: 1}
	return r
}

func broken(events []agent.Event) []agent.CacheBroken {
	var out []agent.CacheBroken
	for _, e := range events {
		if e, ok := e.(agent.CacheBroken); ok {
			out = append(out, e)
		}
	}
	return out
}

func TestCacheIsWatched(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 2000) // most of each prompt
	for _, tc := range []struct {
		name    string
		replies []agenttest.Reply // to a long question, then to a short one
		between func(o *agent.Options)
		cause   string // "" when nothing is said
		own     bool
	}{
		{"it held", []agenttest.Reply{counted(6000, 0), counted(6020, 5990)}, nil, "", false},
		{"the server lost it", []agenttest.Reply{counted(6000, 20), counted(6020, 0)}, nil, "the server had lost it", false},
		{"a little was lost", []agenttest.Reply{counted(6000, 20), counted(6020, 5500)}, nil, "", false},
		{"a server that does not tell", []agenttest.Reply{counted(6000, 0), counted(6020, 0)}, nil, "", false},
		{"an old output was masked", []agenttest.Reply{counted(6000, 20), counted(3050, 60)}, func(o *agent.Options) {
			o.Session.Items[2].Masked = true
		}, "old outputs were left out", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := agenttest.NewModel(tc.replies...)
			o := yolo(options(m, echo{}))
			o.Session.Items = append(o.Session.Items, talked...)
			o.Session.Items[2].Text = long
			r := agenttest.Run(t, o)
			if got := broken(r.Prompt(long)); len(got) != 0 {
				t.Errorf("the first request is told: %+v", got)
			}
			if tc.between != nil {
				tc.between(&o)
			}
			events := r.Prompt("q3")
			got := broken(events)
			if tc.cause == "" {
				if len(got) != 0 {
					t.Errorf("told %+v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0].Cause, tc.cause) || got[0].Own != tc.own || got[0].Step == 0 {
				t.Fatalf("told %+v, want %q, own %v", got, tc.cause, tc.own)
			}
			if n := got[0].Again; n < 2900 || n > 6020 {
				t.Errorf("%d tokens read again: want about what was lost", n)
			}
		})
	}
}

func TestStatsAddUp(t *testing.T) {
	t.Parallel()
	var s agent.Stats
	for _, e := range []agent.Event{
		agent.TurnStarted{Turn: 1},
		agent.StepEnded{Usage: llm.Usage{Prompt: 1000, Completion: 10}},
		agent.CallPlanned{Repairs: []string{`"cmd" was taken for "command"`}},
		agent.CallEnded{},
		agent.Notice{Level: agent.Repair, Text: "repaired: x"},
		agent.Notice{Level: agent.Info, Text: "no repair"},
		agent.Retrying{},
		agent.StepEnded{Usage: llm.Usage{Prompt: 1100, Cached: 990, Completion: 20}, Speed: llm.Speed{PromptPerSecond: 500, CompletionPerSecond: 30.25}, Expected: 1000},
		agent.CacheBroken{Step: 3, Again: 900, Cause: "the tools changed (bash)"},
	} {
		s.Add(e)
	}
	want := []string{
		"1 turns, 2 model calls, 1 tool calls, 2 repairs, 1 retries",
		"2100 tokens of prompt, 30 of answers",
		"cache: 990 tokens found (47 % of the prompts), about 1000 could have been, 1110 read",
		"speed: 500 tokens/s read, 30.2 written",
		"step 3: about 900 tokens read again: the tools changed (bash)",
	}
	if diff := cmp.Diff(want, s.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, e := range []agent.Event{agent.Cleared{}, agent.SessionReady{}} {
		s.Add(e)
		if got := s.Lines()[0]; got != "0 turns, 0 model calls, 0 tool calls, 0 repairs, 0 retries" {
			t.Errorf("after %s: %s", e.Kind(), got)
		}
		s.Add(agent.TurnStarted{})
	}
}
