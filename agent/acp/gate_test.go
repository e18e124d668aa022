package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
)

// Whatever the client writes: what goes on to the connection is a message that
// it can read, and what is answered here is one line of JSON-RPC a message.
func FuzzGate(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"},{"type":"x"}]}}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"error":"no"}`,
		`{"id":1,"result":null}`,
		"[]\n7\nnull\n\"x\"\n{}\n\x00\xff\r\n",
		`{"jsonrpc":"2.0","id":-1e700,"method":"x","Method":7}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var forwarded, answered bytes.Buffer
		s := newServer(context.Background(), &answered, Options{})
		g := gate{srv: s, forward: &forwarded}
		if err := g.run(bytes.NewReader(in)); err != nil {
			t.Fatal(err)
		}
		requests := 0
		for line := range strings.Lines(forwarded.String()) {
			var m struct {
				ID, Params, Result json.RawMessage
				Method             string
				Error              *sdk.RequestError
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Errorf("forwarded %q: %v", line, err)
			}
			if m.ID != nil && m.Method != "" {
				requests++
			}
			if m.Method == sdk.AgentMethodSessionPrompt && !json.Valid(m.Params) {
				t.Errorf("a prompt without the number of its turn: %q", line)
			}
		}
		if requests != s.requests.open {
			t.Errorf("%d requests forwarded, %d counted", requests, s.requests.open)
		}
		for line := range strings.Lines(answered.String()) {
			var m struct {
				JSONRPC string
				Error   *sdk.RequestError
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || m.Error == nil {
				t.Errorf("answered %q", line)
			}
		}
	})
}
