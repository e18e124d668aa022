package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mm/llm"
)

// recording is one exchange of testdata/llamacpp as a transport. The body
// comes in reads of size bytes, and ends with end in place of io.EOF.
type recording struct {
	status int
	body   []byte
	size   int
	end    error
}

func load(t testing.TB, name string) recording {
	t.Helper()
	dir := filepath.Join("testdata", "llamacpp", name)
	head, err := os.ReadFile(filepath.Join(dir, "response.headers"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join(dir, "response.body"))
	if err != nil {
		t.Fatal(err)
	}
	status, err := strconv.Atoi(strings.Fields(string(head))[1])
	if err != nil {
		t.Fatal(err)
	}
	r := recording{status: status, body: body, size: len(body) + 1, end: io.EOF}
	if ended, err := os.ReadFile(filepath.Join(dir, "client.txt")); err == nil {
		if !strings.Contains(string(ended), "code 18") {
			t.Fatalf("%s: %s", name, ended)
		}
		r.end = io.ErrUnexpectedEOF
	}
	return r
}

func (r recording) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: r.status, Request: req,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(&shortReads{r.body, r.size, r.end}),
	}, nil
}

// shortReads gives at most size bytes a read.
type shortReads struct {
	rest []byte
	size int
	end  error
}

func (s *shortReads) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		return 0, s.end
	}
	n := copy(p, s.rest[:min(len(s.rest), s.size)])
	s.rest = s.rest[n:]
	return n, nil
}

func replay(t *testing.T, r recording) outcome {
	t.Helper()
	c := New(Options{
		Provider: LlamaCpp, BaseURL: "http://model.test", Model: "tiny",
		HTTPClient: &http.Client{Transport: r},
	})
	return collect(t, t.Context(), c, ask)
}

const (
	hello   = "Hello! This is a scripted reply. It has a few short pieces."
	thought = "The user wants me to reason first."
	stepOne = `{"path": "step-one.txt"}`
	second  = `{"path": "b-second"}`
	edit    = `{"path":"main.go","old":"func a() {\n\treturn \"x\"\n}","new":"func b() {\n\treturn \"y\\n\"\n}"}`
)

