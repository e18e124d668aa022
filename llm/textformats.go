package llm

import (
	"encoding/json"
	"regexp"
	"strings"
)

// jsonAfter reads JSON calls after a marker, up to a closing token that may be
// missing.
func jsonAfter(end string) func(*textParser, string) ([]Call, string, bool) {
	return func(p *textParser, s string) ([]Call, string, bool) {
		_, s, _ = strings.Cut(s, ">")
		calls, rest, ok := p.jsonCalls(s)
		return calls, strings.TrimPrefix(strings.TrimSpace(rest), end), ok
	}
}

// hermes reads <tool_call>…</tool_call> around JSON, around a function in XML,
// or in GLM's form. The closing tag may be missing at the end.
func (p *textParser) hermes(s string) (calls []Call, rest string, ok bool) {
	const end = "</tool_call>"
	s = strings.TrimSpace(strings.TrimPrefix(s, "<tool_call>"))
	switch {
	case strings.HasPrefix(s, "<function="):
		calls, rest, ok = p.function(s)
		return calls, strings.TrimPrefix(strings.TrimSpace(rest), end), ok
	case s != "" && (s[0] == '{' || s[0] == '['):
		if calls, rest, ok = p.jsonCalls(s); ok {
			return calls, strings.TrimPrefix(strings.TrimSpace(rest), end), true
		}
		// Not strict JSON: the tag alone bounds it.
		body, rest, closed := strings.Cut(s, end)
		mended, _, err := RepairArgs(body)
		if !closed || err != nil {
			return nil, s, false
		}
		c, ok := p.jsonCall(json.RawMessage(mended))
		return []Call{c}, rest, ok
	}
	return p.glm(s)
}

// glm reads NAME<arg_key>K</arg_key><arg_value>V</arg_value>…</tool_call>.
func (p *textParser) glm(s string) ([]Call, string, bool) {
	body, rest, closed := strings.Cut(s, "</tool_call>")
	name, pairs, _ := strings.Cut(body, "<arg_key>")
	if !closed {
		return nil, s, false
	}
	args := map[string]string{}
	var order []string
	for pairs != "" {
		key, after, ok := strings.Cut(pairs, "</arg_key>")
		_, after, opened := strings.Cut(after, "<arg_value>")
		value, more, ended := strings.Cut(after, "</arg_value>")
		if !ok || !opened || !ended {
			return nil, s, false
		}
		args[key], order = value, append(order, key)
		_, pairs, _ = strings.Cut(more, "<arg_key>")
	}
	c, ok := p.typedCall(name, order, args)
	return []Call{c}, rest, ok
}

var (
	functionHead  = regexp.MustCompile(`^<function=["']?([^>"'\s]+)["']?\s*>`)
	parameterHead = regexp.MustCompile(`^<parameter=["']?([^>"'\s]+)["']?\s*>`)
)

// function reads <function=NAME> with parameters in XML or with JSON. The tag
// </function> may be missing at the end.
func (p *textParser) function(s string) ([]Call, string, bool) {
	head := functionHead.FindStringSubmatch(s)
	if head == nil {
		return nil, s, false
	}
	body := strings.TrimSpace(s[len(head[0]):])
	if strings.HasPrefix(body, "{") {
		args, rest, ok := leadingObject(body)
		if !ok {
			return nil, s, false
		}
		c, ok := p.call(head[1], args)
		return []Call{c}, strings.TrimPrefix(strings.TrimSpace(rest), "</function>"), ok
	}
	args := map[string]string{}
	var order []string
	for {
		param := parameterHead.FindStringSubmatch(body)
		if param == nil {
			break
		}
		value, rest, ok := cutParameter(body[len(param[0]):])
		if !ok {
			return nil, s, false
		}
		args[param[1]], order = value, append(order, param[1])
		body = strings.TrimSpace(rest)
	}
	c, ok := p.typedCall(head[1], order, args)
	return []Call{c}, strings.TrimPrefix(body, "</function>"), ok
}

// cutParameter splits a value from what follows. A value may hold the closing
// tag itself, so the tag counts where the markup goes on after it.
func cutParameter(s string) (value, rest string, ok bool) {
	const end = "</parameter>"
	for from := 0; ; {
		i := strings.Index(s[from:], end)
		if i < 0 {
			return "", s, false
		}
		after := strings.TrimSpace(s[from+i+len(end):])
		if after == "" || strings.HasPrefix(after, "<parameter=") ||
			strings.HasPrefix(after, "</function>") || strings.HasPrefix(after, "</tool_call>") {
			value = s[:from+i]
			value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
			return value, after, true
		}
		from += i + len(end)
	}
}

