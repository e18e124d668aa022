package llm

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errLiteral says that a text is no literal. Callers fall back or give up.
var errLiteral = errors.New("not a literal")

// maxDepth bounds the nesting of a literal.
const maxDepth = 64

// literalParser reads values as Python, JavaScript and Gemma's templates write
// them, and writes JSON. It is strict: a quote that is not escaped inside of a
// string is an error and not a guess.
type literalParser struct {
	in    string
	out   strings.Builder
	depth int
}

// parseLiteral turns the literal at the start of s into JSON, and returns the
// rest of s.
func parseLiteral(s string) (asJSON, rest string, err error) {
	p := literalParser{in: s}
	if err := p.value(); err != nil {
		return "", s, err
	}
	return p.out.String(), p.in, nil
}

// parseKeywords turns "a=1, b='x')" into a JSON object, and returns what
// follows the closing parenthesis.
func parseKeywords(s string) (asJSON, rest string, err error) {
	p := literalParser{in: s}
	if err := p.members("=", ")"); err != nil {
		return "", s, err
	}
	return p.out.String(), p.in, nil
}

func (p *literalParser) space() { p.in = strings.TrimLeft(p.in, " \t\r\n") }

// take consumes token, after blanks, and reports whether it was there.
func (p *literalParser) take(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.in, token)
	if ok {
		p.in = rest
	}
	return ok
}

func (p *literalParser) value() error {
	if p.depth++; p.depth > maxDepth {
		return errLiteral
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("{"):
		return p.members(":", "}")
	case p.take("["):
		return p.sequence("[", "]", "]", p.value)
	case p.take("("):
		return p.sequence("[", "]", ")", p.value)
	case p.string():
		return nil
	}
	return p.word()
}

// members reads keys and values up to the closing token.
func (p *literalParser) members(assign, end string) error {
	return p.sequence("{", "}", end, func() error {
		if !p.string() {
			name := p.identifier()
			if name == "" {
				return errLiteral
			}
			p.quote(name)
		}
		if !p.take(assign) {
			return errLiteral
		}
		p.out.WriteByte(':')
		return p.value()
	})
}

// sequence reads items up to the closing token and writes them between open and
// closing.
func (p *literalParser) sequence(open, closing, end string, item func() error) error {
	p.out.WriteString(open)
	for first := true; !p.take(end); first = false {
		if !first {
			if !p.take(",") {
				return errLiteral
			}
			if p.take(end) {
				break
			}
			p.out.WriteByte(',')
		}
		if err := item(); err != nil {
			return err
		}
	}
	p.out.WriteString(closing)
	return nil
}

// quoteMarks open and close strings; the longer ones come first. The last is
// the quote token of Gemma's template.
var quoteMarks = []string{`"""`, `'''`, `"`, `'`, `<|"|>`}

// string reads a string if there is one.
func (p *literalParser) string() bool {
	p.space()
	for _, mark := range quoteMarks {
		body, ok := strings.CutPrefix(p.in, mark)
		if !ok {
			continue
		}
		text, rest, ok := readString(body, mark)
		if !ok {
			return false
		}
		p.in = rest
		p.quote(text)
		return true
	}
	return false
}

// readString reads up to the closing mark.
func readString(s, mark string) (text, rest string, ok bool) {
	var b strings.Builder
	for s != "" {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			return b.String(), rest, true
		}
		if s[0] != '\\' || mark == `<|"|>` {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(s, mark[0])
		switch {
		case err == nil:
			b.WriteRune(r)
			s = tail
		case len(s) > 1 && strings.IndexByte("'\"/`", s[1]) >= 0:
			b.WriteByte(s[1])
			s = s[2:]
		default:
			// Python keeps the backslash of an escape that it does not know.
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return "", "", false
}

// quote writes s as a JSON string.
func (p *literalParser) quote(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	p.out.WriteString(strings.TrimSuffix(b.String(), "\n"))
}

// identifier reads a name, which may have dots and dashes.
func (p *literalParser) identifier() string {
	p.space()
	n := 0
	for n < len(p.in) && isNameByte(p.in[n]) {
		n++
	}
	name := p.in[:n]
	p.in = p.in[n:]
	return name
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-'
}

// word reads a number or a constant.
func (p *literalParser) word() error {
	word := p.identifier()
	switch word {
	case "True", "true":
		p.out.WriteString("true")
	case "False", "false":
		p.out.WriteString("false")
	case "None", "null", "undefined":
		p.out.WriteString("null")
	default:
		if word == "" || !json.Valid([]byte(word)) {
			return errLiteral
		}
		p.out.WriteString(word) // a number: words that are JSON were handled
	}
	return nil
}
