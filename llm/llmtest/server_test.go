package llmtest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const tour = `
-- server --
model tiny
window 4096
-- llm/2 --
want result edit 'applied'
say 'Done.'
finish stop
-- llm/1 --
want user 'rename the flag'
want tool edit
progress 512/2048 cached 256
think 'The flag is in main.go.'
call edit {"path":"main.go"}
usage 2048 7 256
finish tool_calls
-- main.go --
package main
`

const (
	firstRequest = `{"stream":true,"return_progress":true,"stream_options":{"include_usage":true},
		"tools":[{"type":"function","function":{"name":"edit"}}],
		"messages":[{"role":"user","content":"please rename the flag"}]}`
	secondRequest = `{"messages":[{"role":"user","content":"please rename the flag"},
		{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"edit","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"x","content":"applied to main.go"}]}`
)

func post(t *testing.T, client *http.Client, url, body string) (int, string, error) {
	t.Helper()
	resp, err := client.Post(url+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), err
}

// TestScriptPlaysOverBothTransports holds the wire format against what
// llama-server sends: role first, then pieces, finish reason, usage with empty
// choices, [DONE].
func TestScriptPlaysOverBothTransports(t *testing.T) {
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	script, err := Parse(tour)
	if err != nil {
		t.Fatal(err)
	}
	socket := NewServer(t, tour)
	inside := New(t, script)
	for name, tc := range map[string]struct {
		s      *Server
		client *http.Client
		url    string
	}{
		"socket":     {socket, http.DefaultClient, socket.URL()},
		"in process": {inside, &http.Client{Transport: inside.Transport()}, "http://demo/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			status, got, err := post(t, tc.client, tc.url, firstRequest)
			if status != http.StatusOK || err != nil {
				t.Fatalf("got %d %v %s", status, err, got)
			}
			rest := got
			for _, want := range []string{
				`"prompt_progress":{"cache":256,"processed":512,"time_ms":1,"total":2048}`,
				`"role":"assistant"`,
				`"reasoning_content":"The "`,
				`"name":"edit"`,
				`"arguments":"{\"path\":\"mai"`,
				`"arguments":"n.go\"}"`,
				`"finish_reason":"tool_calls"`,
				`"choices":[]`, `"cached_tokens":256`,
				"data: [DONE]\n\n",
			} {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("no %s, in this order, in\n%s", want, got)
				}
				rest = after
			}
			status, got, err = post(t, tc.client, tc.url, secondRequest)
			if status != http.StatusOK || err != nil || !strings.Contains(got, `"content":"Done."`) {
				t.Errorf("got %d %v %s, want one JSON answer", status, err, got)
			}
			if n := len(tc.s.Requests()); n != 2 || tc.s.Unused() != 0 || tc.s.Err() != nil {
				t.Errorf("got %d requests, %d unused, %v", n, tc.s.Unused(), tc.s.Err())
			}
		})
	}
}

// faults records what a server reports to its test.
type faults struct {
	*testing.T
	texts []string
}

func (f *faults) Errorf(format string, args ...any) { f.texts = append(f.texts, format) }

func TestServerReportsUnmetWants(t *testing.T) {
	for _, tc := range []struct{ name, section, want string }{
		{"user", "want user 'delete'", `want user \"delete\"`},
		{"tool", "want tool bash", `want tool bash`},
		{"result", "want result edit 'x'", `want result edit`},
		{"not", "want not 'rename'", `want not \"rename\"`},
		{"none", "times 0\nwant user 'delete'", `section llm/1`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := Parse("-- llm/1 --\n" + tc.section)
			if err != nil {
				t.Fatal(err)
			}
			seen := &faults{T: t}
			s := New(seen, script)
			client := &http.Client{Transport: s.Transport()}
			status, body, _ := post(t, client, "http://demo/v1", firstRequest)
			if status != http.StatusBadRequest || !strings.Contains(body, tc.want) {
				t.Errorf("got %d %s, want 400 with %s", status, body, tc.want)
			}
			if len(seen.texts) != 1 || s.Err() == nil {
				t.Errorf("got %d reports and %v, want one", len(seen.texts), s.Err())
			}
		})
	}
}

