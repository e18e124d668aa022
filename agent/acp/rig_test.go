package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"mm/safety"
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
	lock := make(chan struct{}, 1)
	s.Options = acp.Options{Version: "0.11.0", Log: log, Store: openStore}
	s.Open = func(_ string, sess *session.Session, store *session.Store) (*agent.Core, error) {
		o := agent.Options{
			Model: model, Tools: box(s.tools), Policy: &policy{}, Session: sess,
			System: "You are a test.", Sampling: llm.Sampling{MaxTokens: 1000},
			Skills: s.skills, TurnLock: lock, Log: log,
		}
		if store != nil {
			o.Store = store
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
func (r *rig) openRaw() (id string) {
	r.t.Helper()
	r.write(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":` + mustJSON(r.t.TempDir()) + `,"mcpServers":[]}}`)
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

var errNoTerminal = errors.New("not offered")

func (*editor) ReadTextFile(context.Context, sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	return sdk.ReadTextFileResponse{}, errNoTerminal
}

func (*editor) WriteTextFile(context.Context, sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	return sdk.WriteTextFileResponse{}, errNoTerminal
}

func (*editor) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	return sdk.CreateTerminalResponse{}, errNoTerminal
}

func (*editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	return sdk.KillTerminalResponse{}, errNoTerminal
}

func (*editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	return sdk.TerminalOutputResponse{}, errNoTerminal
}

func (*editor) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	return sdk.ReleaseTerminalResponse{}, errNoTerminal
}

func (*editor) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	return sdk.WaitForTerminalExitResponse{}, errNoTerminal
}

// recorder keeps what the agent wrote, and fails at what is no JSON-RPC.
type recorder struct {
	t       *testing.T
	mu      sync.Mutex
	partial []byte
	lines   []string
	changed chan struct{} // closed and replaced at each line
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.partial = append(r.partial, b...)
	for {
		line, rest, ok := bytes.Cut(r.partial, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		var m struct{ JSONRPC string }
		if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
			r.t.Errorf("not a JSON-RPC message on stdout: %s", line)
		}
		r.lines = append(r.lines, string(line))
		r.partial = bytes.Clone(rest)
		if r.changed != nil {
			close(r.changed)
			r.changed = nil
		}
	}
}

// take returns the lines since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

func (r *recorder) await(text string) bool {
	late := time.After(patience)
	for {
		r.mu.Lock()
		found := slices.ContainsFunc(r.lines, func(l string) bool { return strings.Contains(l, text) })
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-changed:
		case <-late:
			return false
		}
	}
}

// syncBuffer is a log that several goroutines use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// transcript writes the agent's lines in short form, neighbouring chunks of
// text joined, so that it does not depend on how they were batched.
func transcript(t *testing.T, lines []string) string {
	t.Helper()
	var b strings.Builder
	kind, text := "", ""
	flush := func() {
		if kind != "" {
			fmt.Fprintf(&b, "%s %q\n", kind, text)
		}
		kind, text = "", ""
	}
	for _, line := range lines {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Update, ToolCall map[string]json.RawMessage
			}
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		of := str(m.Params.Update["sessionUpdate"])
		if strings.HasSuffix(of, "_chunk") {
			if of != kind {
				flush()
			}
			var c struct{ Text string }
			_ = json.Unmarshal(m.Params.Update["content"], &c)
			kind, text = of, text+c.Text
			continue
		}
		flush()
		switch {
		case of != "":
			b.WriteString(of + fields(m.Params.Update) + "\n")
		case m.Params.ToolCall != nil:
			b.WriteString("permission" + fields(m.Params.ToolCall) + "\n")
		case m.Method != "":
			b.WriteString(m.Method + "\n")
		case m.Error != nil:
			fmt.Fprintf(&b, "answer error %s\n", m.Error)
		default:
			fmt.Fprintf(&b, "answer %s\n", m.Result)
		}
	}
	flush()
	return b.String()
}

