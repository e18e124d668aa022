package openai

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/llm"
)

// pages answers GET and POST by path and query; everything else is 404.
type pages map[string]string

func (p pages) RoundTrip(req *http.Request) (*http.Response, error) {
	body, ok := p[req.URL.Host+req.URL.RequestURI()]
	if !ok {
		body, ok = p[req.URL.RequestURI()]
	}
	if !ok {
		body, ok = p[req.URL.Path]
	}
	status := http.StatusOK
	switch {
	case !ok:
		status, body = http.StatusNotFound, "404 page not found"
	case body == "refused":
		return nil, errors.New("connection refused")
	case body[0] >= '1' && body[0] <= '5': // "503 body"
		status = int(body[0]-'0')*100 + int(body[1]-'0')*10 + int(body[2]-'0')
		body = body[4:]
	}
	return &http.Response{
		StatusCode: status, Request: req, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "llamacpp", name, "response.body"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestInfoFindsTheServedWindow(t *testing.T) {
	t.Parallel()
	const qwenList = `{"data":[{"id":"qwen"}]}`
	for _, tc := range []struct {
		name   string
		opts   Options
		server pages
		want   llm.ModelInfo
	}{
		{
			"llama-server",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "models"), "/props": recorded(t, "props")},
			llm.ModelInfo{ID: "tiny", ContextWindow: 8192, WindowSource: "/props"},
		},
		{
			"llama-server with two slots",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "models-np2"), "/props": recorded(t, "props-np2")},
			llm.ModelInfo{ID: "tiny", ContextWindow: 2048, WindowSource: "/props"},
		},
		{
			"llama-server without /props",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "models-np2")},
			llm.ModelInfo{ID: "tiny", ContextWindow: 2048, WindowSource: "/v1/models"},
		},
		{
			"template without tools",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "models"), "/props": recorded(t, "no-tool-template-props")},
			llm.ModelInfo{ID: "tiny", ContextWindow: 8192, WindowSource: "/props", NoTools: true},
		},
		{
			"router takes the loaded model",
			Options{Provider: LlamaCpp},
			pages{
				"/v1/models":                       recorded(t, "router-models-loaded"),
				"/props?autoload=false&model=tiny": recorded(t, "router-props-model"),
				"/props":                           recorded(t, "router-props-no-model"),
			},
			llm.ModelInfo{ID: "tiny", ContextWindow: 4096, WindowSource: "/props"},
		},
		{
			"router with nothing loaded",
			Options{Provider: LlamaCpp, Model: "tiny"},
			pages{
				"/v1/models": recorded(t, "router-models-unloaded"),
				"/props":     "400 " + recorded(t, "router-props-model-not-loaded-no-autoload"),
			},
			llm.ModelInfo{ID: "tiny"},
		},
		{
			"configured",
			Options{Provider: LlamaCpp, ContextWindow: 5000},
			pages{"/v1/models": recorded(t, "models"), "/props": recorded(t, "no-tool-template-props")},
			llm.ModelInfo{ID: "tiny", ContextWindow: 5000, WindowSource: "configuration", NoTools: true},
		},
		{
			"docker model runner",
			Options{Provider: DMR},
			pages{
				"/engines/v1/models":                            `{"object":"list","data":[{"id":"ai/qwen3:latest"}]}`,
				"/engines/_configure?model=ai%2Fqwen3%3Alatest": `[{"Backend":"llama.cpp","Model":"ai/qwen3","Config":{"context-size":16384}}]`,
			},
			llm.ModelInfo{ID: "ai/qwen3:latest", ContextWindow: 16384, WindowSource: "/engines/_configure"},
		},
		{
			"docker model runner, not configured",
			Options{Provider: DMR},
			pages{"/engines/v1/models": `{"data":[{"id":"ai/qwen3"}]}`, "/engines/_configure": `[]`},
			llm.ModelInfo{ID: "ai/qwen3"},
		},
		{
			"ollama, loaded",
			Options{Provider: Ollama, Model: "qwen3"},
			pages{
				"/api/ps":   `{"models":[{"name":"qwen3:latest","context_length":4096}]}`,
				"/api/show": `{"model_info":{"qwen3.context_length":40960}}`,
			},
			llm.ModelInfo{ID: "qwen3", ContextWindow: 4096, WindowSource: "/api/ps"},
		},
		{
			"ollama, not loaded",
			Options{Provider: Ollama, Model: "qwen3"},
			pages{
				"/api/ps":   `{"models":[]}`,
				"/api/show": `{"model_info":{"qwen3.context_length":40960},"capabilities":["completion"]}`,
			},
			llm.ModelInfo{ID: "qwen3", ContextWindow: 40960, WindowSource: "/api/show", WindowIsMaximum: true, NoTools: true},
		},
		{
			"ollama, set in the model's file",
			Options{Provider: Ollama, Model: "qwen3"},
			pages{
				"/api/ps":   `{"models":[]}`,
				"/api/show": `{"parameters":"stop \"x\"\nnum_ctx 8192","model_info":{"qwen3.context_length":40960},"capabilities":["tools"]}`,
			},
			llm.ModelInfo{ID: "qwen3", ContextWindow: 8192, WindowSource: "/api/show"},
		},
		{
			"lm studio",
			Options{Provider: LMStudio},
			pages{
				"/v1/models":     qwenList,
				"/api/v1/models": `{"models":[{"key":"qwen","max_context_length":131072,"loaded_instances":[{"id":"qwen","config":{"context_length":8000}}]}]}`,
			},
			llm.ModelInfo{ID: "qwen", ContextWindow: 8000, WindowSource: "/api/v1/models"},
		},
		{
			"lm studio, older",
			Options{Provider: LMStudio},
			pages{
				"/v1/models":     qwenList,
				"/api/v1/models": `{"error":"Unexpected endpoint or method. (GET /api/v1/models)"}`,
				"/api/v0/models": `{"data":[{"id":"qwen","max_context_length":131072,"loaded_context_length":7000}]}`,
			},
			llm.ModelInfo{ID: "qwen", ContextWindow: 7000, WindowSource: "/api/v0/models"},
		},
		{
			"lm studio, not loaded",
			Options{Provider: LMStudio},
			pages{
				"/v1/models":     qwenList,
				"/api/v0/models": `{"data":[{"id":"qwen","max_context_length":131072}]}`,
			},
			llm.ModelInfo{ID: "qwen", ContextWindow: 131072, WindowSource: "/api/v0/models", WindowIsMaximum: true},
		},
		{
			"vllm",
			Options{Provider: VLLM},
			pages{"/v1/models": `{"data":[{"id":"qwen","max_model_len":32768}]}`},
			llm.ModelInfo{ID: "qwen", ContextWindow: 32768, WindowSource: "/v1/models"},
		},
		{
			"a server that tells nothing",
			Options{Provider: OpenAI, BaseURL: "http://h"},
			pages{"/v1/models": qwenList},
			llm.ModelInfo{ID: "qwen"},
		},
		{
			"a server without a list",
			Options{Provider: OpenAI, BaseURL: "http://h"},
			pages{},
			llm.ModelInfo{ID: "default"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.opts.HTTPClient = &http.Client{Transport: tc.server}
			c := New(tc.opts)
			got, err := c.Info(t.Context())
			tc.want.Provider, tc.want.BaseURL = tc.opts.Provider, c.BaseURL()
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

func TestInfoSaysThatTheServerIsAway(t *testing.T) {
	t.Parallel()
	c := New(Options{Provider: LlamaCpp, HTTPClient: &http.Client{Transport: pages{"/v1/models": "refused"}}})
	info, err := c.Info(t.Context())
	wantKind(t, err, llm.Unreachable)
	if info.Provider != LlamaCpp || info.BaseURL == "" {
		t.Errorf("got %+v, want what is known", info)
	}
}

func TestDefaultAddressFallsBackOnce(t *testing.T) {
	t.Parallel()
	list := `{"data":[{"id":"m"}]}`
	for _, tc := range []struct {
		name   string
		opts   Options
		server pages
		base   string
		fails  bool
	}{
		{
			"in a container",
			Options{Provider: LlamaCpp},
			pages{"localhost:8080/v1/models": "refused", "host.docker.internal:8080/v1/models": list},
			"http://host.docker.internal:8080/v1", false,
		},
		{
			"docker model runner in a container",
			Options{Provider: DMR},
			pages{"localhost:12434/engines/v1/models": "refused", "model-runner.docker.internal/engines/v1/models": list},
			"http://model-runner.docker.internal/engines/v1", false,
		},
		{
			"never with a configured address",
			Options{Provider: LlamaCpp, BaseURL: "http://localhost:9999"},
			pages{"localhost:9999/v1/models": "refused", "host.docker.internal:8080/v1/models": list},
			"http://localhost:9999/v1", true,
		},
		{
			"both away",
			Options{Provider: LlamaCpp},
			pages{"localhost:8080/v1/models": "refused", "host.docker.internal:8080/v1/models": "refused"},
			"http://localhost:8080/v1", true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.opts.HTTPClient = &http.Client{Transport: tc.server}
			c := New(tc.opts)
			if _, err := c.Info(t.Context()); (err != nil) != tc.fails || c.BaseURL() != tc.base {
				t.Errorf("got %s, %v, want %s", c.BaseURL(), err, tc.base)
			}
		})
	}
}

func TestDiscoverTakesTheFirstInOrder(t *testing.T) {
	t.Parallel()
	const list, loading = `{"object":"list","data":null}`, `503 {"error":{"message":"Loading model"}}`
	for _, tc := range []struct {
		name   string
		env    map[string]string
		server pages
		want   string // provider and base URL
	}{
		{"none", nil, pages{}, ""},
		{"one", nil, pages{"localhost:1234/v1/models": list}, "lmstudio http://localhost:1234/v1"},
		{"first of two", nil, pages{"localhost:8080/v1/models": list, "localhost:11434/v1/models": list}, "llamacpp http://localhost:8080/v1"},
		{"still loading", nil, pages{"localhost:8080/v1/models": loading}, "llamacpp http://localhost:8080/v1"},
		{"wants a key", nil, pages{"localhost:8000/v1/models": "401 {}"}, "vllm http://localhost:8000/v1"},
		{"something else", nil, pages{"localhost:8080/v1/models": "<html>", "localhost:8000/v1/models": "{}"}, ""},
		{
			"OLLAMA_HOST",
			map[string]string{"OLLAMA_HOST": "box:9"},
			pages{"box:9/v1/models": list, "localhost:8000/v1/models": list},
			"ollama http://box:9",
		},
		{
			"OPENAI_BASE_URL",
			map[string]string{"OPENAI_BASE_URL": "http://box:9/v1"},
			pages{"box:9/v1/models": list},
			"openai http://box:9/v1",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			env := func(key string) string { return tc.env[key] }
			found, err := discover(t.Context(), &http.Client{Transport: tc.server}, candidates(env))
			got := strings.TrimSpace(found.Provider + " " + found.BaseURL)
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}

func TestOllamaHostForms(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"box":                 "http://box:11434",
		"box:9":               "http://box:9",
		":9":                  "http://127.0.0.1:9",
		"0.0.0.0":             "http://127.0.0.1:11434",
		"0.0.0.0:9":           "http://127.0.0.1:9",
		"[::]:9":              "http://[::1]:9",
		"[::1]":               "http://[::1]:11434",
		"https://box:9/":      "https://box:9",
		"http://127.0.0.1:11": "http://127.0.0.1:11",
	} {
		if got := ollamaBase(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
