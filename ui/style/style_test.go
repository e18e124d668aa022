package style

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"mm/themes"
)

func sheet(t *testing.T, name string, p termenv.Profile) *Sheet {
	t.Helper()
	th, ok := themes.Find(themes.Builtin(), name)
	if !ok {
		t.Fatalf("no theme %s", name)
	}
	return New(th, p)
}

func TestPaintByProfile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		profile termenv.Profile
		want    string
	}{
		{termenv.TrueColor, "\x1b[38;2;247;118;142mx\x1b[0m"}, // #f7768e
		{termenv.ANSI256, "\x1b[38;5;210mx\x1b[0m"},           // #ff8787, the nearest
		{termenv.ANSI, "\x1b[91mx\x1b[0m"},
		{termenv.Ascii, "x"},
	} {
		if got := sheet(t, themes.DarkName, tc.profile).Paint(themes.Error, "x"); got != tc.want {
			t.Errorf("profile %v: got %q, want %q", tc.profile.Name(), got, tc.want)
		}
	}
}

// Without colours, what is chosen and what warns still stands out.
func TestNoColourStillShows(t *testing.T) {
	t.Parallel()
	s := sheet(t, themes.NoneName, termenv.Ascii)
	for _, role := range []themes.Role{themes.Select, themes.Cursor, themes.Danger, themes.Heading} {
		got := s.Paint(role, "x")
		if got == "x" {
			t.Errorf("%s cannot be told from other text", role)
		}
		if strings.Contains(got, "38;") || strings.Contains(got, "48;") || strings.Contains(got, "[3") || strings.Contains(got, "[9") {
			t.Errorf("%s is coloured: %q", role, got)
		}
	}
}

func TestPaintOver(t *testing.T) {
	t.Parallel()
	got := sheet(t, themes.DarkName, termenv.TrueColor).PaintOver(themes.Keyword, themes.Added, "func")
	if !strings.Contains(got, "38;2;") || !strings.Contains(got, "48;2;") {
		t.Errorf("%q lacks the colour of the word or of the line", got)
	}
	plain := sheet(t, themes.NoneName, termenv.ANSI).PaintOver(themes.Keyword, themes.RemovedWord, "func")
	if !strings.Contains(plain, "4") {
		t.Errorf("%q: a changed word is not underlined without colours", plain)
	}
}

func TestMarkdownFollowsTheTheme(t *testing.T) {
	t.Parallel()
	a := sheet(t, "gruvbox", termenv.TrueColor).Markdown()
	b := sheet(t, themes.LightName, termenv.TrueColor).Markdown()
	if *a.Heading.Color == *b.Heading.Color {
		t.Error("headings have one colour in two themes")
	}
	if c := sheet(t, themes.NoneName, termenv.Ascii).Markdown(); c.Heading.Color != nil {
		t.Errorf("headings are coloured without colours: %v", *c.Heading.Color)
	}
}

// A colour that is given in one way is used on all terminals that can show it.
func TestColourGivenInOneWay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		profile termenv.Profile
		colour  themes.Colour
		want    string
	}{
		{termenv.TrueColor, themes.Colour{ANSI: "12"}, "12"},
		{termenv.ANSI256, themes.Colour{ANSI: "12"}, "12"},
		{termenv.ANSI, themes.Colour{ANSI: "12"}, "12"},
		{termenv.Ascii, themes.Colour{ANSI: "12"}, ""},
		{termenv.TrueColor, themes.Colour{Hex: "#7aa2f7"}, "#7aa2f7"},
		{termenv.ANSI, themes.Colour{Hex: "#7aa2f7"}, ""}, // the terminal's own
	} {
		if got := sheet(t, themes.NoneName, tc.profile).Colour(tc.colour); got != tc.want {
			t.Errorf("%s, %+v: got %q, want %q", tc.profile.Name(), tc.colour, got, tc.want)
		}
	}
}
