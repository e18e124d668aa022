package agent_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/session"
	"mm/llm"
)

func user(text string) session.Item {
	return session.Item{Message: llm.Message{Role: llm.User, Text: text}}
}

func said(text string, calls ...llm.Call) session.Item {
	return session.Item{Message: llm.Message{Role: llm.Assistant, Text: text, Calls: calls}}
}

func result(id, text string) session.Item {
	return session.Item{Message: llm.Message{Role: llm.Tool, CallID: id, Text: text}}
}

func TestOutgoingHeals(t *testing.T) {
	t.Parallel()
	ok := llm.Call{ID: "c1", Name: "bash", Args: `{"command":"ls"}`}
	sentOK := llm.Call{ID: "call00001", Name: "bash", Args: `{"command":"ls"}`}
	sys := llm.Message{Role: llm.System, Text: "sys"}
	u := func(s string) llm.Message { return llm.Message{Role: llm.User, Text: s} }
	a := func(s string, c ...llm.Call) llm.Message {
		return llm.Message{Role: llm.Assistant, Text: s, Calls: c}
	}
	r := func(s string) llm.Message {
		return llm.Message{Role: llm.Tool, CallID: "call00001", Text: s}
	}
	for _, tc := range []struct {
		name  string
		items []session.Item
		want  []llm.Message
	}{
		{"a plain turn", []session.Item{user("q"), said("a"), user("q2")}, []llm.Message{sys, u("q"), a("a"), u("q2")}},
		{"two questions in a row", []session.Item{user("q"), user("q2")}, []llm.Message{sys, u("q\n\nq2")}},
		{"two answers in a row", []session.Item{user("q"), said("a"), said("b"), user("q2")}, []llm.Message{sys, u("q"), a("a\n\nb"), u("q2")}},
		{"an answer last", []session.Item{user("q"), said("a")}, []llm.Message{sys, u("q"), a("a"), u("Go on.")}},
		{"an answer first", []session.Item{said("a"), user("q")}, []llm.Message{sys, u("(the conversation begins in the middle)"), a("a"), u("q")}},
		{"nothing", nil, []llm.Message{sys, u("Go on.")}},
		{"a call and its result", []session.Item{user("q"), said("", ok), result("c1", "out")}, []llm.Message{sys, u("q"), a("", sentOK), r("out")}},
		{"a silent command", []session.Item{user("q"), said("", ok), result("c1", "")}, []llm.Message{sys, u("q"), a("", sentOK), r("(no output)")}},
		{"a call without a result", []session.Item{user("q"), said("", ok), user("b")}, []llm.Message{sys, u("q"), a("", sentOK), r("[interrupted: this call did not finish]"), u("b")}},
		{"a result without a call", []session.Item{user("q"), result("c9", "x"), said("a"), user("b")}, []llm.Message{sys, u("q"), a("a"), u("b")}},
		{"two results of one call", []session.Item{user("q"), said("", ok), result("c1", "1"), result("c1", "2")}, []llm.Message{sys, u("q"), a("", sentOK), r("1")}},
		{
			"arguments that never were JSON",
			[]session.Item{user("q"), said("", llm.Call{ID: "c1", Name: "bash", Args: `{"command":`}), result("c1", "[error: cut]")},
			[]llm.Message{sys, u("q"), a("[a call of bash that was not valid]"), u("[error: cut]")},
		},
		{
			"arguments that are no object",
			[]session.Item{user("q"), said("", llm.Call{ID: "c1", Name: "bash", Args: `null`}), result("c1", "[error]")},
			[]llm.Message{sys, u("q"), a("[a call of bash that was not valid]"), u("[error]")},
		},
		{"NUL and broken UTF-8", []session.Item{user("a\x00b\xff")}, []llm.Message{sys, u("ab\uFFFD")}},
		{"an empty answer", []session.Item{user("q"), said(""), user("b")}, []llm.Message{sys, u("q\n\nb")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, agent.Outgoing("sys", tc.items)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var nineLetters = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)

// valid says what is wrong with a list of messages, or "".
func valid(messages []llm.Message) string {
	pending := []string{}
	for i, m := range messages {
		switch {
		case (m.Role == llm.System) != (i == 0):
			return "the system message is not the first and only one"
		case i == 1 && m.Role != llm.User:
			return "the conversation does not begin with the user"
		case m.Role != llm.Tool && len(pending) > 0:
			return "a call has no result"
		case i > 0 && m.Role != llm.Tool && m.Role == messages[i-1].Role:
			return "two neighbours of one role"
		case m.Text == "" && len(m.Calls) == 0:
			return "an empty message"
		case !utf8.ValidString(m.Text) || strings.Contains(m.Text, "\x00"):
			return "text that a server refuses"
		}
		if m.Role == llm.Tool {
			if len(pending) == 0 || pending[0] != m.CallID {
				return "a result without a call"
			}
			pending = pending[1:]
		}
		for _, c := range m.Calls {
			var object map[string]any
			if json.Unmarshal([]byte(c.Args), &object) != nil || object == nil || !nineLetters.MatchString(c.ID) || c.Name == "" {
				return "a call that a server refuses"
			}
			pending = append(pending, c.ID)
		}
	}
	if len(pending) > 0 {
		return "a call has no result at the end"
	}
	if n := len(messages); n < 2 || messages[n-1].Role == llm.Assistant {
		return "the last message is the assistant's"
	}
	return ""
}

// grows says what is wrong with messages as those of a longer history: the last
// one of before may go on, all others stay.
func grows(before, after []llm.Message) string {
	if n := len(before); n > 0 && before[n-1].Text == "Go on." {
		before = before[:n-1]
	}
	for i, m := range before {
		if i == len(after) {
			return "there are fewer messages"
		}
		now := after[i]
		goesOn := i == len(before)-1 && m.Role == now.Role && len(m.Calls) == 0 && strings.HasPrefix(now.Text, m.Text)
		if !cmp.Equal(m, now) && !goesOn {
			return fmt.Sprintf("message %d is another", i)
		}
	}
	return ""
}

// FuzzOutgoing builds histories out of bytes: whatever is stored, what is sent
// is valid, and a history that grows gives messages that grow. Calls are looked
// at with all their results, as they are when a request is made.
func FuzzOutgoing(f *testing.F) {
	f.Add([]byte("uAact"), "text")
	f.Add([]byte("AAttuucCbB"), "{\"a\":1}")
	f.Add([]byte("tucu"), "\x00\xff")
	f.Add([]byte{0, 2, 3, 3, 1, 8, 6, 0, 5, 7, 9, 1, 1, 10, 6, 4, 2, 4, 3}, "text")
	f.Add([]byte{1, 2, 7, 3, 6, 1, 0, 2, 9, 9, 10, 2, 0, 8, 2, 7, 1}, strings.Repeat("é", 40))
	f.Fuzz(func(t *testing.T, plan []byte, text string) {
		plan, text = plan[:min(len(plan), 50)], text[:min(len(text), 1000)]
		var items []session.Item
		ids := []string{"c1", "c2", "1", ""}
		for i, b := range plan {
			id := ids[i%len(ids)]
			item := user(text)
			switch b % 11 {
			case 1:
				item = said(text)
			case 2:
				item = said("", llm.Call{ID: id, Name: "bash", Args: `{"command":"ls"}`}, llm.Call{ID: ids[(i+1)%len(ids)], Name: text, Args: text})
			case 3:
				item = result(id, text)
			case 4:
				item = session.Item{Message: llm.Message{Role: llm.System, Text: text}}
			case 5:
				item = said("", llm.Call{ID: id, Name: "x", Args: "{}"}, llm.Call{ID: id, Name: "x", Args: "{}"})
			case 6:
				item = said(text)
				item.Unsent = true
			case 7:
				item = result(id, text)
				item.Masked, item.Title = true, text
			case 8:
				item.Summary = true
			case 9:
				item = result(id, text)
				item.Cut = 1 + len(text)/2
			case 10:
				item.Note = true
			}
			items = append(items, item)
		}
		whole := agent.Outgoing("sys", items)
		for n := range items {
			if items[n].Role == llm.Tool {
				continue // a call has not got all its results
			}
			if bad := grows(agent.Outgoing("sys", items[:n]), whole); bad != "" {
				t.Fatalf("%s of what was sent with %d of %d items: %+v", bad, n, len(items), whole)
			}
		}
		if bad := valid(whole); bad != "" {
			t.Fatalf("%s in %+v", bad, whole)
		}
	})
}
