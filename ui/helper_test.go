package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mm/agent"
	"mm/ui"
	"mm/ui/uitest"
)

// onScreen runs a test with a ready session on a screen of the given size.
func onScreen(t *testing.T, w, h int, test func(t *testing.T, s *uitest.Screen)) {
	t.Helper()
	with(t, ui.Options{Cwd: "/src/app"}, w, h, test)
}

func with(t *testing.T, o ui.Options, w, h int, test func(t *testing.T, s *uitest.Screen)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := uitest.New(t, uitest.Options{UI: o, W: w, H: h})
		s.Events(agent.SessionReady{Session: "s1", Cwd: "/src/app", Mode: "ask", Model: agent.ModelInfo{ID: "m", ContextWindow: 8192}})
		test(t, s)
	})
}

// paragraphs is an answer of n numbered paragraphs.
func paragraphs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n\n", i+1)
	}
	return b.String()
}

// answer streams a whole answer.
func answer(s *uitest.Screen, id agent.ItemID, text string) {
	s.Events(agent.TextDelta{ID: id, Text: text}, agent.TextEnded{ID: id, Text: text})
}

// startTurn makes the screen busy.
func startTurn(s *uitest.Screen) {
	s.Events(agent.TurnStarted{Turn: 1}, agent.StepStarted{Step: 1})
}

// ask opens a question about a command.
func ask(s *uitest.Screen, command string, dangerous bool) {
	options := []agent.Option{{Choice: agent.ChoiceAllow, Label: "Allow once"}, {Choice: agent.ChoiceReject, Label: "Refuse"}}
	if !dangerous {
		options = append(options, agent.Option{Choice: agent.ChoiceAlways, Label: "Always allow go test"})
	}
	s.Events(
		agent.CallStarted{ID: "c1", Tool: "bash", ToolKind: "execute"},
		agent.CallPlanned{ID: "c1", Title: command, Preview: agent.CommandPreview{Command: command}},
		agent.ApprovalAsked{
			ID: "a1", Call: "c1", Tool: "bash", Title: command, Dir: "/src/app", Dangerous: dangerous,
			Preview: agent.CommandPreview{Command: command}, Reasons: []string{"not in the list of harmless commands"},
			Options: options,
		},
	)
}

// firstRow is the first row of the conversation that is not empty.
func firstRow(s *uitest.Screen) string {
	for _, r := range strings.Split(s.Frame(), "\n")[1:] {
		if strings.TrimSpace(r) != "" {
			return r
		}
	}
	return ""
}

// decisions are the answers among the commands that the core got.
func decisions(s *uitest.Screen) []agent.Decide {
	var out []agent.Decide
	for _, c := range s.Asked() {
		if d, ok := c.(agent.Decide); ok {
			out = append(out, d)
		}
	}
	return out
}
