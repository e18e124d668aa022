package openai

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"mm/llm"
)

// events reads a stream through the reader and the SDK's decoder.
func events(body string, size int, end error) (list []string, r *reader, err error) {
	r = newReader(io.NopCloser(&shortReads{[]byte(body), size, end}))
	dec := ssestream.NewDecoder(responseOf(r))
	for dec.Next() {
		if e := strings.TrimSpace(string(dec.Event().Data)); e != "{}" {
			list = append(list, e)
		}
	}
	return list, r, dec.Err()
}

var streamCases = []struct {
	name, body string
	want       string // events joined by blanks
	kind       llm.ErrorKind
	message    string
	broken     bool
	done       bool
}{
	{name: "plain", body: "data: {\"a\":1}\n\ndata: [DONE]\n\n", want: `{"a":1}`, done: true},
	{name: "CRLF", body: "data: {\"a\":1}\r\n\r\ndata: [DONE]\r\n\r\n", want: `{"a":1}`, done: true},
	{name: "CR", body: "data: {\"a\":1}\r\rdata: [DONE]\r\r", want: `{"a":1}`, done: true},
	{name: "no blank", body: "data:{\"a\":1}\n\ndata:[DONE]\n\n", want: `{"a":1}`, done: true},
	{name: "no empty lines", body: "data: {\"a\":1}\ndata: {\"a\":2}\ndata: [DONE]\n", want: `{"a":1} {"a":2}`, done: true},
	{name: "one event in two lines", body: "data: {\"a\":\ndata: 1}\n\n", want: `{"a": 1}`},
	{name: "byte order mark", body: "\ufeffdata: {\"a\":1}\n\n", want: `{"a":1}`},
	{name: "no line end at the end", body: `data: {"a":1}`, want: `{"a":1}`},
	{name: "control fields", body: "retry: 3\n\nevent: x\nid: 7\n\nfoo: bar\n\ndata: {\"a\":1}\n\n", want: `{"a":1}`},
	{name: "data that is no object", body: "data: null\n\ndata: {\"a\":1}\n\ndata: \"x\"\n\ndata: 7\n\n", want: `{"a":1}`},
	{name: "empty error member", body: "data: {\"a\":1,\"error\":null}\n\n", want: `{"a":1}`},
	{name: "the word error in a string", body: "data: {\"a\":\"\\\"error\\\": x\"}\n\n", want: `{"a":"\"error\": x"}`},
	{name: "after done nothing counts", body: "data: [DONE]\n\ndata: {\"error\":\"x\"}\n\n", done: true},
	{name: "undecodable event", body: "data: {\"a\":\n\ndata: {\"a\":1}\n\n", want: `{"a":1}`, broken: true},
	{name: "cut event", body: "data: {\"a\":1}\n\ndata: {\"a\"", want: `{"a":1}`, broken: true},
	{name: "JSON body", body: `{"choices":[]}`, want: `{"choices":[]}`},
	{name: "JSON body in lines", body: "{\n \"choices\": [\n ]\n}\n", want: `{  "choices": [  ] }`},

	{name: "error line", body: "error: {\"message\":\"boom\"}\n\n", kind: llm.ServerFault, message: "boom"},
	{name: "error line in text", body: "Error: boom\n\n", kind: llm.ServerFault, message: "boom"},
	{name: "error event", body: "event: error\ndata: {\"message\":\"boom\"}\n\n", kind: llm.ServerFault, message: "boom"},
	{name: "error event in text", body: "event: error\ndata: boom now\n\n", kind: llm.ServerFault, message: "boom now"},
	{name: "error member", body: "data: {\"error\":{\"message\":\"boom\"}}\n\n", kind: llm.ServerFault, message: "boom"},
	{name: "error member as text", body: "data: {\"error\":\"boom\"}\n\n", kind: llm.ServerFault, message: "boom"},
	{name: "error body", body: `{"error":{"message":"boom"}}`, kind: llm.ServerFault, message: "boom"},
	{name: "error body in lines", body: "{\n  \"error\": {\n    \"message\": \"boom\"\n  }\n}\n", kind: llm.ServerFault, message: "boom"},
	{name: "detail of FastAPI", body: `{"error":{"detail":"boom"}}`, kind: llm.ServerFault, message: "boom"},
	{name: "text body", body: "upstream is gone\n", kind: llm.ServerFault, message: "upstream is gone"},
	{name: "text after events", body: "data: {\"a\":1}\n\nproxy error: gone", want: `{"a":1}`, kind: llm.ServerFault, message: "proxy error: gone"},
	{name: "text between events", body: "some log line here\ndata: {\"a\":1}\n\n", want: `{"a":1}`},
	{name: "cut JSON body", body: `{"choices":[`, kind: llm.Disconnected, broken: true},
}

func TestReaderAtAnyChunking(t *testing.T) {
	t.Parallel()
	for _, tc := range streamCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(tc.body); size++ {
				list, r, err := events(tc.body, size, io.EOF)
				if got := strings.Join(list, " "); got != tc.want || r.broken != tc.broken || r.done != tc.done {
					t.Fatalf("in reads of %d: got %s, broken %v, done %v", size, got, r.broken, r.done)
				}
				fault, failed := errors.AsType[*llm.Error](err)
				if failed != (tc.kind != "") || failed && (fault.Kind != tc.kind || fault.Message != tc.message && tc.message != "") {
					t.Fatalf("in reads of %d: got %v, want %s %q", size, err, tc.kind, tc.message)
				}
			}
		})
	}
}

func TestReaderSaysThatTheConnectionWasLost(t *testing.T) {
	t.Parallel()
	list, _, err := events("data: {\"a\":1}\n\ndata: {", 100, io.ErrUnexpectedEOF)
	fault := wantKind(t, err, llm.Disconnected)
	if len(list) != 1 || !errors.Is(fault, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, %v", list, fault)
	}
}

// FuzzReader: however the bytes are cut, the same events come out, and what
// comes out is JSON that the decoder takes.
func FuzzReader(f *testing.F) {
	for _, tc := range streamCases {
		f.Add(tc.body, 3)
	}
	f.Fuzz(func(t *testing.T, body string, size int) {
		size = 1 + (size&0x7fffffff)%16
		whole, r1, err1 := events(body, len(body)+1, io.EOF)
		parts, r2, err2 := events(body, size, io.EOF)
		if strings.Join(whole, "\n") != strings.Join(parts, "\n") || r1.broken != r2.broken || r1.done != r2.done {
			t.Errorf("%q and %q differ in reads of %d", whole, parts, size)
		}
		if (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
			t.Errorf("%v and %v differ in reads of %d", err1, err2, size)
		}
	})
}
