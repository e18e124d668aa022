package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/rivo/uniseg"

	"mm/agent"
	"mm/fileedit"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/state"
	"mm/ui/style"
	"mm/ui/transcript"
	"mm/ui/uitest"
)

// odd is what breaks borders: characters of several code points, wide and
// narrow ones, tabs, blanks of no width. hostile is odd with what a terminal
// would act on.
const (
	odd     = "ok 👩‍💻 💅🏻 🎙️ 🇫🇷 e\u0301 你好 한글 é →│ \ttab\u200b end"
	hostile = odd + " \x1b[31mred\x1b[0m \x1b]8;;http://a.example\x07link\x1b]8;;\x07 \x1b[2J\x1b[5;5H \u202egpj \x9b1m \x07\x08\r\x0b"
)

// whole fails the test where a row holds a part of a character of odd.
func whole(t *testing.T, rows []string) {
	t.Helper()
	parts := func(s string) (list []string) {
		for g := uniseg.NewGraphemes(s); g.Next(); {
			list = append(list, g.Str())
		}
		return list
	}
	intact := map[rune][]string{} // by their first code point
	for _, c := range parts(odd) {
		if r := []rune(c); len(r) > 1 {
			intact[r[0]] = append(intact[r[0]], c)
		}
	}
	delete(intact, 'e') // stands alone, too
	joiners := "\u200d\ufe0f\u0301\U0001f3fb"
	for _, row := range rows {
		for _, c := range parts(ansi.Strip(row)) {
			first := []rune(c)[0]
			if want, ok := intact[first]; ok && !slices.Contains(want, c) || strings.ContainsRune(joiners, first) {
				t.Errorf("%q is a part of a character in %q", c, ansi.Strip(row))
			}
		}
	}
}

// everything is one event of each kind that shows text.
func everything(text string) []agent.Event {
	diff := agent.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("x/"+text+".go", []byte("a\n"+text+"\n"+strings.Repeat("你", 200)+"\n"), []byte("a\n"+text+" more\n"+text+"\n"))}}
	code := 1
	return []agent.Event{
		agent.SessionReady{Session: "s1", Cwd: "/src/" + text, Mode: "ask", Title: text, Model: agent.ModelInfo{ID: text, Provider: text, ContextWindow: 8192}, Skills: []agent.Skill{{Name: text, Description: text}}},
		agent.TurnStarted{Turn: 1},
		agent.UserMessage{ID: "i1", Text: text},
		agent.ReasoningDelta{ID: "i2", Text: text + strings.Repeat("x", 10000)},
		agent.TextDelta{ID: "i3", Text: text + "\n\n| a | b |\n|--|--|\n| " + text + " | x |\n\n- " + text + "\n\n> " + text + "\n\n# " + text + "\n\n```\n" + text + "\n```\n" + strings.Repeat("你", 3000)},
		agent.CallStarted{ID: "c1", Tool: text, ToolKind: "execute"},
		agent.CallPlanned{ID: "c1", Title: text, Preview: agent.CommandPreview{Command: text}, Repairs: []string{text}},
		agent.CallRunning{ID: "c1"},
		agent.CallOutput{ID: "c1", Text: text + "\n" + strings.Repeat("z", 10000)},
		agent.CallStarted{ID: "c2", Tool: "edit_file", ToolKind: "edit"},
		agent.CallEnded{ID: "c2", Status: agent.CallOK, Preview: diff},
		agent.CallStarted{ID: "c3", Tool: "bash", ToolKind: "execute"},
		agent.CallEnded{ID: "c3", Status: agent.CallFailed, ExitCode: &code, Summary: text, Output: strings.Repeat(text+"\n", 30)},
		agent.PlanUpdated{Steps: []agent.Step{{Text: text, Status: "in_progress"}}},
		agent.FilesChanged{Files: []agent.FileChange{{Path: "x/" + text, Added: 1}}},
		agent.QueueChanged{Queued: []string{text}},
		agent.Compacted{Changed: true, Line: text, Summary: text},
		agent.Notice{Level: agent.Warn, Text: text},
		agent.Fault{Text: text},
		agent.CacheBroken{Cause: text},
	}
}

