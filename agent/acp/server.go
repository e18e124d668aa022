package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent/session"
)

// What the agent calls itself.
const (
	agentName  = "bob"
	agentTitle = "Bob (bash-first agent)"
)

// server is one connection with its sessions.
type server struct {
	opts Options
	conn *sdk.Connection
	out  *output
	log  *logger
	ctx  context.Context // ends when the connection is to end

	ids      callIDs
	turns    turns
	requests requests

	opening sync.Mutex // one session is opened at a time
	setting sync.Mutex // the settings are read or changed; taken after opening

	mu       sync.Mutex
	sessions map[string]*live
	work     sync.WaitGroup
	waiting  bool // wait was called: work takes nothing more
	offer    offer
}

func newServer(ctx context.Context, out io.Writer, o Options) *server {
	return &server{
		opts:     o,
		out:      &output{w: out, broken: make(chan struct{})},
		log:      &logger{w: o.Log},
		ctx:      ctx,
		turns:    turns{joined: map[int]*turn{}},
		requests: requests{idle: make(chan struct{})},
		sessions: map[string]*live{},
	}
}

// spawn runs work in a goroutine that wait waits for. It returns false, and
// runs nothing, at the end of the connection.
func (s *server) spawn(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting {
		return false
	}
	s.work.Go(work)
	return true
}

// wait waits for the goroutines of the sessions. The context has ended.
func (s *server) wait() {
	s.mu.Lock()
	s.waiting = true
	s.mu.Unlock()
	s.work.Wait()
}

// handle answers one request, in a goroutine of the SDK's. Its context ends
// once the answer is written.
func (s *server) handle(ctx context.Context, method string, params json.RawMessage) (result any, refusal *sdk.RequestError) {
	context.AfterFunc(ctx, s.requests.done)
	defer func() {
		if p := recover(); p != nil {
			s.log.printf("panic in %s: %v", method, p)
			_, _ = s.log.Write(append(debug.Stack(), '\n'))
			result, refusal = nil, internal(fmt.Errorf("%s failed inside: %v", method, p))
		}
	}()
	switch method {
	case sdk.AgentMethodInitialize:
		return s.initialize(params)
	case sdk.AgentMethodAuthenticate:
		return struct{}{}, nil
	case sdk.AgentMethodSessionNew:
		return s.newSession(ctx, params)
	case sdk.AgentMethodSessionLoad:
		if s.opts.Store != nil {
			return s.loadSession(ctx, params, false)
		}
	case sdk.AgentMethodSessionPrompt:
		return s.prompt(ctx, params)
	default:
		if s.opts.Extended {
			return s.handleExtended(ctx, method, params)
		}
	}
	return nil, sdk.NewMethodNotFound(method)
}

// initialized is the answer to initialize. The SDK's own type writes
// capabilities out that the agent does not have.
type initialized struct {
	ProtocolVersion   int                `json:"protocolVersion"`
	AgentCapabilities capabilities       `json:"agentCapabilities"`
	AgentInfo         sdk.Implementation `json:"agentInfo"`
	AuthMethods       []sdk.AuthMethod   `json:"authMethods"`
}

type capabilities struct {
	LoadSession bool                     `json:"loadSession,omitempty"`
	Session     *sdk.SessionCapabilities `json:"sessionCapabilities,omitempty"`
}

func (s *server) initialize(params json.RawMessage) (any, *sdk.RequestError) {
	p, refusal := decode[struct {
		ProtocolVersion json.Number `json:"protocolVersion"`
		ClientInfo      struct{ Name, Version string }

		ClientCapabilities json.RawMessage // of any shape: what cannot be read is not offered
	}](params)
	if refusal != nil {
		return nil, refusal
	}
	var offers struct{ FS offer }
	if json.Unmarshal(p.ClientCapabilities, &offers) == nil {
		s.setOffer(offers.FS)
	}
	client := strings.TrimSpace(p.ClientInfo.Name + " " + p.ClientInfo.Version)
	s.log.printf("client %s, protocol version %s", cmp.Or(client, "without a name"), cmp.Or(p.ProtocolVersion, "not told"))
	return initialized{
		ProtocolVersion:   sdk.ProtocolVersionNumber,
		AgentCapabilities: s.capabilities(),
		AgentInfo:         sdk.Implementation{Name: agentName, Title: sdk.Ptr(agentTitle), Version: s.opts.Version},
		AuthMethods:       []sdk.AuthMethod{},
	}, nil
}

func (s *server) capabilities() capabilities {
	c := capabilities{LoadSession: s.opts.Store != nil}
	if s.opts.Extended {
		c.Session = &sdk.SessionCapabilities{Close: &sdk.SessionCloseCapabilities{}}
		if c.LoadSession {
			c.Session.List, c.Session.Resume = &sdk.SessionListCapabilities{}, &sdk.SessionResumeCapabilities{}
		}
	}
	return c
}

func (s *server) offered() offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offer
}

func (s *server) setOffer(o offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offer = o
}

// sessionParams are the parameters of the requests for sessions.
type sessionParams struct {
	SessionID  string            `json:"sessionId"`
	Cwd        string            `json:"cwd"`
	McpServers []json.RawMessage `json:"mcpServers"`
}

