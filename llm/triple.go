package llm

import (
	"regexp"
	"strings"
)

// tripleQuote begins a value as Python writes texts of many lines. Small models
// mix it into JSON for the content of a file.
var tripleQuote = regexp.MustCompile(`(:\s*)"""\r?\n?`)

// untriple writes the value in triple quotes as JSON: from the first of them to
// the last, for a file may hold more. What follows the last is left as it is.
// It returns false when there is no such value.
func untriple(s string) (string, bool) {
	at := tripleQuote.FindStringSubmatchIndex(s)
	if at == nil {
		return s, false
	}
	head, body := s[:at[3]], s[at[1]:]
	end := strings.LastIndex(body, `"""`)
	if end < 0 {
		return s, false
	}
	var w literalParser
	w.quote(body[:end])
	return head + w.out.String() + body[end+len(`"""`):], true
}

// untripleCut is untriple for a text that ends within the value.
func untripleCut(s string) (string, bool) {
	whole, ok := untriple(s + `"""`)
	return strings.TrimSuffix(whole, `"`), ok
}
