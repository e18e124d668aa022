package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/llm"
	"mm/llm/llmtest"
)

func TestStreamYieldsEachKindOfDelta(t *testing.T) {
	s := llmtest.NewServer(t, `
-- llm/1 --
want system 'be brief'
want user 'hi'
want tool bash
want body '"include_usage":true'
progress 256/1024 cached 256
progress 1024/1024 cached 256
think 'Let me see.'
say 'I look.'
call bash {"command":"ls"}
call read_file {"path":"a.go"}
usage 1024 9 256
finish tool_calls
`)
	c := New(Options{Provider: LlamaCpp, BaseURL: s.URL()})
	defer c.http.CloseIdleConnections()
	a := collect(t, t.Context(), c, ask)
	if a.err != nil {
		t.Fatal(a.err)
	}
	want := llm.Response{
		Message: llm.Message{Role: llm.Assistant, Text: "I look.", Calls: []llm.Call{
			{ID: "call00001", Name: "bash", Args: `{"command":"ls"}`},
			{ID: "call00002", Name: "read_file", Args: `{"path":"a.go"}`},
		}},
		Reasoning: "Let me see.",
		Finish:    llm.FinishCalls,
		Complete:  true,
		Usage:     llm.Usage{Prompt: 1024, Cached: 256, Completion: 9},
		Speed:     llm.Speed{PromptPerSecond: 500, CompletionPerSecond: 50},
		Server:    "scripted",
	}
	if diff := cmp.Diff(want, *a.done); diff != "" {
		t.Error(diff)
	}
	phases := []llm.Phase{llm.Connecting, llm.Reading, llm.Reasoning, llm.Answering, llm.Composing}
	if diff := cmp.Diff(phases, a.phases); diff != "" {
		t.Error(diff)
	}
	if a.text != "I look." || a.think != "Let me see." {
		t.Errorf("got deltas %q and %q", a.text, a.think)
	}
	if diff := cmp.Diff([]string{`{"command":"ls"}`, `{"path":"a.go"}`}, a.args); diff != "" {
		t.Error(diff)
	}
	if want := (llm.Progress{Total: 1024, Cached: 256, Processed: 256, Elapsed: time.Millisecond}); a.deltas[2] != want {
		t.Errorf("got %#v, want %#v", a.deltas[2], want)
	}
}

func TestStreamWithoutStreaming(t *testing.T) {
	c, _ := scripted(t, `
-- llm/1 --
think 'Hm.'
say 'Look.'
call bash {"command":"ls"}
`)
	req := ask
	req.NoStream = true
	a := collect(t, t.Context(), c, req)
	if a.err != nil || !a.done.Complete || a.done.Message.Text != "Look." ||
		a.done.Reasoning != "Hm." || len(a.done.Message.Calls) != 1 {
		t.Errorf("got %+v, %v", a.done, a.err)
	}
}

func TestStreamWaitsForTheModelToLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, `
-- llm/1 --
times 5
status 503 {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
-- llm/2 --
say ready
finish stop
`)
		start := time.Now()
		a := collect(t, t.Context(), c, ask)
		if a.err != nil || a.text != "ready" {
			t.Fatalf("got %q, %v", a.text, a.err)
		}
		phases := []llm.Phase{llm.Connecting, llm.Loading, llm.Reading, llm.Answering}
		if diff := cmp.Diff(phases, a.phases); diff != "" {
			t.Error(diff)
		}
		// 0.25 + 0.5 + 1 + 2 + 2 seconds of back-off.
		if got := time.Since(start); got != 5750*time.Millisecond || len(s.Requests()) != 6 {
			t.Errorf("waited %v for %d requests", got, len(s.Requests()))
		}
	})
}

func TestStreamGivesUpOnAModelThatNeverLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := scripted(t, `
-- llm/1 --
times 1000
status 503 {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
`)
		start := time.Now()
		a := collect(t, t.Context(), c, ask)
		wantKind(t, a.err, llm.LoadingModel)
		if got := time.Since(start); got > DefaultFirstTokenTimeout {
			t.Errorf("waited %v", got)
		}
	})
}

func wantKind(t *testing.T, err error, kind llm.ErrorKind) *llm.Error {
	t.Helper()
	fault, ok := errors.AsType[*llm.Error](err)
	if !ok || fault.Kind != kind {
		t.Fatalf("got %v, want %s", err, kind)
	}
	return fault
}

