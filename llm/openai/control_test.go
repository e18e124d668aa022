package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"mm/llm"
)

// TestEndReasoningNamesTheAnswerUnderWay plays the recorded exchange: the id
// that the stream told is sent to the control endpoint.
func TestEndReasoningNamesTheAnswerUnderWay(t *testing.T) {
	t.Parallel()
	stream := load(t, "control-target-stream")
	var asked, body string
	c := New(Options{Provider: LlamaCpp, Model: "slow", HTTPClient: &http.Client{
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/chat/completions") {
				return stream.RoundTrip(req)
			}
			data, err := io.ReadAll(req.Body)
			asked, body = req.URL.Path, string(data)
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{},
				Body: io.NopCloser(strings.NewReader(recorded(t, "control-reasoning-end"))),
			}, err
		}),
	}})
	for d, err := range c.Stream(t.Context(), ask) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := d.(llm.ReasoningDelta); ok && asked == "" {
			if err := c.EndReasoning(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if asked != "/v1/chat/completions/control" ||
		!strings.Contains(body, `"action":"reasoning_end"`) ||
		!strings.Contains(body, `"id":"chatcmpl-skFRWqL2bAPLKnxJt02rEcA1ps2vD0Gp"`) {
		t.Errorf("asked %s with %s", asked, body)
	}
	if err := c.EndReasoning(t.Context()); err == nil {
		t.Error("no error without an answer under way")
	}
}

func TestEndReasoningElsewhere(t *testing.T) {
	t.Parallel()
	c := New(Options{Provider: Ollama, Model: "m", HTTPClient: &http.Client{Transport: pages{}}})
	c.setRunning("x")
	wantKind(t, c.EndReasoning(t.Context()), llm.BadRequest)
}
