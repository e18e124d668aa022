// Package acp serves the agent to editors by the Agent Client Protocol:
// JSON-RPC 2.0, one message a line, on a pair of streams. It drives cores by
// their commands and translates their events. It knows neither models nor
// tools nor the configuration.
package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/session"
)

const (
	// grace is how long the end of a connection may take: tools are stopped
	// within a second.
	grace = 5 * time.Second

	// readPatience is how long a client may leave a line unread then.
	readPatience = time.Second
)

// Options are what a server is made of. Open is required.
type Options struct {
	// Version is the build's version, told to the client.
	Version string

	// Log receives lines for people, the standard error in general; nil drops
	// them.
	Log io.Writer

	// Open makes the core of a session. store is nil when sessions are not
	// kept, and files unless ClientFiles is set. Its policy has an empty set
	// of remembered answers.
	Open func(cwd string, s *session.Session, store *session.Store, files *ClientFiles) (*agent.Core, error)

	// Store opens the store of the sessions of a directory. It is nil when
	// sessions are not kept.
	Store func(cwd string) (*session.Store, error)

	// ClientFiles has files read and written through the client, as far as
	// it offers that.
	ClientFiles bool

	// Extended offers what the reference does not: lists of sessions, to
	// resume and to close them, modes, and Settings.
	Extended bool
	Settings []Setting
}

// Serve talks to one client until it closes in, can no longer be written to,
// or ctx ends. Then it stops what runs, answers what was asked, and returns. A
// client that goes away is no error. Serve closes in, when it can be closed,
// to end a Read that waits; one that does not end is left behind.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	// A write to a closed pipe is to fail and not to kill. The signal is
	// taken, not ignored: commands would inherit that.
	pipeSignals := make(chan os.Signal, 1)
	signal.Notify(pipeSignals, syscall.SIGPIPE)
	defer signal.Stop(pipeSignals)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	toSDK, fromGate := io.Pipe()
	s := newServer(ctx, out, o)
	s.conn = sdk.NewConnection(s.handle, s.out, toSDK)
	s.conn.SetLogger(slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn})))

	// The connection reads from the gate, which starts only here: what a
	// handler needs is in place before the first line.
	gateEnded := make(chan struct{})
	go func() {
		defer close(gateEnded)
		g := gate{srv: s, forward: fromGate}
		if err := g.run(in); err != nil && ctx.Err() == nil {
			s.log.printf("the client's messages cannot be read: %v", err)
		}
	}()
	select {
	case <-gateEnded:
	case <-ctx.Done():
	case <-s.out.broken:
		s.log.printf("the client is gone: %v", s.out.failure())
	}
	cancel()
	if c, ok := in.(io.Closer); ok {
		_ = c.Close() // it is enough that it no longer blocks
	}
	return s.end(fromGate)
}

// end waits for the answers and the goroutines of a server whose context has
// ended, and closes the connection. A client that does not read its answers
// does not get them.
func (s *server) end(toConnection io.Closer) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-s.requests.close()
		_ = toConnection.Close() // an end of a pipe in memory
		<-s.conn.Done()
		s.wait()
	}()
	late := time.NewTimer(grace)
	defer late.Stop()
	look := time.NewTicker(readPatience / 4)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return nil
		case <-look.C:
			if s.out.unread() {
				s.log.printf("the client does not read: the last answers are lost")
				return nil
			}
		case <-late.C:
			return errors.New("some work did not stop in time")
		}
	}
}

// output is the stream to the client. Each Write is one whole line, and lines
// of several goroutines do not mix. After an error nothing is written.
type output struct {
	broken chan struct{} // closed by the first error
	began  atomic.Int64  // when the write under way began, in Unix nanoseconds; 0: there is none

	mu  sync.Mutex
	w   io.Writer
	err error
}

func (o *output) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	o.began.Store(time.Now().UnixNano())
	n, err := o.w.Write(line)
	o.began.Store(0)
	if err != nil {
		o.err = err
		close(o.broken)
	}
	return n, err
}

// unread tells whether the client has left a line unread for too long.
func (o *output) unread() bool {
	began := o.began.Load()
	return began != 0 && time.Since(time.Unix(0, began)) > readPatience
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// requests counts the requests that have no answer on the wire yet.
type requests struct {
	mu     sync.Mutex
	open   int
	closed bool
	idle   chan struct{} // closed when it is closed and none is open
}

// add counts a request in. It returns false when no more are taken.
func (r *requests) add() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.open++
	return true
}

func (r *requests) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
	if r.closed && r.open == 0 {
		close(r.idle)
	}
}

// close takes no more requests. The channel is closed when all are answered.
func (r *requests) close() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.open == 0 {
		close(r.idle)
	}
	return r.idle
}
