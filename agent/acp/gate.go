package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// Sizes of lines, in bytes. The connection ends at a line of 10 MiB; the limit
// stays below it.
const (
	maxLine  = 8 << 20
	headSize = 64 << 10 // of a line that is too long: what is looked at for its id
)

// gate reads the client's lines in front of the SDK's connection. The
// connection drops what it cannot parse, ends at a line that is too long, and
// handles requests in no order. So the gate answers what is malformed, lets
// only well-formed messages through, and registers turns and their
// cancellation in the order in which they were written.
type gate struct {
	srv     *server
	forward io.Writer // to the connection
}

// message is a JSON-RPC message of any kind. A field that is absent is nil.
type message struct {
	JSONRPC json.RawMessage `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  json.RawMessage `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

var (
	version2 = json.RawMessage(`"2.0"`)
	null     = json.RawMessage(`null`)
)

// run passes lines on until the end of in.
func (g *gate) run(in io.Reader) error {
	r := bufio.NewReaderSize(in, headSize)
	for {
		line, tooLong, err := readLine(r)
		switch {
		case tooLong:
			g.tooLong(line)
		case len(bytes.TrimSpace(line)) > 0:
			g.take(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to the next line break. Of a line that is too long it
// returns the head.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		switch {
		case tooLong:
		case len(line)+len(piece) > maxLine:
			tooLong = true
			line = bytes.Clone(line[:min(len(line), headSize)])
		default:
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// tooLong refuses a request of which only the head was kept. What answers a
// request of ours is an error in its place, since that waits.
func (g *gate) tooLong(head []byte) {
	id, answers := idOf(head)
	if answers {
		g.pass(message{ID: id, Error: json.RawMessage(`{"code":-32603,"message":"the client's answer is longer than 8 MiB"}`)})
		return
	}
	g.refuse(id, sdk.NewInvalidRequest(map[string]any{"error": "the line is longer than 8 MiB"}))
}

// idOf finds the id in the head of a message, or null, and tells whether a
// result follows it.
func idOf(head []byte) (_ json.RawMessage, answers bool) {
	id, request := null, false
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return id, false
	}
	for {
		key, err := dec.Token()
		if err != nil {
			return id, false
		}
		request = request || key == "method"
		if (key == "result" || key == "error") && !request && isID(id) {
			return id, true
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return id, false
		}
		if key == "id" && isID(value) {
			id = value
		}
	}
}

// take looks at one line.
func (g *gate) take(line []byte) {
	if !json.Valid(line) {
		g.refuse(null, sdk.NewParseError(map[string]any{"error": "the line is not JSON"}))
		return
	}
	var m message
	if json.Unmarshal(line, &m) != nil {
		g.refuse(null, sdk.NewInvalidRequest(map[string]any{"error": "a message is one JSON object"}))
		return
	}
	var method string
	switch {
	case m.Method == nil && isID(m.ID) && (m.Result != nil || m.Error != nil):
		g.pass(message{ID: m.ID, Result: m.Result, Error: wellFormed(m.Error)})
	case !bytes.Equal(m.JSONRPC, version2):
		g.refuse(orNull(m.ID), sdk.NewInvalidRequest(map[string]any{"error": `"jsonrpc" is not "2.0"`}))
	case json.Unmarshal(m.Method, &method) != nil || method == "":
		g.refuse(orNull(m.ID), sdk.NewInvalidRequest(map[string]any{"error": `"method" is no string`}))
	case m.ID == nil:
		g.notified(method, m.Params)
	case !isID(m.ID):
		g.refuse(null, sdk.NewInvalidRequest(map[string]any{"error": `"id" is neither a string nor a number`}))
	default:
		g.requested(m, method)
	}
}

// notified handles a notification. The only one of the protocol is a cancel,
// which counts from here on and not from when a goroutine gets to it.
func (g *gate) notified(method string, params json.RawMessage) {
	switch method {
	case sdk.AgentMethodSessionCancel:
		var p struct {
			SessionID string `json:"sessionId"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			g.srv.log.printf("a cancel that cannot be read: %v", err)
			return
		}
		g.srv.turns.cancel(p.SessionID, false)
	case "$/cancel_request":
		g.pass(message{Method: quoted(method), Params: params})
	default:
		g.srv.log.printf("notification %s is ignored", method)
	}
}

// requested passes a request on. A prompt joins the queue of turns here; the
// number of its turn takes the place of its parameters.
func (g *gate) requested(m message, method string) {
	params := m.Params
	if method == sdk.AgentMethodSessionPrompt {
		p, err := decode[promptParams](m.Params)
		if err == nil && p.Prompt == nil {
			err = invalid(p.SessionID, errors.New("prompt is missing"))
		}
		if err != nil {
			g.refuse(m.ID, err)
			return
		}
		params, _ = json.Marshal(g.srv.turns.join(g.srv.ctx, p)) // a number
	}
	if g.srv.requests.add() {
		g.pass(message{ID: m.ID, Method: quoted(method), Params: params})
	}
}

// pass hands a message to the connection, written anew so that both
// understand it alike.
func (g *gate) pass(m message) {
	m.JSONRPC = version2
	line, err := json.Marshal(m)
	if err != nil {
		g.srv.log.printf("a message cannot be passed on: %v", err)
		return
	}
	_, _ = g.forward.Write(append(line, '\n')) // fails only at the end of all
}

// refuse answers a message that does not reach the connection.
func (g *gate) refuse(id json.RawMessage, e *sdk.RequestError) {
	if !isID(id) {
		id = null
	}
	body, err := json.Marshal(e)
	if err != nil {
		body = []byte(`{"code":-32603,"message":"Internal error"}`)
	}
	line, err := json.Marshal(message{JSONRPC: version2, ID: id, Error: body})
	if err != nil {
		g.srv.log.printf("a refusal cannot be written: %v", err)
		return
	}
	g.srv.log.printf("refused a message: %s", e.Error())
	_, _ = g.srv.out.Write(append(line, '\n')) // the output tells of its failure
}

// isID tells whether an id can be answered: a string or a number.
func isID(id json.RawMessage) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9')
}

func orNull(id json.RawMessage) json.RawMessage {
	if isID(id) {
		return id
	}
	return null
}

// wellFormed makes an error of a response one that the connection can read;
// else the request would wait for ever.
func wellFormed(e json.RawMessage) json.RawMessage {
	var known sdk.RequestError
	if e == nil || json.Unmarshal(e, &known) == nil {
		return e
	}
	return json.RawMessage(`{"code":-32603,"message":"the client's error cannot be read"}`)
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// decode reads the parameters of a request.
func decode[T any](params json.RawMessage) (T, *sdk.RequestError) {
	var v T
	if !strings.HasPrefix(string(bytes.TrimLeft(params, " \t\r\n")), "{") {
		return v, sdk.NewInvalidParams(map[string]any{"error": "params is no object"})
	}
	if err := json.Unmarshal(params, &v); err != nil {
		return v, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	return v, nil
}
