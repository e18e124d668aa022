package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// The test's own program is the scripted server when these are set: how it
// misbehaves, in words, and the file in which it notes what happens.
const (
	fakeFaults = "MM_TEST_LSP_FAULTS"
	fakeLog    = "MM_TEST_LSP_LOG"
)

func TestMain(m *testing.M) {
	if faults, ok := os.LookupEnv(fakeFaults); ok {
		serveFake(strings.Fields(faults))
		return
	}
	os.Exit(m.Run())
}

// fake is a server of a language in which "func NAME" declares and "BAD TEXT"
// is wrong.
type fake struct {
	faults []string
	starts int

	mu    sync.Mutex
	texts map[string]string
	asked int
	told  map[string]int // how many problems, by file
}

func (f *fake) has(fault string) bool { return slices.Contains(f.faults, fault) }

// note appends a word to the log.
func note(word string) {
	log, err := os.OpenFile(os.Getenv(fakeLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer log.Close()
	fmt.Fprintln(log, word)
}

type stdio struct{}

func (stdio) Read(b []byte) (int, error)  { return os.Stdin.Read(b) }
func (stdio) Write(b []byte) (int, error) { return os.Stdout.Write(b) }
func (stdio) Close() error                { return nil }

func serveFake(faults []string) {
	f := &fake{faults: faults, texts: map[string]string{}, told: map[string]int{}}
	note("start")
	log, err := os.ReadFile(os.Getenv(fakeLog))
	if err != nil {
		panic(err)
	}
	f.starts = strings.Count(string(log), "start")
	switch {
	case f.has("dieatstart"):
		os.Exit(4)
	case f.has("garbage"):
		fmt.Print("Hello, I am a server\n\n{}")
	case f.has("header"):
		fmt.Print(strings.Repeat("X-Header: x\r\n", 1000))
	case f.has("huge"):
		fmt.Print("Content-Length: 99999999999\r\n\r\n")
	}
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(stdio{}, jsonrpc2.VSCodeObjectCodec{}), ordered{f, jsonrpc2.HandlerWithError(f.handle)})
	<-conn.DisconnectNotify()
	if f.has("stubborn") {
		time.Sleep(time.Hour)
	}
}

// ordered handles messages one after another, except for what may take long.
type ordered struct {
	f *fake
	jsonrpc2.Handler
}

func (o ordered) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	switch {
	case req.Method == "textDocument/hover":
		go o.Handler.Handle(ctx, conn, req)
	case req.Method == "initialized" && o.f.has("noread"):
		time.Sleep(time.Hour)
	default:
		o.Handler.Handle(ctx, conn, req)
	}
}

type anyParams struct {
	TextDocument struct {
		URI     string
		Text    string
		Version int
	}
	Position       position
	NewName        string
	ContentChanges []struct{ Text string }
	Changes        []struct {
		URI  string
		Type int
	}
}

func (f *fake) handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	note(req.Method)
	var p anyParams
	if req.Params != nil {
		if err := json.Unmarshal(*req.Params, &p); err != nil {
			return nil, err
		}
	}
	uri := p.TextDocument.URI
	switch req.Method {
	case "initialize":
		return f.initialize()
	case "textDocument/didOpen":
		f.texts[uri] = p.TextDocument.Text
		return nil, f.publish(ctx, conn, uri, p.TextDocument.Version)
	case "textDocument/didChange":
		f.texts[uri] = p.ContentChanges[0].Text
		return nil, f.publish(ctx, conn, uri, p.TextDocument.Version)
	case "workspace/didChangeWatchedFiles":
		for _, c := range p.Changes {
			note([]string{"", "created:", "changed:", "deleted:"}[c.Type] + filepath.Base(c.URI))
		}
		if f.has("retell") {
			for uri := range f.texts {
				f.texts[uri] = strings.ReplaceAll(f.texts[uri], "one", "again")
				if err := f.publish(ctx, conn, uri, 1); err != nil {
					return nil, err
				}
			}
		}
	case "textDocument/documentSymbol":
		return f.symbols(uri), nil
	case "textDocument/definition":
		return location{URI: uri, Range: span{p.Position, p.Position}}, nil
	case "textDocument/hover":
		return f.hover(ctx, conn, p)
	case "textDocument/diagnostic":
		if f.has("nopull") {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound}
		}
		return map[string]any{"kind": "full", "items": f.problems(uri)}, nil
	case "textDocument/rename":
		return f.rename(uri, p.NewName)
	case "exit":
		if !f.has("stubborn") {
			os.Exit(0)
		}
	}
	return nil, nil
}

func (f *fake) initialize() (any, error) {
	caps := map[string]any{}
	if f.has("utf8") {
		caps["positionEncoding"] = "utf-8"
	}
	if f.has("pull") || f.has("nopull") {
		caps["diagnosticProvider"] = map[string]any{"interFileDependencies": true}
	}
	if f.has("noinit") {
		time.Sleep(time.Hour)
	}
	return map[string]any{"capabilities": caps}, nil
}

