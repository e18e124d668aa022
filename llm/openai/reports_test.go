package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"mm/llm"
)

// report is a public report of an input that broke other clients.
type report struct {
	ID    string
	Input struct {
		Body     string
		Variants []string
		Status   int
		BaseURLs []string `json:"base_urls"`
	}
}

func reports(t *testing.T) map[string]report {
	t.Helper()
	data, err := os.ReadFile("testdata/reports.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]report{}
	for line := range bytes.Lines(data) {
		var r report
		// Rows of other forms have fields of other types, which no test here
		// reads.
		_ = json.Unmarshal(line, &r)
		all[r.ID] = r
	}
	return all
}

// TestReportedStreams: streams that broke other clients mean one thing.
func TestReportedStreams(t *testing.T) {
	t.Parallel()
	all := reports(t)
	const pwd, pwdTight, ls = `bash {"command": "pwd"}`, `bash {"command":"pwd"}`, `bash {"command": "ls"}`
	for id, want := range map[string][]struct{ text, think, calls string }{
		"A01": {{calls: `read_file {"path":"go.mod","start":1,"end":5}`}},
		"A02": {{calls: `read_file {"path":"a.go"}` + "\n" + `read_file {"path":"b.go"}`}},
		"A03": {{calls: `bash {"command":"ls -la"}`}},
		"A08": {{calls: `bash {"command":"true"}`}},
		"A10": {{calls: `git_status {}`}, {calls: `git_status {}`}, {calls: `git_status {}`}},
		"A11": {{calls: ls}, {calls: ls}, {calls: ls}, {calls: `assistant<|channel|>analysis {"command": "ls"}`}},
		"A24": {{text: "ok"}},
		"A25": {{text: "one two"}, {text: "one two"}, {text: "one two"}},
		"A27": {{text: "hi"}, {text: "hi"}, {text: "hi"}, {text: "hi"}},
		"A29": {{text: "Hello!", think: "The user greets me."}},
		"A31": {{calls: pwd}, {calls: pwdTight}, {text: "Boil water and add salt."}, {calls: pwd}},
	} {
		r := all[id]
		bodies := r.Input.Variants
		if r.Input.Body != "" {
			bodies = []string{r.Input.Body}
		}
		if len(bodies) != len(want) {
			t.Fatalf("%s has %d bodies, want %d", id, len(bodies), len(want))
		}
		for i, body := range bodies {
			for _, size := range []int{1, len(body)} {
				rec := recording{status: http.StatusOK, body: []byte(body), size: size, end: io.EOF}
				a := replay(t, rec)
				if a.err != nil {
					t.Errorf("%s %d: %v", id, i, a.err)
					continue
				}
				got := struct{ text, think, calls string }{
					a.done.Message.Text, a.done.Reasoning, describe(a.done.Message.Calls),
				}
				if got != want[i] || !a.done.Complete {
					t.Errorf("%s %d in reads of %d: got %+v, complete %v", id, i, size, got, a.done.Complete)
				}
				ids := map[string]bool{}
				for _, c := range a.done.Message.Calls {
					ids[c.ID] = true
				}
				if len(ids) != len(a.done.Message.Calls) || ids[""] {
					t.Errorf("%s %d: ids %v are not distinct", id, i, ids)
				}
				if id == "A27" && a.done.Usage.Prompt != 3400 {
					t.Errorf("%s %d: got %+v, want 3400 prompt tokens", id, i, a.done.Usage)
				}
			}
		}
	}
}

// TestReportedKeepAlivesAreLife is the second half of A24: in six reads there
// are five without content.
func TestReportedKeepAlivesAreLife(t *testing.T) {
	t.Parallel()
	events := bytes.SplitAfter([]byte(reports(t)["A24"].Input.Body), []byte("\n\n"))
	c := New(Options{Provider: LlamaCpp, Model: "m", HTTPClient: &http.Client{
		Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: &eventBody{events}}, nil
		}),
	}})
	a := collect(t, t.Context(), c, ask)
	// Two comments, retry, ping, keep-alive, empty data, and the chunk with
	// the finish reason; the last event is [DONE].
	if a.err != nil || a.text != "ok" || a.alive != 7 {
		t.Errorf("got %q, %d signs of life, %v", a.text, a.alive, a.err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// eventBody gives one event a read.
type eventBody struct{ events [][]byte }

func (b *eventBody) Read(p []byte) (int, error) {
	if len(b.events) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.events[0])
	b.events = b.events[1:]
	return n, nil
}

func (b *eventBody) Close() error { return nil }

func TestReportedErrors(t *testing.T) {
	t.Parallel()
	all := reports(t)
	for _, tc := range []struct {
		id     string
		status int
		want   llm.Error
	}{
		{"A21", 200, llm.Error{
			Kind: llm.ContextFull, Status: 400,
			Message: "the request exceeds the available context size. try increasing the context size or enable context shift",
		}},
		{"A36", 400, llm.Error{
			Kind: llm.ContextFull, Status: 400, PromptTokens: 4139, ContextWindow: 4096,
			Message: "request (4139 tokens) exceeds the available context size (4096 tokens), try increasing it",
		}},
		{"G08", 400, llm.Error{
			Kind: llm.NoToolSupport, Status: 400,
			Message: "registry.ollama.ai/library/gemma3:4b does not support tools",
		}},
	} {
		rec := recording{status: tc.status, body: []byte(all[tc.id].Input.Body), size: 1000, end: io.EOF}
		got := *wantKind(t, replay(t, rec).err, tc.want.Kind)
		got.Partial = nil
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.id, diff)
		}
	}
}

// TestReportedOverflowTeachesTheWindow is the second half of A36.
func TestReportedOverflowTeachesTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, "-- server --\nwindow 0\n-- llm/1 --\nstatus 400 "+reports(t)["A36"].Input.Body)
		wantKind(t, collect(t, t.Context(), c, ask).err, llm.ContextFull)
		info, err := c.Info(t.Context())
		if err != nil || info.ContextWindow != 4096 {
			t.Errorf("got %+v, %v, want 4096 tokens", info, err)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("got %d requests, want no retry", n)
		}
	})
}
