package doctor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mm/llm"
	"mm/llm/doctor"
	"mm/llm/llmtest"
	"mm/llm/openai"
)

// good thinks, calls, and answers the two requests with a common beginning, the
// second one from the cache.
func good(cached int) func(*llmtest.Request) string {
	return func(r *llmtest.Request) string {
		text, _ := r.Last("user")
		switch {
		case strings.Contains(text, "Call the tool"):
			return "progress 10/20\nthink 'They want 7.'\ncall report_number {\"number\":7}\nusage 180 30 0\nfinish tool_calls"
		case strings.Contains(text, "two"):
			return fmt.Sprintf("say two\nusage 500 1 %d\nfinish stop", cached)
		}
		return "say one\nusage 500 1 0\nfinish stop"
	}
}

// examine runs the examination on a shape.
func examine(t *testing.T, s shape, server string, section func(*llmtest.Request) string) doctor.Report {
	t.Helper()
	base, _ := s.start(t, server, section)
	return doctor.Server(t.Context(), doctor.Options{
		Client:   openai.Options{Provider: s.provider, BaseURL: base},
		Sampling: llm.Sampling{TopP: 0.9, MaxTokens: 4096},
	})
}

// find returns the finding of an area.
func find(t *testing.T, r doctor.Report, area string) doctor.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Area == area {
			return f
		}
	}
	t.Fatalf("nothing on %q in\n%s", area, r.Text())
	return doctor.Finding{}
}

func TestHealthyServersOfEachShape(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		shape                                    shape
		window, reasoning, usage, progress, cach string
	}{
		{llamaServer, "8192 tokens (/props)", "reasoning_content", "those from the cache too", "is told", "of 500 tokens with a common beginning, 20 were read again"},
		{ollama, "16384 tokens (/api/ps)", "apart, in reasoning", "cache are not told", "not told; llama-server alone does", "not told: two requests"},
		{lmStudio, "8192 tokens (/api/v1/models)", "reasoning_content", "cache are not told", "not told; llama-server alone does", "not told: two requests"},
		{vllm, "32768 tokens (/v1/models)", "apart, in reasoning", "cache are not told", "not told; llama-server alone does", "not told: two requests"},
		{modelRunner, "12288 tokens (/engines/_configure)", "reasoning_content", "those from the cache too", "is told", "20 were read again"},
	} {
		t.Run(tc.shape.provider, func(t *testing.T) {
			t.Parallel()
			r := examine(t, tc.shape, "window 8192\n", good(480))
			if r.Broken() {
				t.Error("a healthy server is broken")
			}
			for area, want := range map[string]string{
				"server": tc.shape.provider + " at http://127.0.0.1:", "model": "scripted", "window": tc.window, "tool calls": "a call came back with the right arguments",
				"reasoning": tc.reasoning, "usage": tc.usage, "progress": tc.progress, "cache": tc.cach, "speed": "tokens/s",
			} {
				if f := find(t, r, area); f.Status != doctor.OK || !strings.Contains(f.Text, want) {
					t.Errorf("%s: %s %q, want ok %q", area, f.Status, f.Text, want)
				}
			}
		})
	}
}

