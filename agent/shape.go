package agent

import (
	"errors"
	"regexp"
	"slices"

	"mm/agent/session"
	"mm/llm"
)

// Shape says what a model's chat template asks of messages beyond the rules
// that Outgoing keeps. It changes what is sent, never what is stored.
type Shape struct {
	// MergeSystem puts the system prompt in front of the first user message:
	// the template has no system role.
	MergeSystem bool

	// Alternate puts an answer between a tool's result and a user message
	// behind it: the template wants user and assistant in turn.
	Alternate bool

	// TextTools describes the tools in the system prompt and writes calls and
	// results as text: the template drops tools, or the server takes none.
	TextTools bool
}

// noAnswer stands for the answer that a template wants before the user's next
// message.
const noAnswer = "(no answer)"

// apply brings messages, as Outgoing makes them, into the shape. What grows at
// its end still grows at its end.
func (s Shape) apply(messages []llm.Message) []llm.Message {
	if s.TextTools {
		messages = textMessages(messages)
	}
	if s.MergeSystem && len(messages) > 0 && messages[0].Role == llm.System {
		first := llm.Message{Role: llm.User, Text: messages[0].Text}
		rest := messages[1:]
		if len(rest) > 0 && rest[0].Role == llm.User {
			first.Text, rest = joinParagraphs(first.Text, rest[0].Text), rest[1:]
		}
		messages = append([]llm.Message{first}, rest...)
	}
	if s.Alternate {
		messages = alternate(messages)
	}
	return messages
}

func alternate(messages []llm.Message) []llm.Message {
	var out []llm.Message
	for i, m := range messages {
		if i > 0 && m.Role == llm.User && messages[i-1].Role == llm.Tool {
			out = append(out, llm.Message{Role: llm.Assistant, Text: noAnswer})
		}
		out = append(out, m)
	}
	return out
}

// shape is the configured one with what the server has taught.
func (c *Core) shape() Shape {
	c.past.about(c.model)
	s, learnt := c.opts.Shape, c.past.shape
	s.MergeSystem = s.MergeSystem || learnt.MergeSystem
	s.Alternate = s.Alternate || learnt.Alternate
	s.TextTools = s.TextTools || learnt.TextTools || c.model.NoTools
	return s
}

// outgoing builds the messages of a request from items of the history.
func (c *Core) outgoing(items []session.Item) []llm.Message {
	return c.shape().apply(Outgoing(c.system(), items))
}

// outgoingPrefix is what the next request begins with, whatever the user types.
func (c *Core) outgoingPrefix() []llm.Message {
	return c.shape().apply(prefix(c.system(), c.opts.Session.Items))
}

// withTail is outgoing with a text behind it that is no part of the history.
func (c *Core) withTail(text string) []llm.Message { return c.tailed(c.opts.Session.Items, text) }

// tailed is withTail of a part of the history.
func (c *Core) tailed(items []session.Item, text string) []llm.Message {
	return c.outgoing(append(slices.Clone(items), session.Item{Message: llm.Message{Role: llm.User, Text: text}}))
}

// system is the system prompt, with the tools in it where they cannot be
// declared.
func (c *Core) system() string {
	if !c.shape().TextTools {
		return c.opts.System
	}
	return joinParagraphs(c.opts.System, describeTools(c.opts.Tools.Specs()))
}

// aboutSystem and aboutRoles find what a template complains of.
var (
	aboutSystem = regexp.MustCompile(`(?i)\bsystem\b`)
	aboutRoles  = regexp.MustCompile(`(?i)alternat|\broles?\b|conversation`)
)

// reshape changes the shape after the server refused the messages or the
// tools. It returns false when it has changed already in that way, or the error
// is about something else.
func (c *Core) reshape(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return false
	}
	before, learnt := c.shape(), &c.past.shape
	switch {
	case e.Kind == llm.NoToolSupport:
		learnt.TextTools = true
	case e.Kind != llm.BadTemplate:
		return false
	case aboutSystem.MatchString(e.Message) && !before.MergeSystem:
		learnt.MergeSystem = true
	case aboutRoles.MatchString(e.Message) && !before.Alternate:
		learnt.Alternate = true
	default:
		learnt.MergeSystem, learnt.Alternate = true, true
	}
	return c.shape() != before
}
