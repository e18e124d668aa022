package openai

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/llm"
)

// Bodies as the servers' own documentation shows them, cut to what is read.
const (
	ollamaList = `{"object":"list","data":[
		{"id":"deepseek-r1:latest","object":"model","created":1746878447,"owned_by":"library"},
		{"id":"llama3.2:latest","object":"model","created":1746394857,"owned_by":"library"}]}`
	ollamaTags = `{"models":[
		{"name":"deepseek-r1:latest","model":"deepseek-r1:latest","modified_at":"2025-05-10T08:06:48.639712648-07:00","size":4683075271,
		 "details":{"parent_model":"","format":"gguf","family":"qwen2","families":["qwen2"],"parameter_size":"7.6B","quantization_level":"Q4_K_M"}},
		{"name":"llama3.2:latest","model":"llama3.2:latest","modified_at":"2025-05-04T17:37:44.706015396-07:00","size":2019393189,
		 "details":{"parent_model":"","format":"gguf","family":"llama","families":["llama"],"parameter_size":"3.2B","quantization_level":"Q4_K_M"}}]}`
	ollamaRunning = `{"models":[{"name":"llama3.2:latest","model":"llama3.2:latest","size":3366354944,
		"details":{"parameter_size":"3.2B","quantization_level":"Q4_K_M"},"size_vram":3366354944,"context_length":4096}]}`
	studioList = `{"object":"list","data":[{"id":"qwen2-vl-7b-instruct","object":"model","owned_by":"organization_owner"},
		{"id":"meta-llama-3.1-8b-instruct","object":"model","owned_by":"organization_owner"}]}`
	vllmList = `{"object":"list","data":[{"id":"Qwen/Qwen2.5-1.5B-Instruct","object":"model","created":1735689600,"owned_by":"vllm",
		"root":"Qwen/Qwen2.5-1.5B-Instruct","parent":null,"max_model_len":32768}]}`
	dockerList = `{"object":"list","data":[{"id":"ai/smollm2:360M-F16","object":"model","created":1745698622,"owned_by":"docker"},
		{"id":"ai/qwen3:latest","object":"model","created":1745698623,"owned_by":"docker"}]}`
)

func TestModelsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		opts   Options
		server pages
		want   []llm.ListedModel
	}{
		{
			"llama-server",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "models")},
			[]llm.ListedModel{{ID: "tiny", Parameters: "14M", Bytes: 28404992, Quantisation: "F16", ContextWindow: 8192, Loaded: true}},
		},
		{
			"llama-server, the window of one of two slots",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "models-np2")},
			[]llm.ListedModel{{ID: "tiny", Parameters: "14M", Bytes: 28404992, Quantisation: "F16", ContextWindow: 2048, Loaded: true}},
		},
		{
			"llama-server, what the model was trained for alone",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": `{"data":[{"id":"qwen","meta":{"n_ctx_train":32768,"n_params":1777088000,"size":1111370240,"ftype":"Q4_K - Medium"}}]}`},
			[]llm.ListedModel{{ID: "qwen", Parameters: "1.8B", Bytes: 1111370240, Quantisation: "Q4_K_M", ContextWindow: 32768, WindowIsMaximum: true}},
		},
		{
			"router, the loaded one first",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "router-models-loaded")},
			[]llm.ListedModel{
				{ID: "tiny", Parameters: "14M", Bytes: 28404992, Quantisation: "F16", ContextWindow: 4096, Loaded: true},
				{ID: "other"},
			},
		},
		{
			"router, one is loading",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": recorded(t, "router-models-loading")},
			[]llm.ListedModel{{ID: "other"}, {ID: "tiny"}},
		},
		{
			"router, what is told before it is loaded",
			Options{Provider: LlamaCpp},
			pages{"/v1/models": `{"data":[{"id":"qwen","status":{"value":"unloaded"},"source":"models_dir","context_length":32768},
				{"id":"tiny","status":{"value":"loaded"},"context_length":32768,"meta":{"n_ctx":4096,"n_ctx_train":32768}}]}`},
			[]llm.ListedModel{{ID: "tiny", ContextWindow: 4096, Loaded: true}, {ID: "qwen", ContextWindow: 32768, WindowIsMaximum: true}},
		},
		{
			"ollama",
			Options{Provider: Ollama},
			pages{"/v1/models": ollamaList, "/api/tags": ollamaTags, "/api/ps": ollamaRunning},
			[]llm.ListedModel{
				{ID: "llama3.2:latest", Parameters: "3.2B", Bytes: 2019393189, Quantisation: "Q4_K_M", ContextWindow: 4096, Loaded: true},
				{ID: "deepseek-r1:latest", Parameters: "7.6B", Bytes: 4683075271, Quantisation: "Q4_K_M"},
			},
		},
		{
			"ollama without models",
			Options{Provider: Ollama},
			pages{"/v1/models": `{"object":"list","data":null}`, "/api/tags": `{"models":[]}`, "/api/ps": `{"models":[]}`},
			nil,
		},
		{
			"lm studio",
			Options{Provider: LMStudio},
			pages{
				"/v1/models": `{"data":[{"id":"gemma-3-270m-it-qat"},{"id":"qwen3.6-35b-a3b-mtp"},{"id":"qwen3.6-35b-a3b-mtp:2"}]}`,
				"/api/v1/models": `{"models":[
					{"type":"llm","key":"gemma-3-270m-it-qat","quantization":{"name":"Q4_0","bits_per_weight":4},"size_bytes":241410208,
					 "params_string":"270M","loaded_instances":[],"max_context_length":32768,"format":"gguf"},
					{"type":"llm","key":"qwen3.6-35b-a3b-mtp","quantization":null,"size_bytes":18890707872,"params_string":"35B-A3B",
					 "loaded_instances":[{"id":"qwen3.6-35b-a3b-mtp","config":{"context_length":65536}},{"id":"qwen3.6-35b-a3b-mtp:2","config":{"context_length":8192}}],
					 "max_context_length":262144,"format":"gguf"}]}`,
			},
			[]llm.ListedModel{
				{ID: "qwen3.6-35b-a3b-mtp", Parameters: "35B-A3B", Bytes: 18890707872, ContextWindow: 65536, Loaded: true},
				{ID: "qwen3.6-35b-a3b-mtp:2", Parameters: "35B-A3B", Bytes: 18890707872, ContextWindow: 8192, Loaded: true},
				{ID: "gemma-3-270m-it-qat", Parameters: "270M", Bytes: 241410208, Quantisation: "Q4_0", ContextWindow: 32768, WindowIsMaximum: true},
			},
		},
		{
			"lm studio, older",
			Options{Provider: LMStudio},
			pages{
				"/v1/models":     studioList,
				"/api/v1/models": `{"error":"Unexpected endpoint or method. (GET /api/v1/models)"}`,
				"/api/v0/models": `{"object":"list","data":[
					{"id":"qwen2-vl-7b-instruct","type":"vlm","quantization":"4bit","state":"not-loaded","max_context_length":32768},
					{"id":"meta-llama-3.1-8b-instruct","type":"llm","quantization":"Q4_K_M","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`,
			},
			[]llm.ListedModel{
				{ID: "meta-llama-3.1-8b-instruct", Quantisation: "Q4_K_M", ContextWindow: 4096, Loaded: true},
				{ID: "qwen2-vl-7b-instruct", Quantisation: "4bit", ContextWindow: 32768, WindowIsMaximum: true},
			},
		},
		{
			"vllm",
			Options{Provider: VLLM},
			pages{"/v1/models": vllmList},
			[]llm.ListedModel{{ID: "Qwen/Qwen2.5-1.5B-Instruct", ContextWindow: 32768}},
		},
		{
			"docker model runner",
			Options{Provider: DMR},
			pages{
				"/engines/v1/models": dockerList,
				"/models": `[
					{"id":"sha256:020ef929a2866cc4079bf477583c23dc1432e37b9e73b3c20de51a3720b90ac7","tags":["ai/smollm2:360M-F16"],"created":1745698622,
					 "config":{"format":"gguf","quantization":"F16","parameters":"361.82 M","architecture":"llama","size":"690.24 MiB"}},
					{"id":"sha256:11","tags":["ai/qwen3:8b","ai/qwen3:latest"],"config":{"quantization":"MOSTLY_Q4_K_M","parameters":"8.19 B","size":"4.68GiB"}}]`,
			},
			[]llm.ListedModel{
				{ID: "ai/smollm2:360M-F16", Parameters: "362M", Bytes: 723769098, Quantisation: "F16"},
				{ID: "ai/qwen3:latest", Parameters: "8.2B", Bytes: 5025111736, Quantisation: "Q4_K_M"},
			},
		},
		{
			"docker model runner, one engine of it",
			Options{Provider: DMR, BaseURL: "http://localhost:12434/engines/llama.cpp/v1"},
			pages{
				"/engines/llama.cpp/v1/models": `{"data":[{"id":"ai/qwen3"}]}`,
				"/models":                      `[{"tags":["ai/qwen3"],"config":{"quantization":"Q8_0","size":"811.5 MB"}}]`,
			},
			[]llm.ListedModel{{ID: "ai/qwen3", Bytes: 811500000, Quantisation: "Q8_0"}},
		},
		{
			"a server that tells names alone",
			Options{BaseURL: "http://h"},
			pages{"/v1/models": `{"data":[{"id":"b"},{"id":"a"}]}`},
			[]llm.ListedModel{{ID: "b"}, {ID: "a"}},
		},
		{
			"fields of other types",
			Options{BaseURL: "http://h"},
			pages{"/v1/models": `{"data":[{"id":"a","meta":"none","status":7},{"id":"b","meta":{"n_params":"4B","size":12,"n_ctx":[]}},{"id":5},{}]}`},
			[]llm.ListedModel{{ID: "a"}, {ID: "b", Bytes: 12}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.opts.HTTPClient = &http.Client{Transport: tc.server}
			got, err := New(tc.opts).Models(t.Context())
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
}

// blanks is a body without an end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte(" "), len(p))), nil }

// behind answers the list of names, and everything else in its own way.
type behind struct {
	list string
	rest func(*http.Request) (io.Reader, error)
}

func (b behind) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/v1/models" || req.URL.Path == "/engines/v1/models" {
		return pages{req.URL.Path: b.list}.RoundTrip(req)
	}
	body, err := b.rest(req)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Request: req, Header: http.Header{}, Body: io.NopCloser(body)}, nil
}

