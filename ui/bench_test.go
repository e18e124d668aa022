package ui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"mm/agent"
	"mm/themes"
	"mm/ui"
	"mm/ui/style"
	"mm/ui/uitest"
)

// driven is a model that is fed by hand.
func driven(core *uitest.Core) *ui.Model { return drivenAt(core, time.Now) }

func drivenAt(core *uitest.Core, now func() time.Time) *ui.Model {
	th, _ := themes.Find(themes.Builtin(), themes.DarkName)
	m := ui.NewModel(context.Background(), core, ui.Options{Cwd: "/src/app"}, ui.Setup{
		Sheet: style.New(th, termenv.TrueColor), Themes: themes.Builtin(), Now: now,
	})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return m
}

// reply is an answer with some of everything.
const reply = "## Part %d\n\nSome **prose** with `code` and a [link](http://a.example).\n\n- one\n- two\n\n```go\nfunc f() int { return 1 }\n```\n\n"

// conversation fills a model with blocks.
func conversation(m *ui.Model, blocks int) {
	const inReply = 5
	var batch []agent.Event
	for i := range blocks / inReply {
		id := agent.ItemID(fmt.Sprint("i", i))
		batch = append(batch, agent.TextDelta{ID: id, Text: fmt.Sprintf(reply, i)}, agent.TextEnded{ID: id, Text: fmt.Sprintf(reply, i)})
	}
	m.Update(ui.Batch(batch...))
	m.View()
}

// One frame while an answer streams: a delta, Update, View.
func BenchmarkStreamingFrame(b *testing.B) {
	for _, blocks := range []int{10, 10000} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			m := driven(uitest.NewCore())
			conversation(m, blocks)
			text := strings.Repeat(fmt.Sprintf(reply, 1), 200)
			at := 0
			b.ResetTimer()
			for b.Loop() {
				if at+12 > len(text) {
					at = 0
				}
				m.Update(ui.Batch(agent.TextDelta{ID: "live", Text: text[at : at+12]}))
				m.View()
				at += 12
			}
		})
	}
}

// A frame in which nothing but the input changed.
func BenchmarkKeyFrame(b *testing.B) {
	m := driven(uitest.NewCore())
	conversation(m, 10000)
	b.ResetTimer()
	for b.Loop() {
		m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'x'}})
		m.View()
		m.Update(tea.KeyMsg{Type: tea.KeyBackspace})
		m.View()
	}
}

// From nothing to the first full frame, without the start of the process.
func BenchmarkFirstFrame(b *testing.B) {
	for b.Loop() {
		driven(uitest.NewCore()).View()
	}
}

// The CPU for one answer grows with its length, not with its square: the time
// for a byte is reported at two lengths.
func BenchmarkLongAnswer(b *testing.B) {
	for _, kib := range []int{20, 80} {
		b.Run(fmt.Sprint(kib, "KiB"), func(b *testing.B) {
			text := strings.Repeat(fmt.Sprintf(reply, 1), kib<<10/len(reply)+1)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m := driven(uitest.NewCore())
				for at := 0; at < len(text); at += 16 {
					m.Update(ui.Batch(agent.TextDelta{ID: "live", Text: text[at:min(at+16, len(text))]}))
					m.View()
				}
			}
		})
	}
}

// A frame allocates the same after 10 and after 10,000 blocks.
func TestFrameCostIsIndependentOfTheConversation(t *testing.T) {
	allocs := func(blocks int) float64 {
		now := time.Unix(0, 0)
		m := drivenAt(uitest.NewCore(), func() time.Time {
			now = now.Add(time.Hour) // no drawing is held back
			return now
		})
		conversation(m, blocks)
		return testing.AllocsPerRun(50, func() {
			m.Update(ui.Batch(agent.TextDelta{ID: "live", Text: "word "}))
			m.View()
		})
	}
	few, many := allocs(10), allocs(10000)
	if many > 1.5*few {
		t.Errorf("a frame allocates %.0f times after 10,000 blocks, %.0f times after 10", many, few)
	}
}

// Scrolling far up in a long conversation draws what comes into sight only.
func TestPagingDrawsWhatIsSeen(t *testing.T) {
	m := driven(uitest.NewCore())
	conversation(m, 10000)
	page := func() { m.Update(tea.KeyMsg{Type: tea.KeyPgUp}); m.View() }
	page()
	if n := testing.AllocsPerRun(20, page); n > 40000 {
		t.Errorf("a page up allocates %.0f times", n)
	}
}
