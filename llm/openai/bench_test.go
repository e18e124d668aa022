package openai

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mm/llm"
)

// tokenEvent is one token as llama-server sends it.
const tokenEvent = `data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":" word"}}],"created":1796056742,` +
	`"id":"chatcmpl-svN32oE0VI1UkZ29NW2ViNodbx4sXQQn","model":"tiny","system_fingerprint":"b10587-3f545becc","object":"chat.completion.chunk"}` + "\n\n"

func benchClient(body io.ReadCloser) *Client {
	return New(Options{Provider: LlamaCpp, Model: "m", HTTPClient: &http.Client{
		Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
		}),
	}})
}

// BenchmarkDeltas: time and allocations of one token, from bytes to delta. At
// 10,000 deltas a second one may cost 100 µs; a fast local model makes 200.
func BenchmarkDeltas(b *testing.B) {
	const tokens = 2000 // few enough that no guard thinks of a runaway
	var body strings.Builder
	for i := range tokens {
		body.WriteString(strings.Replace(tokenEvent, " word", fmt.Sprintf(" w%d", i), 1))
	}
	body.WriteString(finished)
	b.ReportAllocs()
	count := 0
	for b.Loop() {
		c := benchClient(io.NopCloser(strings.NewReader(body.String())))
		for _, err := range c.Stream(b.Context(), ask) {
			if err != nil {
				b.Fatal(err)
			}
			count++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(count), "ns/delta")
	b.ReportMetric(float64(count)/b.Elapsed().Seconds(), "deltas/s")
}

// BenchmarkDelay: from the last byte of an event on a socket to its delta.
func BenchmarkDelay(b *testing.B) {
	sent := make(chan time.Time, 1)
	next := make(chan struct{})
	server := newLoopback(b, func(w http.ResponseWriter, flush func()) {
		fmt.Fprint(w, strings.Replace(tokenEvent, " word", "first", 1))
		flush()
		for range next {
			sent <- time.Now()
			fmt.Fprintf(w, "%s", tokenEvent)
			flush()
		}
		fmt.Fprint(w, finished)
	})
	c := New(Options{BaseURL: server, Model: "m"})
	defer c.http.CloseIdleConnections()
	var delays []time.Duration
	ended := false
	for d, err := range c.Stream(b.Context(), ask) {
		if err != nil {
			b.Fatal(err)
		}
		text, ok := d.(llm.TextDelta)
		if !ok || ended {
			continue
		}
		if text.Text == " word" {
			delays = append(delays, time.Since(<-sent))
		}
		if b.Loop() && len(delays) < 1000 { // the guard against repetition would trip
			next <- struct{}{}
		} else {
			ended = true
			close(next)
		}
	}
	slices.Sort(delays)
	b.ReportMetric(float64(delays[len(delays)/2].Microseconds()), "µs/p50")
	b.ReportMetric(float64(delays[len(delays)*99/100].Microseconds()), "µs/p99")
}

// TestAllocationsOfADelta keeps the cost of a token from creeping up.
func TestAllocationsOfADelta(t *testing.T) {
	const tokens, ceiling = 1000, 40
	body := strings.Repeat(tokenEvent, tokens) + finished
	allocs := testing.AllocsPerRun(5, func() {
		c := benchClient(io.NopCloser(strings.NewReader(body)))
		for _, err := range c.Stream(t.Context(), ask) {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	if per := allocs / tokens; per > ceiling {
		t.Errorf("got %.1f allocations a delta, want at most %d", per, ceiling)
	}
}
