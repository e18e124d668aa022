package ui_test

import (
	"context"
	"fmt"
	"slices"
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

// The set-up of report E08: a history of 400 messages with a megabyte of
// Markdown, an answer of 3,000 tokens at 200 in a second with accents and
// emoji, and keys typed into it. It reports how long a key waits until it is
// drawn, behind the frame that is on its way, and how much of one core the
// whole takes at that speed.
func BenchmarkEchoWhileStreaming(b *testing.B) {
	const messages, history, tokens, perSecond = 400, 1 << 20, 3000, 200
	m := driven(uitest.NewCore())
	one := strings.Repeat(fmt.Sprintf(reply, 1), history/messages/len(reply)+1)
	var batch []agent.Event
	for i := range messages {
		id := agent.ItemID(fmt.Sprint("i", i))
		batch = append(batch, agent.TextDelta{ID: id, Text: one}, agent.TextEnded{ID: id, Text: one})
	}
	m.Update(ui.Batch(batch...))
	m.View()
	words := []string{"größe ", "👩‍💻 ", "naïve ", "**fett** ", "`x` ", "你好\n\n"}
	var echoes []time.Duration
	for b.Loop() {
		echoes = echoes[:0]
		for i := range tokens {
			begun := time.Now()
			m.Update(ui.Batch(agent.TextDelta{ID: "live", Text: words[i%len(words)]}))
			m.View()
			m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'x'}})
			m.View()
			echoes = append(echoes, time.Since(begun))
		}
	}
	slices.Sort(echoes)
	const percent, milliseconds = 100, 1e6
	b.ReportMetric(float64(echoes[len(echoes)*95/percent])/milliseconds, "ms-p95")
	busy := float64(b.Elapsed()) / float64(b.N) / float64(tokens*time.Second/perSecond)
	b.ReportMetric(percent*busy, "%-core")
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

// A question is on the first frame after it came, however many tokens came
// before it.
func TestQuestionIsNotBehindTokens(t *testing.T) {
	t.Parallel()
	onScreen(t, 80, 24, func(t *testing.T, s *uitest.Screen) {
		startTurn(s)
		var batch []agent.Event
		for i := range 3000 {
			batch = append(batch, agent.TextDelta{ID: "i1", Text: fmt.Sprintf("wörd %d 👩‍💻\n\n", i)})
		}
		batch = append(batch, agent.CallStarted{ID: "c1", Tool: "bash"},
			agent.ApprovalAsked{ID: "a1", Call: "c1", Tool: "bash", Preview: agent.CommandPreview{Command: "make all"}})
		s.Model.Update(ui.Batch(batch...))
		s.Want("Allow this?", "make all", "wörd 2999")
	})
}
