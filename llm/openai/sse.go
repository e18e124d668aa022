package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"mm/llm"
)

// Limits on what a server may send, in bytes.
const (
	maxEvent = 4 << 20  // one event, and one JSON body in place of a stream
	maxError = 64 << 10 // the body of an HTTP error
	readSize = 16 << 10 // one read from the network
	maxTries = 8        // times that a body of many lines is parsed before its end
)

// reader sits between the HTTP body and the SDK's decoder. It reads any
// dialect of server-sent events that local servers speak and hands on plain
// "data: {json}" events. Comments and events without content become empty
// events, so that the consumer sees signs of life. A server's error, in any of
// its forms, ends the reading with a *llm.Error.
type reader struct {
	body io.ReadCloser
	in   []byte // read buffer
	out  []byte // events that were not handed on yet
	err  error  // why there will be no more

	line   []byte // the current line so far
	data   []byte // the data of the current event so far
	event  string // the event's type
	bare   []byte // lines that are no field of an event
	tries  int    // how often bare was taken for whole
	skipLF bool   // the last line ended in CR

	events int  // events with content
	alive  bool // this read brought something without content
	done   bool // [DONE] was seen
	broken bool // an event could not be decoded
}

func newReader(body io.ReadCloser) *reader {
	return &reader{body: body, in: make([]byte, readSize)}
}

// Read implements io.Reader for the decoder.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.out = r.out[:0:0]
		n, err := r.body.Read(r.in)
		r.feed(r.in[:n])
		if err != nil {
			r.end(err)
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Close closes the body.
func (r *reader) Close() error { return r.body.Close() }

// feed takes the bytes of one read.
func (r *reader) feed(b []byte) {
	r.alive = false
	for len(b) > 0 && r.err == nil {
		if r.skipLF {
			r.skipLF = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			r.extend(b)
			break
		}
		r.skipLF = b[i] == '\r'
		if r.extend(b[:i]) {
			r.takeLine(r.line)
			r.line = r.line[:0]
		}
		b = b[i+1:]
	}
	if r.alive && len(r.out) == 0 && r.err == nil {
		r.emit([]byte("{}"))
	}
}

// extend adds to the current line and reports whether it is still bounded.
func (r *reader) extend(b []byte) bool {
	if len(r.line)+len(r.data)+len(r.bare)+len(b) > maxEvent {
		r.fail(&llm.Error{Kind: llm.BadAnswer, Message: "the server sent an event of more than 4 MiB"})
		return false
	}
	r.line = append(r.line, b...)
	return true
}

// takeLine handles one line without its end.
func (r *reader) takeLine(line []byte) {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if len(bytes.TrimSpace(line)) == 0 {
		r.endEvent()
		return
	}
	name, value, colon := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch field := strings.ToLower(string(name)); {
	case field == "" && colon:
		r.alive = true
	case field == "data" && colon:
		r.takeData(value)
	case field == "event" && colon:
		r.event = string(bytes.TrimSpace(value))
	case field == "error" && colon:
		r.fail(parseError(0, value))
	case colon && isFieldName(field) && len(r.bare) == 0:
		r.alive = true // id, retry, and fields to come
	default:
		r.takeBare(line)
	}
}

// isFieldName reports whether s can name a field of an event.
func isFieldName(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

// takeData adds a data line. An event of one line is handed on without waiting
// for the empty line; so servers that leave it out are understood too.
func (r *reader) takeData(value []byte) {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
		r.alive = true
	case bytes.HasPrefix(value, []byte("[DONE]")):
		r.flushData()
		r.done = true
		r.stop(io.EOF)
	case r.event == "error":
		r.data = append(r.data, value...)
	case value[0] == '{' && json.Valid(value):
		r.flushData()
		r.dispatch(value)
	case len(r.data) == 0 && json.Valid(value):
		r.alive = true // null, a number, a text: nothing of an answer
	default:
		if len(r.data) > 0 {
			r.data = append(r.data, ' ')
		}
		r.data = append(r.data, value...)
	}
}

// endEvent handles the empty line after an event.
func (r *reader) endEvent() {
	if r.event == "error" && len(r.data) > 0 {
		r.fail(parseError(0, r.data))
		r.data = nil
	}
	r.flushData()
	if r.event != "" {
		r.alive = true
	}
	r.event = ""
}

// flushData hands on data that came in several lines, or drops what never
// became JSON.
func (r *reader) flushData() {
	if len(r.data) == 0 {
		return
	}
	data := r.data
	r.data = nil
	if json.Valid(data) {
		r.dispatch(data)
		return
	}
	r.broken = true
	r.alive = true
}

// dispatch hands on the JSON of one event.
func (r *reader) dispatch(data []byte) {
	if bytes.Contains(data, []byte(`"error"`)) {
		var fields map[string]json.RawMessage
		// Anything but an object has no member and passes.
		if json.Unmarshal(data, &fields) == nil {
			member, has := fields["error"]
			if has && !isEmptyJSON(member) {
				r.fail(parseError(0, data))
				return
			}
			if has {
				// The SDK takes an empty member for an error.
				delete(fields, "error")
				if clean, err := json.Marshal(fields); err == nil {
					data = clean
				}
			}
		}
	}
	r.events++
	r.bare = nil
	r.emit(data)
}

func isEmptyJSON(raw json.RawMessage) bool {
	switch string(raw) {
	case "null", "false", `""`, "{}":
		return true
	}
	return false
}

func (r *reader) emit(data []byte) {
	r.out = append(r.out, "data: "...)
	// A line end in JSON is blank space between tokens.
	start := len(r.out)
	r.out = append(r.out, data...)
	for i, c := range r.out[start:] {
		if c == '\n' || c == '\r' {
			r.out[start+i] = ' '
		}
	}
	r.out = append(r.out, "\n\n"...)
}

// takeBare collects lines outside of events: a JSON body in place of a stream,
// or the plain text of a proxy.
func (r *reader) takeBare(line []byte) {
	first := len(r.bare) == 0
	r.bare = append(append(r.bare, line...), '\n')
	// An object ends on its first line, or on a line with its closing brace.
	// The tries are few, since each reads the whole again; the end of the
	// body settles what they left open.
	if r.bare[0] != '{' || !first && (line[0] != '}' || r.tries >= maxTries) {
		return
	}
	r.tries++
	if json.Valid(r.bare) {
		whole := r.bare
		r.bare, r.tries = nil, 0
		r.dispatch(whole)
	}
}

// end handles the end of the body.
func (r *reader) end(cause error) {
	if r.err != nil {
		return
	}
	if cause != io.EOF {
		r.err = &llm.Error{Kind: llm.Disconnected, Err: cause}
		return
	}
	if len(r.line) > 0 {
		r.takeLine(r.line)
		r.line = nil
	}
	r.endEvent()
	if len(r.bare) > 0 && r.err == nil {
		r.endBare()
	}
	if r.err == nil {
		r.err = io.EOF
	}
}

func (r *reader) endBare() {
	text := bytes.TrimSpace(r.bare)
	switch {
	case text[0] == '{' && json.Valid(text):
		r.dispatch(text)
	case text[0] == '{':
		r.broken = true
		r.fail(&llm.Error{Kind: llm.Disconnected, Message: "the answer ended in the middle"})
	default:
		r.fail(parseError(0, text))
	}
}

// fail ends the reading with an error.
func (r *reader) fail(err *llm.Error) { r.stop(err) }

// stop ends the reading; the first cause counts.
func (r *reader) stop(cause error) {
	if r.err == nil {
		r.err = cause
	}
}
