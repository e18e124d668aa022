package ui

import (
	"strings"

	"mm/themes"
	"mm/ui/cells"
	"mm/ui/keys"
)

// welcome is drawn while there is no conversation.
func (m *Model) welcome(w, h int) []string {
	if m.core == nil && m.out.first != nil {
		return cells.Pad(m.firstRows(w, h), w, h)
	}
	s := m.look.sheet
	rows := []string{
		"",
		"  " + s.Paint(themes.Heading, "mm") + s.Paint(themes.Dim, tagline(w)),
		"",
	}
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, "  "+s.Paint(themes.Dim, cells.Fit(label, 9))+cells.Clip(text, w-12))
		}
	}
	add("model", m.st.Model.ID.String())
	add("server", m.st.Model.URL.String())
	add("project", m.where().String())
	if m.st.Model.NoTools {
		rows = append(rows, "")
		for _, r := range cells.Wrap("This model's template drops tool definitions: it can talk, but not read or edit files. Choose another with /model.", w-4) {
			rows = append(rows, "  "+s.Paint(themes.Warn, r))
		}
	}
	rows = append(rows, "")
	for _, k := range hints(w) {
		rows = append(rows, "  "+s.Paint(themes.Accent, cells.Fit(k[0], 11))+s.Paint(themes.Dim, k[1]))
	}
	return cells.Pad(rows, w, h)
}

func tagline(w int) string {
	if w < 48 {
		return "  for small local models"
	}
	return "  a coding agent for small local models"
}

// hints are the first keys to know.
func hints(w int) [][2]string {
	if w < 60 {
		return [][2]string{{"/", "commands"}, {"@ $ !", "files, skills, shell"}, {keys.Name(keys.HelpTyped), "all keys"}}
	}
	return [][2]string{
		{keys.Name(keys.Send), "sends; " + strings.ReplaceAll(keys.NewLine.Help().Key, ", ", " or ") + " starts a new line"},
		{"/", "commands   @ files   $ skills   ! shell"},
		{keys.Name(keys.Mode), "changes what is asked before it is done"},
		{keys.Name(keys.HelpTyped), "shows all keys"},
	}
}
