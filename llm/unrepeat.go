package llm

import "strings"

// Unrepeat shortens the end of a text that a guard stopped: of a pattern that
// fills the end, two turns stay. Any other text comes back as it is.
func Unrepeat(text string) string {
	const turns = 2
	start := len(text) - textWindow
	if start < 0 {
		return text
	}
	var t tail
	period := t.shortestPeriod([]byte(text[start:]))
	if period > textPeriod {
		return text
	}
	for start > 0 && text[start-1] == text[start-1+period] {
		start--
	}
	return strings.ToValidUTF8(text[:start+turns*period], "") + "…"
}
