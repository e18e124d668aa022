//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mm/agent/session"
	"mm/configs"
	"mm/llm"
	"mm/llm/demo"
	"mm/llm/openai"
	"mm/ui/ptytest"
)

// kept writes a conversation of one message into the project of a file, and
// returns its id.
func kept(t *testing.T, file, text string) (id string) {
	t.Helper()
	dir := filepath.Dir(file)
	store, err := session.Open(filepath.Join(dir, ".mm", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(dir, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s.Title = text
	s.Items = []session.Item{{Message: llm.Message{Role: llm.User, Text: text}, Turn: 1}}
	if err := store.Save(s); err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// A conversation that cannot be read leaves the running one as it is.
func TestDamagedConversationLeavesTheRunningOne(t *testing.T) {
	t.Parallel()
	p, file := onScreen(t)
	p.WaitFor("demo @ demo")
	id := kept(t, file, "damaged")
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), ".mm", "sessions", id+".json"), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Write("hello\r")
	p.WaitFor("what else I understand")
	p.Write("/resume\r")
	p.WaitFor(id)
	p.Write(id)
	p.WaitFor("1 of 1")
	p.Write("\r")
	p.Gone("Conversations")
	p.WaitFor("is damaged")
	p.Write("show me main.go\r")
	p.WaitFor("var greeting")
	if text := p.Screen(); strings.Contains(text, "closed") || strings.Contains(text, "has ended") {
		t.Errorf("the running conversation was ended:\n%s", text)
	}
}

// Another conversation does not end what runs in this one.
func TestResumeLeavesARunningCommand(t *testing.T) {
	t.Parallel()
	p, file := onScreen(t)
	p.WaitFor("demo @ demo")
	kept(t, file, "earlier words")
	gate := filepath.Join(filepath.Dir(file), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	p.Write("!echo wa''its; read -r x < gate; echo $x\r")
	p.WaitFor("waits")
	p.Write("/resume\r")
	p.WaitFor("earlier words")
	p.Write("earlier\r")
	p.WaitFor("would end what runs here")
	if err := os.WriteFile(gate, []byte("it came through\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.WaitFor("it came through")
	p.Write("/resume\r")
	p.WaitFor("▸ earlier words")
	p.Write("\r")
	p.Gone("it came through")
	p.WaitFor("earlier words")
}

// A conversation is deleted from the disk, and from the list.
func TestConversationIsDeleted(t *testing.T) {
	t.Parallel()
	p, file := onScreen(t)
	p.WaitFor("demo @ demo")
	id := kept(t, file, "earlier words")
	p.Write("/sessions\r")
	p.WaitFor("earlier words")
	p.Write("\x04")
	p.WaitFor("Ctrl+D again deletes it")
	p.Write("\x04")
	p.Gone("earlier words")
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), ".mm", "sessions", id+".json")); !os.IsNotExist(err) {
		t.Errorf("the file of the conversation: %v", err)
	}
}

// models is a server of two models. It remembers which one was asked.
type models struct {
	mu    sync.Mutex
	asked []string
}

func (m *models) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		_, _ = io.WriteString(w, `{"data":[{"id":"first-model"},{"id":"second-model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var request struct{ Model string }
	if json.Unmarshal(body, &request) == nil && request.Model != "" {
		m.mu.Lock()
		m.asked = append(m.asked, request.Model)
		m.mu.Unlock()
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	demo.Handler(demo.Options{}).ServeHTTP(w, r)
}

// The model that is chosen answers, and the server that is.
func TestModelAndServerAreChosen(t *testing.T) {
	t.Parallel()
	m := &models{}
	server := httptest.NewServer(m)
	defer server.Close()
	p, _ := onScreen(t, "MM_PROVIDER=openai", "MM_BASE_URL="+server.URL+"/v1", "MM_MODEL=first-model", "MM_PREWARM=false")
	p.WaitFor("first-model @ openai")
	p.Write("/model\r")
	p.WaitFor("second-model")
	p.Write("second\r")
	p.WaitFor("second-model @ openai")
	p.Write("hello\r")
	p.WaitFor("what else I understand")
	m.mu.Lock()
	if len(m.asked) == 0 || slices.Contains(m.asked, "first-model") {
		t.Errorf("asked %q, want the second model alone", m.asked)
	}
	m.mu.Unlock()
	p.Write("/provider\r")
	p.WaitFor("a scripted stand-in")
	p.Write("demo\r")
	p.WaitFor("demo @ demo")
}

// withoutServer starts the program where no server answers, at the address that
// is returned.
func withoutServer(t *testing.T) (p *ptytest.Program, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p, _ = onScreen(t, "MM_PROVIDER=openai", "MM_BASE_URL=http://"+address+"/v1")
	p.WaitFor("No model server was found.")
	return p, address
}

func TestFirstScreenLooksAgain(t *testing.T) {
	t.Parallel()
	p, address := withoutServer(t)
	p.Write("r")
	p.WaitFor("still no server")
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("the port is taken: %v", err)
	}
	server := &http.Server{Handler: demo.Handler(demo.Options{})}
	go func() { _ = server.Serve(l) }() // until it is closed
	defer func() { _ = server.Close() }()
	p.Write("r")
	p.WaitFor("demo @ openai")
}

func TestFirstScreenTakesAURL(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(demo.Handler(demo.Options{}))
	defer server.Close()
	p, address := withoutServer(t)
	p.Write("u")
	p.WaitFor("URL of the server")
	p.Write("http://" + address + "/v1\r")
	p.WaitFor("or correct the URL")
	p.Write("u")
	p.WaitFor("URL of the server")
	p.Write(server.URL + "/v1\r")
	p.WaitFor("demo @ openai")
}

func TestFirstScreenStartsTheDemo(t *testing.T) {
	t.Parallel()
	p, _ := withoutServer(t)
	p.Write("d")
	p.WaitFor("demo @ demo")
}

// What was written in the editor comes back as text, all of it, and the mouse
// scrolls again.
func TestDraftIsWrittenInTheEditor(t *testing.T) {
	t.Parallel()
	editor := filepath.Join(t.TempDir(), "editor")
	const script = "#!/bin/sh\ni=1; while [ $i -le 30 ]; do echo \"row $i.\"; i=$((i+1)); done >> \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	p, _ := onScreen(t, "EDITOR="+editor)
	p.WaitFor("demo @ demo")
	p.Write("my words ")
	p.WaitFor("> my words")
	p.Write("\x07")
	p.WaitFor("row 30.")
	p.Seen("\x1b[?1002l")
	p.Seen("\x1b[?1002h")
	if text := p.Screen(); strings.Contains(text, "[pasted") {
		t.Errorf("the text is folded:\n%s", text)
	}
	p.Write("\r")
	p.WaitFor("› my words row 1.")
}

// askedForBackground starts the program on a terminal that is asked for its background.
func askedForBackground(t *testing.T) *ptytest.Program {
	t.Helper()
	p, _ := onScreen(t, "COLORFGBG=")
	p.Seen("\x1b]11;?")
	return p
}

// What is typed before the screen is up is not lost: neither the letters nor
// Backspace nor Enter, whatever stands between them.
func TestKeysBeforeTheScreenAreKept(t *testing.T) {
	t.Parallel()
	p := askedForBackground(t)
	p.Write("hellp\x7f\x1b[1;2Ao\r\x1b]11;rgb:0000/0000/0000\x07\x1b[?1;2c")
	p.WaitFor("what else I understand")
	p.WaitFor("› hello")
}

// The terminal's background decides on the theme.
func TestBackgroundChoosesTheTheme(t *testing.T) {
	t.Parallel()
	for background, theme := range map[string]string{"ffff/ffff/ffff": "light", "0000/0000/0000": "dark"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			p, _ := onScreen(t, "COLORFGBG=")
			p.Write("\x1b]11;rgb:" + background + "\x1b\\\x1b[?1;2c") // it is there when the question comes
			p.WaitFor("demo @ demo")
			p.Write("/theme\r")
			p.WaitFor("▸ " + theme)
		})
	}
}

// The settings of the look reach the screen: how much of an output is shown, and
// where the bar of the context has its marks, in cells of its eight.
func TestLookIsConfigured(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t, "MM_PREVIEW_LINES=3", "MM_CONTEXT_MASK_TO=0.2", "MM_CONTEXT_MASK_AT=0.3", "MM_CONTEXT_COMPACT_AT=0.9")
	p.WaitFor("demo @ demo")
	p.WaitFor("ctx ░░┊░░░░┊")
	p.Write("!seq 101 140\r")
	p.WaitFor("exit 0")
	if text := p.Screen(); !strings.Contains(text, "37 more lines") || strings.Count(text, "│ 1") != 3 {
		t.Errorf("want three lines of the output:\n%s", text)
	}
}

// The first screen says where it looked, and why it found nothing there, when
// the configuration names no address.
func TestFirstScreenNamesTheAddress(t *testing.T) {
	t.Parallel()
	a := &app{cfg: &configs.Loaded{Config: configs.Config{Provider: openai.LlamaCpp}}}
	probed := a.firstRun(nil, &llm.Error{Kind: llm.Unreachable}).Probed
	const where = "http://localhost:8080"
	if len(probed) != 1 || !strings.HasPrefix(probed[0].URL, where) || !strings.Contains(probed[0].Found, where) {
		t.Errorf("got %+v, want %s and why", probed, where)
	}
}
