package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// Texts that stand where a template or a server chokes on nothing.
const (
	noOutput    = "(no output)"
	interrupted = "[interrupted: this call did not finish]"
	goOn        = "Go on."
	resumes     = "(the conversation begins in the middle)"
)

// Outgoing builds the messages of a request from the stored history. It is
// pure, and it heals: whatever the history holds, the result has one system
// message, first (none when system is empty); then a user message; no two
// neighbours of one role but tool results; each call exactly one result and
// the reverse; arguments that are JSON objects; ids of nine letters and
// digits; valid UTF-8 without NUL; no empty content but beside calls; and a
// last message that is not the assistant's.
//
// A history that grows at its end gives messages that grow at their end, so
// that the server's prefix cache holds.
func Outgoing(system string, items []session.Item) []llm.Message {
	b := outgoing{}
	if system != "" {
		b.add(llm.Message{Role: llm.System, Text: sendable(system)})
	}
	for i, item := range items {
		if item.Unsent {
			continue
		}
		switch item.Role {
		case llm.User:
			b.add(llm.Message{Role: llm.User, Text: cmp.Or(sendable(item.Text), "(empty message)")})
		case llm.Assistant:
			b.assistant(item.Message, resultsAfter(items[i+1:]))
		case llm.Tool, llm.System:
			// Results are placed behind their call; a stored system
			// prompt is not today's.
		}
	}
	if n := len(b.out); n == 0 || b.out[n-1].Role == llm.Assistant || b.out[n-1].Role == llm.System {
		b.add(llm.Message{Role: llm.User, Text: goOn})
	}
	return b.out
}

// prefix is what the next request begins with, whatever the user types.
func prefix(system string, items []session.Item) []llm.Message {
	out := Outgoing(system, items)
	if n := len(out); n > 1 && out[n-1].Text == goOn {
		out = out[:n-1]
	}
	return out
}

type outgoing struct {
	out   []llm.Message
	calls int
}

// add appends a message, merging it into a neighbour of the same role and
// putting a user message first.
func (b *outgoing) add(m llm.Message) {
	n := len(b.out)
	if m.Role == llm.Assistant && (n == 0 || b.out[n-1].Role == llm.System) {
		b.out = append(b.out, llm.Message{Role: llm.User, Text: resumes})
		n++
	}
	if n > 0 && m.Role != llm.Tool {
		last := &b.out[n-1]
		if last.Role == m.Role && len(last.Calls) == 0 {
			last.Text = joinParagraphs(last.Text, m.Text)
			last.Calls = m.Calls
			return
		}
	}
	b.out = append(b.out, m)
}

// assistant appends an assistant message with the results of its calls. A
// call whose arguments never were a JSON object is sent as a note: servers
// answer 500 to every later request that holds such a call.
func (b *outgoing) assistant(m llm.Message, results map[string]string) {
	msg := llm.Message{Role: llm.Assistant, Text: sendable(m.Text)}
	var replies []llm.Message
	var notes []string
	for _, c := range m.Calls {
		text, ok := results[c.ID]
		delete(results, c.ID) // the second of two calls with one id is unanswered
		if !ok {
			text = interrupted
		}
		text = cmp.Or(sendable(text), noOutput)
		name := toolName(c.Name)
		if name == "" || !isObject(c.Args) {
			msg.Text = joinParagraphs(msg.Text, fmt.Sprintf("[a call of %s that was not valid]", cmp.Or(name, "a tool")))
			notes = append(notes, text)
			continue
		}
		b.calls++
		id := fmt.Sprintf("call%05d", b.calls%100_000)
		msg.Calls = append(msg.Calls, llm.Call{ID: id, Name: name, Args: sendable(c.Args)})
		replies = append(replies, llm.Message{Role: llm.Tool, Text: text, CallID: id})
	}
	if msg.Text == "" && len(msg.Calls) == 0 {
		return
	}
	b.add(msg)
	b.out = append(b.out, replies...)
	if len(notes) > 0 {
		b.add(llm.Message{Role: llm.User, Text: strings.Join(notes, "\n")})
	}
}

// resultsAfter collects the results that follow an assistant message, up to
// the next message of another role. The first result of an id wins.
func resultsAfter(items []session.Item) map[string]string {
	results := map[string]string{}
	for _, item := range items {
		if item.Role != llm.Tool {
			break
		}
		if _, ok := results[item.CallID]; ok {
			continue
		}
		results[item.CallID] = seen(item)
	}
	return results
}

func isObject(args string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(args), &object) == nil && object != nil
}

// toolName keeps what servers allow in a function name.
func toolName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return -1
	}, name)
}

// sendable is text that every server takes: valid UTF-8 without NUL.
func sendable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

func joinParagraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
