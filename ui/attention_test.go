package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mm/agent"
	"mm/ui"
	"mm/ui/uitest"
)

// A terminal without Unicode gets a screen of ASCII, as wide as the other.
func TestASCII(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := uitest.New(t, uitest.Options{ASCII: true, W: 120, H: 40})
		s.Events(agent.SessionReady{Session: "s1", Mode: "ask", Model: agent.ModelInfo{ID: "m", ContextWindow: 8192}})
		s.Events(
			agent.ReasoningDelta{ID: "i0", Text: "hm"}, agent.ReasoningEnded{ID: "i0"},
			agent.PlanUpdated{Steps: []agent.Step{{Text: "read", Status: "done"}}},
			agent.ContextUsage{Used: 4000, Limit: 8192},
		)
		answer(s, "i1", "- größe 你好 👩‍💻\n\n| a | b |\n|--|--|\n| 1 | 2 |")
		ask(s, "make", true)
		for _, row := range s.Rows() {
			if i := strings.IndexFunc(row, func(r rune) bool { return r > '~' }); i >= 0 {
				t.Errorf("not ASCII: %q", row)
			}
		}
		s.Want("gr??e ???? ??", "make")
	})
}

func TestSearchInTheConversation(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		var words []string
		for i := range 200 {
			words = append(words, fmt.Sprintf("line %d", i))
		}
		words[20], words[120] = "the Needle is here", "a second needle"
		answer(s, "i1", strings.Join(words, "\n\n"))
		s.Lacks("eedle")
		s.Press("tab", "/")
		s.Type("needle")
		s.Press("enter")
		s.Want("a second needle", `"needle": 2 of 2`)
		s.Press("n") // goes on in the same direction
		s.Want("the Needle is here", "1 of 2")
		s.Press("n") // round
		s.Want("a second needle", "2 of 2")
		s.Press("N")
		s.Want("the Needle is here", "1 of 2")
		s.Press("/")
		s.Type("absent")
		s.Press("enter")
		s.Want(`nothing holds "absent"`, "the Needle is here")
	})
}

// What a command left in the background is shown until it has ended.
func TestJobsInTheBackground(t *testing.T) {
	t.Parallel()
	var left atomic.Int32
	o := ui.Options{Owner: ui.Owner{Jobs: func() []string { return slices.Repeat([]string{"npm run dev"}, int(left.Load())) }}}
	for _, w := range []int{120, 60} {
		with(t, o, w, 24, func(_ *testing.T, s *uitest.Screen) {
			left.Store(1)
			s.Lacks("npm run dev")
			s.Events(agent.CallStarted{ID: "c1", Tool: "bash"}, agent.CallEnded{ID: "c1", Status: agent.CallOK})
			s.Want("npm run dev")
			left.Store(0)
			s.Wait(3 * time.Second)
			s.Lacks("npm run dev")
		})
	}
}
