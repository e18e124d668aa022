package llm

import (
	"strings"
	"testing"
)

func TestCallFilter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, shown string }{
		{"prose", "Hello, world.", "Hello, world."},
		{"prose with JSON in it", "Use {\"a\": 1} here.", "Use {\"a\": 1} here."},
		{"a JSON answer that is no call", "{\"port\": 7431}", "{\"port\": 7431}"},
		{"a fence of code", "```go\nfunc main() {}\n```", "```go\nfunc main() {}\n```"},
		{"a fence of JSON that is no call", "```json\n{\"port\": 1}\n```", "```json\n{\"port\": 1}\n```"},
		{"less than", "a <b and a < b", "a <b and a < b"},
		{"a fenced call", "```json\n{\n  \"name\": \"bash\"}\n```", ""},
		{"a bare call", " {\"name\": \"bash\", \"arguments\": {}}", ""},
		{"a call in doubled braces", "{{\"name\": \"bash\", \"arguments\": {}}}", ""},
		{"doubled braces of a template", "{{ value }} is put in.", "{{ value }} is put in."},
		{"a list of calls", "[{\"name\": \"bash\"}]", ""},
		{"markup after prose", "I look. <tool_call>\n{}", "I look. "},
		{"function markup", "<function=bash>", ""},
		{"python", "```tool_code\nbash('ls')\n```", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(tc.text); size++ {
				var f CallFilter
				var shown strings.Builder
				for i := 0; i < len(tc.text); i += size {
					shown.WriteString(f.Write(tc.text[i:min(i+size, len(tc.text))]))
				}
				if got := shown.String() + f.Held(); got != tc.text {
					t.Fatalf("in pieces of %d: text lost, got %q", size, got)
				}
				got := shown.String()
				if tc.shown == tc.text {
					got += f.Held() // shown at the end, since it is no call
					if f.Holding() {
						t.Errorf("in pieces of %d: taken for a call", size)
					}
				}
				if got != tc.shown {
					t.Errorf("in pieces of %d: shown %q, want %q", size, got, tc.shown)
				}
			}
		})
	}
}

func FuzzCallFilter(f *testing.F) {
	f.Add("I look. <tool_call>{}", 3)
	f.Add("```json\n{\"name\"", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 || size > 64 {
			return
		}
		var c CallFilter
		var all strings.Builder
		for i := 0; i < len(text); i += size {
			all.WriteString(c.Write(text[i:min(i+size, len(text))]))
		}
		if got := all.String() + c.Held(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	})
}
