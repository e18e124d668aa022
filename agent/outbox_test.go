package agent

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// said is what the text deltas of events say, item by item, and the order of
// everything else.
func said(events []Event) string {
	var b strings.Builder
	last := ItemID("")
	for _, e := range events {
		if d, ok := e.(TextDelta); ok {
			if d.ID != last {
				fmt.Fprintf(&b, "\n%s:", d.ID)
				last = d.ID
			}
			b.WriteString(d.Text)
			continue
		}
		last = ""
		fmt.Fprintf(&b, "\n%s", e.Kind())
	}
	return b.String()
}

// FuzzCoalesce: merging loses no text and changes no order.
func FuzzCoalesce(f *testing.F) {
	f.Add([]byte("aab|bb|a"))
	f.Fuzz(func(t *testing.T, plan []byte) {
		var events []Event
		for i, c := range plan {
			switch c % 4 {
			case 0:
				events = append(events, TextDelta{ID: "i1", Text: fmt.Sprint(i)})
			case 1:
				events = append(events, TextDelta{ID: "i2", Text: fmt.Sprint(i)})
			case 2:
				events = append(events, StepEnded{Step: i})
			case 3:
				events = append(events, CallOutput{ID: "c1", Text: "x"}, TurnEnded{Turn: i})
			}
		}
		if got, want := said(Coalesce(events)), said(events); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestSlowReaderGetsEverything: a reader that takes its time stalls nobody and
// misses nothing.
func TestSlowReaderGetsEverything(t *testing.T) {
	t.Parallel()
	o := newOutbox(0)
	go o.pump()
	var sent []Event
	for i := range 5000 {
		e := Event(TextDelta{ID: ItemID(fmt.Sprintf("i%d", i/100)), Text: fmt.Sprint(i)})
		if i%100 == 99 {
			e = StepEnded{Step: i}
		}
		sent = append(sent, e)
		o.put(e) // returns although nobody reads
	}
	o.close()
	var got []Event
	for batch := range o.out {
		got = append(got, batch...)
	}
	if said(got) != said(sent) {
		t.Error("the reader got something else than was sent")
	}
	if len(got) >= len(sent) {
		t.Errorf("%d events arrived of %d sent: nothing was merged", len(got), len(sent))
	}
}

// TestMergingIsLinear: text that waits for a slow reader is not copied again
// with each delta. Allocations are counted: a doubling buffer takes a few dozen.
func TestMergingIsLinear(t *testing.T) {
	const deltas, most = 10_000, 60
	events := make([]Event, deltas)
	for i := range events {
		events[i] = TextDelta{ID: "i1", Text: "word "}
	}
	var got []Event
	if n := testing.AllocsPerRun(3, func() { got = Coalesce(events) }); n > most {
		t.Errorf("%.0f allocations for %d deltas, want at most %d", n, deltas, most)
	}
	want := TextDelta{ID: "i1", Text: strings.Repeat("word ", deltas)}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %d events, want the whole text in one", len(got))
	}
}

// flood is a model that streams so many deltas.
type flood int

func (flood) Info(context.Context) (llm.ModelInfo, error) { return llm.ModelInfo{ID: "flood"}, nil }

func (n flood) Stream(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for range n {
			if !yield(llm.TextDelta{Text: "word "}, nil) {
				return
			}
		}
		yield(llm.Done{Response: llm.Response{Complete: true, Finish: llm.FinishStop, Message: llm.Message{Role: llm.Assistant, Text: strings.Repeat("word ", int(n))}}}, nil)
	}
}

// BenchmarkDeltaToEvent is the cost of a delta on its way to the reader of
// events, batching included.
func BenchmarkDeltaToEvent(b *testing.B) {
	const deltas = 10_000
	box, err := tools.NewToolbox(tools.ToolboxOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		core := New(Options{
			Model: flood(deltas), Tools: box, Policy: safety.NewPolicy(safety.Options{}),
			Session: &session.Session{ID: "20260101-000000-00000000"}, BatchInterval: time.Second / 30,
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); _ = core.Run(ctx) }() // it ends by ctx alone
		if err := core.Do(Prompt{Text: "go"}); err != nil {
			b.Fatal(err)
		}
		ended := false
		for batch := range core.Events() {
			for _, e := range batch {
				if _, ok := e.(TurnEnded); ok && !ended {
					ended = true
					cancel()
				}
			}
		}
		<-done
		cancel()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}
