package ui_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"mm/ui"
	"mm/ui/uitest"
)

const mine = "parent: dark\ntitle: Of my own\nroles:\n  accent: '#010203 13'\n"

// What its inks are on the terminal.
const (
	ownAccent   = "38;2;1;2;3m"
	parentDim   = "38;2;139;147;167m"
	ownIn16     = "\x1b[95m" // 13, the bright magenta
	parentsIn16 = "\x1b[94m"
)

// withThemes runs a test on a screen with themes of the user's.
func withThemes(t *testing.T, profile termenv.Profile, files map[string]string, test func(t *testing.T, s *uitest.Screen)) {
	t.Helper()
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	synctest.Test(t, func(t *testing.T) {
		test(t, uitest.New(t, uitest.Options{UI: ui.Options{Look: ui.Look{UserThemes: dir}}, Profile: &profile, W: 80, H: 24}))
	})
}

// painted reports whether a sequence is on the screen.
func painted(s *uitest.Screen, sgr string) bool {
	return slices.ContainsFunc(s.Rows(), func(row string) bool { return strings.Contains(row, sgr) })
}

var colour = regexp.MustCompile(`\x1b\[([0-9;]*;)?([34][0-8]|9[0-7]|10[0-7])[;m]`)

// colourless fails the test when anything on the screen has a colour.
func colourless(t *testing.T, s *uitest.Screen) {
	t.Helper()
	for _, row := range s.Rows() {
		if colour.MatchString(row) {
			t.Errorf("a coloured row: %q", row)
		}
	}
}

// A theme of the user's is listed behind the built-in ones, previewed under the
// cursor, given up by Esc and kept by Enter. It has its parent's other colours.
func TestOwnThemeIsPreviewedAndChosen(t *testing.T) {
	t.Parallel()
	withThemes(t, termenv.TrueColor, map[string]string{"mine.yaml": mine}, func(t *testing.T, s *uitest.Screen) {
		looks := func(when string, own bool) {
			t.Helper()
			if painted(s, ownAccent) != own {
				t.Errorf("%s: the own accent is shown: %v, want %v", when, !own, own)
			}
		}
		s.Type("/theme")
		s.Press("enter")
		s.Want("▸ dark", "mine", "Of my own", "of 7")
		looks("before", false)
		s.Type("mine")
		s.Want("▸ mine", "1 of 1")
		looks("under the cursor", true)
		s.Press("esc")
		looks("after Esc", false)
		s.Type("/theme")
		s.Press("enter")
		s.Type("own")
		s.Press("enter")
		looks("chosen", true)
		if !painted(s, parentDim) {
			t.Error("secondary text lacks the parent's colour")
		}
		s.Type("/theme")
		s.Press("enter")
		s.Want("▸ mine")
		s.Press("up")
		s.Want("• mine")
		looks("another one under the cursor", false)
		s.Press("esc")
		looks("Esc after it was chosen", true)
		s.Type("/theme dark")
		s.Press("enter")
		looks("back", false)
		s.Type("/theme mine")
		s.Press("enter")
		looks("by its name", true)
	})
}

func TestOwnThemeInSixteenColours(t *testing.T) {
	t.Parallel()
	withThemes(t, termenv.ANSI, map[string]string{"mine.yaml": mine}, func(t *testing.T, s *uitest.Screen) {
		if painted(s, ownIn16) || !painted(s, parentsIn16) {
			t.Error("the accent is not the dark theme's")
		}
		s.Type("/theme mine")
		s.Press("enter")
		if !painted(s, ownIn16) {
			t.Error("the accent is not the theme's")
		}
		if painted(s, "38;2;") || painted(s, "38;5;") || painted(s, "48;2;") {
			t.Error("there are more than sixteen colours")
		}
	})
}

func TestOwnThemeWithoutColours(t *testing.T) {
	t.Parallel()
	withThemes(t, termenv.Ascii, map[string]string{"mine.yaml": mine}, func(t *testing.T, s *uitest.Screen) {
		s.Type("/theme")
		s.Press("enter")
		s.Type("mine")
		s.Want("▸ mine")
		colourless(t, s)
		if !painted(s, "\x1b[7m▸ mine") {
			t.Error("the line under the cursor does not stand out")
		}
		s.Press("enter")
		answer(s, "i1", "# Head\n\n```go\nfunc f() {}\n```")
		colourless(t, s)
	})
}

// A file that is no theme is listed with the reason. Under the cursor and
// chosen, it leaves the theme in force.
func TestBrokenThemeLeavesTheOneInForce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, text, want string }{
		"colour":   {"mine.yaml", "parent: dark\nroles: {accent: mauve}\n", `theme mine.yaml: roles.accent: "mauve" is no colour and no attribute`},
		"key":      {"mine.yaml", "parent: dark\ncolors: {}\n", "theme mine.yaml: colors: there is no such key"},
		"parent":   {"mine.yaml", "parent: durk\n", `theme mine.yaml: parent: there is no sound theme "durk"`},
		"cycle":    {"mine.yaml", "parent: mine\n", "theme mine.yaml: parent: mine leads back to itself"},
		"built-in": {"gruvbox.yaml", "parent: dark\nroles: {accent: '#010203 13'}\n", "theme gruvbox.yaml: a theme of this name comes with mm"},
		"control":  {"mine.yaml", "parent: \"\\e[2J\"\n", `theme mine.yaml: parent: there is no sound theme "\x1b[2J"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withThemes(t, termenv.TrueColor, map[string]string{tc.file: tc.text, "good.yaml": mine}, func(t *testing.T, s *uitest.Screen) {
				s.Type("/theme good")
				s.Press("enter", "ctrl+u")
				s.Wait(4 * time.Second) // the message goes
				before := s.Rows()
				s.Type("/theme")
				s.Press("enter")
				s.Want("▸ good", tc.file)
				s.Type(tc.file)
				s.Want("▸ "+tc.file, "1 of 1")
				if !painted(s, ownAccent) {
					t.Error("under the cursor, it changed the theme")
				}
				s.Press("enter")
				s.Want(tc.want)
				s.Wait(4 * time.Second) // the message goes
				if after := s.Rows(); !slices.Equal(after, before) {
					t.Errorf("the screen is another:\n%s\nwas\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
				}
				if tc.file == "mine.yaml" {
					s.Type("/theme mine")
					s.Press("enter")
					s.Want(tc.want)
				}
			})
		})
	}
}

func TestWheelPreviews(t *testing.T) {
	t.Parallel()
	withThemes(t, termenv.TrueColor, map[string]string{"mine.yaml": mine}, func(t *testing.T, s *uitest.Screen) {
		s.Type("/theme")
		s.Press("enter")
		for range 3 {
			s.Send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
		}
		s.Want("▸ mine")
		if !painted(s, ownAccent) {
			t.Error("the theme under the cursor is not shown")
		}
	})
}
