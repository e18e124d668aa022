// Package style turns a theme into what paints: strings of SGR sequences made
// by lipgloss for the terminal's number of colours, and a style sheet for
// glamour. One sheet serves the whole screen, so that prose, code and widgets
// change together.
package style

import (
	"cmp"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"mm/themes"
)

// Sheet is a theme made ready for one terminal. It is immutable and safe for
// concurrent use.
type Sheet struct {
	Theme   themes.Theme
	Profile termenv.Profile
	pens    map[themes.Role]pen
	over    map[[2]themes.Role]pen
}

// pen is what surrounds a painted text.
type pen struct{ on, off string }

// New prepares a theme. A profile without colour still paints bold, italic,
// underlined and reversed text; it then uses no colour of the theme.
func New(t themes.Theme, profile termenv.Profile) *Sheet {
	s := &Sheet{Theme: t, Profile: profile, pens: make(map[themes.Role]pen, len(themes.Roles)), over: map[[2]themes.Role]pen{}}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetHasDarkBackground(!t.Light)
	r.SetColorProfile(min(profile, termenv.ANSI)) // Ascii would drop attributes too
	for _, role := range themes.Roles {
		s.pens[role] = newPen(s.lip(r, t.Ink(role)))
	}
	for _, ground := range grounds {
		back := t.Ink(ground)
		if s.Colour(back.Back) == "" {
			continue
		}
		for _, role := range code {
			ink := t.Ink(role)
			ink.Back, ink.Bold, ink.Underline = back.Back, ink.Bold || back.Bold, back.Underline
			if ink.Fore == (themes.Colour{}) {
				ink.Fore = back.Fore
			}
			s.over[[2]themes.Role{role, ground}] = newPen(s.lip(r, ink))
		}
	}
	return s
}

// The inks that PaintOver combines.
var (
	grounds = []themes.Role{themes.Added, themes.AddedWord, themes.Removed, themes.RemovedWord}
	code    = []themes.Role{
		themes.Text, themes.Keyword, themes.Type, themes.Function, themes.String,
		themes.Number, themes.Comment, themes.Operator, themes.Constant,
	}
)

// newPen finds out what lipgloss writes around a text.
func newPen(st lipgloss.Style) pen {
	const mark = "\x00"
	on, off, _ := strings.Cut(st.Render(mark), mark)
	return pen{on, off}
}

// lip builds the lipgloss style of an ink.
func (s *Sheet) lip(r *lipgloss.Renderer, ink themes.Ink) lipgloss.Style {
	st := r.NewStyle().Inline(true).
		Bold(ink.Bold).Italic(ink.Italic).Underline(ink.Underline).
		Reverse(ink.Reverse).Faint(ink.Faint)
	if c := s.Colour(ink.Fore); c != "" {
		st = st.Foreground(lipgloss.Color(c))
	}
	if c := s.Colour(ink.Back); c != "" {
		st = st.Background(lipgloss.Color(c))
	}
	return st
}

// Colour returns the colour that suits the terminal, as lipgloss and termenv
// read it: "#rrggbb", "0" to "15", or nothing, which is the terminal's own.
func (s *Sheet) Colour(c themes.Colour) string {
	switch s.Profile {
	case termenv.TrueColor, termenv.ANSI256:
		return cmp.Or(c.Hex, c.ANSI)
	case termenv.ANSI:
		return c.ANSI
	}
	return ""
}

// Paint draws one row of text with the ink of a role. The text must be clean;
// it may not hold line breaks.
func (s *Sheet) Paint(role themes.Role, text string) string {
	p := s.pens[role]
	if p.on == "" || text == "" {
		return text
	}
	return p.on + text + p.off
}

// PaintOver draws code in its own colour on the ground of a diff's line. Where
// the ground has no colour of its own, its ink is all there is.
func (s *Sheet) PaintOver(role, ground themes.Role, text string) string {
	p, ok := s.over[[2]themes.Role{role, ground}]
	if !ok || text == "" {
		return s.Paint(ground, text)
	}
	return p.on + text + p.off
}
