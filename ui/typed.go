package ui

import (
	"regexp"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
)

// typedMsg are the keys that came before the screen was up.
type typedMsg []tea.KeyMsg

func (m *Model) typed(list typedMsg) tea.Cmd {
	var cmds []tea.Cmd
	for _, k := range list {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
}

// sequence is a key with a code of its own, such as an arrow, or a reply.
var sequence = regexp.MustCompile(`\x1b(\[[0-?]*[ -/]*[@-~]|O.|\][^\x07\x1b]*(\x07|\x1b\\))?`)

// keysOf reads keys as terminals send them: letters and those with Ctrl. All
// others are left out.
func keysOf(s string) []tea.KeyMsg {
	var list []tea.KeyMsg
	for _, r := range sequence.ReplaceAllString(s, "") {
		switch {
		case r == ' ':
			list = append(list, tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{r}})
		case r < ' ' || r == 0x7f:
			list = append(list, tea.KeyMsg{Type: tea.KeyType(r)})
		case r != unicode.ReplacementChar:
			list = append(list, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		}
	}
	return list
}
