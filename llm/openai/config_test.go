package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mm/llm"
)

// TestReportedBaseURLs is G03: each form leads to exactly one path.
func TestReportedBaseURLs(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"http://h:1/engines/llama.cpp/v1": "http://h:1/engines/llama.cpp/v1/chat/completions",
	}
	for _, base := range append(reports(t)["G03"].Input.BaseURLs, "http://h:1/v1/v1", " http://h:1/v1/?x=1#y ") {
		expect := want[base]
		if expect == "" {
			expect = "http://h:1/v1/chat/completions"
		}
		var asked []string
		c := New(Options{BaseURL: base, Model: "m", HTTPClient: &http.Client{
			Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
				asked = append(asked, req.URL.String())
				return &http.Response{
					StatusCode: http.StatusOK, Header: http.Header{},
					Body: io.NopCloser(strings.NewReader(finished)),
				}, nil
			}),
		}})
		if a := collect(t, t.Context(), c, ask); a.err != nil || len(asked) != 1 || asked[0] != expect {
			t.Errorf("%s: asked %v, %v, want %s", base, asked, a.err, expect)
		}
	}
}

func TestUnusableAddressesAreNamed(t *testing.T) {
	t.Parallel()
	for _, opts := range []Options{
		{},
		{Provider: "skynet"},
		{Provider: OpenAI},
		{BaseURL: "ftp://h/v1"},
		{BaseURL: "http://"},
		{BaseURL: "http://[::1/v1"},
	} {
		c := New(opts)
		wantKind(t, collect(t, t.Context(), c, ask).err, llm.BadRequest)
		if _, err := c.Info(t.Context()); err == nil {
			t.Errorf("%+v: no error", opts)
		}
	}
}

// TestReportedErrorUnderStatus200 is the second half of G03.
func TestReportedErrorUnderStatus200(t *testing.T) {
	t.Parallel()
	body := `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`
	a := replay(t, recording{status: http.StatusOK, body: []byte(body), size: 10, end: io.EOF})
	if fault := wantKind(t, a.err, llm.BadRequest); !strings.Contains(fault.Message, "Unexpected endpoint") {
		t.Errorf("got %v", fault)
	}
}

// TestReportedProxies is G01: a proxy is never used for this machine, and an
// error says when one was.
func TestReportedProxies(t *testing.T) {
	t.Parallel()
	proxy, err := url.Parse("http://user:secret@127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range append(reports(t)["G01"].Input.BaseURLs, "http://127.0.0.1:8080/v1", "http://[::ffff:127.0.0.1]:8080") {
		local := strings.Contains(base, "localhost") || strings.Contains(base, "::") || strings.Contains(base, "127.")
		var used *url.URL
		opts := Options{BaseURL: base, Model: "m", Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil }}
		find := localProxy(opts.Proxy)
		opts.HTTPClient = &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			used, _ = find(req)
			return nil, errNetwork
		})}
		fault := wantKind(t, collect(t, t.Context(), New(opts), ask).err, llm.Unreachable)
		if (used == nil) != local || (fault.Proxy == "") != local || strings.Contains(fault.Proxy, "secret") {
			t.Errorf("%s: used %v, told %q", base, used, fault.Proxy)
		}
	}
}

// TestRejectedFieldsAreLeftOut: a server that takes no extensions is asked
// again without the one that it names, and never again with it.
func TestRejectedFieldsAreLeftOut(t *testing.T) {
	t.Parallel()
	var bodies []string
	c := New(Options{BaseURL: "http://h", Model: "m", HTTPClient: &http.Client{
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(req.Body)
			bodies = append(bodies, string(body))
			status, answer := http.StatusOK, finished
			for _, field := range []string{"return_progress", "parallel_tool_calls"} {
				if bytes.Contains(body, []byte(field)) {
					status, answer = http.StatusBadRequest, `{"error":{"message":"Unrecognized request argument supplied: `+field+`"}}`
					break
				}
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, err
		}),
	}})
	for range 2 {
		if a := collect(t, t.Context(), c, ask); a.err != nil {
			t.Fatal(a.err)
		}
	}
	if len(bodies) != 4 {
		t.Errorf("got %d requests, want 3 and 1", len(bodies))
	}
}