func TestWhatIsWrongIsSaidWithWhatToDo(t *testing.T) {
	t.Parallel()
	says := func(steps string) func(*llmtest.Request) string {
		return func(*llmtest.Request) string { return steps }
	}
	for _, tc := range []struct {
		name         string
		shape        shape
		server       string
		section      func(*llmtest.Request) string
		area         string
		status       doctor.Status
		text, advice string
	}{
		{"the window is far too small", llamaServer, "window 2048", good(480), "window", doctor.Broken, "2048 tokens", "llama-server -c 16384"},
		{"the window is small", llamaServer, "window 4096", good(480), "window", doctor.Warning, "4096 tokens", "8192 or more"},
		{"the window is not told", shape{provider: "vllm", hide: []string{"/props"}, own: map[string]string{"/v1/models": `{"object":"list","data":[{"id":"scripted"}]}`}}, "", good(480), "window", doctor.Warning, "does not tell", "set contextWindow"},
		{"the cache does not hold", llamaServer, "", good(10), "cache", doctor.Warning, "490 were read again", "--swa-full"},
		{"the call comes as text", llamaServer, "", says("say '<tool_call>{\"name\":\"report_number\",\"arguments\":{\"number\":7}}</tool_call>'\nfinish stop"), "tool calls", doctor.Warning, "came as text", "--jinja"},
		{"the template drops tools", llamaServer, "no-tools", says("say 'Seven it is.'\nfinish stop"), "tool calls", doctor.Warning, `template drops tools; the model answered in words and made no call: "Seven it is."`, "--chat-template-file"},
		{"wrong arguments", llamaServer, "", says("call report_number {\"number\":8}\nfinish tool_calls"), "tool calls", doctor.Warning, "wrong arguments", "larger model"},
		{"an invented tool", llamaServer, "", says("call python {}\nfinish tool_calls"), "tool calls", doctor.Warning, `"python", which does not exist`, "larger model"},
		{"reasoning in the answer", llamaServer, "", says("say '<think>Hm.</think>Seven.'\nfinish stop"), "reasoning", doctor.Warning, "between <think> tags", "--reasoning-format"},
		{"no usage", llamaServer, "", says("say Seven.\nraw data: [DONE]"), "usage", doctor.Warning, "counts no tokens", "newer version"},
		{"the model takes no tools", ollama, "", says(`status 400 {"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error"}}`), "tool calls", doctor.Broken, "cannot call tools", "choose another model"},
		{"no --jinja", llamaServer, "", says(`status 500 {"error":{"message":"tools param requires --jinja flag","type":"server_error"}}`), "tool calls", doctor.Broken, "cannot call tools", "restart llama-server with --jinja"},
		{"a fault of the server", llamaServer, "", says(`status 500 {"error":{"message":"out of memory","type":"server_error"}}`), "answers", doctor.Broken, "small request failed", "out of memory"},
		{"a wrong key", llamaServer, "key secret", good(480), "server", doctor.Broken, "does not answer as it should", "refused the API key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := examine(t, tc.shape, tc.server+"\n", tc.section)
			f := find(t, r, tc.area)
			if f.Status != tc.status || !strings.Contains(f.Text, tc.text) || !strings.Contains(f.Advice, tc.advice) {
				t.Errorf("got %s %q, advice %q; want %s %q, %q", f.Status, f.Text, f.Advice, tc.status, tc.text, tc.advice)
			}
			if r.Broken() != (tc.status == doctor.Broken) {
				t.Errorf("broken is %v\n%s", r.Broken(), r.Text())
			}
		})
	}
}

func TestThinkingWithoutEndIsTriedOnceMoreWithoutThinking(t *testing.T) {
	t.Parallel()
	r := examine(t, llamaServer, "", func(req *llmtest.Request) string {
		text, _ := req.Last("user")
		if strings.Contains(text, "Call the tool") && !strings.Contains(string(req.Body), `"enable_thinking":false`) {
			return "think 'On and on.'\nfinish length"
		}
		return good(480)(req)
	})
	f := find(t, r, "tool calls")
	if f.Status != doctor.Warning || !strings.Contains(f.Text, "only with thinking off") || r.Broken() {
		t.Errorf("got %s %q", f.Status, f.Text)
	}
	if f := find(t, r, "reasoning"); !strings.Contains(f.Text, "reasoning_content") {
		t.Errorf("the first answer's reasoning is forgotten: %q", f.Text)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	r := doctor.Server(t.Context(), doctor.Options{Client: openai.Options{Provider: "llamacpp", BaseURL: gone.URL}})
	f := find(t, r, "server")
	if !r.Broken() || len(r.Findings) != 1 || !strings.Contains(f.Advice, "start it with llama-server") {
		t.Errorf("got\n%s", r.Text())
	}
}

func TestNoSecretsAreTold(t *testing.T) {
	t.Parallel()
	base, _ := llamaServer.start(t, "", good(480))
	base = strings.Replace(base, "http://", "http://user:hidden@", 1)
	r := doctor.Server(t.Context(), doctor.Options{Client: openai.Options{Provider: "llamacpp", BaseURL: base + "?token=hidden", APIKey: "hidden"}})
	if text := fmt.Sprintf("%+v", r); strings.Contains(text, "hidden") {
		t.Errorf("a secret is in the report: %s", text)
	}
}

func TestFindingsAreToldAtOnce(t *testing.T) {
	t.Parallel()
	base, chats := llamaServer.start(t, "", good(480))
	told := map[string]int{}
	r := doctor.Server(t.Context(), doctor.Options{
		Client: openai.Options{Provider: "llamacpp", BaseURL: base},
		Found:  func(f doctor.Finding) { told[f.Area] = chats() },
	})
	if len(told) != len(r.Findings) || told["window"] != 0 || told["tool calls"] != 1 || told["cache"] != 3 {
		t.Errorf("requests when each was told: %v", told)
	}
}

func TestReportIsReadable(t *testing.T) {
	t.Parallel()
	r := doctor.Report{Findings: []doctor.Finding{
		{Area: "server", Status: doctor.OK, Text: "it answers"},
		{Area: "window", Status: doctor.Broken, Text: "2048 tokens", Advice: "more"},
	}}
	const want = "ok       server      it answers\nbroken   window      2048 tokens\n                     → more\n"
	if r.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text(), want)
	}
}
