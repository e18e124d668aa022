package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// argPiece is the length of one streamed fragment of arguments, in bytes.
const argPiece = 12

// player writes one answer.
type player struct {
	s     *Server
	ctx   context.Context
	w     http.ResponseWriter
	req   *Request
	id    string
	model string

	slow   time.Duration
	opened bool // the first chunk was sent
	calls  int  // calls in this answer
	pieces int  // pieces of text and arguments, the completion tokens
	usage  []int

	whole message // what a request without streaming gets
}

// message is the answer of a request without streaming.
type message struct {
	Role      string      `json:"role"`
	Content   string      `json:"content"`
	Reasoning string      `json:"reasoning_content,omitempty"`
	ToolCalls []wholeCall `json:"tool_calls,omitempty"`
	finish    string      // "stop" unless the script says otherwise
}

type wholeCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// play answers with a section.
func (s *Server) play(w http.ResponseWriter, r *http.Request, req *Request, section Section) {
	s.mu.Lock()
	s.answers++
	p := &player{
		s: s, ctx: r.Context(), w: w, req: req, model: s.info.Model,
		id:    fmt.Sprintf("chatcmpl-%d", s.answers),
		whole: message{Role: "assistant", finish: "stop"},
	}
	s.mu.Unlock()
	for _, st := range section.steps {
		for range st.n {
			if !p.step(st) {
				return
			}
		}
	}
	if !req.Stream {
		p.writeWhole()
		return
	}
	p.headers()
	p.flush()
}

// step plays one line and reports whether the answer goes on.
func (p *player) step(st step) bool {
	switch st.verb {
	case "status":
		status(p.w, st.nums[0], st.text)
		return false
	case "slow":
		p.slow = st.wait
		return true
	case "wait":
		return p.pause(st.wait)
	case "hang":
		p.headers()
		p.flush()
		<-p.ctx.Done()
		return false
	case "cut":
		p.headers()
		p.flush()
		panic(http.ErrAbortHandler)
	case "usage":
		p.usage = st.nums
		return true
	}
	if !p.req.Stream {
		return p.collect(st)
	}
	return p.stream(st)
}

// collect adds a step to the answer of a request without streaming.
func (p *player) collect(st step) bool {
	switch st.verb {
	case "say":
		p.whole.Content += st.text
	case "think":
		p.whole.Reasoning += st.text
	case "call":
		p.whole.ToolCalls = append(p.whole.ToolCalls, wholeCall{
			ID: p.s.callID(), Type: "function",
			Function: wireFunction{Name: st.name, Arguments: st.text},
		})
		p.whole.finish = "tool_calls"
	case "finish":
		p.whole.finish = st.name
	case "error":
		status(p.w, http.StatusInternalServerError, errorBody(st.text))
		return false
	}
	p.pieces++
	return true
}

func (p *player) writeWhole() {
	writeJSON(p.w, http.StatusOK, map[string]any{
		"id": p.id, "object": "chat.completion", "model": p.model,
		"choices": []any{map[string]any{
			"index": 0, "message": p.whole, "finish_reason": p.whole.finish,
		}},
		"usage": p.usageFigures(),
	})
}

// stream sends the events of a step.
func (p *player) stream(st step) bool {
	p.headers()
	switch st.verb {
	case "say", "think", "call", "finish":
		p.open()
	}
	switch st.verb {
	case "say":
		return p.words("content", st.text)
	case "think":
		return p.words("reasoning_content", st.text)
	case "call":
		return p.call(st.name, st.text)
	case "progress":
		if !p.req.ReturnProgress {
			return true
		}
		return p.event(map[string]any{
			"choices": []any{choice(map[string]any{"role": "assistant", "content": nil}, nil)},
			"prompt_progress": map[string]any{
				"processed": st.nums[0], "total": st.nums[1], "cache": st.nums[2], "time_ms": 1,
			},
		})
	case "finish":
		p.finish(st.name)
		return false
	case "error":
		p.write("data: " + errorBody(st.text) + "\n\n")
		return false
	case "ping":
		return p.plain(":\n\n")
	case "raw":
		return p.plain(st.text)
	}
	return true
}

func (p *player) headers() {
	p.w.Header().Set("Content-Type", "text/event-stream")
}

