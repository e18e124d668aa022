package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"mm/llm"
)

// warmed has a server with these slots warmed, and returns the body that it
// got, or nil.
func warmed(t *testing.T, provider, base, slots string) (map[string]any, bool) {
	t.Helper()
	stream := load(t, "chat-max-tokens-0")
	var body map[string]any
	c := New(Options{Provider: provider, BaseURL: base, Model: "m", HTTPClient: &http.Client{
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/chat/completions") {
				if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
					t.Error(err)
				}
				return stream.RoundTrip(req)
			}
			status := http.StatusOK
			if slots == "" || req.URL.Path != "/slots" {
				status = http.StatusNotFound
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(slots))}, nil
		}),
	}})
	ok, err := c.Warm(t.Context(), llm.Request{
		Tools:    ask.Tools,
		Messages: ask.Messages[:1],
		Sampling: llm.Sampling{MaxTokens: 4096},
	})
	if err != nil {
		t.Error(err)
	}
	return body, ok
}

func TestWarmReadsThePrefixAlone(t *testing.T) {
	t.Parallel()
	const near = "http://127.0.0.1:1/v1"
	for _, tc := range []struct {
		name, provider, base, slots string
		maxTokens                   float64 // -1: nothing is sent
	}{
		{"one free slot", LlamaCpp, near, recorded(t, "slots-idle"), 0},
		{"the only slot is busy", LlamaCpp, near, recorded(t, "busy-slots"), -1},
		{"one of two is free", LlamaCpp, near, `[{"is_processing":true},{"is_processing":false}]`, 0},
		{"the server does not tell", LlamaCpp, near, "", -1},
		{"another server", Ollama, near, "", 1},
		{"a server elsewhere", LlamaCpp, "http://192.168.1.20:8080/v1", `[{"is_processing":false}]`, -1},
		{"from a container", LlamaCpp, "http://host.docker.internal:8080/v1", `[{"is_processing":false}]`, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			body, ok := warmed(t, tc.provider, tc.base, tc.slots)
			if want := tc.maxTokens >= 0; ok != want || (body != nil) != want {
				t.Fatalf("warmed %v with %v, want %v", ok, body, want)
			}
			if body == nil {
				return
			}
			if got, sent := body["max_tokens"]; !sent || got != tc.maxTokens {
				t.Errorf("max_tokens %v, want %v", got, tc.maxTokens)
			}
			messages := body["messages"].([]any)
			last := messages[len(messages)-1].(map[string]any)
			if len(messages) != 2 || last["role"] != "user" {
				t.Errorf("messages %v: want the system prompt and a stand-in for the user's", messages)
			}
		})
	}
}
