package llm

import (
	"encoding/json"
	"testing"
)

func TestFindCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, args string
		key, value string
		with       string // With("X")
		ok         bool
	}{
		{"content of a file", `{"path":"a.md","content":"# A\nline`, "content", "# A\nline", `{"path":"a.md","content":"X"}`, true},
		{"the second string of an edit", `{"path":"a","edits":[{"old":"x","new":"y\n\tz`, "new", "y\n\tz", `{"path":"a","edits":[{"old":"x","new":"X"}]}`, true},
		{"within an escape", `{"a":"x\`, "a", "x", `{"a":"X"}`, true},
		{"after an escaped backslash", `{"a":"x\\`, "a", `x\`, `{"a":"X"}`, true},
		{"within a code point", `{"a":"x\u00e`, "a", "x", `{"a":"X"}`, true},
		{"a raw line break", "{\"a\":\"x\ny", "a", "x\ny", `{"a":"X"}`, true},
		{"an escape that JSON does not know", `{"a":"\d+`, "a", `\d+`, `{"a":"X"}`, true},
		{"nothing of the value", `{"a":"`, "a", "", `{"a":"X"}`, true},
		{"in a list", `{"a":["x","y`, "", "y", `{"a":["x","X"]}`, true},
		{"brackets inside of strings", `{"a":"{[","b":"}`, "b", "}", `{"a":"{[","b":"X"}`, true},
		{"whole", `{"a":"x"}`, "", "", "", false},
		{"within a key", `{"a":"x","b`, "", "", "", false},
		{"behind a value", `{"a":"x",`, "", "", "", false},
		{"within a number", `{"a":12`, "", "", "", false},
		{"broken before", `{a:"x","b":"y`, "", "", "", false},
		{"no object", `"abc`, "", "", "", false},
		{"nothing", ``, "", "", "", false},
	} {
		cut, ok := FindCut(tc.args)
		if ok != tc.ok {
			t.Errorf("%s: got %v, want %v", tc.name, ok, tc.ok)
			continue
		}
		if !ok {
			continue
		}
		if cut.Key != tc.key || cut.Value != tc.value || cut.With("X") != tc.with {
			t.Errorf("%s: got %q %q %s, want %q %q %s", tc.name, cut.Key, cut.Value, cut.With("X"), tc.key, tc.value, tc.with)
		}
	}
}

func TestCutCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, call string }{
		{"markup", "<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls", `bash {"command": "ls`},
		{"a fence", "```json\n{\"name\": \"functions.bash\", \"parameters\": {\"command\": \"ls", `bash {"command": "ls`},
		{"triple quotes", "{\"name\": \"bash\", \"arguments\": {\"command\": \"\"\"\ncat <<E\n\"quoted\"\n", `bash {"command": "cat <<E\n\"quoted\"\n`},
		{"triple quotes within triple quotes", "{\"name\": \"bash\", \"arguments\": {\"command\": \"\"\"\n\"\"\"doc\"\"\"\nx", `bash {"command": "\"\"\"doc\"\"\"\nx`},
		{"whole", `{"name": "bash", "arguments": {"command": "ls"}}`, ""},
		{"an undeclared tool", `{"name": "python", "arguments": {"code": "x`, ""},
		{"cut before the arguments", `{"name": "bash", "argu`, ""},
		{"no call", `{"port": 80, "host": "lo`, ""},
		{"prose", "I will", ""},
	} {
		got := ""
		if c, ok := CutCall(tc.text, textTools); ok {
			got = c.Name + " " + c.Args
		}
		if got != tc.call {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.call)
		}
	}
}

// FuzzFindCut: wherever a JSON text is cut inside of a value, what was there is
// found, and the closed text is JSON.
func FuzzFindCut(f *testing.F) {
	f.Add("# Title\n\n\"quoted\" \\ and é 🎉\n", 9)
	f.Add("\u2028<&>", 3)
	f.Fuzz(func(t *testing.T, content string, at int) {
		whole, err := json.Marshal(map[string]any{"path": "a", "z": []map[string]string{{"old": "o", "new": content}}})
		if err != nil || at < 0 || at > len(whole) {
			t.Skip()
		}
		cut, ok := FindCut(string(whole[:at]))
		if ok && !json.Valid([]byte(cut.With(content))) {
			t.Errorf("cut at %d of %s: %s is not JSON", at, whole, cut.With(content))
		}
	})
}
