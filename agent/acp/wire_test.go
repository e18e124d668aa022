package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder keeps what the agent wrote, and fails at what is no JSON-RPC.
type recorder struct {
	t       *testing.T
	mu      sync.Mutex
	partial []byte
	lines   []string
	changed chan struct{} // closed and replaced at each line
	paused  chan struct{} // nil: nothing is held back
}

// pause blocks the next reading until goOn.
func (r *recorder) pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paused = make(chan struct{})
}

func (r *recorder) goOn() { close(r.paused) }

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	if paused := r.paused; paused != nil {
		r.mu.Unlock()
		<-paused
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	r.partial = append(r.partial, b...)
	for {
		line, rest, ok := bytes.Cut(r.partial, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		var m struct{ JSONRPC string }
		if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
			r.t.Errorf("not a JSON-RPC message on stdout: %s", line)
		}
		r.lines = append(r.lines, string(line))
		r.partial = bytes.Clone(rest)
		if r.changed != nil {
			close(r.changed)
			r.changed = nil
		}
	}
}

// take returns the lines since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

func (r *recorder) await(text string) bool {
	late := time.After(patience)
	for {
		r.mu.Lock()
		found := slices.ContainsFunc(r.lines, func(l string) bool { return strings.Contains(l, text) })
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-changed:
		case <-late:
			return false
		}
	}
}

// syncBuffer is a log that several goroutines use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// transcript writes the agent's lines in short form, neighbouring chunks of
// text joined, so that it does not depend on how they were batched.
func transcript(t *testing.T, lines []string) string {
	t.Helper()
	var b strings.Builder
	kind, text := "", ""
	flush := func() {
		if kind != "" {
			fmt.Fprintf(&b, "%s %q\n", kind, text)
		}
		kind, text = "", ""
	}
	for _, line := range lines {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Update, ToolCall map[string]json.RawMessage
			}
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		of := str(m.Params.Update["sessionUpdate"])
		if strings.HasSuffix(of, "_chunk") {
			if of != kind {
				flush()
			}
			var c struct{ Text string }
			_ = json.Unmarshal(m.Params.Update["content"], &c)
			kind, text = of, text+c.Text
			continue
		}
		flush()
		switch {
		case of != "":
			b.WriteString(of + fields(m.Params.Update) + "\n")
		case m.Params.ToolCall != nil:
			b.WriteString("permission" + fields(m.Params.ToolCall) + "\n")
		case m.Method != "":
			b.WriteString(m.Method + "\n")
		case m.Error != nil:
			fmt.Fprintf(&b, "answer error %s\n", m.Error)
		default:
			fmt.Fprintf(&b, "answer %s\n", m.Result)
		}
	}
	flush()
	return b.String()
}

// fields writes the fields of an update, sorted by name, as they came.
func fields(m map[string]json.RawMessage) string {
	var names []string
	for name := range m {
		if name != "sessionUpdate" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		value := string(m[name])
		if s := str(m[name]); s != "" && value == `"`+s+`"` && !strings.Contains(s, " ") {
			value = s // quotes that say nothing
		}
		fmt.Fprintf(&b, " %s=%s", name, value)
	}
	return b.String()
}

func str(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}
