package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	llama := ModelInfo{Provider: "llamacpp", BaseURL: "http://localhost:8080/v1", ID: "qwen"}
	with := func(provider string) ModelInfo {
		return ModelInfo{Provider: provider, BaseURL: "http://h/v1", ID: "qwen"}
	}
	refused := errors.New("dial tcp 127.0.0.1:8080: connect: connection refused")
	for _, tc := range []struct {
		name string
		err  error
		info ModelInfo
		want []string
	}{
		{"refused", &Error{Kind: Unreachable, Err: refused}, llama, []string{"http://localhost:8080/v1", "llama-server -m MODEL.gguf --jinja"}},
		{"refused by Docker", &Error{Kind: Unreachable, Err: refused}, with("dmr"), []string{"docker model run"}},
		{"refused by Ollama", &Error{Kind: Unreachable, Err: refused}, with("ollama"), []string{"ollama serve"}},
		{"refused by anything", &Error{Kind: Unreachable, Err: refused}, with("openai"), []string{"http://h/v1", "baseURL"}},
		{"proxy", &Error{Kind: Unreachable, Proxy: "http://127.0.0.1:9", Err: refused}, llama, []string{"proxy http://127.0.0.1:9", "NO_PROXY"}},
		{"502 of a proxy", &Error{Kind: ServerFault, Status: 502, Message: "Bad Gateway", Proxy: "http://p:3"}, llama, []string{"Bad Gateway", "NO_PROXY"}},
		{"DNS", &Error{Kind: Unreachable, Err: errors.New("lookup box: no such host")}, llama, []string{"not known", "baseURL"}},
		{"TLS", &Error{Kind: Unreachable, Err: errors.New("tls: failed to verify certificate: x509: unknown")}, llama, []string{"certificate"}},
		{"TLS to a plain server", &Error{Kind: Unreachable, Err: errors.New("http: server gave HTTP response to HTTPS client")}, llama, []string{"http://"}},
		{"none found", &Error{Kind: Unreachable, Message: "no local model server answers; tried x"}, ModelInfo{}, []string{"tried x", "llama-server"}},
		{"401", &Error{Kind: Unauthorized, Status: 401}, llama, []string{"API key", "MM_API_KEY"}},
		{"404 with names", &Error{Kind: UnknownModel, Nearest: []string{"qwen3", "qwen2"}}, llama, []string{"qwen", "nearest: qwen3, qwen2"}},
		{"404 of Ollama", &Error{Kind: UnknownModel}, with("ollama"), []string{"ollama pull qwen"}},
		{"overflow", &Error{Kind: ContextFull, PromptTokens: 4139, ContextWindow: 4096}, with("dmr"), []string{"4139", "4096", "docker model configure --context-size"}},
		{"overflow without figures", &Error{Kind: ContextFull}, llama, []string{"/compact", "-c"}},
		{"loading", &Error{Kind: LoadingModel}, llama, []string{"loading"}},
		{"no --jinja", &Error{Kind: NoToolSupport, Message: "tools param requires --jinja flag"}, llama, []string{"restart llama-server with --jinja"}},
		{"no tools", &Error{Kind: NoToolSupport, Message: "gemma3:4b does not support tools"}, with("ollama"), []string{"qwen", "cannot call tools", "choose another"}},
		{"no tools at vLLM", &Error{Kind: NoToolSupport, Message: `"auto" tool choice requires --enable-auto-tool-choice`}, with("vllm"), []string{"--tool-call-parser"}},
		{"template", &Error{Kind: BadTemplate, Message: "roles must alternate"}, llama, []string{"roles must alternate", "profile"}},
		{"no answer", &Error{Kind: NoAnswer, Message: "nothing for 3m0s"}, llama, []string{"3m0s", "firstTokenTimeout"}},
		{"stalled", &Error{Kind: Stalled, Message: "nothing for 30s"}, llama, []string{"30s", "watchdogTimeout"}},
		{"disconnected", &Error{Kind: Disconnected}, llama, []string{"closed the connection"}},
		{"runaway call", &Error{Kind: RunawayCall, Message: `bash: "ab" repeats`}, llama, []string{`"ab" repeats`, "smaller step"}},
		{"runaway answer", &Error{Kind: RunawayAnswer}, llama, []string{"repeats itself"}},
		{"overlong", &Error{Kind: Overlong, Message: "it ignored max_tokens (4096)"}, llama, []string{"llama-server at http://localhost:8080/v1", "ignored max_tokens (4096)", "-n N"}},
		{"server fault", &Error{Kind: ServerFault, Message: "out of memory"}, llama, []string{"out of memory"}},
		{"bad request", &Error{Kind: BadRequest, Message: "Field 'max_tokens'"}, llama, []string{"Field 'max_tokens'"}},
		{"bad answer", &Error{Kind: BadAnswer, Message: "a web page"}, llama, []string{"a web page", "/v1"}},
		{"wrapped", fmt.Errorf("step 3: %w", &Error{Kind: LoadingModel}), llama, []string{"loading"}},
		{"cancelled", fmt.Errorf("x: %w", context.Canceled), llama, []string{"cancelled"}},
		{"another error", errors.New("disk full"), llama, []string{"disk full"}},
		{"a JSON blob", &Error{Kind: BadRequest, Message: `{"a":{"b":1}}`}, llama, []string{"refused"}},
		{"none", nil, llama, []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Explain(tc.err, tc.info)
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			for _, never := range []string{"\n", "*llm", "llm.", "url.Error", `{"`, "%!"} {
				if strings.Contains(got, never) {
					t.Errorf("got %q with %q", got, never)
				}
			}
		})
	}
}

