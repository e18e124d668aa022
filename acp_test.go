package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// editorPatience is how long a test waits for a line of "mm -acp". Only a
// failure takes that long.
const editorPatience = 30 * time.Second

// editor is "mm -acp" with the other end of its streams.
type editor struct {
	t       *testing.T
	dir     string // the project; the user's home lies in it
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	log     bytes.Buffer
	lines   chan rpc
	session string
	asked   []rpc // session/request_permission
}

// rpc is a line on standard output, which is JSON-RPC and nothing else.
type rpc struct {
	JSONRPC, Method string
	ID              json.RawMessage
	Params          struct {
		Update   struct{ SessionUpdate, Status string }
		ToolCall struct{ Title string }
	}
	Result struct{ SessionID, StopReason string }
	Error  *struct{ Data struct{ Error string } }
}

func newEditor(t *testing.T, dir string, args ...string) *editor {
	t.Helper()
	e := &editor{t: t, dir: dir, lines: make(chan rpc, 1000)}
	e.cmd = exec.Command("mm", append([]string{"-acp"}, args...)...)
	e.cmd.Dir, e.cmd.Stderr = dir, &e.log
	e.cmd.Env = append(os.Environ(), "HOME="+filepath.Join(dir, ".home"), "XDG_CONFIG_HOME="+filepath.Join(dir, ".home"))
	var err error
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if e.stdout, err = e.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill() }) // it has ended unless the test failed
	go e.read()
	return e
}

func (e *editor) read() {
	defer close(e.lines)
	for s := bufio.NewScanner(e.stdout); s.Scan(); {
		var m rpc
		if err := json.Unmarshal(s.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
			e.t.Errorf("not a JSON-RPC message on stdout: %s", s.Text())
		}
		e.lines <- m
	}
}

func (e *editor) send(format string, args ...any) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.stdin, format+"\n", args...); err != nil {
		e.t.Fatal(err)
	}
}

// until returns the first line that passes the test. Questions on the way get
// this answer.
func (e *editor) until(answer string, test func(rpc) bool) rpc {
	e.t.Helper()
	late := time.After(editorPatience)
	for {
		select {
		case m, ok := <-e.lines:
			if !ok {
				e.t.Fatalf("mm has ended; its log:\n%s", &e.log)
			}
			if m.Method == "session/request_permission" {
				e.asked = append(e.asked, m)
				e.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, m.ID, answer)
			}
			if test(m) {
				return m
			}
		case <-late:
			e.t.Fatal("the line does not come")
		}
	}
}

// answerTo tells whether a line answers a request.
func answerTo(id string) func(rpc) bool {
	return func(m rpc) bool { return m.Method == "" && string(m.ID) == `"`+id+`"` }
}

func (e *editor) begin() {
	e.t.Helper()
	e.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":1}}`)
	e.send(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, e.dir)
	e.session = e.until("", answerTo("new")).Result.SessionID
}

func (e *editor) prompt(text string) {
	e.t.Helper()
	e.send(`{"jsonrpc":"2.0","id":"prompt","method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, e.session, text)
}

// wait waits for the end of the process, which is an ordinary one.
func (e *editor) wait() {
	e.t.Helper()
	late := time.AfterFunc(editorPatience, func() { _ = e.cmd.Process.Kill() })
	defer late.Stop()
	for range e.lines { //nolint:revive // each is examined as it comes
	}
	if err := e.cmd.Wait(); err != nil {
		e.t.Errorf("mm ends with %v; its log:\n%s", err, &e.log)
	}
}

// Warnings, the banner and the log are not on standard output, whatever is
// wrong.
func TestEditorReadsNothingButMessages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent.yaml"), []byte("baseURL: http://127.0.0.1:1/v1\npermissions: {mode: yolo}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEditor(t, dir, "-provider", "llamacpp", "-base-url", "http://127.0.0.1:1/v1", "-log", filepath.Join(dir, "log"))
	e.begin()
	e.prompt("hi")
	if m := e.until("", answerTo("prompt")); m.Error == nil || m.Error.Data.Error == "" || strings.Contains(m.Error.Data.Error, "\n") {
		t.Errorf("without a server the answer is %+v", m)
	}
	if err := e.stdin.Close(); err != nil {
		t.Error(err)
	}
	e.wait()
	if log := e.log.String(); !strings.Contains(log, "mm "+version) || !strings.Contains(log, "warning") {
		t.Errorf("on standard error is\n%s", log)
	}
}

func TestEditorWithABrokenConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "own.yaml"), []byte("colour: red\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mm", "-acp", "-config", "own.yaml")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil || len(out) > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "colour") {
		t.Errorf("%v, on stdout %q, on stderr %q", err, out, &stderr)
	}
}

// "Always" is of a tool and a session, and not of what lies outside of the
// project.
func TestEditorIsAskedAboutPlacesOutside(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "far.txt")
	dir := t.TempDir()
	for _, name := range []string{outside, filepath.Join(dir, "a.txt")} {
		if err := os.WriteFile(name, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := newEditor(t, dir, "-provider", "demo")
	e.begin()
	for i, tc := range []struct {
		text  string
		asked int // from the beginning
	}{{"read a.txt", 1}, {"read a.txt", 1}, {"read " + outside, 2}, {"read " + outside, 3}} {
		e.prompt(tc.text)
		e.until("allow_always", answerTo("prompt"))
		if len(e.asked) != tc.asked {
			t.Errorf("after prompt %d (%s): asked %d times, want %d", i, tc.text, len(e.asked), tc.asked)
		}
	}
	_ = e.stdin.Close()
	e.wait()
}

// A client that goes away takes the commands along, those in sessions of their
// own too; the exit code is 0, and what was said is kept.
func TestEditorTakesCommandsAlong(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on this machine")
	}
	for _, tc := range []struct {
		name string
		end  func(e *editor) error
	}{
		{"stdin closed", func(e *editor) error { return e.stdin.Close() }},
		{"stdout closed", func(e *editor) error {
			err := e.stdout.Close()
			e.send(`{"jsonrpc":"2.0","id":"next","method":"authenticate"}`)
			return err
		}},
		{"terminated", func(e *editor) error { return e.cmd.Process.Signal(os.Interrupt) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, t.TempDir(), "-provider", "demo")
			e.begin()
			e.prompt("run setsid sleep 600 & echo $! >pid; sleep 600")
			e.until("allow", func(m rpc) bool { return m.Params.Update.Status == "in_progress" })
			pid := awaitFile(t, filepath.Join(e.dir, "pid"))
			began := time.Now()
			if err := tc.end(e); err != nil {
				t.Error(err)
			}
			e.wait()
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("the end took %v", took)
			}
			// A process that has ended and was not waited for has no command line.
			if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && len(line) > 0 {
				t.Errorf("process %s is left: %q", pid, line)
			}
			kept, err := os.ReadFile(filepath.Join(e.dir, ".mm", "sessions", e.session+".json"))
			if err != nil || !bytes.Contains(kept, []byte(`"stopped"`)) {
				t.Errorf("kept is %s, %v", kept, err)
			}
		})
	}
}

// awaitFile returns the line that a command writes into a file.
func awaitFile(t *testing.T, name string) string {
	t.Helper()
	for deadline := time.Now().Add(editorPatience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if data, err := os.ReadFile(name); err == nil && bytes.HasSuffix(data, []byte("\n")) {
			return strings.TrimSpace(string(data))
		}
	}
	t.Fatalf("%s is not written", name)
	return ""
}
