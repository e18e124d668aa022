package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"mm/agent"
	"mm/safety/clean"
	"mm/themes"
	"mm/ui/state"
	"mm/ui/style"
)

// Every dialog that may be longer than its room is scrolled by the same keys,
// and goes no further than its ends.
func TestDialogsScroll(t *testing.T) {
	t.Parallel()
	const rows = 50
	row := func(i int) string { return fmt.Sprintf("row %02d.", i) }
	var text []string
	var items []Item
	var parts []state.FillPart
	for i := range rows {
		text = append(text, row(i))
		items = append(items, Item{ID: row(i), Label: clean.Line(row(i))})
		parts = append(parts, state.FillPart{Name: clean.Line(row(i)), Tokens: 1})
	}
	all := strings.Join(text, "\n")
	th, _ := themes.Find(themes.Builtin(), themes.NoneName)
	sheet := style.New(th, termenv.Ascii)
	for name, d := range map[string]Dialog{
		"page":     &Page{Draw: func(*style.Sheet, int) []string { return text }},
		"question": question(agent.ApprovalAsked{ID: "a", Preview: agent.CommandPreview{Command: all}}, 60, 14),
		"list":     NewPicker("of", "List", items, ""),
		"context":  NewFill(state.Fill{Parts: parts}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.SetSize(60, 14)
			shown := func() string { return ansi.Strip(strings.Join(d.View(sheet), "\n")) }
			press := func(k tea.KeyType, times int) string {
				for range times {
					d.Key(tea.KeyMsg{Type: k}, time.Time{})
					shown()
				}
				return shown()
			}
			want := func(step, got string, first, last bool) {
				t.Helper()
				if strings.Contains(got, row(0)) != first || strings.Contains(got, row(rows-1)) != last {
					t.Errorf("%s: want the first row in sight: %v, the last one: %v\n%s", step, first, last, got)
				}
			}
			want("opened", shown(), true, false)
			want("pages on", press(tea.KeyPgDown, 2), false, false)
			want("to the end", press(tea.KeyPgDown, 20), false, true)
			want("pages back", press(tea.KeyPgUp, 2), false, false)
			want("to the beginning", press(tea.KeyPgUp, 20), true, false)
			want("row by row", press(tea.KeyDown, 30), false, false)
			want("and back", press(tea.KeyUp, 40), true, false)
		})
	}
}