// Every row of every size is exact, whatever the characters and whatever is
// open, and nothing is cut inside of a character.
func TestRowsAreExact(t *testing.T) {
	t.Parallel()
	open := map[string]func(s *uitest.Screen){
		"nothing": func(s *uitest.Screen) {
			s.Press("ctrl+o", "ctrl+t")
			for range 20 {
				whole(s.T, s.Rows())
				s.Press("pgup")
			}
		},
		"the draft":   func(s *uitest.Screen) { s.Paste(hostile) },
		"the palette": func(s *uitest.Screen) { s.Press("ctrl+p"); s.Paste("ok") },
		"the history": func(s *uitest.Screen) { s.Paste(odd); s.Press("enter", "ctrl+r") },
		"help":        func(s *uitest.Screen) { s.Press("f1") },
		"the skills":  func(s *uitest.Screen) { s.Type("/skills"); s.Press("enter") },
		"the search":  func(s *uitest.Screen) { s.Press("tab", "/"); s.Paste("👩‍💻"); s.Press("enter") },
		"a question": func(s *uitest.Screen) {
			s.Events(agent.ApprovalAsked{
				ID: "a1", Call: "c1", Tool: hostile, Title: hostile, Dir: "/src/" + hostile, Target: "/real/" + hostile,
				Preview: agent.CommandPreview{Command: strings.Repeat(hostile+"\n", 5)}, Reasons: []string{hostile},
				Options: []agent.Option{{Choice: agent.ChoiceAllow, Label: hostile}, {Choice: agent.ChoiceAlways, Label: hostile}, {Choice: agent.ChoiceReject, Label: hostile}},
			})
			for _, key := range []string{"j", "a", "esc", "e", "esc", "d", "pgdown"} {
				s.Wait(time.Second)
				whole(s.T, s.Rows())
				s.Press(key)
			}
		},
		"changes": func(s *uitest.Screen) {
			s.Type("/diff")
			s.Press("enter")
			s.Events(agent.ChangesMapped{Files: []fileedit.FileDiff{fileedit.Diff(hostile, []byte(odd+"\n"), []byte(hostile+"\n"))}})
		},
		"the context": func(s *uitest.Screen) {
			s.Type("/context")
			s.Press("enter")
			s.Events(agent.ContextMapped{Used: 10, Limit: 20, Parts: []agent.Part{{Name: hostile, Tokens: 10}}})
		},
	}
	for _, w := range []int{40, 41, 59, 60, 80, 103, 104, 109, 110, 111, 140, 200} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			t.Parallel()
			for what, do := range open {
				for _, h := range []int{12, 15, 16, 30} {
					onScreen(t, w, h, func(t *testing.T, s *uitest.Screen) {
						s.Events(everything(hostile)...)
						do(s)
						whole(t, s.Rows())
						if t.Failed() {
							t.Fatalf("with %s open at %dx%d", what, w, h)
						}
					})
				}
			}
		})
	}
}

// Report E06: rows are exact in narrow panes, too.
func TestRowsOfAPaneAreExact(t *testing.T) {
	t.Parallel()
	theme, _ := themes.Find(themes.Builtin(), themes.DarkName)
	for _, w := range []int{3, 10, 20, 40, 80} {
		list := transcript.New(style.New(theme, termenv.TrueColor), transcript.Options{})
		list.SetSize(w, 5000)
		var st state.State
		for _, e := range everything(hostile) {
			st.Apply(e, time.Unix(0, 0))
		}
		list.Sync(st.Items, st.TakeDirty(), time.Unix(0, 0))
		list.UnfoldOutputs()
		list.UnfoldReasoning()
		list.Layout()
		rows := list.View()
		for _, row := range rows {
			if got := cells.Width(row); got != w {
				t.Fatalf("a row is %d wide in a pane of %d: %q", got, w, row)
			}
		}
		if w >= 10 { // the widest character stands beside the signs
			whole(t, rows)
		}
		if !strings.Contains(strings.Join(rows, ""), "👩‍💻") && w >= 10 {
			t.Errorf("the text is not in the pane of %d", w)
		}
	}
}
