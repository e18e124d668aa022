package acp_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/acp"
	"mm/agent/agenttest"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// fileTools are the real tools on files, through the client.
func fileTools(t *testing.T) func(cwd string, files *acp.ClientFiles) agent.Toolbox {
	return func(cwd string, files *acp.ClientFiles) agent.Toolbox {
		ws, err := safety.NewWorkspace(cwd)
		if err != nil {
			t.Error(err)
			return nil
		}
		t.Cleanup(func() { _ = ws.Close() })
		f := tools.Files{Workspace: ws, Seen: tools.NewSeen()}
		if files != nil {
			f.Editor = files
		}
		box, err := tools.NewToolbox(tools.ToolboxOptions{}, tools.NewReadFile(f), tools.NewWriteFile(f), tools.NewEditFile(f))
		if err != nil {
			t.Error(err)
		}
		return box
	}
}

func throughClient(t *testing.T) func(*setup) {
	return func(s *setup) { s.ClientFiles, s.box = true, fileTools(t) }
}

// offers introduces the client with what it offers of its files.
func (r *rig) offers(read, write bool) {
	r.t.Helper()
	_, err := r.conn.Initialize(r.t.Context(), sdk.InitializeRequest{
		ProtocolVersion:    sdk.ProtocolVersionNumber,
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: read, WriteTextFile: write}},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.wire.take()
}

// buffers is an editor's open files, by path. What is written is saved.
type buffers struct {
	mu   sync.Mutex
	text map[string]string
}

func (b *buffers) of(e *editor) {
	e.read = func(q sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		text, ok := b.text[q.Path]
		if !ok {
			return sdk.ReadTextFileResponse{}, errors.New("not open")
		}
		return sdk.ReadTextFileResponse{Content: text}, nil
	}
	e.write = func(q sdk.WriteTextFileRequest) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.text[q.Path] = q.Content
		return os.WriteFile(q.Path, []byte(q.Content), 0o600)
	}
}

func readCall(path string) agenttest.Reply {
	return agenttest.Call("read_file", mustJSON(map[string]string{"path": path}))
}

func editCall(path, old, fresh string) agenttest.Reply {
	return agenttest.Call("edit_file", mustJSON(map[string]any{"path": path, "edits": []map[string]string{{"old": old, "new": fresh}}}))
}

// results are what the model read of its calls, in order.
func (r *rig) results() []string {
	asked := r.model.Requests()
	var all []string
	for _, m := range asked[len(asked)-1].Messages {
		if m.Role == llm.Tool {
			all = append(all, m.Text)
		}
	}
	return all
}

// Unsaved text is read and edited through the client, and its diff is of whole
// texts.
func TestFilesThroughTheClient(t *testing.T) {
	t.Parallel()
	r := newRig(t, throughClient(t),
		readCall("a.txt"), editCall("a.txt", "unsaved", "saved"),
		agenttest.Call("write_file", `{"path":"new.txt","content":"new\n"}`), agenttest.Say("Done."))
	r.offers(true, true)
	id, cwd := r.open()
	file, fresh := filepath.Join(cwd, "a.txt"), filepath.Join(cwd, "new.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &buffers{text: map[string]string{file: "one\nunsaved\nthree\nfour\nfive\nsix\nseven\n"}}
	b.of(r.editor)
	r.prompt(id, "edit")
	if got := r.results()[0]; !strings.Contains(got, "unsaved") {
		t.Errorf("the model read %q", got)
	}
	want := strings.Replace("one\nunsaved\nthree\nfour\nfive\nsix\nseven\n", "unsaved", "saved", 1)
	if got, err := os.ReadFile(file); err != nil || string(got) != want || b.text[file] != want {
		t.Errorf("on disk %q, in the client %q, want %q", got, b.text[file], want)
	}
	if b.text[fresh] != "new\n" {
		t.Errorf("the new file in the client is %q", b.text[fresh])
	}
	diff := mustJSON(map[string]any{"type": "diff", "path": file, "oldText": "one\nunsaved\nthree\nfour\nfive\nsix\nseven\n", "newText": want})
	shown := 0
	for _, line := range r.wire.take() {
		var m struct {
			Params struct {
				Update struct{ Content []map[string]any }
			}
		}
		if json.Unmarshal([]byte(line), &m) == nil && len(m.Params.Update.Content) == 1 && mustJSON(m.Params.Update.Content[0]) == diff {
			shown++
		}
	}
	if shown != 2 {
		t.Errorf("the diff of the whole texts was shown %d times, want 2: pending and completed", shown)
	}
}

// Where the client does not help, the disk counts, as it does when nothing was
// configured.
func TestFilesWithoutTheClient(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		off         bool
		read, write bool // what the client offers
		errs        bool // and it answers with errors
		asked       string
	}{
		{"not configured", true, true, true, false, ""},
		{"nothing is offered", false, false, false, false, ""},
		{"errors", false, true, true, true, "fs/read_text_file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(s *setup) {
				throughClient(t)(s)
				s.ClientFiles = !tc.off
			}, readCall("a.txt"), editCall("a.txt", "one", "two"), agenttest.Say("Done."))
			r.offers(tc.read, tc.write)
			id, cwd := r.open()
			file := filepath.Join(cwd, "a.txt")
			if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if !tc.errs {
				(&buffers{text: map[string]string{file: "unsaved\n"}}).of(r.editor)
			}
			r.prompt(id, "edit")
			if got, err := os.ReadFile(file); err != nil || string(got) != "two\n" {
				t.Errorf("on disk is %q, %v", got, err)
			}
			wire := r.wire.String()
			if got := strings.Contains(wire, `"fs/`); got != (tc.asked != "") || !strings.Contains(wire, tc.asked) {
				t.Errorf("the client was asked: %v", got)
			}
		})
	}
}

