package llm

import (
	"slices"
	"strings"
)

// ThinkFilter takes leaked reasoning out of an answer while it streams:
// <think>…</think> and its kin, wherever the chunks break, and a stray closing
// tag, whose text before it was reasoning too. Tags inside code, or right
// after a quote, are text. The zero value is ready.
type ThinkFilter struct {
	// KeepStart keeps the line ends before the first text: it goes on from
	// another one.
	KeepStart bool

	held    string // what may become a tag
	closers []string
	opener  string // the tag that opened the reasoning, kept for undoing
	inner   int    // length of reasoning when it was opened
	seen    bool   // a reasoning block was opened or closed before

	text, reasoning strings.Builder
	code            codeState
}

// Piece is a run of streamed text.
type Piece struct {
	Text      string
	Reasoning bool
}

// thinkTags are the openers and the closers of each.
var thinkTags = []struct {
	open    string
	closers []string
}{
	{"<think>", []string{"</think>", "</thinking>"}},
	{"<thinking>", []string{"</thinking>", "</think>"}},
	{"[THINK]", []string{"[/THINK]"}},
	{"<|channel>thought", []string{"<channel|>"}},           // Gemma 4
	{"<|channel|>analysis<|message|>", []string{"<|end|>"}}, // gpt-oss
	{"<|channel|>final<|message|>", nil},
	{"<|start|>assistant", nil}, // gpt-oss, dropped
}

// strayClosers end reasoning that was never opened in the text.
var strayClosers = []string{"</think>", "</thinking>", "[/THINK]"}

// outsideTags mean something outside of reasoning.
var outsideTags = func() []string {
	tags := slices.Clone(strayClosers)
	for _, t := range thinkTags {
		tags = append(tags, t.open)
	}
	return tags
}()

// Write takes the next text and returns what can be shown of it.
func (f *ThinkFilter) Write(s string) []Piece {
	var out []Piece
	s = f.held + s
	f.held = ""
	for s != "" {
		i := strings.IndexAny(s, "<[")
		if i < 0 {
			return f.emit(out, s)
		}
		out = f.emit(out, s[:i])
		s = s[i:]
		tag, partial := f.tagAt(s)
		switch {
		case partial:
			f.held = s
			return out
		case tag == "":
			out = f.emit(out, s[:1])
			s = s[1:]
		default:
			f.meet(tag)
			s = s[len(tag):]
		}
	}
	return out
}

// End returns what was held back, and the whole answer and its reasoning with
// blank space around them trimmed. In an answer that was not cut, reasoning
// that was opened in the middle and never closed was no reasoning but a
// mention of the tag: it is text again.
func (f *ThinkFilter) End(cut bool) (tail []Piece, text, reasoning string) {
	held := f.held
	f.held = ""
	tail = f.emit(nil, held)
	text, reasoning = f.text.String(), f.reasoning.String()
	if f.closers != nil && !cut && strings.TrimSpace(text) != "" {
		text += f.opener + reasoning[f.inner:]
		reasoning = reasoning[:f.inner]
	}
	return tail, strings.TrimRight(text, " \t\r\n"), strings.TrimSpace(reasoning)
}

// tagAt returns the tag at the start of s that means something here, or says
// that s may become one.
func (f *ThinkFilter) tagAt(s string) (tag string, partial bool) {
	if f.closers != nil {
		return matchTag(s, f.closers)
	}
	if f.code.literal() {
		return "", false
	}
	return matchTag(s, outsideTags)
}

func matchTag(s string, tags []string) (tag string, partial bool) {
	for _, t := range tags {
		if strings.HasPrefix(s, t) {
			return t, false
		}
		partial = partial || strings.HasPrefix(t, s)
	}
	return "", partial
}

// meet handles a tag.
func (f *ThinkFilter) meet(tag string) {
	if f.closers != nil {
		f.closers = nil
		return
	}
	for _, t := range thinkTags {
		if t.open == tag {
			f.closers, f.opener, f.inner = t.closers, tag, f.reasoning.Len()
			f.seen = true
			return
		}
	}
	if !f.seen {
		f.reasoning.WriteString(f.text.String())
		f.text.Reset()
		f.code = codeState{}
		f.seen = true
	}
}

// emit adds s to the text or to the reasoning. Line ends before the first
// text are dropped: templates put them between reasoning and answer.
func (f *ThinkFilter) emit(out []Piece, s string) []Piece {
	reasoning := f.closers != nil
	if !reasoning && f.text.Len() == 0 && !f.KeepStart {
		s = strings.TrimLeft(s, "\r\n")
	}
	if s == "" {
		return out
	}
	if reasoning {
		f.reasoning.WriteString(s)
	} else {
		f.text.WriteString(s)
		f.code.advance(s)
	}
	if n := len(out); n > 0 && out[n-1].Reasoning == reasoning {
		out[n-1].Text += s
		return out
	}
	return append(out, Piece{Text: s, Reasoning: reasoning})
}

// codeState knows whether the end of a Markdown text is inside code.
type codeState struct {
	line  string // the start of the current line, without indentation
	ticks int    // backticks on the current line
	fence bool
	last  byte
}

// fenceWidth is the number of marks that open or close a fence.
const fenceWidth = 3

func (c *codeState) advance(s string) {
	for i := range len(s) {
		b := s[i]
		c.last = b
		switch {
		case b == '\n':
			if c.line == "```" || c.line == "~~~" {
				c.fence = !c.fence
			}
			c.line, c.ticks = "", 0
		case b == '`':
			c.ticks++
			fallthrough
		default:
			indent := c.line == "" && (b == ' ' || b == '\t')
			if len(c.line) < fenceWidth && !indent {
				c.line += string(b)
			}
		}
	}
}

// literal reports whether a tag that follows is only quoted.
func (c *codeState) literal() bool {
	return c.fence || c.ticks%2 == 1 || strings.IndexByte("`\"'(", c.last) >= 0 && c.last != 0
}
