package style

import (
	"github.com/charmbracelet/glamour/ansi"
	"github.com/muesli/termenv"

	"mm/themes"
)

// Markdown returns the theme as a style sheet for glamour. Margins are zero:
// the transcript places blocks itself. Code is not coloured here; package
// highlight does that, from the same theme.
func (s *Sheet) Markdown() ansi.StyleConfig {
	prim := func(role themes.Role) ansi.StylePrimitive { return s.primitive(role) }
	block := func(role themes.Role) ansi.StyleBlock { return ansi.StyleBlock{StylePrimitive: prim(role)} }
	heading := func(prefix string) ansi.StyleBlock {
		b := block(themes.Heading)
		b.Prefix = prefix
		return b
	}
	bar, one, yes := "│ ", uint(1), true
	quote := block(themes.Quote)
	quote.Indent, quote.IndentToken = &one, &bar
	link := prim(themes.Link)
	linkText := link
	linkText.Underline = nil
	return ansi.StyleConfig{
		Document:       block(themes.Text),
		Paragraph:      ansi.StyleBlock{},
		BlockQuote:     quote,
		Heading:        block(themes.Heading),
		H1:             heading("# "),
		H2:             heading("## "),
		H3:             heading("### "),
		H4:             heading("#### "),
		H5:             heading("##### "),
		H6:             heading("###### "),
		Emph:           ansi.StylePrimitive{Italic: &yes},
		Strong:         ansi.StylePrimitive{Bold: &yes},
		Strikethrough:  ansi.StylePrimitive{CrossedOut: &yes},
		HorizontalRule: ansi.StylePrimitive{Color: prim(themes.Faint).Color, Format: "\n────────\n"},
		Item:           ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "☑ ", Unticked: "☐ "},
		List:           ansi.StyleList{LevelIndent: 2},
		Link:           link,
		LinkText:       linkText,
		Image:          link,
		ImageText:      ansi.StylePrimitive{Format: "image: {{.text}}"},
		Code:           block(themes.Code),
		CodeBlock:      ansi.StyleCodeBlock{StyleBlock: block(themes.Code)},
	}
}

// MarkdownProfile is the colour profile to give glamour: attributes pass even
// where colours do not.
func (s *Sheet) MarkdownProfile() termenv.Profile { return min(s.Profile, termenv.ANSI) }

// primitive turns an ink into glamour's form.
func (s *Sheet) primitive(role themes.Role) ansi.StylePrimitive {
	ink := s.Theme.Ink(role)
	text := func(c string) *string {
		if c == "" {
			return nil
		}
		return &c
	}
	flag := func(on bool) *bool {
		if !on {
			return nil
		}
		return &on
	}
	return ansi.StylePrimitive{
		Color:           text(s.Colour(ink.Fore)),
		BackgroundColor: text(s.Colour(ink.Back)),
		Bold:            flag(ink.Bold),
		Italic:          flag(ink.Italic),
		Underline:       flag(ink.Underline),
		Inverse:         flag(ink.Reverse),
		Faint:           flag(ink.Faint),
	}
}
