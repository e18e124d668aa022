package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"mm/llm/openai"
)

// The settings of the model's family and the core want the same answer at the
// start. The server is asked once.
func TestServerIsAskedOnceAtTheStart(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(`{"data": [{"id": "m", "meta": {"n_ctx": 4096}}]}`))
	}))
	defer there.Close()
	s := &server{}
	s.use(openai.Options{Provider: openai.OpenAI, BaseURL: there.URL + "/v1", Model: "m", ContextWindow: 4096})
	first, err := s.Info(t.Context())
	if err != nil || first.ID != "m" {
		t.Fatalf("got %+v, %v", first, err)
	}
	before := asked.Load()
	if again, err := s.Info(t.Context()); err != nil || again != first || asked.Load() != before {
		t.Errorf("asked again: %+v, %v, %d requests after %d", again, err, asked.Load(), before)
	}
	s.choose("m2")
	if _, _ = s.Info(t.Context()); asked.Load() == before {
		t.Error("another model was not asked for")
	}
}
