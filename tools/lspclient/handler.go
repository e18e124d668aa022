package lspclient

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	// maxProblems bounds the diagnostics that are kept of one file, and
	// maxTold the files.
	maxProblems = 500
	maxTold     = 2000

	// maxItems bounds the settings that a server may ask for at once.
	maxItems = 100
)

// handler answers what a server asks and keeps what it tells.
type handler struct{ s *session }

// Handle keeps the order of what is told. Answers are written from goroutines
// of their own, so that reading goes on while a server does not read.
func (h handler) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	switch {
	case req.Method == "textDocument/publishDiagnostics" && req.Params != nil:
		h.s.publish(*req.Params)
	case !req.Notif:
		go h.answer(ctx, conn, req)
	}
}

// answer replies to a request. Nothing that a server asks for changes a file:
// edits are made by the caller alone.
func (h handler) answer(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var result any
	switch req.Method {
	case "workspace/configuration":
		var p struct {
			Items []json.RawMessage `json:"items"`
		}
		if req.Params != nil && json.Unmarshal(*req.Params, &p) == nil {
			result = make([]any, min(len(p.Items), maxItems)) // null: the default
		}
	case "workspace/workspaceFolders":
		result = []any{map[string]any{"uri": uriOf(h.s.o.Dir), "name": filepath.Base(h.s.o.Dir)}}
	case "workspace/applyEdit":
		result = map[string]any{"applied": false, "failureReason": "edits are not applied"}
	case "window/showDocument":
		result = map[string]any{"success": false}
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
		"window/showMessageRequest", "workspace/semanticTokens/refresh", "workspace/diagnostic/refresh",
		"workspace/inlayHint/refresh", "workspace/codeLens/refresh", "workspace/inlineValue/refresh":
	default:
		// A server that cannot be answered is gone, which is noticed.
		_ = conn.ReplyWithError(ctx, req.ID, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "not supported"})
		return
	}
	_ = conn.Reply(ctx, req.ID, result)
}

// published is what a server told of one file.
type published struct {
	version *int // of the text that it looked at, when it says so
	number  int  // rises with each telling
	at      time.Time
	list    []diagnostic
}

func (s *session) publish(params json.RawMessage) {
	var p struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path := pathOf(p.URI)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.told[path]; path == "" || !known && len(s.told) >= maxTold {
		return
	}
	s.counter++
	s.told[path] = published{p.Version, s.counter, time.Now(), p.Diagnostics[:min(len(p.Diagnostics), maxProblems)]}
	close(s.news)
	s.news = make(chan struct{})
}

// latest returns what was told of a file last, and a channel that is closed
// when there is more.
func (s *session) latest(path string) (published, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told[path], s.news
}
