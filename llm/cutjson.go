package llm

import (
	"encoding/json"
	"regexp"
	"strings"
)

// CutString is a string value in whose middle the arguments of a call end.
type CutString struct {
	Key   string // the key of the value; empty in a list
	Value string // what came of it, decoded

	head string // the text before the value
	tail string // what closes the brackets that are open
}

// FindCut reads arguments that end inside of a string value. It returns false
// when they end anywhere else, or are broken before that.
func FindCut(args string) (CutString, bool) {
	s := cutScanner{text: args}
	for i := range len(args) {
		s.step(i)
	}
	if !s.inString || s.isKey || len(s.open) == 0 {
		return CutString{}, false
	}
	cut := CutString{head: args[:s.start], tail: s.closers()}
	if s.open[len(s.open)-1] == '{' {
		cut.Key = s.key
	}
	value, ok := decodeCut(args[s.start+1:])
	cut.Value = value
	return cut, ok && json.Valid([]byte(cut.With("")))
}

// With returns the arguments with another value in place of the cut one, and
// all that is open closed.
func (c CutString) With(value string) string {
	var w literalParser
	w.quote(value)
	return c.head + w.out.String() + c.tail
}

// cutScanner follows JSON just enough to know what is open at its end.
type cutScanner struct {
	text     string
	open     []byte // brackets that are open
	inString bool
	escaped  bool
	isKey    bool // the string being read is a key
	colon    bool // a value is next
	start    int  // the opening quote of the last string
	key      string
}

func (s *cutScanner) step(i int) {
	c := s.text[i]
	switch {
	case s.inString && s.escaped:
		s.escaped = false
	case s.inString && c == '\\':
		s.escaped = true
	case s.inString && c == '"':
		s.inString = false
		if s.isKey {
			s.key = s.text[s.start+1 : i]
		}
	case s.inString:
	case c == '"':
		s.inString, s.start = true, i
		s.isKey = len(s.open) > 0 && s.open[len(s.open)-1] == '{' && !s.colon
		s.colon = false
	case c == ':':
		s.colon = true
	case c == '{' || c == '[':
		s.open, s.colon = append(s.open, c), false
	case (c == '}' || c == ']') && len(s.open) > 0:
		s.open = s.open[:len(s.open)-1]
	case c == ',':
		s.colon = false
	}
}

// closers is what closes the open brackets, innermost first.
func (s *cutScanner) closers() string {
	var b strings.Builder
	for i := len(s.open) - 1; i >= 0; i-- {
		b.WriteByte(map[byte]byte{'{': '}', '[': ']'}[s.open[i]])
	}
	return b.String()
}

// decodeCut decodes the inside of a string that may end within an escape or a
// rune, which is left out. Line breaks and tabs may stand for themselves.
func decodeCut(raw string) (string, bool) {
	raw = strings.ToValidUTF8(strings.TrimRight(raw, "\ufffd"), "")
	if i := strings.LastIndexByte(raw, '\\'); i >= 0 && unfinishedEscape(raw[i:]) && odd(raw, i) {
		raw = raw[:i]
	}
	quoted := `"` + strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(raw) + `"`
	var value string
	if json.Unmarshal([]byte(quoted), &value) == nil {
		return value, true
	}
	escaped, changed := escapeBackslashes(quoted)
	if !changed || json.Unmarshal([]byte(escaped), &value) != nil {
		return "", false
	}
	return value, true
}

// unfinishedEscape reports whether s, which starts with a backslash, is the
// beginning of an escape.
func unfinishedEscape(s string) bool {
	const unicodeEscape = len(`\u0000`)
	return len(s) == 1 || s[1] == 'u' && len(s) < unicodeEscape
}

// odd reports whether the backslash at i is not escaped itself.
func odd(s string, i int) bool {
	n := 0
	for ; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// cutCall finds a call written as JSON, whose arguments come last.
var cutCall = regexp.MustCompile(`(?s)^\{\s*"(?:name|tool|tool_name)"\s*:\s*"([^"]+)"\s*,\s*"(?:arguments|parameters|args|input)"\s*:\s*(\{.*)$`)

// CutCall reads a call of a declared tool that a model wrote into its answer as
// JSON, and whose arguments end in the middle of a string. The arguments come
// back as they are, but for triple quotes.
func CutCall(text string, declared []ToolSpec) (Call, bool) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return Call{}, false
	}
	m := cutCall.FindStringSubmatch(text[start:])
	if m == nil {
		return Call{}, false
	}
	p := textParser{declared: declared}
	call := Call{ID: "call00001", Name: CleanName(m[1], declared), Args: m[2]}
	if mended, tripled := untripleCut(call.Args); tripled {
		call.Args = mended
	}
	_, cut := FindCut(call.Args)
	return call, cut && p.spec(call.Name) != nil
}