// TestGuards: which silence ends a request, and after how long.
func TestGuards(t *testing.T) {
	for _, tc := range []struct {
		name, section string
		kind          llm.ErrorKind
		after         time.Duration
		patience      llm.Request
	}{
		{name: "no header and no byte", section: "wait 1h", kind: llm.NoAnswer, after: 3 * time.Minute},
		{name: "headers only", section: "hang", kind: llm.NoAnswer, after: 3 * time.Minute},
		{name: "a patient request", section: "say x\nhang", kind: llm.Stalled, after: time.Minute, patience: llm.Request{Patient: true}},
		{name: "without streaming", section: "wait 1h", kind: llm.NoAnswer, after: 12 * time.Minute, patience: llm.Request{NoStream: true}},
		{name: "keep-alives feed the first-token timeout", section: "slow 2m\nrepeat 3 ping\nslow 0s\nhang", kind: llm.NoAnswer, after: 9 * time.Minute},
		{name: "prompt progress, then silence", section: "progress 1/9\nwait 2m\nprogress 2/9\nhang", kind: llm.NoAnswer, after: 5 * time.Minute},
		{name: "text, then silence", section: "say x\nhang", kind: llm.Stalled, after: 30 * time.Second},
		{name: "reasoning feeds the watchdog", section: "think x\nwait 29s\nthink x\nwait 29s\nsay x\nhang", kind: llm.Stalled, after: 88 * time.Second},
		{name: "keep-alives do not feed the watchdog", section: "say x\nslow 1s\nrepeat 60 ping", kind: llm.Stalled, after: 30 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := scripted(t, "-- llm/1 --\n"+tc.section)
				start := time.Now()
				tc.patience.Messages = ask.Messages
				a := collect(t, t.Context(), c, tc.patience)
				wantKind(t, a.err, tc.kind)
				if got := time.Since(start); got != tc.after {
					t.Errorf("ended after %v, want %v", got, tc.after)
				}
			})
		})
	}
}

func TestCancelEndsAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := scripted(t, "-- llm/1 --\nsay x\nhang")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if a := collect(t, ctx, c, ask); !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("got %v", a.err)
		}
	})
}

func TestStreamStopsWithItsConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, "-- llm/1 --\nsay 'a b c d'\nhang")
		for d := range c.Stream(t.Context(), ask) {
			if _, ok := d.(llm.TextDelta); ok {
				break
			}
		}
		s.Close() // waits for the handler, which ends with the request
	})
}

// TestRunawaysAreCut: what came before is kept, and a call that ran away is
// not kept at its full length.
func TestRunawaysAreCut(t *testing.T) {
	for _, tc := range []struct {
		name, section string
		kind          llm.ErrorKind
		message       string
	}{
		{"call", "say 'I write it.'\ncall bash {\"command\":\"" + strings.Repeat("echo foo; ", 400), llm.RunawayCall, "bash: "},
		{"answer", "say 'I write it.'\nrepeat 2000 say 'and on '", llm.RunawayAnswer, "the answer"},
		{"reasoning", "say 'I write it.'\nrepeat 2000 think 'Wait. '", llm.RunawayAnswer, "the reasoning"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, s := scripted(t, "-- llm/1 --\n"+tc.section+"\nfinish stop")
			a := collect(t, t.Context(), c, ask)
			fault := wantKind(t, a.err, tc.kind)
			if !strings.HasPrefix(fault.Message, tc.message) || fault.Partial == nil {
				t.Fatalf("got %+v", fault)
			}
			if !strings.HasPrefix(fault.Partial.Message.Text, "I write it.") || fault.Partial.Complete {
				t.Errorf("got %+v", fault.Partial)
			}
			for _, call := range fault.Partial.Message.Calls {
				if len(call.Args) > 300 {
					t.Errorf("kept %d bytes of arguments", len(call.Args))
				}
			}
			s.Close() // waits for the handler: the request was cancelled
		})
	}
}

// TestLimitThatIsIgnored: an answer that passes max_tokens twice over is
// stopped, and one that a rough estimate alone makes too long is not.
func TestLimitThatIsIgnored(t *testing.T) {
	t.Parallel()
	const limited = 1000 // tokens, 7,000 characters at twice 3.5 a token
	var words, args strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&words, "say 'w%d '\n", i)
		fmt.Fprintf(&args, "%d ", i)
	}
	short := strings.Join(strings.SplitAfter(words.String(), "\n")[:1000], "") // 4,890 characters
	for _, tc := range []struct {
		name, section string
		limit         int
		want          string // of the message, or empty
	}{
		{"text", words.String(), limited, "ignored max_tokens (1000)"},
		{"reasoning", strings.ReplaceAll(words.String(), "say", "think"), limited, "ignored max_tokens (1000)"},
		{"a call", `call write_file {"path":"a","content":"` + args.String() + args.String() + `"}`, limited, "ignored max_tokens (1000)"},
		{"below", short, limited, ""},
		{"below in both fields", strings.ReplaceAll(strings.ReplaceAll(short, "say '", `raw data: {"choices":[{"delta":{"reasoning":"the same again","reasoning_content":"`), "'\n", "\"}}]}\n"), limited, ""},
		{"a few tokens", "say 'A word too many.'", 1, ""},
		{"no limit", words.String(), 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := scripted(t, "-- llm/1 --\n"+tc.section+"\nfinish stop")
			req := ask
			req.Sampling.MaxTokens = tc.limit
			a := collect(t, t.Context(), c, req)
			if tc.want == "" {
				if a.err != nil {
					t.Fatal(a.err)
				}
				return
			}
			if fault := wantKind(t, a.err, llm.Overlong); !strings.Contains(fault.Message, tc.want) || fault.Partial == nil {
				t.Errorf("got %+v", fault)
			}
		})
	}
}

