package ui_test

import (
	"slices"
	"strings"
	"testing"

	"mm/agent"
	"mm/ui/uitest"
)

// Skills are commands too: "/" offers those of the session, and the help lists
// them.
func TestSkillsAreCommands(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 40, func(t *testing.T, s *uitest.Screen) {
		s.Events(agent.SessionReady{Mode: "ask", Skills: []agent.Skill{{Name: "review", Description: "looks at changes"}}})
		s.Type("/rev")
		s.Want("▸ /review", "looks at changes")
		s.Press("tab")
		s.Type("main.go")
		s.Press("enter")
		if got := s.Asked(); !slices.Equal(got, []agent.Command{agent.Prompt{Text: "/review main.go"}}) {
			t.Errorf("sent %+v", got)
		}
		s.Press("?", "G")
		s.Want("Skills", "/review", "looks at changes")
		s.Press("esc")
		s.Events(agent.SessionReady{Mode: "ask", Skills: []agent.Skill{{Name: "other"}}})
		s.Type("/rev")
		s.Lacks("/review")
	})
}

// Enter in the palette that was just opened changes nothing.
func TestFirstOfThePaletteIsHarmless(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		answer(s, "i1", "words")
		s.Press("ctrl+p", "enter")
		if got := s.Asked(); len(got) > 0 || s.Quit {
			t.Errorf("asked for %+v, quit %v", got, s.Quit)
		}
		s.Want("Help")
	})
}

// A theme that was chosen says how to keep it.
func TestThemeSaysHowToKeepIt(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		s.Type("/theme light")
		s.Press("enter")
		s.Want("theme: light in agent.yaml keeps it")
		s.Type("/theme")
		s.Press("enter")
		for !strings.Contains(s.Frame(), "▸ gruvbox") {
			s.Press("up")
		}
		s.Press("enter")
		s.Want("theme: gruvbox in agent.yaml keeps it")
	})
}
