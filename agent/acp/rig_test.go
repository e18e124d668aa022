package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"go.uber.org/goleak"

	"mm/agent"
	"mm/agent/acp"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/tools"
)

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		os.Exit(serveProcess())
	}
	// The runtime's signal goroutine, which lives for ever, is not to be born
	// in the bubble of a test.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must come. Only a failure takes
// that long.
const patience = 20 * time.Second

// rig is an agent that is served over pipes, with a client of the SDK.
type rig struct {
	*editor
	t      *testing.T
	conn   *sdk.ClientSideConnection // nil in a raw rig
	stdin  io.WriteCloser
	stdout io.ReadCloser
	wire   *recorder
	log    *syncBuffer
	model  *agenttest.Model
	ended  chan error      // Serve's result
	read   <-chan struct{} // closed when all that the agent wrote was read
	stop   context.CancelFunc
}

// setup is what a test may change before the agent starts.
type setup struct {
	acp.Options
	tools  []tools.Tool
	box    func(cwd string, files *acp.ClientFiles) agent.Toolbox // in place of tools
	skills []agent.Skill
	core   func(*agent.Options) // changes the options of a core
}

// newRig serves an agent whose model gives these replies, to a client of the
// SDK.
func newRig(t *testing.T, change func(*setup), replies ...agenttest.Reply) *rig {
	t.Helper()
	r, stdout := serve(t, change, replies)
	r.conn = sdk.NewClientSideConnection(r.editor, r.stdin, io.TeeReader(stdout, r.wire))
	r.conn.SetLogger(slog.New(slog.DiscardHandler))
	r.read = r.conn.Done()
	return r
}

// newRawRig serves an agent to a client that only reads and answers nothing.
func newRawRig(t *testing.T, change func(*setup), replies ...agenttest.Reply) *rig {
	t.Helper()
	r, stdout := serve(t, change, replies)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(r.wire, stdout)
	}()
	r.read = read
	return r
}

func withCore(f func(*agent.Options)) func(*setup) {
	return func(s *setup) { s.core = f }
}

func withMaxTurns(n int) func(*setup) {
	return withCore(func(o *agent.Options) { o.MaxTurns = n })
}

func serve(t *testing.T, change func(*setup), replies []agenttest.Reply) (*rig, io.Reader) {
	model, log := agenttest.NewModel(replies...), &syncBuffer{}
	s := setup{tools: []tools.Tool{bash{}, editFile{}, readSkill{}}}
	lock := agent.NewTurnLock()
	s.Options = acp.Options{Version: "0.11.0", Log: log, Store: openStore}
	s.Open = func(cwd string, sess *session.Session, store *session.Store, files *acp.ClientFiles) (*agent.Core, error) {
		o := agent.Options{
			Model: model, Tools: box(s.tools), Policy: &policy{}, Session: sess,
			System: "You are a test.", Sampling: llm.Sampling{MaxTokens: 1000},
			Skills: s.skills, TurnLock: lock, Log: log,
		}
		if store != nil {
			o.Store = store
		}
		if s.box != nil {
			o.Tools = s.box(cwd, files)
		}
		if s.core != nil {
			s.core(&o)
		}
		return agent.New(o), nil
	}
	if change != nil {
		change(&s)
	}
	fromClient, stdin := io.Pipe()
	stdout, toClient := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	r := &rig{
		editor: &editor{}, t: t, stdin: stdin, stdout: stdout, wire: &recorder{t: t}, log: log, model: model,
		ended: make(chan error, 1), stop: stop,
	}
	go func() {
		err := acp.Serve(ctx, fromClient, toClient, s.Options)
		_ = toClient.Close()
		r.ended <- err
	}()
	t.Cleanup(func() {
		r.end()
		stop()
	})
	return r, stdout
}

func openStore(cwd string) (*session.Store, error) {
	return session.Open(filepath.Join(cwd, ".mm", "sessions"))
}

// wait waits for the end of Serve, which is never an error.
func (r *rig) wait() {
	r.t.Helper()
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Errorf("Serve: %v", err)
		}
		r.ended <- nil // for the next who asks
	case <-time.After(patience):
		r.t.Fatalf("Serve does not end; log:\n%s", r.log)
	}
}

// end closes stdin and waits for the end of Serve.
func (r *rig) end() {
	r.t.Helper()
	if err := r.stdin.Close(); err != nil {
		r.t.Error(err)
	}
	r.wait()
	<-r.read
}

// open makes a session in a directory of its own.
func (r *rig) open() (id, cwd string) {
	r.t.Helper()
	cwd = r.t.TempDir()
	resp, err := r.conn.NewSession(r.t.Context(), sdk.NewSessionRequest{Cwd: cwd, McpServers: []sdk.McpServer{}})
	if err != nil {
		r.t.Fatalf("session/new: %v", err)
	}
	r.waitFor("available_commands_update")
	r.wire.take()
	return string(resp.SessionId), cwd
}

