package openai

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mm/llm"
	"mm/llm/llmtest"
)

// rawServer plays bytes on a socket after reading a request's head and body.
// play runs for one connection and may write for ever: it ends when the client
// goes away.
func rawServer(t *testing.T, play func(io.Writer) error) string {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listen.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.Copy(io.Discard, req.Body)
		}
		_ = play(conn) // ends with the connection
	}()
	t.Cleanup(func() { listen.Close(); <-done })
	return "http://" + listen.Addr().String()
}

const (
	okHead    = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	textEvent = `data: {"choices":[{"index":0,"delta":{"content":%q}}]}` + "\n\n"
	finished  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

// endless writes s until the client goes away.
func endless(w io.Writer, s string) error {
	chunk := strings.Repeat(s, 1+(32<<10)/len(s))
	for {
		if _, err := io.WriteString(w, chunk); err != nil {
			return err
		}
	}
}

// TestHostileServers: whatever a server sends ends soon, in bounded memory,
// with an error that says what is wrong.
func TestHostileServers(t *testing.T) {
	for _, tc := range []struct {
		name    string
		play    func(w io.Writer) error
		kind    llm.ErrorKind
		message string
	}{
		{"endless line", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"\r\ndata: ")
			return endless(w, "a")
		}, llm.BadAnswer, "more than 4 MiB"},
		{"endless event of many lines", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"\r\n")
			return endless(w, "data: [\n")
		}, llm.BadAnswer, "more than 4 MiB"},
		{"endless text that is no event", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"\r\n")
			return endless(w, "some text\n")
		}, llm.BadAnswer, "more than 4 MiB"},
		{"endless headers", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead)
			return endless(w, "X-A: b\r\n")
		}, llm.BadAnswer, "HTTP"},
		{"endless arguments", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"\r\n"+`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"bash","arguments":""}}]}}]}`+"\n\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"%d %d "}}]}}]}`+"\n\n", i, i*i); err != nil {
					return err
				}
			}
		}, llm.RunawayCall, "256 KiB"},
		{"endless calls", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"\r\n")
			return endless(w, `data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}}]}`+"\n\n")
		}, llm.RunawayCall, "64 tool calls"},
		{"endless text", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(w, textEvent, strings.Repeat(fmt.Sprintf("%d ", i), 100)); err != nil {
					return err
				}
			}
		}, llm.Overlong, "1 MiB"},
		{"endless error body", func(w io.Writer) error {
			_, _ = io.WriteString(w, "HTTP/1.1 500 Oops\r\n\r\n")
			return endless(w, "failure ")
		}, llm.ServerFault, "failure"},
		{"gzip bomb", func(w io.Writer) error {
			_, _ = io.WriteString(w, okHead+"Content-Encoding: gzip\r\n\r\n")
			z := gzip.NewWriter(w)
			return endless(z, "data: {}\n\n")
		}, llm.BadAnswer, "compressed"},
		{"another protocol", func(w io.Writer) error {
			_, err := io.WriteString(w, "SSH-2.0-OpenSSH_9.6\r\n")
			return err
		}, llm.BadAnswer, "HTTP"},
		{"closes at once", func(io.Writer) error { return nil }, llm.Disconnected, ""},
		{"an empty body", func(w io.Writer) error {
			_, err := io.WriteString(w, okHead+"Content-Length: 0\r\n\r\n")
			return err
		}, llm.Disconnected, "without an answer"},
		{"a web page", func(w io.Writer) error {
			_, err := io.WriteString(w, okHead+"\r\n<!doctype html>\n<html><body>Hello</body></html>\n")
			return err
		}, llm.ServerFault, "web page"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := New(Options{BaseURL: rawServer(t, tc.play), Model: "m"})
			defer c.http.CloseIdleConnections()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			a := collect(t, t.Context(), c, ask)
			runtime.ReadMemStats(&after)
			fault := wantKind(t, a.err, tc.kind)
			if !strings.Contains(fault.Message, tc.message) || len(fault.Message) > 1000 {
				t.Errorf("got %q, want %q", fault.Message, tc.message)
			}
			// The tests' own delta lists count too, so the bound is wide; it
			// is far below what the servers would send.
			const bound = 64 << 20
			if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > bound {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
		})
	}
}

func TestStreamEndsAtDoneThoughTheConnectionStays(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	c := New(Options{Model: "m", BaseURL: rawServer(t, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, okHead+"\r\n"+textEvent+finished, "hi")
		<-hold
		return err
	})})
	a := collect(t, t.Context(), c, ask)
	if a.err != nil || a.text != "hi" {
		t.Errorf("got %q, %v", a.text, a.err)
	}
	hold <- struct{}{}
}