func TestExplainWindow(t *testing.T) {
	for _, tc := range []struct {
		info ModelInfo
		want []string // nothing is said when it is empty
	}{
		{ModelInfo{Provider: "llamacpp", BaseURL: "http://h:1/v1", ContextWindow: 8192, WindowSource: "/props"}, nil},
		{ModelInfo{Provider: "llamacpp", BaseURL: "http://h:1/v1"}, []string{"llama-server at http://h:1/v1 does not tell", "contextWindow", "curl http://h:1/props"}},
		{ModelInfo{Provider: "ollama", ContextWindow: 131072, WindowIsMaximum: true}, []string{"131072 tokens", "may serve less", "contextWindow", "ollama ps"}},
		{ModelInfo{Provider: "openai", BaseURL: "http://h:1/v1"}, []string{"contextWindow to what it was started with"}},
	} {
		got := ExplainWindow(tc.info)
		if (got == "") != (tc.want == nil) {
			t.Errorf("%+v: got %q", tc.info, got)
		}
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func TestEveryKindHasAnExplanation(t *testing.T) {
	for _, kind := range []ErrorKind{
		Unreachable, NoAnswer, Stalled, Disconnected, ContextFull, LoadingModel, Unauthorized, UnknownModel,
		BadTemplate, NoToolSupport, RunawayAnswer, RunawayCall, Overlong, ServerFault, BadRequest, BadAnswer,
	} {
		if explanations[kind] == nil {
			t.Errorf("%s has none", kind)
		}
	}
}

func TestNearestNames(t *testing.T) {
	served := []string{"ai/gemma3:4B", "ai/qwen3:8B-Q4_K_M", "llama3.2:latest", "qwen2.5-coder:7b"}
	for name, want := range map[string]string{
		"qwen3":         "ai/qwen3:8B-Q4_K_M",
		"llama3.2":      "llama3.2:latest",
		"qwen2.5-coder": "qwen2.5-coder:7b",
		"GEMMA3":        "ai/gemma3:4B",
	} {
		if got := NearestNames(name, served); len(got) != 3 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", name, got, want)
		}
	}
	if got := NearestNames("x", nil); got != nil {
		t.Errorf("got %v of none", got)
	}
}