// openRaw is open for a client of raw lines.
func (r *rig) openRaw(dir string) (id string) {
	r.t.Helper()
	r.write(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":` + mustJSON(dir) + `,"mcpServers":[]}}`)
	r.waitFor("available_commands_update")
	for _, line := range r.wire.take() {
		var m struct {
			Result struct{ SessionID string }
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Result.SessionID != "" {
			return m.Result.SessionID
		}
	}
	r.t.Fatal("no session")
	return ""
}

// writePrompt sends a prompt as a raw line.
func (r *rig) writePrompt(request, id, text string) {
	r.t.Helper()
	r.write(`{"jsonrpc":"2.0","id":` + mustJSON(request) + `,"method":"session/prompt","params":{"sessionId":"` + id +
		`","prompt":[{"type":"text","text":` + mustJSON(text) + `}]}}`)
}

// prompt sends a text and returns the stop reason.
func (r *rig) prompt(id, text string) string {
	r.t.Helper()
	resp, err := r.ask(id, text)
	if err != nil {
		r.t.Fatalf("session/prompt: %v", err)
	}
	return string(resp.StopReason)
}

func (r *rig) ask(id, text string) (sdk.PromptResponse, error) {
	return r.conn.Prompt(context.Background(), sdk.PromptRequest{
		SessionId: sdk.SessionId(id), Prompt: []sdk.ContentBlock{sdk.TextBlock(text)},
	})
}

// begin sends a prompt, and gives its stop reason when it is answered.
func (r *rig) begin(id, text string) <-chan string {
	answer := make(chan string, 1)
	go func() {
		resp, err := r.ask(id, text)
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- string(resp.StopReason)
	}()
	return answer
}

func (r *rig) receive(answer <-chan string) string {
	r.t.Helper()
	select {
	case a := <-answer:
		return a
	case <-time.After(patience):
		r.t.Fatalf("no answer; log:\n%s", r.log)
		return ""
	}
}

func (r *rig) cancel(id string) {
	r.t.Helper()
	if err := r.conn.Cancel(r.t.Context(), sdk.CancelNotification{SessionId: sdk.SessionId(id)}); err != nil {
		r.t.Fatalf("session/cancel: %v", err)
	}
}

// write sends a raw line.
func (r *rig) write(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.stdin, line+"\n"); err != nil {
		r.t.Fatalf("write: %v", err)
	}
}

// waitFor waits for a line of the agent that holds the text.
func (r *rig) waitFor(text string) {
	r.t.Helper()
	if !r.wire.await(text) {
		r.t.Fatalf("no line with %s in:\n%s\nlog:\n%s", text, r.wire.String(), r.log)
	}
}

func (r *rig) wantWire(want string) {
	r.t.Helper()
	if got := transcript(r.t, r.wire.take()); got != strings.TrimLeft(want, "\n") {
		r.t.Errorf("got:\n%s\nwant:%s", got, want)
	}
}

func (r *rig) wantLog(want string) {
	r.t.Helper()
	if !strings.Contains(r.log.String(), want) {
		r.t.Errorf("log is\n%s\nwant in it: %s", r.log, want)
	}
}

// editor is the client's side. Its answers to questions can be replaced.
type editor struct {
	mu     sync.Mutex
	answer func(sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)
	asked  []sdk.RequestPermissionRequest
	read   func(sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error)
	write  func(sdk.WriteTextFileRequest) error
}

func (e *editor) answerBy(f func(sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = f
}

func (e *editor) choose(option string) {
	e.answerBy(func(sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
		return selected(option), nil
	})
}

func selected(option string) sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(sdk.PermissionOptionId(option))}
}

func (e *editor) questions() []sdk.RequestPermissionRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

func (e *editor) RequestPermission(_ context.Context, q sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, q)
	answer := e.answer
	e.mu.Unlock()
	if answer == nil {
		return selected("allow"), nil
	}
	return answer(q)
}

func (*editor) SessionUpdate(context.Context, sdk.SessionNotification) error { return nil }

var errNotOffered = errors.New("not offered")

func (e *editor) ReadTextFile(_ context.Context, q sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	if e.read == nil {
		return sdk.ReadTextFileResponse{}, errNotOffered
	}
	return e.read(q)
}

func (e *editor) WriteTextFile(_ context.Context, q sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	if e.write == nil {
		return sdk.WriteTextFileResponse{}, errNotOffered
	}
	return sdk.WriteTextFileResponse{}, e.write(q)
}

func (*editor) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	return sdk.CreateTerminalResponse{}, errNotOffered
}

func (*editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	return sdk.KillTerminalResponse{}, errNotOffered
}

func (*editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	return sdk.TerminalOutputResponse{}, errNotOffered
}

func (*editor) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	return sdk.ReleaseTerminalResponse{}, errNotOffered
}

func (*editor) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	return sdk.WaitForTerminalExitResponse{}, errNotOffered
}
