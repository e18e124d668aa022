package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	// maxRetries is how often a question is asked again that the server
	// gave up because the project changed, and retryWait the pause between.
	maxRetries = 5
	retryWait  = 300 * time.Millisecond

	// Codes by which a server says so.
	contentModified = -32801
	serverCancelled = -32802
)

// session is one run of a server.
type session struct {
	o    Options
	proc *process
	conn *jsonrpc2.Conn
	ids  atomic.Uint64

	// What the server can do; set once by initialize.
	utf8 bool // columns count bytes
	pull bool // diagnostics are asked for, not awaited

	docs    map[string]*document // open files by path; of whoever asks
	watched map[string]stamp

	mu      sync.Mutex
	told    map[string]published // by path
	news    chan struct{}        // closed when told changes
	counter int                  // of what was told
}

// start starts a server and agrees with it on the protocol.
func start(ctx context.Context, o Options) (*session, error) {
	proc, err := launch(o)
	if err != nil {
		return nil, err
	}
	s := &session{
		o: o, proc: proc, docs: map[string]*document{},
		told: map[string]published{}, news: make(chan struct{}),
	}
	stream := jsonrpc2.NewBufferedStream(proc, codec{})
	s.conn = jsonrpc2.NewConn(context.Background(), stream, handler{s},
		jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	go func() { // a server that left a process with its pipe is gone all the same
		<-proc.exited
		_ = s.conn.Close() // it may be closed
	}()
	ctx, stop := context.WithTimeoutCause(ctx, startTime, ErrTime)
	defer stop()
	if err := s.initialize(ctx); err != nil {
		if s.ended() {
			return s, err // it died; the caller knows what to do
		}
		s.close(ctx)
		return nil, fmt.Errorf("start %s: %w", o.Server.Name(), refused(err))
	}
	s.watched = s.scan()
	return s, nil
}

func (s *session) initialize(ctx context.Context) error {
	folder := map[string]any{"uri": uriOf(s.o.Dir), "name": filepath.Base(s.o.Dir)}
	var reply struct {
		Capabilities struct {
			PositionEncoding   string          `json:"positionEncoding"`
			DiagnosticProvider json.RawMessage `json:"diagnosticProvider"`
		} `json:"capabilities"`
	}
	err := s.call(ctx, "initialize", map[string]any{
		"initializationOptions": settings[s.o.Server.Name()],
		"processId":             os.Getpid(),
		"clientInfo":            map[string]any{"name": "mm"},
		"rootPath":              s.o.Dir,
		"rootUri":               folder["uri"],
		"workspaceFolders":      []any{folder},
		"capabilities":          capabilities,
	}, &reply)
	if err != nil {
		return err
	}
	s.utf8 = reply.Capabilities.PositionEncoding == "utf-8"
	provider := string(reply.Capabilities.DiagnosticProvider)
	s.pull = provider != "" && provider != "null" && provider != "false"
	return s.notify(ctx, "initialized", struct{}{})
}

// settings are what servers are told at the start, by their names.
var settings = map[string]any{
	// What is asked for is in step with the files; what gopls tells by itself
	// comes when it likes.
	"gopls": map[string]any{"pullDiagnostics": true},
	// A rename means the name, not a second one for it in an import.
	"typescript-language-server": map[string]any{
		"preferences": map[string]any{"providePrefixAndSuffixTextForRename": false},
	},
}

// capabilities are what this client can do.
var capabilities = map[string]any{
	"general": map[string]any{"positionEncodings": []string{"utf-8", "utf-16"}},
	"window":  map[string]any{"workDoneProgress": true},
	"workspace": map[string]any{
		"configuration": true, "workspaceFolders": true,
		"workspaceEdit":         map[string]any{"documentChanges": true},
		"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
	},
	"textDocument": map[string]any{
		"synchronization":    map[string]any{"didSave": true},
		"definition":         map[string]any{"linkSupport": true},
		"hover":              map[string]any{"contentFormat": []string{"plaintext", "markdown"}},
		"documentSymbol":     map[string]any{"hierarchicalDocumentSymbolSupport": true},
		"publishDiagnostics": map[string]any{"versionSupport": true},
		"diagnostic":         map[string]any{},
		"rename":             map[string]any{},
	},
}

// call asks the server and waits for the answer. When ctx ends first, the
// server is told to forget the question.
func (s *session) call(ctx context.Context, method string, params, result any) error {
	for try := 0; ; try++ {
		err := s.callOnce(ctx, method, params, result)
		fault, ok := errors.AsType[*jsonrpc2.Error](err)
		if !ok || fault.Code != contentModified && fault.Code != serverCancelled || try == maxRetries {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(retryWait):
		}
	}
}

func (s *session) callOnce(ctx context.Context, method string, params, result any) error {
	id := jsonrpc2.ID{Num: s.ids.Add(1)}
	var answer json.RawMessage
	err := s.within(ctx, func() error {
		return s.conn.Call(ctx, method, params, &answer, jsonrpc2.PickID(id))
	})
	switch {
	case err == nil && result != nil && string(answer) != "null":
		return json.Unmarshal(answer, result)
	case err != nil && ctx.Err() != nil && !s.ended():
		// Best effort: the answer is not awaited any more.
		go func() { _ = s.conn.Notify(context.Background(), "$/cancelRequest", map[string]any{"id": id}) }()
		return context.Cause(ctx)
	}
	return err
}

func (s *session) notify(ctx context.Context, method string, params any) error {
	return s.within(ctx, func() error { return s.conn.Notify(ctx, method, params) })
}

// within runs what writes to the server. A server that does not read what is
// written to it would hold the writer for ever: it is ended, which frees it.
func (s *session) within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return s.judge(ctx, err)
	case <-ctx.Done():
	}
	select {
	case err := <-done: // it obeys the context unless it is stuck
		return s.judge(ctx, err)
	case <-time.After(closeTime):
		s.proc.kill()
		return context.Cause(ctx)
	}
}

// judge closes the connection after an error that is neither the server's answer
// nor the end of ctx: then it is broken, and ended has to say so.
func (s *session) judge(ctx context.Context, err error) error {
	if _, answered := errors.AsType[*jsonrpc2.Error](err); err != nil && !answered && ctx.Err() == nil {
		_ = s.conn.Close() // it may be closed
		<-s.conn.DisconnectNotify()
	}
	return err
}

// ended tells whether the server is gone.
func (s *session) ended() bool {
	select {
	case <-s.conn.DisconnectNotify():
		return true
	default:
		return false
	}
}

// epitaph says how the server ended.
func (s *session) epitaph() string {
	select {
	case <-s.proc.exited:
	case <-time.After(closeTime): // it closed its output and lives on
	}
	return s.proc.epitaph()
}

// close ends the server: politely, and within ctx and closeTime.
func (s *session) close(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, closeTime)
	defer stop()
	if !s.ended() {
		// Servers that do not answer are ended below.
		_ = s.call(ctx, "shutdown", nil, nil)
		_ = s.notify(ctx, "exit", nil)
	}
	select {
	case <-s.proc.exited:
	case <-ctx.Done():
	}
	s.proc.kill() // and what it started
	<-s.proc.exited
	_ = s.conn.Close() // it may be closed
}