// TestPrefixIsStable: in a conversation that only grows, each request starts
// with the bytes of the one before it, up to the end of its messages.
func TestPrefixIsStable(t *testing.T) {
	t.Parallel()
	c := New(Options{Provider: LlamaCpp, Model: "m"})
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"command":{"type":"string"}},"required":["path"]}`)
	req := llm.Request{
		Sampling: llm.Sampling{TopP: 0.9, MaxTokens: 4096},
		Tools:    []llm.ToolSpec{{Name: "bash", Description: "<run> & \"see\"", Schema: schema}, {Name: "read_file", Schema: schema}},
		Messages: []llm.Message{{Role: llm.System, Text: "be brief"}},
	}
	turns := []llm.Message{
		{Role: llm.User, Text: "read a.go"},
		{Role: llm.Assistant, Calls: []llm.Call{{ID: "call00001", Name: "read_file", Args: `{"path":"a.go"}`}}},
		{Role: llm.Tool, CallID: "call00001", Text: "package a"},
		{Role: llm.Assistant, Text: "It is empty."},
		{Role: llm.User, Text: "thanks"},
	}
	last := ""
	for _, m := range turns {
		req.Messages = append(req.Messages, m)
		body, err := marshal(c.wire(req, "m"))
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(body) || !strings.HasPrefix(string(body), last) {
			t.Errorf("the request does not go on from the one before:\n%s\n%s", last, body)
		}
		last = strings.TrimSuffix(string(body), "]}")
	}
	for _, want := range []string{
		`"temperature":0,`, `"parallel_tool_calls":false`, `"parameters":` + string(schema),
		`"description":"<run> & \"see\""`, `{"role":"assistant","content":"","tool_calls":[`,
	} {
		if !strings.Contains(last, want) {
			t.Errorf("no %s in %s", want, last)
		}
	}
}

func TestThinkingIsForbiddenInTheProvidersWay(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]string{
		LlamaCpp: `"chat_template_kwargs":{"enable_thinking":false}`,
		DMR:      `"chat_template_kwargs":{"enable_thinking":false}`,
		Ollama:   `"reasoning_effort":"none"`,
		LMStudio: "",
	} {
		c := New(Options{Provider: provider, Model: "m"})
		for _, off := range []bool{true, false} {
			body, err := marshal(c.wire(llm.Request{NoThinking: off}, "m"))
			if err != nil {
				t.Fatal(err)
			}
			has := strings.Contains(string(body), "thinking") || strings.Contains(string(body), "effort")
			if has != (off && want != "") || off && !strings.Contains(string(body), want) {
				t.Errorf("%s, NoThinking %v: got %s", provider, off, body)
			}
		}
	}
}

func TestSchemaAndBudgetAreSent(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	req := llm.Request{Schema: schema, Sampling: llm.Sampling{ThinkingBudget: 100}}
	const format = `"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":`
	for provider, budget := range map[string]bool{LlamaCpp: true, VLLM: false, Ollama: false} {
		c := New(Options{Provider: provider, Model: "m"})
		body, err := marshal(c.wire(req, "m"))
		if err != nil || !strings.Contains(string(body), format+string(schema)+"}}") {
			t.Errorf("%s: got %s, %v", provider, body, err)
		}
		if got := strings.Contains(string(body), `"reasoning_budget_tokens":100`); got != budget {
			t.Errorf("%s: budget sent %v, want %v", provider, got, budget)
		}
		req := req
		req.NoThinking = true
		if body, err := marshal(c.wire(req, "m")); err != nil || strings.Contains(string(body), "budget") {
			t.Errorf("%s: a budget for no reasoning: %s, %v", provider, body, err)
		}
	}
}

func TestContinueIsSentWhereItIsMeant(t *testing.T) {
	t.Parallel()
	c := New(Options{Provider: LlamaCpp, Model: "m"})
	for _, on := range []bool{true, false} {
		body, err := marshal(c.wire(llm.Request{Continue: on}, "m"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(body), `"continue_final_message":true,"add_generation_prompt":false`); got != on {
			t.Errorf("Continue %v: got %s", on, body)
		}
	}
}

// TestTheEnvironmentOfTheSDKIsNotRead: a key for a cloud must not reach a
// local server.
func TestTheEnvironmentOfTheSDKIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "cloud-secret")
	t.Setenv("OPENAI_ORG_ID", "cloud-org")
	t.Setenv("OPENAI_BASE_URL", "http://cloud.test/v1")
	for _, key := range []string{"", "own"} {
		c := New(Options{BaseURL: "http://h", Model: "m", APIKey: key, HTTPClient: &http.Client{
			Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
				want := ""
				if key != "" {
					want = "Bearer " + key
				}
				if got := req.Header.Get("Authorization"); got != want || req.URL.Host != "h" || req.Header.Get("OpenAI-Organization") != "" {
					t.Errorf("sent %q to %s with %v", got, req.URL.Host, req.Header)
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(finished))}, nil
			}),
		}})
		if a := collect(t, t.Context(), c, ask); a.err != nil {
			t.Error(a.err)
		}
	}
}