// directory checks the working directory of a session.
func (p sessionParams) directory() error {
	if !filepath.IsAbs(p.Cwd) {
		return fmt.Errorf("cwd %q is not an absolute path", p.Cwd)
	}
	if info, err := os.Stat(p.Cwd); err != nil || !info.IsDir() {
		return fmt.Errorf("cwd %q is not a directory", p.Cwd)
	}
	return nil
}

func (s *server) newSession(ctx context.Context, params json.RawMessage) (any, *sdk.RequestError) {
	p, refusal := decode[sessionParams](params)
	if refusal != nil {
		return nil, refusal
	}
	if err := p.directory(); err != nil {
		return nil, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	p.Cwd = filepath.Clean(p.Cwd)
	sess := session.New(p.Cwd, time.Now())
	store, release := s.newStore(sess)
	s.opening.Lock()
	defer s.opening.Unlock()
	l, err := s.open(sess, store, release, false)
	if err != nil {
		return nil, internal(err)
	}
	s.log.printf("session %s in %s: %d MCP server(s) ignored", sess.ID, p.Cwd, len(p.McpServers))

	// The editor must know the session before it hears of it.
	context.AfterFunc(ctx, func() { s.spawn(l.announceSoon) })
	return sdk.NewSessionResponse{
		SessionId: sdk.SessionId(sess.ID), Modes: s.modes(l), ConfigOptions: s.options(ctx, l),
	}, nil
}

// newStore opens the store of a new session, takes the session and writes it,
// since some clients load it before its first turn. A session that cannot be
// kept is used all the same.
func (s *server) newStore(sess *session.Session) (store *session.Store, release func()) {
	release = func() {}
	if s.opts.Store == nil {
		return nil, release
	}
	store, err := s.opts.Store(sess.Cwd)
	if err == nil {
		store.KeepEmpty = true
		if err = store.Save(sess); err == nil {
			release, err = store.Lock(sess.ID)
		}
	}
	if err != nil {
		s.log.printf("session %s is not kept: %v", sess.ID, err)
		return nil, func() {}
	}
	return store, release
}

// loadSession takes a stored session up. A quiet one is not replayed.
func (s *server) loadSession(ctx context.Context, params json.RawMessage, quiet bool) (any, *sdk.RequestError) {
	p, refusal := decode[sessionParams](params)
	if refusal != nil {
		return nil, refusal
	}
	if err := p.directory(); err != nil {
		return nil, invalid(p.SessionID, err)
	}
	p.Cwd = filepath.Clean(p.Cwd)
	store, err := s.opts.Store(p.Cwd)
	if err != nil {
		return nil, invalid(p.SessionID, err)
	}
	store.KeepEmpty = true
	s.opening.Lock()
	defer s.opening.Unlock()
	if _, err = store.Load(p.SessionID); err != nil {
		return nil, invalid(p.SessionID, err)
	}
	if old := s.take(p.SessionID); old != nil {
		// The client has lost this session, or wants it again: what runs
		// in it ends, and its last words are read too.
		old.close()
	}
	release, err := store.Lock(p.SessionID)
	if err != nil {
		return nil, invalid(p.SessionID, err)
	}
	sess, err := store.Load(p.SessionID)
	if err != nil {
		release()
		return nil, invalid(p.SessionID, err)
	}
	sess.Cwd = p.Cwd
	l, err := s.open(sess, store, release, quiet)
	if err != nil {
		return nil, internal(err)
	}
	if quiet {
		s.log.printf("session %s resumed from %s", sess.ID, store.Dir())
	} else {
		s.log.printf("session %s loaded from %s: %d message(s) replayed", sess.ID, store.Dir(), len(sess.Items))
	}
	l.announce()
	return sdk.LoadSessionResponse{Modes: s.modes(l), ConfigOptions: s.options(ctx, l)}, nil
}

// open starts a session, sends its replay unless it is quiet, and registers it. release gives the
// session's file back; it is called when the session ends or does not begin.
func (s *server) open(sess *session.Session, store *session.Store, release func(), quiet bool) (*live, error) {
	started := false
	defer func() {
		if !started { // also when a part of the program panics
			release()
		}
	}()
	var files *ClientFiles
	if s.opts.ClientFiles {
		files = &ClientFiles{srv: s, session: sess.ID}
	}
	core, err := s.opts.Open(sess.Cwd, sess, store, files)
	if err != nil {
		return nil, err
	}
	started = true
	l := s.newLive(core, sess, release)
	l.quiet, l.tr.held = quiet, files.last
	if err := l.start(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.sessions[l.id] = l
	s.mu.Unlock()
	return l, nil
}

// session finds a registered session.
func (s *server) session(id string) (*live, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.sessions[id]
	return l, ok
}

// all returns the registered sessions.
func (s *server) all() []*live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.sessions))
}

// take removes a session from the register, and returns it or nil.
func (s *server) take(id string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.sessions[id]
	delete(s.sessions, id)
	return l
}

// internal is the answer to a request that failed.
func internal(err error) *sdk.RequestError {
	return sdk.NewInternalError(map[string]any{"error": err.Error()})
}