// open sends the first chunk, which has a role and no content.
func (p *player) open() {
	if p.opened {
		return
	}
	p.opened = true
	p.event(map[string]any{"choices": []any{
		choice(map[string]any{"role": "assistant", "content": nil}, nil),
	}})
}

func (p *player) words(field, text string) bool {
	for _, word := range strings.SplitAfter(text, " ") {
		p.pieces++
		if !p.delta(map[string]any{field: word}) {
			return false
		}
	}
	return true
}

// call sends the name first and then the arguments in pieces.
func (p *player) call(name, args string) bool {
	index := p.calls
	p.calls++
	if !p.delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": index, "id": p.s.callID(), "type": "function",
		"function": wireFunction{Name: name},
	}}}) {
		return false
	}
	for piece := range pieces(args, argPiece) {
		p.pieces++
		if !p.delta(map[string]any{"tool_calls": []any{map[string]any{
			"index": index, "function": wireFunction{Arguments: piece},
		}}}) {
			return false
		}
	}
	return true
}

// finish ends the stream as llama-server does: finish reason, then usage with
// empty choices if it was asked for, then [DONE].
func (p *player) finish(reason string) {
	p.event(map[string]any{"choices": []any{choice(map[string]any{}, reason)}})
	if p.req.StreamOptions.IncludeUsage {
		u := p.usageFigures()
		p.event(map[string]any{"choices": []any{}, "usage": u, "timings": p.timings()})
	}
	p.write("data: [DONE]\n\n")
}

// usageFigures are those of the script, or estimates: four bytes a token.
func (p *player) usageFigures() map[string]any {
	f := p.figures()
	return map[string]any{
		"prompt_tokens": f[0], "completion_tokens": f[1], "total_tokens": f[0] + f[1],
		"prompt_tokens_details": map[string]any{"cached_tokens": f[2]},
	}
}

func (p *player) figures() []int {
	if p.usage != nil {
		return p.usage
	}
	const bytesPerToken = 4
	return []int{len(p.req.Body) / bytesPerToken, p.pieces, 0}
}

func (p *player) timings() map[string]any {
	f := p.figures()
	return map[string]any{
		"cache_n": f[2], "prompt_n": f[0] - f[2], "prompt_per_second": 500,
		"predicted_n": f[1], "predicted_per_second": 50,
	}
}

func (p *player) delta(d map[string]any) bool {
	return p.event(map[string]any{"choices": []any{choice(d, nil)}})
}

func choice(delta map[string]any, finish any) map[string]any {
	return map[string]any{"index": 0, "delta": delta, "finish_reason": finish}
}

// event sends one chunk.
func (p *player) event(fields map[string]any) bool {
	fields["id"] = p.id
	fields["object"] = "chat.completion.chunk"
	fields["model"] = p.model
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	return p.plain("data: " + string(data) + "\n\n")
}

// plain sends a piece after the pause that slow asks for.
func (p *player) plain(piece string) bool {
	if !p.pause(p.slow) {
		return false
	}
	p.write(piece)
	return p.ctx.Err() == nil
}

func (p *player) write(s string) {
	// A client that has gone away is seen through the context.
	_, _ = p.w.Write([]byte(s))
	p.flush()
}

func (p *player) flush() { _ = http.NewResponseController(p.w).Flush() }

func (p *player) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// callID returns a new id of nine letters and digits.
func (s *Server) callID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return fmt.Sprintf("call%05d", s.calls)
}

func status(w http.ResponseWriter, code int, body string) {
	kind := "text/plain; charset=utf-8"
	if strings.HasPrefix(body, "{") {
		kind = "application/json; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body))
}

// errorBody wraps a message as llama-server does; a JSON object stays.
func errorBody(text string) string {
	if strings.HasPrefix(text, "{") {
		return text
	}
	data, err := json.Marshal(map[string]any{"error": map[string]any{
		"code": http.StatusInternalServerError, "message": text, "type": "server_error",
	}})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return string(data)
}

// pieces yields s in runs of about n bytes, never inside a rune.
func pieces(s string, n int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := range s {
			if i-start >= n {
				if !yield(s[start:i]) {
					return
				}
				start = i
			}
		}
		if start < len(s) {
			yield(s[start:])
		}
	}
}