// replays says what each recording means, by the table in its README.
// Where long texts mean nothing, only their ends and their length are given.
var replays = []struct {
	name   string
	text   string // "start…end" for a text of length bytes
	length int
	think  string
	calls  string // "name args" of each, joined by newlines
	finish llm.Finish
	cut    bool // Complete is false
	usage  llm.Usage
	kind   llm.ErrorKind
	fault  string // part of the error's message
}{
	{name: "chat-stream", text: hello, finish: "stop"},
	{name: "chat-stream-usage", text: hello, finish: "stop", usage: llm.Usage{Prompt: 66, Cached: 65, Completion: 12}},
	{name: "chat-stream-max-tokens", text: `while list then keep then" in" then so no keep`, finish: "length", cut: true},
	{name: "chat-stream-stop-word", text: "Hello! This is a", finish: "stop"},
	{name: "chat-stream-progress", text: hello, finish: "stop", usage: llm.Usage{Prompt: 2951, Cached: 58, Completion: 12}},
	{name: "chat-stream-progress-cached", text: hello, finish: "stop", usage: llm.Usage{Prompt: 2951, Cached: 2950, Completion: 12}},
	{name: "chat-max-tokens-0", text: "lines", finish: "length", cut: true},
	{name: "busy-first-stream", text: "to with again can…each until left then", length: 1791, finish: "length", cut: true},
	{name: "busy-second-stream-queued", text: hello, finish: "stop"},
	{name: "context-end-stream", text: `" left check…to`, length: 2197, finish: "length", cut: true},
	{name: "context-shift-stream", text: `" left check…until no`, length: 2310, finish: "stop"},
	{name: "sse-ping-stream", text: hello, finish: "stop"},
	{name: "slow-progress-stream", text: hello, finish: "stop"},
	{name: "utf8-split-stream", text: "héllo 世界 🎉 done", finish: "stop"},
	{name: "prefill-assistant-last", text: "The answer is 42!", finish: "stop"},
	{name: "no-tool-template-chat-stream", text: hello, finish: "stop"},
	{name: "json-schema-stream", text: "{\"verdict\" :\n\n\"yes\",\"score\" :\n\n1}", finish: "stop"},

	{name: "reasoning-stream", text: "The answer is 42!", think: thought, finish: "stop"},
	{name: "reasoning-budget-stream", text: "The answer is 42!", think: "The user wants me to reason", finish: "stop"},
	{name: "reasoning-truncated-stream", think: "The user wants me to reason", finish: "length", cut: true},
	{name: "reasoning-never-closed-stream", think: "This thought is never closed at all", finish: "stop"},
	{name: "reasoning-thinking-disabled", text: hello, finish: "stop"},
	{name: "reasoning-stray-close-stream", text: "But an answer.", think: "No opening tag here", finish: "stop"},
	{name: "reasoning-format-none-request", text: "The answer is 42!", think: thought, finish: "stop"},
	{name: "reasoning-format-none-server-stream", text: "The answer is 42!", think: thought, finish: "stop"},
	{name: "no-jinja-think-stream", text: "The answer is 42!", think: thought, finish: "stop"},
	{name: "preopened-think-stream", text: "Final answer: 42", think: "I am already inside the thinking block.", finish: "stop"},
	{name: "preopened-think-format-none-request", text: "Final answer: 42", think: "I am already inside the thinking block.", finish: "stop"},
	{name: "preopened-never-closed-stream", think: hello, finish: "stop"},
	{name: "grammar-think-text-stream", text: "final words", think: "short thought", finish: "stop"},

	{name: "tool-stream", calls: "read_file " + stepOne + "\nlist_dir " + second, finish: "tool_calls"},
	{name: "tool-stream-progress", calls: "read_file " + stepOne, finish: "tool_calls"},
	{name: "tool-two-calls-parallel-true-stream", calls: "read_file {\"path\": \"a-first.go\"}\nlist_dir " + second, finish: "tool_calls"},
	{name: "tool-text-before-stream", text: "Let me look at that file.", calls: "read_file {\"path\": \"step-two.txt\"}\nlist_dir " + second, finish: "tool_calls"},
	{name: "tool-thinking-before-stream", think: "I should call a tool.", calls: "read_file " + stepOne, finish: "tool_calls"},
	{name: "tool-text-after-call-stream", calls: `read_file {"path": "zz-last.txt"}`, finish: "tool_calls"},
	{name: "tool-result-turn-stream", text: "I have now read the file and can answer: it is fine.", finish: "stop"},
	{name: "llama32-tool-stream", calls: `read_file {"path": "lib.go"}`, finish: "tool_calls"},
	{name: "preopened-xml-tool-edit-stream", think: "One small edit.", calls: "edit_file " + edit, finish: "tool_calls"},
	{name: "reasoning-format-none-server-tool-stream", think: "I should call a tool.", calls: "read_file " + stepOne + "\nlist_dir " + second, finish: "tool_calls"},
	{name: "reasoning-format-none-server-call-in-think-stream", think: "I will emit", calls: "read_file " + stepOne + "\nlist_dir " + second, finish: "tool_calls"},

	{name: "tool-truncated-3-stream", finish: "length", cut: true},
	{name: "tool-truncated-5-stream", calls: `read_file {"path": "`, finish: "length", cut: true},
	{name: "tool-truncated-7-stream", calls: `read_file {"path": "step-one.txt`, finish: "length", cut: true},
	{name: "tool-truncated-8-stream", calls: "read_file " + stepOne, finish: "length", cut: true},
	{name: "tool-truncated-9-stream", calls: "read_file " + stepOne, finish: "length", cut: true},
	{name: "llama32-tool-truncated-stream", calls: `read_file {"path": "`, finish: "length", cut: true},
	{name: "preopened-xml-tool-truncated-stream", think: "One small edit.", calls: "edit_file " + edit[:strings.Index(edit, "func b")], finish: "length", cut: true},

	{name: "llama32-brace-in-text-stream", text: "In Go you write func main()", cut: true, kind: llm.ServerFault, fault: "does not match the expected peg-native format"},
	{name: "parse-fail-first-token-stream", cut: true, kind: llm.ServerFault, fault: "does not match the expected peg-native format"},
	{name: "prefill-assistant-broken-call", cut: true, kind: llm.ServerFault, fault: "does not match the expected peg-native format"},
	{name: "tool-fence-inside-call-stream", cut: true, kind: llm.ServerFault, fault: "Unexpected empty grammar stack"},
	{name: "router-child-killed-midstream", text: "going in going}…that or for then", length: 552, cut: true, kind: llm.ServerFault, fault: "Failed to read connection"},
	{name: "server-killed-midstream", text: "to until to each file that more or no place", cut: true, kind: llm.Disconnected},
	{name: "server-sigterm-midstream", text: "to no for for small for we left new to for", cut: true, kind: llm.Disconnected},

	{name: "chat-nonstream", text: hello, finish: "stop", usage: llm.Usage{Prompt: 66, Completion: 12}},
	{name: "reasoning-nonstream", text: "The answer is 42!", think: thought, finish: "stop"},
	{name: "reasoning-format-none-server-nonstream", text: "The answer is 42!", think: thought, finish: "stop"},
	{name: "preopened-xml-tool-edit-nonstream", think: "One small edit.", calls: "edit_file " + edit, finish: "tool_calls"},
	{name: "tool-truncated-7-nonstream", calls: `read_file {"path": "step-one.txt`, finish: "length", cut: true},
	{name: "context-end-exact-fit", text: "list", finish: "length", cut: true},
}

