package doctor_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mm/llm/llmtest"
)

// shape imitates a kind of server around llmtest's, which has the shape of
// llama-server: its own endpoints, its base path, and what its answers lack.
type shape struct {
	provider string
	base     string            // before /v1
	own      map[string]string // path → JSON body
	hide     []string          // paths of llama-server that it has not
	answers  func([]byte) []byte
}

var (
	llamaServer = shape{provider: "llamacpp"}

	// Ollama: no cached tokens, no timings, no progress; reasoning under
	// another name; whole calls.
	ollama = shape{
		provider: "ollama",
		own: map[string]string{
			"/api/ps": `{"models":[{"name":"scripted:latest","model":"scripted:latest","context_length":16384}]}`,
		},
		hide: []string{"/props"}, answers: plain("reasoning"),
	}

	// LM Studio answers a wrong path with 200.
	lmStudio = shape{
		provider: "lmstudio",
		own: map[string]string{
			"/api/v1/models": `{"models":[{"key":"scripted","max_context_length":32768,"loaded_instances":[{"id":"scripted","config":{"context_length":8192}}]}]}`,
			"/props":         `{"error":"Unexpected endpoint or method. (GET /props)"}`,
		},
		answers: plain("reasoning_content"),
	}

	vllm = shape{
		provider: "vllm",
		own:      map[string]string{"/v1/models": `{"object":"list","data":[{"id":"scripted","object":"model","max_model_len":32768}]}`},
		hide:     []string{"/props"}, answers: plain("reasoning"),
	}

	// Docker Model Runner proxies llama-server's chat, and not its /props.
	modelRunner = shape{
		provider: "dmr", base: "/engines",
		own: map[string]string{
			"/engines/_configure": `[{"Backend":"llama.cpp","Model":"scripted","Config":{"context-size":12288}}]`,
		},
		hide: []string{"/props"},
	}
)

// plain takes llama-server's own fields out of an event, and names reasoning.
func plain(reasoning string) func([]byte) []byte {
	return func(b []byte) []byte {
		if bytes.Contains(b, []byte(`"prompt_progress"`)) {
			return nil
		}
		b = bytes.ReplaceAll(b, []byte(`"prompt_tokens_details"`), []byte(`"x_details"`))
		b = bytes.ReplaceAll(b, []byte(`"timings"`), []byte(`"x_timings"`))
		return bytes.ReplaceAll(b, []byte(`"reasoning_content"`), []byte(`"`+reasoning+`"`))
	}
}

// start serves a shape; every chat is answered by section.
func (s shape) start(t *testing.T, server string, section func(*llmtest.Request) string) (base string, chats func() int) {
	t.Helper()
	script, err := llmtest.Parse("-- server --\n" + server)
	if err != nil {
		t.Fatal(err)
	}
	inner := llmtest.New(t, script)
	inner.SetFallback(section)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := s.own[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
			return
		}
		for _, path := range s.hide {
			if r.URL.Path == path {
				http.NotFound(w, r)
				return
			}
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, s.base)
		if s.answers != nil {
			w = rewriter{w, s.answers}
		}
		inner.ServeHTTP(w, r)
	})
	ts := httptest.NewServer(h)
	t.Cleanup(func() {
		ts.Close()
		inner.Close()
	})
	return ts.URL + s.base + "/v1", func() int { return len(inner.Requests()) }
}

// rewriter changes each event; llmtest writes one at a time.
type rewriter struct {
	http.ResponseWriter
	change func([]byte) []byte
}

func (w rewriter) Write(p []byte) (int, error) {
	_, err := w.ResponseWriter.Write(w.change(p))
	return len(p), err
}

// Unwrap lets the controller flush.
func (w rewriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
