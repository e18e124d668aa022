package lspclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

const (
	// quiet is how long nothing more has to come before what a server told
	// of a file counts as all: many tell of syntax first, then of types.
	quiet = 300 * time.Millisecond

	// A server that says of no version which it looked at may say nothing at
	// all where nothing changed. After that long what it told before counts:
	// for a question, and for an edit, which has more to lose by waiting.
	questionPatience = 6 * time.Second
	editPatience     = 2 * time.Second

	// checkTime is how long an edit waits for what a server says of it.
	checkTime = 5 * time.Second
)

// Severity is how bad a problem is.
type Severity int

// The severities of the protocol.
const (
	Error   Severity = 1
	Warning Severity = 2
	Info    Severity = 3
	Hint    Severity = 4
)

// String names a severity.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Hint:
		return "hint"
	}
	return "info"
}

// Problem is what a server finds wrong in a line.
type Problem struct {
	Line     int // from 1
	Severity Severity
	Message  string
}

// Diagnostics lists the problems of a file as it is on disk.
func (c *Client) Diagnostics(ctx context.Context, path string) (problems []Problem, err error) {
	err = c.ask(ctx, queryTime, "", func(ctx context.Context, s *session) error {
		text, err := s.o.Read(path)
		if err != nil {
			return err
		}
		problems, err = s.problems(ctx, path, valid(text), questionPatience)
		return refused(err)
	})
	return problems, err
}

// NewProblems lists the problems that a file has after a change and did not
// have before it. before is nil when the file is new. It waits seconds at most:
// the server may not have read the project yet.
func (c *Client) NewProblems(ctx context.Context, path string, before, after []byte) (fresh []Problem, err error) {
	err = c.ask(ctx, checkTime, path, func(ctx context.Context, s *session) error {
		var was []Problem
		if before != nil {
			if was, err = s.problems(ctx, path, valid(before), editPatience); err != nil {
				return refused(err)
			}
		}
		is, err := s.problems(ctx, path, valid(after), editPatience)
		if err != nil {
			return refused(err)
		}
		fresh = added(was, is)
		return nil
	})
	return fresh, err
}

// added lists what is in is and not in was. Lines do not count: an edit moves
// those below it.
func added(was, is []Problem) []Problem {
	type what struct {
		severity Severity
		message  string
	}
	known := map[what]int{}
	for _, p := range was {
		known[what{p.Severity, p.Message}]++
	}
	var fresh []Problem
	for _, p := range is {
		if w := (what{p.Severity, p.Message}); known[w] > 0 {
			known[w]--
			continue
		}
		fresh = append(fresh, p)
	}
	return fresh
}

// problems shows a text to the server and returns what it says of it.
func (s *session) problems(ctx context.Context, path, text string, patience time.Duration) ([]Problem, error) {
	d, err := s.show(ctx, path, text)
	if err != nil {
		return nil, err
	}
	if s.pull {
		list, err := s.pulled(ctx, path)
		if fault, ok := errors.AsType[*jsonrpc2.Error](err); !ok || fault.Code != jsonrpc2.CodeMethodNotFound {
			return list, err
		}
		s.pull = false // it promised more than it does
	}
	list, err := s.awaited(ctx, path, d, patience)
	return problemsOf(list), err
}

func (s *session) pulled(ctx context.Context, path string) ([]Problem, error) {
	var report struct {
		Items []diagnostic `json:"items"`
	}
	err := s.call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": textDocument{uriOf(path)}}, &report)
	return problemsOf(report.Items), err
}

// awaited waits until the server told of this version of a file and then was
// quiet on it, or was silent for so long that what it told before counts.
func (s *session) awaited(ctx context.Context, path string, d *document, patience time.Duration) ([]diagnostic, error) {
	var settled, doubted <-chan time.Time
	switch told, _ := s.latest(path); {
	case !d.doubt.IsZero():
		doubted = time.After(time.Until(d.doubt))
	case told.number > 0 && told.version == nil:
		doubted = time.After(patience)
	}
	for seen := 0; ; {
		now, more := s.latest(path)
		current := now.number > d.before && now.fits(d.version)
		if current && now.number != seen {
			seen, settled = now.number, time.After(quiet-time.Since(now.at))
		}
		select {
		case <-settled:
			return now.list, nil
		case <-doubted:
			if !current {
				return now.list, nil
			}
		case <-more:
		case <-s.conn.DisconnectNotify():
			return nil, jsonrpc2.ErrClosed
		case <-ctx.Done():
			if current {
				return now.list, nil
			}
			return nil, context.Cause(ctx)
		}
	}
}

// fits tells whether a telling is of a version of a file, or may be.
func (p published) fits(version int) bool { return p.version == nil || *p.version >= version }

// problemsOf sorts diagnostics by line, each once.
func problemsOf(list []diagnostic) []Problem {
	problems := make([]Problem, 0, len(list))
	for _, d := range list[:min(len(list), maxProblems)] {
		p := Problem{Line: d.Range.Start.Line + 1, Severity: Severity(d.Severity), Message: d.Message}
		if p.Severity == 0 {
			p.Severity = Error
		}
		problems = append(problems, p)
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Severity, b.Severity))
	})
	return slices.Compact(problems)
}

// String writes a problem on one line.
func (p Problem) String() string {
	return fmt.Sprintf("line %d: %s: %s", p.Line, p.Severity, p.Message)
}