var (
	declaration = regexp.MustCompile(`^func (\w+)`)
	bad         = regexp.MustCompile(`^BAD (\w+)`)
)

func (f *fake) problems(uri string) []diagnostic {
	list := []diagnostic{}
	for i, line := range strings.Split(f.texts[uri], "\n") {
		if m := bad.FindStringSubmatch(line); m != nil {
			list = append(list, diagnostic{Range: span{position{i, 0}, position{i, 3}}, Severity: 1, Message: "bad: " + m[1]})
		}
	}
	return list
}

func (f *fake) publish(ctx context.Context, conn *jsonrpc2.Conn, uri string, version int) error {
	if f.has("pull") {
		return nil
	}
	same := len(f.problems(uri)) == f.told[uri]
	f.told[uri] = len(f.problems(uri))
	if f.has("silent") && same && version > 1 {
		return nil
	}
	told := map[string]any{"uri": uri, "version": version, "diagnostics": f.problems(uri)}
	if f.has("noversion") {
		delete(told, "version")
	}
	if f.has("twice") { // first a part, as of syntax alone
		part := map[string]any{"uri": uri, "version": version, "diagnostics": []diagnostic{}}
		if err := conn.Notify(ctx, "textDocument/publishDiagnostics", part); err != nil {
			return err
		}
	}
	return conn.Notify(ctx, "textDocument/publishDiagnostics", told)
}

func (f *fake) symbols(uri string) any {
	list := []any{}
	for i, line := range strings.Split(f.texts[uri], "\n") {
		m := declaration.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at := span{position{i, 5}, position{i, 5 + len(m[1])}}
		if f.has("flat") {
			list = append(list, map[string]any{"name": m[1], "kind": 12, "location": location{URI: uri, Range: at}})
		} else {
			list = append(list, symbol{Name: m[1], Kind: 12, Range: span{position{i, 0}, position{i, len(line)}}, SelectionRange: at})
		}
	}
	return list
}

func (f *fake) hover(ctx context.Context, conn *jsonrpc2.Conn, p anyParams) (any, error) {
	f.asked++
	switch {
	case f.has("die"), f.has("dieonce") && f.starts == 1:
		fmt.Fprintln(os.Stderr, "first words\nthe last words")
		os.Exit(3)
	case f.has("hang"):
		f.mu.Unlock()
		time.Sleep(time.Hour)
	case f.has("modified") && f.asked < 3:
		return nil, &jsonrpc2.Error{Code: contentModified, Message: "content modified"}
	case f.has("asks"):
		return map[string]any{"contents": f.ask(ctx, conn)}, nil
	}
	return map[string]any{"contents": []any{map[string]any{"kind": "plaintext", "value": fmt.Sprintf("%d:%d", p.Position.Line, p.Position.Character)}}}, nil
}

// ask asks the client, and returns its answers in one line.
func (f *fake) ask(ctx context.Context, conn *jsonrpc2.Conn) string {
	var answers []string
	for _, q := range []struct{ method, params string }{
		{"workspace/configuration", `{"items":[{},{}]}`},
		{"workspace/applyEdit", `{"edit":{}}`},
		{"client/registerCapability", `{"registrations":[]}`},
		{"something/else", `{}`},
	} {
		var answer json.RawMessage
		err := conn.Call(ctx, q.method, json.RawMessage(q.params), &answer)
		if fault, ok := err.(*jsonrpc2.Error); ok {
			answer = json.RawMessage(fault.Message)
		}
		answers = append(answers, string(answer))
	}
	return strings.Join(answers, " ")
}

func (f *fake) rename(uri, to string) (any, error) {
	var edits []textEdit
	for i, line := range strings.Split(f.texts[uri], "\n") {
		for from := 0; ; {
			at := strings.Index(line[from:], "run")
			if at < 0 {
				break
			}
			from += at + len("run")
			unit := func(o int) int { return column(line, o, f.has("utf8")) }
			edits = append(edits, textEdit{span{position{i, unit(from - 3)}, position{i, unit(from)}}, to})
		}
	}
	change := map[string]any{"textDocument": textDocument{uri}, "edits": edits}
	switch {
	case f.has("refuse"):
		return nil, &jsonrpc2.Error{Code: -32602, Message: "cannot rename this"}
	case f.has("changes"):
		return map[string]any{"changes": map[string]any{uri: edits}}, nil
	case f.has("createfile"):
		return map[string]any{"documentChanges": []any{map[string]any{"kind": "create", "uri": uri}, change}}, nil
	case f.has("web"):
		change["textDocument"] = textDocument{"https://example.com/a"}
	}
	return map[string]any{"documentChanges": []any{change}}, nil
}
