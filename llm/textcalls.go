package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// TextCalls finds the tool calls that a model wrote into its answer in place
// of making them. It returns them with the prose before them, or ok false and
// the text as it was. It is strict: every block must be a valid call of a
// declared tool, and nothing may follow. Markup that no prose holds by chance
// may have a sentence before it; plain JSON and code must be the whole answer.
func TextCalls(text string, declared []ToolSpec) (calls []Call, rest string, ok bool) {
	var thoughts ThinkFilter
	thoughts.Write(text)
	_, body, _ := thoughts.End(false)
	body = trimEndTokens(body)
	p := textParser{declared: declared}
	prose, block := splitAtMarkup(body)
	switch {
	case block != "":
		calls, ok = p.blocks(block)
		ok = ok && !aboutExamples.MatchString(prose)
	default:
		prose = ""
		calls, ok = p.plain(strings.TrimSpace(body))
	}
	if !ok || len(calls) == 0 {
		return nil, text, false
	}
	for i := range calls {
		calls[i].ID = fmt.Sprintf("call%05d", i+1)
	}
	return calls, strings.TrimSpace(prose), true
}

// CallShaped reports whether a whole answer is a call without markup, of whatever
// tool: a name, and arguments that are an object.
func CallShaped(text string) bool {
	p := textParser{anyTool: true}
	calls, ok := p.plain(strings.TrimSpace(trimEndTokens(text)))
	return ok && len(calls) > 0
}

// HasCallMarkup reports whether a text holds the markup of a call, readable or
// not: the model may be told that its call was not understood.
func HasCallMarkup(text string) bool {
	_, block := SplitCall(text)
	return block != ""
}

// SplitCall cuts a text before the markup of a call, readable or not. block is
// empty when there is none.
func SplitCall(text string) (prose, block string) { return splitAtMarkup(text) }

// AsksForExample reports whether a user's message asks to be shown what a call
// looks like: then calls in the answer's text are not to be run. A message that
// asks for formatted code, or to mend a syntax error, asks for work.
func AsksForExample(text string) bool { return asksForExample.MatchString(text) }

// asksForExample finds a question about calls and their form.
var asksForExample = func() *regexp.Regexp {
	const (
		form = `\b(examples?|samples?|syntax|formats?|forms?|looks? like|show me|explain|written)\b`
		call = `\b((tool|function)[ _-]?(calls?|use)|tool_call|(bash|edit_file|read_file|write_file) calls?|calls? (of|to) (a |the )?(tool|function)s?|a call)\b`
	)
	return regexp.MustCompile(`(?i)` + form + `[^.?!\n]*` + call + `|` + call + `[^.?!\n]*` + form)
}()

// aboutExamples finds prose that introduces an example and not a call.
var aboutExamples = regexp.MustCompile(`(?i)\b(examples?|for instance|e\.g\.|samples?|(syntax|format)( is|:)|looks? like|would look|like this)`)

// textFormat is a way in which models write calls. parse reads one block at
// the start of s, which starts with the marker.
type textFormat struct {
	marker string
	parse  func(p *textParser, s string) (calls []Call, rest string, ok bool)
}

// textFormats are tried in this order, so longer markers come first.
var textFormats = []textFormat{
	{"<|tool_call>", (*textParser).gemma},            // Gemma 4
	{"<|tool_call|>", jsonAfter("<|/tool_call|>")},   // Granite, Phi
	{"<tool_call>", (*textParser).hermes},            // Hermes, Qwen, GLM
	{"<function=", (*textParser).function},           // Qwen-Coder, Llama 3.1
	{"[TOOL_CALLS]", (*textParser).mistral},          // Mistral
	{"<|python_tag|>", jsonAfter("<|eom_id|>")},      // Llama 3
	{"<|channel|>commentary", (*textParser).harmony}, // gpt-oss
	{"<｜tool▁calls▁begin｜>", (*textParser).deepSeek}, // DeepSeek
}

// endTokens are special tokens that leak at the end of an answer.
var endTokens = []string{
	"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|call|>", "<|return|>", "<|endoftext|>",
	"<end_of_turn>", "<turn|>", "</s>", "<｜end▁of▁sentence｜>",
}

func trimEndTokens(s string) string {
	for again := true; again; {
		again = false
		s = strings.TrimRight(s, " \t\r\n")
		for _, token := range endTokens {
			if rest, ok := strings.CutSuffix(s, token); ok {
				s, again = rest, true
			}
		}
	}
	return s
}

// splitAtMarkup cuts a text before the first marker that is not inside code.
func splitAtMarkup(text string) (prose, block string) {
	var code codeState
	for i := range len(text) {
		if text[i] == '<' || text[i] == '[' {
			for _, f := range textFormats {
				if strings.HasPrefix(text[i:], f.marker) && !code.literal() {
					return text[:i], text[i:]
				}
			}
		}
		code.advance(text[i : i+1])
	}
	return text, ""
}