// fields writes the fields of an update, sorted by name, as they came.
func fields(m map[string]json.RawMessage) string {
	var names []string
	for name := range m {
		if name != "sessionUpdate" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		value := string(m[name])
		if s := str(m[name]); s != "" && value == `"`+s+`"` && !strings.Contains(s, " ") {
			value = s // quotes that say nothing
		}
		fmt.Fprintf(&b, " %s=%s", name, value)
	}
	return b.String()
}

func str(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// box holds the tools of a test.
type box []tools.Tool

func (b box) Specs() []tools.Spec {
	specs := make([]tools.Spec, len(b))
	for i, t := range b {
		specs[i] = t.Spec()
	}
	return specs
}

func (b box) Resolve(name, args string) (tools.Tool, json.RawMessage, []string, error) {
	for _, t := range b {
		if t.Spec().Name == name && json.Valid([]byte(args)) {
			return t, json.RawMessage(args), nil, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("[error: there is no tool named %q, or its arguments are not valid]", name)
}

func spec(name string, kind tools.Kind) tools.Spec {
	return tools.Spec{Name: name, Description: name + ".", Kind: kind, Schema: json.RawMessage(`{"type":"object"}`)}
}

// bash runs nothing: it says its command, or does what a test wants.
type bash struct {
	run func(ctx context.Context, command string, out tools.Sink) tools.Result
}

func (bash) Spec() tools.Spec { return spec("bash", tools.KindExecute) }

func (bash) Plan(_ context.Context, args json.RawMessage) (tools.Plan, error) {
	var a struct{ Command string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{
		Title:   a.Command,
		Action:  safety.Action{Tool: "bash", Op: safety.Execute, Command: a.Command},
		Preview: tools.CommandPreview{Command: a.Command},
		State:   a.Command,
	}, nil
}

func (b bash) Run(ctx context.Context, p tools.Plan, out tools.Sink) tools.Result {
	command := p.State.(string)
	if b.run != nil {
		return b.run(ctx, command, out)
	}
	return tools.Result{Text: "ran " + command, Status: tools.OK}
}

// readSkill needs no permission.
type readSkill struct{}

func (readSkill) Spec() tools.Spec { return spec("read_skill", tools.KindRead) }

func (readSkill) Plan(context.Context, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Title: "greetings", Action: safety.Action{Tool: "read_skill"}}, nil
}

func (readSkill) Run(context.Context, tools.Plan, tools.Sink) tools.Result {
	return tools.Result{Text: "Say hello.", Status: tools.OK}
}

// policy asks for whatever touches the machine.
type policy struct{ always map[string]bool }

func (p *policy) Decide(a safety.Action) safety.Verdict {
	if a.Op == safety.None || p.always[a.Tool] {
		return safety.Verdict{Decision: safety.Allow}
	}
	return safety.Verdict{Reasons: []string{"touches the machine"}, Always: a.Tool, Dangerous: strings.HasPrefix(a.Command, "rm ")}
}

func (p *policy) Remember(a safety.Action) {
	if p.always == nil {
		p.always = map[string]bool{}
	}
	p.always[a.Tool] = true
}

func (*policy) Mode() safety.Mode   { return safety.AskMode }
func (*policy) SetMode(safety.Mode) {}

// asAgent, in the environment of this test binary, makes it an agent on its
// standard streams.
const asAgent = "MM_ACP_TEST_AGENT"

func serveProcess() int {
	model := agenttest.NewModel(agenttest.Reply{Block: true})
	err := acp.Serve(context.Background(), bufio.NewReader(os.Stdin), os.Stdout, acp.Options{
		Version: "0.11.0", Log: os.Stderr,
		Open: func(_ string, s *session.Session, _ *session.Store) (*agent.Core, error) {
			return agent.New(agent.Options{Model: model, Tools: box{}, Policy: &policy{}, Session: s}), nil
		},
	})
	if err != nil {
		return 1
	}
	return 0
}