func TestRedirectsStayOnTheHost(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s reached another host", r.URL)
	}))
	defer other.Close()
	var here *httptest.Server
	here = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/away"):
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/round"):
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/old"):
			http.Redirect(w, r, here.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
		default:
			fmt.Fprintf(w, textEvent+finished, "hi")
		}
	}))
	defer here.Close()
	for _, tc := range []struct{ path, text, message string }{
		{"/away/v1", "", "another host"},
		{"/round/v1", "", "circle"},
		{"/old/v1", "hi", ""},
	} {
		c := New(Options{BaseURL: here.URL + tc.path, Model: "m", APIKey: "secret"})
		a := collect(t, t.Context(), c, ask)
		c.http.CloseIdleConnections()
		if tc.message == "" {
			if a.err != nil || a.text != tc.text {
				t.Errorf("%s: got %q, %v", tc.path, a.text, a.err)
			}
			continue
		}
		if fault := wantKind(t, a.err, llm.BadAnswer); !strings.Contains(fault.Message, tc.message) {
			t.Errorf("%s: got %q", tc.path, fault.Message)
		}
	}
}

// TestInvalidUTF8BecomesValid: bytes that are no UTF-8 are replaced, and a
// rune that is split over two events is joined.
func TestInvalidUTF8BecomesValid(t *testing.T) {
	t.Parallel()
	const event = `data: {"choices":[{"delta":{%s}}]}` + "\n\n"
	for _, tc := range []struct{ name, one, two, want string }{
		{"split rune", "\xe4\xb8", "\x96.", "世."},
		{"split emoji", "a\xf0\x9f", "\x8e\x89", "a🎉"},
		{"stray byte", "a\xff", "b", "a\ufffdb"},
		{"rune never finished", "a\xe4\xb8", "b", "a\ufffdb"},
		{"cut at the end", "a", "\xe4\xb8", "a\ufffd"},
		{"surrogates", `\ud83c\udf89`, `\u00e9`, "🎉é"},
		{"lone surrogate", `\ud83c`, "b", "\ufffdb"},
		{"escapes", `\"\\\/\b\f\n\r\t`, "x", "\"\\/\b\f\n\r\tx"},
	} {
		for field, got := range map[string]func(llm.Response) string{
			"content":           func(r llm.Response) string { return r.Message.Text },
			"reasoning_content": func(r llm.Response) string { return r.Reasoning },
		} {
			body := fmt.Sprintf(event, `"`+field+`":"`+tc.one+`"`) +
				fmt.Sprintf(event, `"`+field+`":"`+tc.two+`"`) + finished
			a := replay(t, recording{status: http.StatusOK, body: []byte(body), size: 5, end: io.EOF})
			if a.err != nil || got(*a.done) != tc.want {
				t.Errorf("%s in %s: got %+v, %v, want %q", tc.name, field, a.done, a.err, tc.want)
			}
		}
	}
}

func TestRefusedConnectionIsSaidSoon(t *testing.T) {
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listen.Addr().String()
	listen.Close()
	start := time.Now()
	c := New(Options{Provider: LlamaCpp, BaseURL: strings.Replace(addr, "127.0.0.1", "localhost", 1)})
	wantKind(t, collect(t, t.Context(), c, ask).err, llm.Unreachable)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}

	// The same client works as soon as the server is there.
	listen, err = net.Listen("tcp", addr)
	if err != nil {
		t.Skip("the port was taken by another program")
	}
	script, err := llmtest.Parse("-- llm/1 --\nsay hi\nfinish stop")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(llmtest.New(t, script))
	server.Listener.Close()
	server.Listener = listen
	server.Start()
	defer server.Close()
	defer c.http.CloseIdleConnections()
	if a := collect(t, t.Context(), c, ask); a.err != nil || a.text != "hi" {
		t.Errorf("got %q, %v", a.text, a.err)
	}
}

// TestMemoryOfAKeepAliveFlood: pings for an hour cost nothing but time.
func TestMemoryOfAKeepAliveFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := scripted(t, "-- llm/1 --\nslow 1m\nrepeat 60 ping\nslow 0s\nsay ok\nfinish stop")
		a := collect(t, t.Context(), c, ask)
		if a.err != nil || a.text != "ok" {
			t.Errorf("got %q, %v", a.text, a.err)
		}
	})
}

var errNetwork = errors.New("network is down")

func TestTransportErrorsAreTyped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		kind llm.ErrorKind
	}{
		{errNetwork, llm.Unreachable},
		{io.EOF, llm.Disconnected},
		{io.ErrUnexpectedEOF, llm.Disconnected},
	} {
		c := New(Options{BaseURL: "http://h", Model: "m", HTTPClient: &http.Client{
			Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, tc.err }),
		}})
		fault := wantKind(t, collect(t, t.Context(), c, ask).err, tc.kind)
		if !errors.Is(fault, tc.err) {
			t.Errorf("got %v, want it to wrap %v", fault, tc.err)
		}
	}
}
