// Package llmtest is a scripted OpenAI-compatible server: a stand-in for a
// local model in tests, scenarios and the demo. It knows the wire format, and
// nothing of the client or of what a tool means.
//
// A script is a txtar archive. The section "server" may hold "model NAME",
// "window TOKENS", "key SECRET", "no-tools". Each section "llm/N" answers one
// request, in the order of N; its lines are:
//
//	want system|user|assistant TEXT   the last message of that role contains TEXT
//	want result [TOOL] TEXT           the last tool result contains TEXT
//	want tool|no-tool NAME            the tool is (not) declared
//	want body|not TEXT                the raw body contains TEXT (or not)
//	times N                           the section answers N requests
//
//	progress DONE/TOTAL [cached N]    prompt progress, if the request asked for it
//	think TEXT, say TEXT              reasoning, answer, streamed word by word
//	call TOOL ARGUMENTS               a tool call; the arguments need not be JSON
//	usage PROMPT COMPLETION [CACHED]  the figures to report instead of estimates
//	finish REASON                     finish reason, usage, [DONE]
//
//	ping                              a keep-alive comment
//	error MESSAGE                     an error event (a JSON object is sent as it is)
//	raw TEXT                          the line as it stands and an empty line;
//	                                  "TEXT" in double quotes: exactly these bytes
//	wait DURATION, slow DURATION      a pause now, a pause before every later piece
//	hang                              nothing more until the client goes away
//	cut                               the connection is lost
//	status CODE BODY                  an HTTP error in place of an answer
//	repeat N LINE                     the line N times
//
// TEXT is 'literal', "with Go escapes", or the bare rest of the line. Without
// finish a stream just ends. A request without "stream": true gets one JSON
// body. A request that meets no section, or fails a want, gets an error that
// says so.
package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// TB is the part of testing.TB that a server uses.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Server answers chat requests from a script.
type Server struct {
	t      TB // nil outside of tests
	listen net.Listener
	http   *http.Server
	served chan struct{}  // closed when the accept loop has ended
	active sync.WaitGroup // running handlers

	mu       sync.Mutex
	closed   bool
	info     ServerInfo
	sections []Section
	fallback func(*Request) string
	requests [][]byte
	faults   []error
	calls    int // ids given to tool calls so far
	answers  int // ids given to answers so far
}

// maxBody bounds a request body, in bytes.
const maxBody = 64 << 20

// NewServer starts a server on a free port of the loopback interface. With a t
// it fails the test on a bad script or an unmet want, and closes itself at the
// end; without, the caller looks at Err and calls Close, and a bad script or a
// port that cannot be opened panics.
func NewServer(t TB, script string) *Server {
	if t != nil {
		t.Helper()
	}
	parsed, err := Parse(script)
	if err == nil {
		var s *Server
		if s, err = Start(t, parsed); err == nil {
			return s
		}
	}
	if t == nil {
		panic(fmt.Sprintf("llmtest: %v", err))
	}
	t.Fatalf("llmtest: %v", err)
	return nil
}

// Start is NewServer for a parsed script. t may be nil.
func Start(t TB, script *Script) (*Server, error) {
	s := New(t, script)
	var err error
	if s.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.served = make(chan struct{})
	go func() {
		defer close(s.served)
		// The error is ErrServerClosed: only Close ends Serve.
		_ = s.http.Serve(s.listen)
	}()
	if t != nil {
		t.Cleanup(s.Close)
	}
	return s, nil
}

// New returns a server that listens nowhere: it serves as an http.Handler, or
// in process through Transport.
func New(t TB, script *Script) *Server {
	return &Server{t: t, info: script.Server, sections: script.Sections}
}

// URL is the base URL for clients, or empty when the server listens nowhere.
func (s *Server) URL() string {
	if s.listen == nil {
		return ""
	}
	return "http://" + s.listen.Addr().String() + "/v1"
}

// Close stops the server, drops open connections and waits for the handlers.
func (s *Server) Close() {
	if s.http != nil {
		// Closing sockets that are closed already is no fault.
		_ = s.http.Close()
		<-s.served
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.active.Wait()
}

// begin counts a handler, unless the server is closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.active.Add(1)
	return true
}

