package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mm/agent"
	"mm/ui/keys"
	"mm/ui/uitest"
)

// Every key of the help exists, and none stands for two things at one place.
func TestHelpListsKeysThatExist(t *testing.T) {
	t.Parallel()
	for _, g := range keys.All() {
		taken := map[string]string{}
		for _, b := range g.Bindings {
			for _, name := range b.Keys() {
				if name == " " {
					name = "space"
				}
				if _, ok := uitest.Key(name); !ok {
					t.Errorf("%s: there is no key %q", b.Help().Desc, name)
				}
				if other := taken[name]; other != "" && g.Title != "Everywhere" {
					t.Errorf("%s: %s is %q and %q", g.Title, name, other, b.Help().Desc)
				}
				taken[name] = b.Help().Desc
			}
		}
	}
}

// The keys of the specification's table, each by what it does on the screen.
// Those of the permission dialog are in TestAnswersToAQuestion.
func TestKeysOfTheTable(t *testing.T) {
	t.Parallel()
	long := paragraphs(100)
	for _, tc := range []struct {
		name  string
		press func(s *uitest.Screen)
		want  []string
		lacks []string
	}{
		{"Alt+Enter makes a line", func(s *uitest.Screen) { s.Type("a"); s.Press("alt+enter"); s.Type("b") }, []string{"> a\n  b"}, nil},
		{"Ctrl+J makes a line", func(s *uitest.Screen) { s.Type("a"); s.Press("ctrl+j"); s.Type("b") }, []string{"> a\n  b"}, nil},
		{"PgUp scrolls", func(s *uitest.Screen) { s.Press("pgup") }, nil, []string{"line 100"}},
		{"PgDn scrolls back", func(s *uitest.Screen) { s.Press("pgup", "pgdown") }, []string{"line 100"}, nil},
		{"Ctrl+Home goes to the beginning", func(s *uitest.Screen) { s.Press("ctrl+home") }, []string{"thought for"}, []string{"line 100"}},
		{"Ctrl+End goes to the end", func(s *uitest.Screen) { s.Press("ctrl+home", "ctrl+end") }, []string{"line 100"}, nil},
		{"End follows again", func(s *uitest.Screen) { s.Press("pgup", "pgup", "end") }, []string{"line 100"}, nil},
		{"Tab goes to the conversation", func(s *uitest.Screen) { s.Press("tab") }, []string{"j/k move", "▌"}, nil},
		{"Tab goes back", func(s *uitest.Screen) { s.Press("tab", "tab") }, nil, []string{"j/k move", "▌"}},
		{"k moves by a block", func(s *uitest.Screen) { s.Press("tab", "k", "k", "k", "y"); copies(s, "line 97") }, nil, nil},
		{"j moves back", func(s *uitest.Screen) { s.Press("tab", "k", "k", "j", "y"); copies(s, "line 99") }, nil, nil},
		{"Up and Down do the same", func(s *uitest.Screen) { s.Press("tab", "up", "up", "down", "y"); copies(s, "line 99") }, nil, nil},
		{"G goes to the last block", func(s *uitest.Screen) { s.Press("tab", "g", "G", "y"); copies(s, "line 100") }, nil, nil},
		{"Esc leaves the conversation", func(s *uitest.Screen) { s.Press("tab", "esc"); s.Type("j") }, []string{"> j"}, []string{"▌"}},
		{"i leaves the conversation", func(s *uitest.Screen) { s.Press("tab", "i"); s.Type("j") }, []string{"> j"}, []string{"▌"}},
		{"Ctrl+L draws anew", func(s *uitest.Screen) {
			s.Press("ctrl+l")
			if s.Cleared != 1 {
				s.T.Errorf("drawn anew %d times, want once", s.Cleared)
			}
		}, nil, nil},
		{"g goes to the first block", func(s *uitest.Screen) { s.Press("tab", "g") }, []string{"thought for"}, []string{"line 100"}},
		{"Enter unfolds", func(s *uitest.Screen) { s.Press("tab", "g", "enter") }, []string{"deep thoughts"}, nil},
		{"Ctrl+T unfolds reasoning", func(s *uitest.Screen) { s.Press("ctrl+t", "ctrl+home") }, []string{"deep thoughts"}, nil},
		{"Ctrl+O unfolds outputs", func(s *uitest.Screen) { s.Press("ctrl+o", "ctrl+home") }, []string{"output 12"}, nil},
		{"outputs are folded", func(s *uitest.Screen) { s.Press("ctrl+home") }, nil, []string{"output 12 "}},
		{"Ctrl+R searches prompts", func(s *uitest.Screen) { s.Press("ctrl+r") }, []string{"Earlier prompts"}, nil},
		{"Ctrl+P opens the palette", func(s *uitest.Screen) { s.Press("ctrl+p"); s.Type("thm") }, []string{"Commands", "/theme"}, nil},
		{"the palette offers skills", func(s *uitest.Screen) { s.Press("ctrl+p"); s.Type("review"); s.Press("enter") }, []string{"> /review"}, nil},
		{"F1 is help", func(s *uitest.Screen) { s.Press("f1") }, []string{"Help", "Everywhere"}, nil},
		{"? is help on an empty input", func(s *uitest.Screen) { s.Press("?") }, []string{"Help"}, nil},
		{"? is a letter elsewhere", func(s *uitest.Screen) { s.Type("why?") }, []string{"> why?"}, []string{"Help"}},
		{"@ completes files", func(s *uitest.Screen) { s.Type("see @serv") }, []string{"internal/server/server.go"}, nil},
		{"/ completes commands", func(s *uitest.Screen) { s.Type("/the") }, []string{"colours of the screen"}, nil},
		{"$ completes skills", func(s *uitest.Screen) { s.Type("$rev") }, []string{"looks at changes"}, nil},
		{"Up walks the history", func(s *uitest.Screen) { s.Type("one"); s.Press("enter", "up") }, []string{"> one"}, nil},
		{"Esc asks once", func(s *uitest.Screen) { startTurn(s); s.Press("esc") }, []string{"Esc again cancels"}, nil},
		{"Ctrl+C clears", func(s *uitest.Screen) { s.Type("draft"); s.Press("ctrl+c") }, []string{"cleared"}, []string{"> draft"}},
		{"Ctrl+C asks before it quits", func(s *uitest.Screen) { s.Press("ctrl+c") }, []string{"Ctrl+C again quits"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			with(t, uitest.Owner(), 80, 24, func(_ *testing.T, s *uitest.Screen) {
				s.Events(agent.SessionReady{Mode: "ask", Skills: []agent.Skill{{Name: "review", Description: "looks at changes"}}})
				s.Events(
					agent.ReasoningDelta{ID: "i0", Text: "deep thoughts"}, agent.ReasoningEnded{ID: "i0"},
					agent.CallStarted{ID: "c1", Tool: "bash", ToolKind: "execute"},
					agent.CallEnded{ID: "c1", Status: agent.CallOK, Output: numbered(40)},
				)
				answer(s, "i1", long)
				tc.press(s)
				s.Want(tc.want...)
				s.Lacks(tc.lacks...)
			})
		})
	}
}

// copies fails the test unless one text was copied.
func copies(s *uitest.Screen, want string) {
	if !slices.Equal(s.Copied, []string{want}) {
		s.T.Errorf("copied %q, want %q", s.Copied, want)
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "output %d \n", i+1)
	}
	return b.String()
}