func TestServerRefusesRequestsBeyondTheScript(t *testing.T) {
	s := New(nil, &Script{})
	client := &http.Client{Transport: s.Transport()}
	status, body, _ := post(t, client, "http://demo/v1", firstRequest)
	if status != http.StatusInternalServerError || !strings.Contains(body, "request 1 has no section") {
		t.Errorf("got %d %s", status, body)
	}
	s.SetFallback(func(r *Request) string {
		text, _ := r.Last("user")
		return "say '" + text + "'\nfinish stop"
	})
	if _, body, _ = post(t, client, "http://demo/v1", firstRequest); !strings.Contains(body, `"rename "`) {
		t.Errorf("got %s, want the fallback's answer", body)
	}
}

func TestServerFaults(t *testing.T) {
	for _, tc := range []struct {
		name, section, body string
		status              int
		err                 error
	}{
		{"status", `status 503 {"error":{}}`, `{"error":{}}`, 503, nil},
		{"raw line", "raw error: x", "error: x\n\n", 200, nil},
		{"raw bytes", `raw "a\r\n"`, "a\r\n", 200, nil},
		{"ping", "ping", ":\n\n", 200, nil},
		{"repeat", "repeat 3 raw 'x'", "x\n\nx\n\nx\n\n", 200, nil},
		{"cut", `raw "a"` + "\ncut", "a", 200, io.ErrUnexpectedEOF},
		{
			"error", "error 'out of memory'",
			`data: {"error":{"code":500,"message":"out of memory","type":"server_error"}}` + "\n\n", 200, nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			script, err := Parse("-- llm/1 --\n" + tc.section)
			if err != nil {
				t.Fatal(err)
			}
			client := &http.Client{Transport: New(t, script).Transport()}
			status, body, err := post(t, client, "http://demo/v1", firstRequest)
			if status != tc.status || body != tc.body || !errors.Is(err, tc.err) {
				t.Errorf("got %d %q %v, want %d %q %v", status, body, err, tc.status, tc.body, tc.err)
			}
		})
	}
}

func TestHangEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script, err := Parse("-- llm/1 --\nsay 'a b'\nhang")
		if err != nil {
			t.Fatal(err)
		}
		s := New(t, script)
		client := &http.Client{Transport: s.Transport()}
		resp, err := client.Post("http://demo/v1/chat/completions", "", strings.NewReader(firstRequest))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		s.Close() // waits for the handler
	})
}

func TestParseFSReadsUnpackedSections(t *testing.T) {
	script, err := ParseFS(fstest.MapFS{
		"llm/1":   {Data: []byte("say 'one'\n")},
		"llm/10":  {Data: []byte("say 'ten'\n")},
		"llm/2":   {Data: []byte("# a comment\ntimes 3\n\nsay \"two\\n\"\n")},
		"server":  {Data: []byte("window 2048\n")},
		"main.go": {Data: []byte("package main\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range script.Sections {
		got = append(got, s.Name+" "+s.steps[0].text)
	}
	if diff := cmp.Diff([]string{"llm/1 one", "llm/2 two\n", "llm/10 ten"}, got); diff != "" {
		t.Error(diff)
	}
	if script.Server.Window != 2048 || script.Sections[1].Times != 3 {
		t.Errorf("got window %d, times %d", script.Server.Window, script.Sections[1].Times)
	}
}

func TestParseNamesTheBadLine(t *testing.T) {
	for _, bad := range []string{
		"-- llm/1 --\nshout 'x'\n",
		"-- llm/1 --\nwant lunch\n",
		"-- llm/1 --\nprogress 5\n",
		"-- llm/1 --\nslow 5\n",
		"-- llm/one --\nsay x\n",
		"-- server --\nwindow big\n",
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
