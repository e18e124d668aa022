package doctor

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// maxKept bounds what is kept of one answer, in bytes.
const maxKept = 4 << 20

// tap keeps a copy of the answers to chat requests, to see the fields that the
// client reads away.
type tap struct {
	base http.RoundTripper

	mu   sync.Mutex
	last *bytes.Buffer
}

// RoundTrip implements http.RoundTripper.
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err != nil || req.Method != http.MethodPost {
		return resp, err
	}
	kept := &bytes.Buffer{}
	t.mu.Lock()
	t.last = kept
	t.mu.Unlock()
	resp.Body = &copied{ReadCloser: resp.Body, to: kept, mu: &t.mu}
	return resp, nil
}

// copied copies what is read of a body.
type copied struct {
	io.ReadCloser
	to *bytes.Buffer
	mu *sync.Mutex
}

func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to.Write(p[:min(n, max(0, maxKept-c.to.Len()))])
	return n, err
}

// fields are those of an answer that servers differ in.
type fields struct {
	reasoningContent bool // delta.reasoning_content had text
	reasoning        bool // delta.reasoning had text
	thinkTags        bool // the content had <think>
	usage            bool // tokens were counted
	cached           bool // tokens from the cache were counted, even if none were
	progress         bool // prompt_progress
	callParts        int  // deltas with parts of tool calls
}

// event is one event of a streamed answer, as far as it matters here.
type event struct {
	Choices []struct {
		Delta struct {
			Content          string            `json:"content"`
			ReasoningContent string            `json:"reasoning_content"`
			Reasoning        string            `json:"reasoning"`
			ToolCalls        []json.RawMessage `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
	Usage *struct {
		Details *struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Progress json.RawMessage `json:"prompt_progress"`
}

// seen reads the fields of the last answer.
func (t *tap) seen() fields {
	t.mu.Lock()
	defer t.mu.Unlock()
	var f fields
	if t.last == nil {
		return f
	}
	for line := range bytes.Lines(t.last.Bytes()) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		var e event
		if !ok || json.Unmarshal(data, &e) != nil {
			continue
		}
		for _, c := range e.Choices {
			f.reasoningContent = f.reasoningContent || c.Delta.ReasoningContent != ""
			f.reasoning = f.reasoning || c.Delta.Reasoning != ""
			f.thinkTags = f.thinkTags || bytes.Contains([]byte(c.Delta.Content), []byte("think>"))
			if len(c.Delta.ToolCalls) > 0 {
				f.callParts++
			}
		}
		if e.Usage != nil {
			f.usage = true
			f.cached = f.cached || e.Usage.Details != nil && e.Usage.Details.Cached != nil
		}
		f.progress = f.progress || len(e.Progress) > 0
	}
	return f
}
