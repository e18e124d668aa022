package llm

import (
	"strings"
	"testing"
)

func TestUnrepeat(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"a line without end", "It is so. " + strings.Repeat("Again. ", 2000), "It is so. Again. Again…"},
		{"stopped within the line", "x" + strings.Repeat("abc", 3000) + "ab", "xabcabc…"},
		{"a short text", "no no no", "no no no"},
		{"no pattern", "one, two, three", "one, two, three"},
		{"nothing", "", ""},
	} {
		if got := Unrepeat(tc.text); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
