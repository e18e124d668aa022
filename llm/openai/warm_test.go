package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	if free := c.Free(t.Context()); free != ok {
		t.Errorf("the server is free: %v, and was read ahead: %v", free, ok)
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

// TestSlotIsPinned: of several slots the one that was warmed is asked for, unless
// somebody else uses it by then. A server with one is not told.
func TestSlotIsPinned(t *testing.T) {
	t.Parallel()
	const other, idle = `{"id":%d,"is_processing":true,"id_task":9}`, `{"id":%d,"is_processing":false,"id_task":%d}`
	for _, tc := range []struct {
		name         string
		warmed, then string // the slots at the warming, and at the request
		first, next  any    // id_slot of both
	}{
		{"the one idle longest", "[" + fmt.Sprintf(idle, 0, 7) + "," + fmt.Sprintf(idle, 1, 3) + "]", "", 1.0, 1.0},
		{"one that is free", "[" + fmt.Sprintf(other, 0) + "," + fmt.Sprintf(idle, 1, 9) + "]", "", 1.0, 1.0},
		{"taken by then", "[" + fmt.Sprintf(idle, 0, 1) + "," + fmt.Sprintf(idle, 1, 2) + "]", "[" + fmt.Sprintf(other, 0) + "," + fmt.Sprintf(idle, 1, 2) + "]", 0.0, nil},
		{"the only one", "[" + fmt.Sprintf(idle, 0, 1) + "]", "", nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			stream, slots := load(t, "chat-max-tokens-0"), tc.warmed
			var sent []map[string]any
			c := New(Options{Provider: LlamaCpp, Model: "m", HTTPClient: &http.Client{
				Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
					if req.URL.Path == "/slots" {
						return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(slots))}, nil
					}
					body, err := io.ReadAll(req.Body)
					var fields map[string]any
					if err != nil || json.Unmarshal(body, &fields) != nil {
						t.Error("no JSON was sent")
					}
					sent = append(sent, fields)
					req.Body = io.NopCloser(bytes.NewReader(body))
					return stream.RoundTrip(req)
				}),
			}})
			if ok, err := c.Warm(t.Context(), ask); !ok || err != nil {
				t.Fatalf("warmed %v, %v", ok, err)
			}
			if tc.then != "" {
				slots = tc.then
			}
			for _, err := range c.Stream(t.Context(), ask) {
				if err != nil {
					t.Error(err)
				}
			}
			if len(sent) != 2 || sent[0]["id_slot"] != tc.first || sent[1]["id_slot"] != tc.next {
				t.Errorf("sent %v, want id_slot %v, then %v", sent, tc.first, tc.next)
			}
		})
	}
}

// A server that reads ahead does not stop at once. The next request says what
// it waits for, and only that one.
func TestWaitForWhatWasReadAhead(t *testing.T) {
	t.Parallel()
	stream := load(t, "chat-max-tokens-0")
	ctx, submit := context.WithCancel(t.Context())
	c := New(Options{Provider: Ollama, BaseURL: "http://127.0.0.1:1/v1", Model: "m", HTTPClient: &http.Client{
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			if ctx.Err() == nil {
				submit()
				return nil, context.Canceled
			}
			return stream.RoundTrip(req)
		}),
	}})
	if ok, err := c.Warm(ctx, ask); ok || err == nil {
		t.Fatalf("warmed %v, %v; want it broken off", ok, err)
	}
	for _, want := range []string{"it ends what it began to read ahead; nothing of that is lost", ""} {
		var got []string
		for d, err := range c.Stream(t.Context(), ask) {
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := d.(llm.PhaseChanged); ok && d.Phase == llm.Connecting {
				got = append(got, d.Detail)
			}
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("the wait is told as %q, want %q", got, want)
		}
	}
}