// TestReplayRecordings plays each recording whole and in several chunkings.
func TestReplayRecordings(t *testing.T) {
	t.Parallel()
	for _, tc := range replays {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := load(t, tc.name)
			whole := replay(t, rec)
			var got llm.Response
			switch fault, failed := errors.AsType[*llm.Error](whole.err); {
			case !failed && whole.done != nil:
				got = *whole.done
			case failed && fault.Partial != nil:
				got = *fault.Partial
				if fault.Kind != tc.kind || !strings.Contains(fault.Message, tc.fault) {
					t.Errorf("got %v, want %s with %q", fault, tc.kind, tc.fault)
				}
			default:
				t.Fatalf("got %v", whole.err)
			}
			if failed := whole.err != nil; failed != (tc.kind != "") {
				t.Errorf("got error %v", whole.err)
			}
			text := got.Message.Text
			start, end, long := strings.Cut(tc.text, "…")
			if long && (len(text) != tc.length || !strings.HasPrefix(text, start) || !strings.HasSuffix(text, end)) ||
				!long && text != tc.text {
				t.Errorf("got %d bytes of text %q, want %q", len(text), text, tc.text)
			}
			if got.Reasoning != tc.think || got.Finish != tc.finish || got.Complete == tc.cut {
				t.Errorf("got reasoning %q, finish %q, complete %v", got.Reasoning, got.Finish, got.Complete)
			}
			if calls := describe(got.Message.Calls); calls != tc.calls {
				t.Errorf("got calls %q, want %q", calls, tc.calls)
			}
			if tc.usage != (llm.Usage{}) && got.Usage != tc.usage {
				t.Errorf("got usage %+v, want %+v", got.Usage, tc.usage)
			}
			for _, size := range []int{1, 7, 100, 4096} {
				if len(rec.body) > 20_000 && size < 100 {
					continue // slow, and short recordings have all the shapes
				}
				rec.size = size
				if diff := cmp.Diff(summary(whole), summary(replay(t, rec)), cmpopts.EquateErrors()); diff != "" {
					t.Errorf("in reads of %d bytes: %s", size, diff)
				}
			}
		})
	}
}

// summary is what must not depend on the chunking.
func summary(a outcome) string {
	return fmt.Sprintf("%q\n%q\n%q %q\n%v\n%+v\n%v", a.text, a.think, a.names, a.args, a.phases, a.done, a.err)
}

func describe(calls []llm.Call) string {
	var b strings.Builder
	for i, c := range calls {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.Name + " " + c.Args)
	}
	return b.String()
}

// TestReplayRefusals: recorded HTTP errors get their kind.
func TestReplayRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		kind           llm.ErrorKind
		prompt, window int
	}{
		{name: "api-key-missing", kind: llm.Unauthorized},
		{name: "api-key-wrong", kind: llm.Unauthorized},
		{name: "context-overflow-stream", kind: llm.ContextFull, prompt: 17344, window: 8192},
		{name: "context-overflow-tools", kind: llm.ContextFull, prompt: 18016, window: 8192},
		{name: "context-end-overflow-by-one", kind: llm.ContextFull, prompt: 512, window: 512},
		{name: "router-overflow", kind: llm.ContextFull, prompt: 6066, window: 4096},
		{name: "loading-chat", kind: llm.LoadingModel},
		{name: "no-jinja-tools", kind: llm.NoToolSupport},
		{name: "no-jinja-tool-choice", kind: llm.NoToolSupport},
		{name: "error-template-raises", kind: llm.BadTemplate},
		{name: "tool-history-bad-arguments", kind: llm.BadRequest},
		{name: "error-bad-tool-schema", kind: llm.BadRequest},
		{name: "error-bad-max-tokens", kind: llm.BadRequest},
		{name: "error-two-assistant-last", kind: llm.BadRequest},
		{name: "error-not-found-path", kind: llm.BadRequest},
		{name: "router-chat-unknown-model", kind: llm.UnknownModel},
		{name: "parse-fail-first-token-nonstream", kind: llm.ServerFault},
		{name: "error-image-not-supported", kind: llm.ServerFault},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rec := load(t, tc.name)
			fault := parseError(rec.status, rec.body)
			if fault.Kind != tc.kind || fault.Status != rec.status || fault.Message == "" || bytes.ContainsRune([]byte(fault.Message), '\n') {
				t.Errorf("got %+v", fault)
			}
			if tc.window != 0 && (fault.PromptTokens != tc.prompt || fault.ContextWindow != tc.window) {
				t.Errorf("got %d of %d tokens, want %d of %d", fault.PromptTokens, fault.ContextWindow, tc.prompt, tc.window)
			}
		})
	}
}
