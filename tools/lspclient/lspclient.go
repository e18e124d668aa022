// Package lspclient talks to language servers: it starts them when they are
// first needed, keeps them in step with the files on disk, and asks them. It
// knows nothing of tools or models; positions go in and out as lines and names.
//
// A server is a program of the user's, and what it says of a project is
// foreign: messages, locations and edits are judged by the caller.
package lspclient

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// startTime is how long a server may take to say that it is ready.
	startTime = 30 * time.Second

	// queryTime is how long a question may take: the first waits until the
	// server has read the project.
	queryTime = 30 * time.Second

	// closeTime is how long a server may take to end by itself.
	closeTime = time.Second

	// maxStarts is how often a server is started: once, and once more when
	// it died.
	maxStarts = 2
)

// Server is a language server that is installed.
type Server struct {
	Language   string   // as the configuration names it: "go"
	Command    []string // the program by its absolute path, and its arguments
	Extensions []string // of the files that it serves, with the dot
}

// Name is the server's program, for messages.
func (s Server) Name() string {
	return strings.TrimSuffix(filepath.Base(s.Command[0]), ".exe")
}

// Options configures a Client.
type Options struct {
	Server Server
	Dir    string   // absolute path of the project
	Env    []string // the whole environment of the server

	// Read returns the text of a file of the project. The client asks for
	// the files that it was asked about, and again for each later question.
	Read func(path string) ([]byte, error)

	// Start starts a command. Nil is (*exec.Cmd).Start; a sandbox goes here.
	Start func(*exec.Cmd) error
}

// Client is one language server of one project. It may be used from several
// goroutines; their questions wait for each other.
type Client struct {
	o    Options
	turn chan struct{} // held by whoever asks

	// life ends with the client.
	life context.Context
	end  context.CancelFunc

	// Guarded by turn.
	run    *run // the latest, or nil
	starts int
}

// run is one start of the server. It goes on when the question that caused it
// is given up, so that the next one finds the server ready.
type run struct {
	started chan struct{} // closed when session and err are set
	session *session
	err     error
}

// New returns a client. Nothing is started before the first question.
func New(o Options) *Client {
	if o.Start == nil {
		o.Start = (*exec.Cmd).Start
	}
	c := &Client{o: o, turn: make(chan struct{}, 1)}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// Name is the server's program, for messages.
func (c *Client) Name() string { return c.o.Server.Name() }

// Serves tells whether a file is of a kind that the server knows.
func (c *Client) Serves(path string) bool { return c.o.Server.serves(path) }

func (s Server) serves(path string) bool {
	return slices.Contains(s.Extensions, strings.ToLower(filepath.Ext(path)))
}

// DeadError says that a server ended, and why it is not started again.
type DeadError struct {
	Server string
	Why    string
}

func (e *DeadError) Error() string { return fmt.Sprintf("%s ended: %s", e.Server, e.Why) }

// ErrTime says that a server did not answer in time.
var ErrTime = errors.New("no answer in time")

// ask runs one question with a session that is in step with the files on disk.
// A server that dies while it is asked is started once more and asked again.
// The file written, when not empty, is about to be shown by the question and
// not read again before it.
func (c *Client) ask(ctx context.Context, limit time.Duration, written string, question func(context.Context, *session) error) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	ctx, stop := context.WithTimeoutCause(ctx, limit, ErrTime)
	defer stop()
	for {
		s, err := c.open(ctx)
		if err == nil {
			err = s.refresh(ctx, written)
		}
		if err == nil {
			err = question(ctx, s)
		}
		gone := err != nil && s != nil && s.ended()
		switch {
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx) // a server that is gone by now was ended for that
		case gone && c.starts < maxStarts:
			continue
		case gone:
			return &DeadError{c.Name(), s.epitaph()}
		}
		return err
	}
}

// open returns the running session, and starts one where there is none.
func (c *Client) open(ctx context.Context) (*session, error) {
	if c.life.Err() != nil {
		return nil, &DeadError{c.Name(), "it was closed"}
	}
	if c.run == nil || c.run.over() {
		if err := c.again(); err != nil {
			return nil, err
		}
	}
	select {
	case <-c.run.started:
		return c.run.session, c.run.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// over tells whether a run has ended or never began.
func (r *run) over() bool {
	select {
	case <-r.started:
		return r.session == nil || r.session.ended()
	default:
		return false
	}
}

// again starts the server, if it may be started once more.
func (c *Client) again() error {
	if c.starts == maxStarts {
		why := "it could not be started"
		if c.run.session != nil {
			why = c.run.session.epitaph()
		} else if c.run.err != nil {
			why = c.run.err.Error()
		}
		return &DeadError{c.Name(), why}
	}
	if c.run != nil && c.run.session != nil {
		c.run.session.close(c.life)
	}
	c.starts++
	r := &run{started: make(chan struct{})}
	c.run = r
	go func() {
		r.session, r.err = start(c.life, c.o)
		close(r.started)
	}()
	return nil
}

// Close ends the server.
func (c *Client) Close() {
	c.end()
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	if c.run == nil {
		return
	}
	<-c.run.started
	if c.run.session != nil {
		ctx, stop := context.WithTimeout(context.Background(), closeTime)
		defer stop()
		c.run.session.close(ctx)
	}
}