// What may be touched is judged before the client is asked: it is not asked
// about what lies outside, what is secret, and what the user refused.
func TestClientFilesAreConfined(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "other.txt")
	if err := os.WriteFile(outside, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, throughClient(t),
		readCall(outside), editCall(".env", "KEY", "NO"), readCall("/dev/zero"), readCall("refused.txt"), agenttest.Say("Done."))
	r.offers(true, true)
	id, cwd := r.open()
	for _, name := range []string{".env", "refused.txt"} {
		if err := os.WriteFile(filepath.Join(cwd, name), []byte("KEY=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.answerBy(func(q sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
		if strings.Contains(*q.ToolCall.Title, "refused") {
			return selected("reject"), nil
		}
		return selected("allow"), nil
	})
	r.prompt(id, "look")
	if wire := r.wire.String(); strings.Contains(wire, `"fs/`) {
		t.Errorf("the client was asked: %s", wire)
	}
}

// readThroughClient begins a turn, in a raw rig, whose first call is allowed.
func (r *rig) readThroughClient(dir, option string) {
	r.t.Helper()
	r.write(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}}`)
	r.writePrompt("turn", r.openRaw(dir), "read")
	r.waitFor("session/request_permission")
	r.write(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`)
}

// A client that never answers costs one wait, and no file.
func TestClientThatDoesNotAnswerAboutFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRawRig(t, throughClient(t), readCall("a.txt"), readCall("a.txt"), agenttest.Say("Done."))
		r.readThroughClient(dir, "allow_always")
		r.waitFor(`"id":"turn","result":{"stopReason":"end_turn"}`)
		if n := strings.Count(r.wire.String(), "fs/read_text_file"); n != 1 {
			t.Errorf("the client was asked %d times, want 1", n)
		}
		if got := r.results(); len(got) != 2 || !strings.Contains(got[0]+got[1], "one") {
			t.Errorf("the model read %q", got)
		}
		r.wantLog("fs/read_text_file is not answered: files are read from the disk and written there")
	})
}

// Answers that no text can be taken from: the disk counts, and nothing hangs.
func TestMalformedAnswersAboutFiles(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"null":     `"result":null`,
		"empty":    `"result":{}`,
		"a number": `"result":{"content":7}`,
		"a string": `"result":"one"`,
		"an error": `"error":"no"`,
		"too long": `"result":{"content":"` + strings.Repeat("x", 10<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r := newRawRig(t, throughClient(t), readCall("a.txt"), agenttest.Say("Done."))
			r.readThroughClient(dir, "allow")
			r.waitFor("fs/read_text_file")
			r.write(`{"jsonrpc":"2.0","id":2,` + answer + `}`)
			r.waitFor(`"id":"turn","result":{"stopReason":"end_turn"}`)
			if got := r.results(); len(got) != 1 || !strings.Contains(got[0], "one") {
				t.Errorf("the model read %q", got)
			}
		})
	}
}