// TestReasoningInBothFieldsIsShownOnce is the last part of report A29.
func TestReasoningInBothFieldsIsShownOnce(t *testing.T) {
	t.Parallel()
	c, _ := scripted(t, `
-- llm/1 --
raw data: {"choices":[{"delta":{"reasoning":"Hm.","reasoning_content":"Hm."}}]}
say Hi
finish stop
`)
	if a := collect(t, t.Context(), c, ask); a.err != nil || a.done.Reasoning != "Hm." || a.think != "Hm." {
		t.Errorf("got %q, %v", a.think, a.err)
	}
}

// TestTolerance: oddities that a reader must take.
func TestTolerance(t *testing.T) {
	t.Parallel()
	const role = `raw data: {"choices":[{"delta":{"role":"assistant"}}]}` + "\n"
	for _, tc := range []struct {
		name, section, text string
		complete            bool
	}{
		{"no DONE", `raw data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`, "hi", true},
		{"no finish reason", `raw data: {"choices":[{"delta":{"content":"hi"}}]}` + "\nraw data: [DONE]", "hi", true},
		{"neither", "say hi", "hi", false},
		{"cut after the finish reason", `raw data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\ncut", "hi", true},
		{"an event that is no JSON", role + "raw data: {oops\nsay hi\nfinish stop", "hi", false},
		{"an event of another type", "raw data: [1]\nraw data: \"x\"\nsay hi\nfinish stop", "hi", true},
		{"fields of other types", `raw data: {"id":7,"choices":[{"index":"0","delta":{"content":"hi","tool_calls":{}}}],"usage":[],"timings":"x"}` + "\nfinish stop", "hi", true},
		{"content in parts", `raw data: {"choices":[{"delta":{"content":[{"type":"text","text":"hi"}]}}]}` + "\nfinish stop", "hi", true},
		{"other choices", `raw data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"hi"}}]}` + "\nfinish stop", "hi", true},
		{"a refusal", `raw data: {"choices":[{"delta":{"refusal":"hi"}}]}` + "\nfinish stop", "hi", true},
		{"think tags in the content", "say '<thi'\nsay 'nk>hm</think>hi'\nfinish stop", "hi", true},
		{"nothing", "finish stop", "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := scripted(t, "-- llm/1 --\n"+tc.section)
			a := collect(t, t.Context(), c, ask)
			if a.err != nil || a.text != tc.text || a.done.Message.Text != tc.text || a.done.Complete != tc.complete {
				t.Errorf("got %q, %+v, %v", a.text, a.done, a.err)
			}
		})
	}
}

// TestContinuedTextKeepsItsStart: the line end that joins it to what is there.
func TestContinuedTextKeepsItsStart(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		c, _ := scripted(t, "-- llm/1 --\nsay \"\\n\\n  x\"\nfinish stop")
		req := ask
		req.Continue = on
		want := "  x"
		if on {
			want = "\n\n  x"
		}
		if a := collect(t, t.Context(), c, req); a.done == nil || a.done.Message.Text != want || a.text != want {
			t.Errorf("Continue %v: got %q, %v, want %q", on, a.text, a.err, want)
		}
	}
}

func TestUnknownModelNamesTheNearest(t *testing.T) {
	t.Parallel()
	c := New(Options{BaseURL: "http://h", Model: "qwen3", HTTPClient: &http.Client{Transport: pages{
		"/v1/models":           `{"data":[{"id":"gemma3"},{"id":"ai/qwen3:8b"}]}`,
		"/v1/chat/completions": "404 " + `{"error":{"message":"model 'qwen3' not found"}}`,
	}}})
	fault := wantKind(t, collect(t, t.Context(), c, ask).err, llm.UnknownModel)
	if diff := cmp.Diff([]string{"ai/qwen3:8b", "gemma3"}, fault.Nearest); diff != "" {
		t.Error(diff)
	}
}