// typedCall makes arguments of texts: the tool's schema tells which of them
// are strings, and which are JSON.
func (p *textParser) typedCall(name string, order []string, args map[string]string) (Call, bool) {
	spec := p.spec(CleanName(name, p.declared))
	if spec == nil {
		return Call{}, false
	}
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	// Without a schema every value is a string.
	_ = json.Unmarshal(spec.Schema, &schema)
	w := literalParser{}
	w.out.WriteByte('{')
	for i, key := range order {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.quote(key)
		w.out.WriteByte(':')
		prop, known := schema.Properties[key]
		asJSON, rest, err := parseLiteral(args[key])
		if known && prop.Type != "string" && err == nil && strings.TrimSpace(rest) == "" {
			w.out.WriteString(asJSON)
		} else {
			w.quote(args[key])
		}
	}
	w.out.WriteByte('}')
	return Call{Name: spec.Name, Args: w.out.String()}, true
}

var mistralHead = regexp.MustCompile(`^([A-Za-z0-9_.-]+)\s*(?:\[CALL_ID\][A-Za-z0-9]+)?\s*(?:\[ARGS\])?\s*`)

// mistral reads [TOOL_CALLS] before a list of JSON calls, or before
// NAME[ARGS]{…}.
func (p *textParser) mistral(s string) ([]Call, string, bool) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "[TOOL_CALLS]"))
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
		return p.jsonCalls(s)
	}
	head := mistralHead.FindStringSubmatch(s)
	if head == nil {
		return nil, s, false
	}
	args, rest, ok := leadingObject(s[len(head[0]):])
	if !ok {
		return nil, s, false
	}
	c, ok := p.call(head[1], args)
	return []Call{c}, rest, ok
}

var gemmaHead = regexp.MustCompile(`^<\|tool_call>\s*call:\s*([A-Za-z0-9_.-]+)\s*`)

// gemma reads <|tool_call>call:NAME{key:<|"|>text<|"|>}<tool_call|>.
func (p *textParser) gemma(s string) ([]Call, string, bool) {
	head := gemmaHead.FindStringSubmatch(s)
	if head == nil || !strings.HasPrefix(s[len(head[0]):], "{") {
		return nil, s, false
	}
	args, rest, err := parseLiteral(s[len(head[0]):])
	if err != nil {
		return nil, s, false
	}
	c, ok := p.call(head[1], args)
	return []Call{c}, strings.TrimPrefix(strings.TrimSpace(rest), "<tool_call|>"), ok
}

var harmonyHead = regexp.MustCompile(`^<\|channel\|>commentary\s+to=([A-Za-z0-9_.-]+)[^{]*?<\|message\|>\s*`)

// harmony reads gpt-oss: <|channel|>commentary to=functions.NAME
// <|constrain|>json<|message|>{…}.
func (p *textParser) harmony(s string) ([]Call, string, bool) {
	head := harmonyHead.FindStringSubmatch(s)
	if head == nil {
		return nil, s, false
	}
	args, rest, ok := leadingObject(s[len(head[0]):])
	if !ok {
		return nil, s, false
	}
	c, ok := p.call(head[1], args)
	return []Call{c}, rest, ok
}

var deepSeekCall = regexp.MustCompile("(?s)^\\s*<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([A-Za-z0-9_.-]+)(?:<｜tool▁sep｜>)?\\s*(?:```json)?\\s*(\\{.*?\\})\\s*(?:```)?\\s*<｜tool▁call▁end｜>")

// deepSeek reads the blocks of DeepSeek's templates.
func (p *textParser) deepSeek(s string) (calls []Call, rest string, ok bool) {
	rest = strings.TrimPrefix(s, "<｜tool▁calls▁begin｜>")
	for m := deepSeekCall.FindStringSubmatch(rest); m != nil; m = deepSeekCall.FindStringSubmatch(rest) {
		c, ok := p.call(m[1], m[2])
		if !ok {
			return nil, s, false
		}
		calls, rest = append(calls, c), rest[len(m[0]):]
	}
	rest = strings.TrimPrefix(strings.TrimSpace(rest), "<｜tool▁calls▁end｜>")
	return calls, rest, len(calls) > 0
}

var pythonHead = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.]*)\s*\(`)

// python reads NAME(key=value, …), alone or inside of print(…), as in Gemma's
// tool_code blocks.
func (p *textParser) python(s string) ([]Call, bool) {
	if inner, ok := strings.CutPrefix(s, "print("); ok {
		inner, ok = strings.CutSuffix(strings.TrimSpace(inner), ")")
		if !ok {
			return nil, false
		}
		s = strings.TrimSpace(inner)
	}
	head := pythonHead.FindStringSubmatch(s)
	if head == nil {
		return nil, false
	}
	args, rest, err := parseKeywords(s[len(head[0]):])
	if err != nil || strings.TrimSpace(rest) != "" {
		return nil, false
	}
	name := head[1][strings.LastIndexByte(head[1], '.')+1:]
	c, ok := p.call(name, args)
	return []Call{c}, ok
}
