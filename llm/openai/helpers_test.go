package openai

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mm/llm"
	"mm/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask is a request that any script answers.
var ask = llm.Request{
	Messages: []llm.Message{{Role: llm.System, Text: "be brief"}, {Role: llm.User, Text: "hi"}},
	Tools:    []llm.ToolSpec{{Name: "bash"}, {Name: "read_file"}},
}

// outcome is everything that a stream yielded.
type outcome struct {
	deltas []llm.Delta
	text   string
	think  string
	args   []string // per call
	names  []string
	phases []llm.Phase
	alive  int
	done   *llm.Response
	err    error
}

// collect reads a stream to its end and checks what holds for every stream:
// one Done, last, or an error, last.
func collect(t *testing.T, ctx context.Context, c *Client, req llm.Request) outcome {
	t.Helper()
	var a outcome
	var text, think strings.Builder
	var args []*strings.Builder
	for d, err := range c.Stream(ctx, req) {
		if a.done != nil || a.err != nil {
			t.Errorf("got %#v, %v after the end", d, err)
		}
		if err != nil {
			a.err = err
			continue
		}
		a.deltas = append(a.deltas, d)
		switch d := d.(type) {
		case llm.TextDelta:
			text.WriteString(d.Text)
		case llm.ReasoningDelta:
			think.WriteString(d.Text)
		case llm.CallDelta:
			for d.Call >= len(a.names) {
				args, a.names = append(args, new(strings.Builder)), append(a.names, "")
			}
			args[d.Call].WriteString(d.Args)
			a.names[d.Call] += d.Name
		case llm.PhaseChanged:
			a.phases = append(a.phases, d.Phase)
		case llm.Alive:
			a.alive++
		case llm.Done:
			a.done = &d.Response
		}
	}
	if a.done == nil && a.err == nil {
		t.Error("the stream ended with neither a Done nor an error")
	}
	a.text, a.think = text.String(), think.String()
	for i := range args {
		a.args = append(a.args, args[i].String())
	}
	return a
}

// scripted returns a client of an in-process server.
func scripted(t *testing.T, script string) (*Client, *llmtest.Server) {
	t.Helper()
	parsed, err := llmtest.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	s := llmtest.New(t, parsed)
	t.Cleanup(s.Close)
	return New(Options{
		Provider: LlamaCpp, BaseURL: "http://model.test",
		HTTPClient: &http.Client{Transport: s.Transport()},
	}), s
}

func responseOf(r *reader) *http.Response {
	return &http.Response{Header: http.Header{}, Body: r}
}

// newLoopback serves one handler on a socket and returns its base URL.
func newLoopback(tb testing.TB, play func(w http.ResponseWriter, flush func())) string {
	tb.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		play(w, func() { _ = http.NewResponseController(w).Flush() })
	}))
	tb.Cleanup(s.Close)
	return s.URL
}
