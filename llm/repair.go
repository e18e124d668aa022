package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/kaptinlin/jsonrepair"
)

// ErrArgsCut says that arguments end in the middle. They are never mended:
// half a file must not be written.
var ErrArgsCut = errors.New("the arguments end in the middle: they are cut off")

// RepairArgs turns the arguments of a call into a JSON object. A valid object
// comes back untouched, with an empty note; otherwise note says in a few words
// what was mended. The text of an error is for the model. Whether the result
// is what the tool wants, its schema must tell.
func RepairArgs(args string) (repaired, note string, err error) {
	text := strings.TrimSpace(args)
	if isJSONObject(text) {
		return args, "", nil
	}
	if text == "" || text == "null" || text == `""` {
		return "{}", "no arguments", nil
	}
	if inner, ok := unfence(text); ok {
		repaired, note, err := RepairArgs(inner)
		return repaired, joinNotes("a code fence around the arguments", note), err
	}
	if inner, ok := unwrap(text); ok {
		return inner, "arguments that were encoded twice", nil
	}
	if inner, ok := oneOfList(text); ok {
		return inner, "a list around the arguments", nil
	}
	if object, ok := withoutTail(text); ok {
		return object, "text after the arguments", nil
	}
	if mended, ok := unescapeAll(text); ok {
		return mended, "over-escaped quotes", nil
	}
	if isCut(text) {
		return "", "", ErrArgsCut
	}
	for _, try := range []struct {
		note string
		mend func(string) (string, bool)
	}{
		{"backslashes that were not escaped", escapeBackslashes},
		{"arguments that were no JSON", literalObject},
		{"JSON syntax of the arguments", repairSyntax},
	} {
		if mended, ok := try.mend(text); ok && isJSONObject(mended) {
			return mended, try.note, nil
		}
	}
	return "", "", syntaxError(text)
}

func isJSONObject(s string) bool {
	return strings.HasPrefix(s, "{") && json.Valid([]byte(s))
}

func joinNotes(a, b string) string {
	if b == "" {
		return a
	}
	return a + ", " + b
}

// unfence takes the text out of a Markdown fence. Its info string alone may
// have leaked too.
func unfence(s string) (string, bool) {
	if inner, ok := strings.CutPrefix(s, "```"); ok {
		_, inner, ok = strings.Cut(inner, "\n")
		inner = strings.TrimSuffix(strings.TrimSpace(inner), "```")
		return strings.TrimSpace(inner), ok
	}
	for _, info := range []string{"json\n", "JSON\n", "json\r\n", "json {"} {
		if strings.HasPrefix(s, info) {
			return strings.TrimSpace(s[len("json"):]), true
		}
	}
	return "", false
}

// unwrap decodes a JSON string that holds an object.
func unwrap(s string) (string, bool) {
	var inner string
	if s[0] != '"' || json.Unmarshal([]byte(s), &inner) != nil {
		return "", false
	}
	inner = strings.TrimSpace(inner)
	return inner, isJSONObject(inner)
}

// oneOfList takes an object out of a list of one.
func oneOfList(s string) (string, bool) {
	var list []json.RawMessage
	if s[0] != '[' || json.Unmarshal([]byte(s), &list) != nil || len(list) != 1 {
		return "", false
	}
	return string(list[0]), isJSONObject(string(list[0]))
}

// withoutTail takes the object at the start, when what follows is not another
// one.
func withoutTail(s string) (string, bool) {
	object, rest, ok := leadingObject(s)
	if !ok || strings.Contains(rest, "{") {
		return "", false
	}
	return object, true
}

// leadingObject splits a valid object off the start of s.
func leadingObject(s string) (object, rest string, ok bool) {
	if !strings.HasPrefix(s, "{") {
		return "", s, false
	}
	dec := json.NewDecoder(strings.NewReader(s))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return "", s, false
	}
	return string(raw), s[dec.InputOffset():], true
}

// isCut reports whether a text ends inside of a string or of brackets. Texts
// that only look so are not worth the risk.
func isCut(s string) bool {
	var quote byte
	depth := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			if quote == '"' || closesSingle(s[i+1:]) {
				quote = 0
			}
		case quote != 0:
		case c == '"':
			quote = c
		case c == '\'' && opensSingle(s[:i]):
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return quote != 0 || depth > 0
}

// opensSingle and closesSingle tell the quotes of a string from apostrophes.
func opensSingle(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	return before != "" && strings.IndexByte("{[,:", before[len(before)-1]) >= 0
}

func closesSingle(after string) bool {
	after = strings.TrimLeft(after, " \t\r\n")
	return after == "" || strings.IndexByte("}],:", after[0]) >= 0
}

// unescapeAll undoes one level of escaping, {"path": \"a.txt\"}, when there is
// a backslash outside of strings.
func unescapeAll(s string) (string, bool) {
	inString := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			inString = !inString
		case s[i] == '\\' && inString:
			i++
		case s[i] == '\\':
			mended := strings.ReplaceAll(s, `\"`, `"`)
			if strings.HasPrefix(s, `{\"`) {
				// All of it is escaped, so inner escapes have a level more.
				mended = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s)
			}
			return mended, isJSONObject(mended)
		}
	}
	return "", false
}

// escapeBackslashes doubles backslashes that start no JSON escape, as in a
// regular expression.
func escapeBackslashes(s string) (string, bool) {
	var b strings.Builder
	changed, inString := false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		b.WriteByte(c)
		switch {
		case c == '"':
			inString = !inString
		case c == '\\' && inString && i+1 < len(s):
			if strings.IndexByte(`"\/bfnrtu`, s[i+1]) < 0 {
				b.WriteByte('\\')
				changed = true
			}
			i++
			b.WriteByte(s[i])
		}
	}
	return b.String(), changed
}

// literalObject reads an object as Python or JavaScript writes it.
func literalObject(s string) (string, bool) {
	asJSON, rest, err := parseLiteral(s)
	return asJSON, err == nil && !strings.ContainsAny(rest, "{\"'")
}

// repairSyntax asks the library. Its result counts only if no letter and no
// digit was lost or added on the way; single quotes it gets wrong.
func repairSyntax(s string) (string, bool) {
	if s[0] != '{' || strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return "", false
	}
	mended, err := jsonrepair.Repair(s)
	if err != nil {
		return "", false
	}
	return mended, substance(s) == substance(mended)
}

// substance is what a repair must not touch: letters, digits, backslashes that
// stand for themselves.
func substance(s string) string {
	s = strings.NewReplacer(
		"None", "null", "True", "true", "False", "false", "undefined", "null",
		`\n`, "", `\t`, "", `\r`, "", `\"`, "",
	).Replace(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\\' {
			return r
		}
		return -1
	}, s)
}

// syntaxError says what the parser found and where.
func syntaxError(s string) error {
	const around = 20
	var v any
	err := json.Unmarshal([]byte(s), &v)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return errors.New("the arguments must be one JSON object")
	}
	at := int(syntax.Offset)
	from, to := max(0, at-around), min(len(s), at+around)
	near := bytes.ToValidUTF8([]byte(s[from:to]), nil)
	return fmt.Errorf("the arguments are not valid JSON: %s, at byte %d, near %q", syntax, at, near)
}