// Whatever the other endpoints do, the names come, and soon.
func TestNamesComeWithoutDescriptions(t *testing.T) {
	t.Parallel()
	says := func(text string) func(*http.Request) (io.Reader, error) {
		return func(*http.Request) (io.Reader, error) { return bytes.NewReader([]byte(text)), nil }
	}
	for name, rest := range map[string]func(*http.Request) (io.Reader, error){
		"a page":          says("<html>not found</html>"),
		"nothing":         says(""),
		"another shape":   says(`{"models":"none","data":{"a":1}}`),
		"a list":          says(`[1,"a",null]`),
		"without an end":  func(*http.Request) (io.Reader, error) { return blanks{}, nil },
		"without headers": func(req *http.Request) (io.Reader, error) { <-req.Context().Done(); return nil, req.Context().Err() },
		"without a body": func(req *http.Request) (io.Reader, error) {
			r, w := io.Pipe()
			go func() { <-req.Context().Done(); w.CloseWithError(req.Context().Err()) }()
			return r, nil
		},
	} {
		for _, provider := range []string{Ollama, LMStudio, DMR} {
			t.Run(name+" of "+provider, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					c := New(Options{Provider: provider, HTTPClient: &http.Client{Transport: behind{`{"data":[{"id":"a"},{"id":"b"}]}`, rest}}})
					got, err := c.Models(t.Context())
					if want := []llm.ListedModel{{ID: "a"}, {ID: "b"}}; err != nil || !slices.Equal(got, want) {
						t.Errorf("got %+v, %v, want %+v", got, err, want)
					}
					if took := time.Since(start); took > describeTimeout {
						t.Errorf("took %v", took)
					}
				})
			})
		}
	}
}

func TestQuantisationIsShort(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                     "",
		"Q4_K - Medium":        "Q4_K_M",
		"Q3_K - Large":         "Q3_K_L",
		"IQ3_S - 3.4375 bpw":   "IQ3_S",
		"Q8_0 (guessed)":       "Q8_0",
		"MOSTLY_Q4_K_M":        "Q4_K_M",
		"IQ2_XXS/Q4_K_M":       "IQ2_XXS/Q4_K_M",
		"Q5_K - Small (guess)": "Q5_K_S",
	} {
		if got := fileType(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestNumberOfWeights(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":         "",
		"7B":       "7B",
		"4.3B":     "4.3B",
		"361.82 M": "362M",
		"999.89M":  "1B",
		"235.1B":   "235B",
		"35B-A3B":  "35B-A3B",
		"1.2.3B":   "1.2.3B",
	} {
		if got := toldParameters(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestSizeThatIsTold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"": 0, "big": 0, "-3 MB": 0, "1.2.3 MB": 0,
		"12 B": 12, "1.5kB": 1500, "256 MiB": 256 << 20, "4.1GB": 4_100_000_000, "1 TiB": 1 << 40,
	} {
		if got := toldBytes(in); got != want {
			t.Errorf("%q: got %d, want %d", in, got, want)
		}
	}
}