// textParser reads calls of the declared tools.
type textParser struct {
	declared []ToolSpec
	anyTool  bool // calls of tools that are not declared are read too
}

// blocks reads one block after the other up to the end of the text.
func (p *textParser) blocks(s string) (calls []Call, ok bool) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var found []Call
		for _, f := range textFormats {
			if strings.HasPrefix(s, f.marker) {
				found, s, ok = f.parse(p, s)
				break
			}
		}
		if !ok || len(found) == 0 {
			return nil, false
		}
		calls = append(calls, found...)
		ok = false
		s = trimEndTokens(s)
		s = strings.TrimPrefix(strings.TrimSpace(s), "</tool_call>") // its opening tag was left out
	}
	return calls, len(calls) > 0
}

// plain reads an answer that is nothing but a call: JSON, a fenced JSON block,
// or tool_code.
func (p *textParser) plain(s string) ([]Call, bool) {
	if inner, ok := strings.CutPrefix(s, "```tool_code"); ok {
		inner, ok = strings.CutSuffix(strings.TrimSpace(inner), "```")
		if !ok {
			return nil, false
		}
		return p.python(strings.TrimSpace(inner))
	}
	if strings.HasPrefix(s, "```") {
		inner, ok := strings.CutSuffix(s, "```")
		if !ok {
			return nil, false
		}
		_, inner, _ = strings.Cut(inner, "\n")
		s = strings.TrimSpace(inner)
	}
	if s == "" || s[0] != '{' && s[0] != '[' {
		return nil, false
	}
	calls, rest, ok := p.jsonCalls(s)
	rest = strings.TrimSuffix(strings.TrimSpace(rest), "```") // of a fence that was never opened
	return calls, ok && rest == ""
}

// jsonCalls reads one JSON call, or a list of them, at the start of s.
func (p *textParser) jsonCalls(s string) (calls []Call, rest string, ok bool) {
	s = strings.TrimSpace(s)
	raw, rest, ok := leadingJSON(s)
	if inner, doubled := strings.CutPrefix(s, "{{"); doubled {
		// Qwen2.5-Coder's template shows a call in doubled braces, and small
		// models copy that, with any number of braces at the end.
		raw, rest, ok = leadingJSON("{" + inner)
		rest = strings.TrimLeft(rest, "}")
	}
	if !ok {
		mended, tripled := untriple(s)
		if raw, rest, ok = leadingJSON(mended); !tripled || !ok {
			return nil, s, false
		}
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' && json.Unmarshal(raw, &list) != nil {
		return nil, s, false
	}
	for _, item := range list {
		c, ok := p.jsonCall(item)
		if !ok {
			return nil, s, false
		}
		calls = append(calls, c)
	}
	return calls, rest, len(calls) > 0
}

// leadingJSON splits the JSON value at the start of s from what follows.
func leadingJSON(s string) (raw json.RawMessage, rest string, ok bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	if dec.Decode(&raw) != nil {
		return nil, s, false
	}
	return raw, s[dec.InputOffset():], true
}

// jsonCall reads {"name": ..., "arguments": {...}} and its variants.
func (p *textParser) jsonCall(raw json.RawMessage) (Call, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return Call{}, false
	}
	if inner, ok := fields["function"]; ok && len(inner) > 0 && inner[0] == '{' {
		return p.jsonCall(inner)
	}
	var name string
	for _, key := range []string{"name", "tool", "tool_name", "function"} {
		if json.Unmarshal(fields[key], &name) == nil && name != "" {
			break
		}
	}
	for _, key := range []string{"arguments", "parameters", "args", "input"} {
		args, ok := fields[key]
		if !ok {
			continue
		}
		var quoted string
		if json.Unmarshal(args, &quoted) == nil {
			return p.call(name, quoted)
		}
		return p.call(name, string(args))
	}
	return Call{}, false
}

// call returns a call if the tool is declared and the arguments make sense.
func (p *textParser) call(name, args string) (Call, bool) {
	name = CleanName(name, p.declared)
	if p.spec(name) == nil && (!p.anyTool || name == "") {
		return Call{}, false
	}
	repaired, _, err := RepairArgs(args)
	return Call{Name: name, Args: strings.TrimSpace(repaired)}, err == nil
}

func (p *textParser) spec(name string) *ToolSpec {
	for i := range p.declared {
		if p.declared[i].Name == name {
			return &p.declared[i]
		}
	}
	return nil
}

// CleanName cuts control tokens and namespaces off a tool's name, when what is
// left names a declared tool: gpt-oss writes "bash<|channel|>commentary" and
// "functions.bash". Any other name comes back as it is.
func CleanName(name string, declared []ToolSpec) string {
	name = strings.TrimSpace(name)
	short, _, _ := strings.Cut(name, "<|")
	short = strings.TrimPrefix(strings.TrimSpace(short), "functions.")
	for _, t := range declared {
		if t.Name == short {
			return short
		}
	}
	return name
}