// SetWindow changes the context window that the server reports.
func (s *Server) SetWindow(tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info.Window = tokens
}

// SetFallback makes f write the section for requests that the script does not
// cover.
func (s *Server) SetFallback(f func(*Request) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fallback = f
}

// Requests returns the bodies of the chat requests, in order.
func (s *Server) Requests() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.requests...)
}

// Unused returns how many sections no request has met.
func (s *Server) Unused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sections)
}

// Err says what went wrong so far: unmet wants, requests without a section.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.faults...)
}

// ServeHTTP routes by path. Base paths before /v1 and /chat are accepted as
// Docker Model Runner has them.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		panic(http.ErrAbortHandler)
	}
	defer s.active.Done()
	info := s.serverInfo()
	if info.Key != "" && r.URL.Path != "/health" && r.Header.Get("Authorization") != "Bearer "+info.Key {
		writeError(w, http.StatusUnauthorized, "authentication_error", "Invalid API Key")
		return
	}
	switch r.URL.Path {
	case "/health":
		writeJSON(w, http.StatusOK, map[string]any{"status": "ok"})
	case "/props":
		writeJSON(w, http.StatusOK, info.props())
	case "/v1/models":
		writeJSON(w, http.StatusOK, info.models())
	case "/v1/chat/completions":
		s.chat(w, r)
	default:
		writeError(w, http.StatusNotFound, "not_found_error", "File Not Found")
	}
}

func (s *Server) serverInfo() ServerInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// chat records the request, finds its section and plays it.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	req := Request{Body: body}
	if err := json.Unmarshal(body, &req); err != nil {
		s.fault(w, http.StatusBadRequest, fmt.Errorf("the request is not valid: %w", err))
		return
	}
	section, err := s.take(&req)
	if err != nil {
		s.fault(w, http.StatusInternalServerError, err)
		return
	}
	for _, want := range section.wants {
		if wrong := want.check(&req); wrong != "" {
			s.fault(w, http.StatusBadRequest, fmt.Errorf("section %s: %s", section.Name, wrong))
			return
		}
	}
	s.play(w, r, &req, section)
}

// take returns the section for the next request.
func (s *Server) take(req *Request) (Section, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req.Body)
	if len(s.sections) > 0 {
		section := s.sections[0]
		if s.sections[0].Times--; s.sections[0].Times <= 0 {
			s.sections = s.sections[1:]
		}
		return section, nil
	}
	if s.fallback != nil {
		return ParseSection("fallback", s.fallback(req))
	}
	return Section{}, fmt.Errorf("request %d has no section in the script", len(s.requests))
}

// fault reports an error of the scenario to the client and to the test.
func (s *Server) fault(w http.ResponseWriter, status int, err error) {
	err = fmt.Errorf("llmtest: %w", err)
	s.mu.Lock()
	s.faults = append(s.faults, err)
	s.mu.Unlock()
	if s.t != nil {
		s.t.Errorf("%v", err)
	}
	writeError(w, status, "llmtest", err.Error())
}

// props is what llama-server answers on /props.
func (i ServerInfo) props() map[string]any {
	return map[string]any{
		"default_generation_settings": map[string]any{"n_ctx": i.Window},
		"total_slots":                 1,
		"model_alias":                 i.Model,
		"chat_template_caps": map[string]any{
			"supports_tools":      !i.NoTools,
			"supports_tool_calls": !i.NoTools,
		},
		"build_info": "llmtest",
	}
}

func (i ServerInfo) models() map[string]any {
	return map[string]any{"object": "list", "data": []any{
		map[string]any{"id": i.Model, "object": "model", "meta": map[string]any{"n_ctx": i.Window}},
	}}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// A client that has gone away is no fault of the server.
	_ = json.NewEncoder(w).Encode(v)
}

func writeError(w http.ResponseWriter, status int, kind, message string) {
	writeJSON(w, status, map[string]any{
		"error": map[string]any{"code": status, "message": message, "type": kind},
	})
}
