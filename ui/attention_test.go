package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"mm/agent"
	"mm/themes"
	"mm/ui"
	"mm/ui/style"
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
		words[20], words[70], words[120] = "the Needle is here", "a second needle", "the last needle"
		answer(s, "i1", strings.Join(words, "\n\n"))
		s.Lacks("eedle")
		s.Press("tab", "/")
		s.Type("needle")
		s.Press("enter")
		s.Want("the last needle", `"needle": 3 of 3`)
		s.Press("n") // goes on in the same direction
		s.Want("a second needle", "2 of 3")
		s.Press("n")
		s.Want("the Needle is here", "1 of 3")
		s.Press("n") // round
		s.Want("the last needle", "3 of 3")
		s.Press("N")
		s.Want("the Needle is here", "1 of 3")
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

// Who looks elsewhere is called to a question once, and the window says that
// it waits.
func TestQuestionCallsTheUser(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		startTurn(s)
		ask(s, "make one", false)
		if len(s.Told) != 0 {
			t.Errorf("told %q to who looks on", s.Told)
		}
		if s.Title != "? mm · app" {
			t.Errorf("the window is called %q", s.Title)
		}
		s.Events(agent.ApprovalSettled{ID: "a1"})
		if s.Title != "● mm · app" {
			t.Errorf("the window is called %q", s.Title)
		}
		s.Send(tea.BlurMsg{})
		ask(s, "make two", false)
		s.Events(agent.Notice{Text: "something else"})
		if want := []string{"mm asks: make two"}; !slices.Equal(s.Told, want) {
			t.Errorf("told %q, want %q", s.Told, want)
		}
		s.Send(tea.FocusMsg{})
		s.Events(agent.ApprovalSettled{ID: "a1"}, agent.TurnEnded{Stop: agent.StopAnswer}, agent.Idle{})
		if len(s.Told) != 1 || s.Title != "mm · app" {
			t.Errorf("told %q, and the window is called %q", s.Told, s.Title)
		}
	})
}

// The context is green, yellow from the first threshold on, red from the last.
func TestContextHasItsColour(t *testing.T) {
	t.Parallel()
	with(t, ui.Options{Look: ui.Look{ContextMarks: []float64{0.5, 0.8}}}, 80, 24, func(t *testing.T, s *uitest.Screen) {
		theme, _ := themes.Find(themes.Builtin(), themes.DarkName)
		sheet := style.New(theme, termenv.TrueColor)
		for used, role := range map[int]themes.Role{490: themes.OK, 500: themes.Warn, 790: themes.Warn, 800: themes.Error} {
			s.Events(agent.ContextUsage{Used: used, Limit: 1000, Exact: true})
			rows := s.Rows()
			want := sheet.Paint(role, fmt.Sprintf("%d%% %d/1.0k", used/10, used))
			if last := rows[len(rows)-1]; !strings.Contains(last, want) {
				t.Errorf("%d of 1000 is %q, want %q in it", used, last, want)
			}
		}
	})
}

// A command of the user's own has another sign than a message.
func TestSignOfTheInput(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		s.Type("!ls")
		s.Want("\n! !ls")
		s.Press("home", "delete")
		s.Want("\n> ls")
	})
}
