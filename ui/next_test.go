package ui_test

import (
	"slices"
	"testing"
	"time"

	"mm/agent"
	"mm/ui/uitest"
)

// Every end of a turn but an answer names one key that goes on, and the key
// does what the cause wants.
func TestOneKeyGoesOn(t *testing.T) {
	t.Parallel()
	const goOn, again = "Ctrl+X goes on", "Ctrl+X asks again"
	for stop, tc := range map[agent.Stop]struct{ line, sends string }{
		agent.StopAnswer:    {"", ""},
		agent.StopCancelled: {goOn, "go on"},
		agent.StopMaxTurns:  {goOn, "go on"},
		agent.StopStuck:     {goOn, "go on"},
		agent.StopMaxTokens: {goOn, "go on"},
		agent.StopRefused:   {again, "mend the\ntest"},
		agent.StopFailed:    {again, "mend the\ntest"},
	} {
		t.Run(string(stop), func(t *testing.T) {
			t.Parallel()
			onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
				s.Events(agent.UserMessage{Text: "say hello"}, agent.TurnStarted{Turn: 1}, agent.TurnEnded{Stop: agent.StopCancelled}, agent.Idle{})
				s.Events(agent.UserMessage{Text: "mend the\ntest"}, agent.TurnStarted{Turn: 2}, agent.StepStarted{Step: 1})
				s.Lacks("Ctrl+X")
				s.Press("ctrl+x") // something runs
				if got := s.Asked(); len(got) > 0 {
					t.Errorf("sent %+v while a turn runs", got)
				}
				s.Events(agent.CallStarted{ID: "c1", Tool: "bash"}, agent.CallEnded{ID: "c1"}, agent.TurnEnded{Stop: stop, Text: "advice"}, agent.Idle{})
				if tc.line == "" {
					s.Lacks("Ctrl+X")
				} else {
					s.Want(tc.line, "advice")
				}
				s.Press("ctrl+x")
				var want []agent.Command
				if tc.sends != "" {
					want = append(want, agent.Prompt{Text: tc.sends})
				}
				if got := s.Asked(); !slices.Equal(got, want) {
					t.Errorf("sent %+v, want %+v", got, want)
				}
			})
		})
	}
}

// The key belongs to the empty input, and to the last turn alone.
func TestGoingOnIsOfTheLastTurn(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		s.Press("ctrl+x")
		s.Want("nothing was stopped")
		s.Events(agent.UserMessage{Text: "one"}, agent.TurnStarted{Turn: 1}, agent.TurnEnded{Stop: agent.StopMaxTurns}, agent.Idle{})
		s.Want("Ctrl+X goes on")
		s.Type("a draft")
		s.Press("ctrl+x")
		s.Want("> a draft")
		s.Press("ctrl+u")
		s.Events(agent.UserMessage{Text: "go on"}, agent.TurnStarted{Turn: 2})
		s.Lacks("Ctrl+X goes on")
		answer(s, "i1", "All is done.")
		s.Events(agent.TurnEnded{Stop: agent.StopAnswer}, agent.Idle{})
		s.Press("ctrl+x")
		s.Wait(time.Second)
		s.Lacks("Ctrl+X goes on")
		if got := s.Asked(); len(got) > 0 {
			t.Errorf("sent %+v", got)
		}
		s.Events(agent.UserMessage{Text: "two"}, agent.TurnStarted{Turn: 3}, agent.TurnEnded{Stop: agent.StopStuck}, agent.Idle{})
		s.Events(agent.Cleared{Session: "s1"})
		s.Press("ctrl+x")
		if got := s.Asked(); len(got) > 0 {
			t.Errorf("sent %+v in a new conversation", got)
		}
	})
}
