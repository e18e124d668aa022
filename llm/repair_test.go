package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repairCases: an empty want means that the arguments must not be mended.
var repairCases = []struct{ name, in, want string }{
	{"valid", `{"path":"a.txt"}`, `{"path":"a.txt"}`},
	{"valid keeps its blanks", " {\"path\" : \"a.txt\"}\n", " {\"path\" : \"a.txt\"}\n"},
	{"absent", "", "{}"},
	{"blank", "  \n", "{}"},
	{"null", "null", "{}"},
	{"empty string", `""`, "{}"},
	{"fence", "```json\n{\"path\":\"a.txt\"}\n```", `{"path":"a.txt"}`},
	{"info string of a fence", "json\n{\"path\":\"a.txt\"}", `{"path":"a.txt"}`},
	{"fence around Python", "```\n{'path': 'a.txt'}\n```", `{"path":"a.txt"}`},
	{"encoded twice", `"{\"path\":\"a.txt\"}"`, `{"path":"a.txt"}`},
	{"list of one", `[{"path":"a.txt"}]`, `{"path":"a.txt"}`},
	{"prose after", `{"path":"a.txt"} I will read it now.`, `{"path":"a.txt"}`},
	{"stray bracket", `{"path":"a.txt"}]`, `{"path":"a.txt"}`},
	{"stray brace", `{"path":"a.txt"}}`, `{"path":"a.txt"}`},
	{"trailing comma", `{"path":"a.txt",}`, `{"path":"a.txt"}`},
	{"Python", `{'path': 'a.txt', 'all': True, 'n': None, 'l': [1, 2,]}`, `{"path":"a.txt","all":true,"n":null,"l":[1,2]}`},
	{"Python with an escaped quote", `{'path': 'it\'s.txt'}`, `{"path":"it's.txt"}`},
	{"JavaScript", `{path: "a.txt", start: 1}`, `{"path":"a.txt","start":1}`},
	{"over-escaped", `{"path": \"a.txt\"}`, `{"path": "a.txt"}`},
	{"all of it escaped", `{\"path\": \"a.txt\", \"text\": \"say \\\"hi\\\"\"}`, `{"path": "a.txt", "text": "say \"hi\""}`},
	{"raw line ends", "{\"content\":\"a\n\tb\"}", `{"content":"a\n\tb"}`},
	{"regular expression", `{"pattern":"\d+\.\w"}`, `{"pattern":"\\d+\\.\\w"}`},
	{"quotes inside", `{"command":"echo "hi" there"}`, `{"command":"echo \"hi\" there"}`},
	{"missing comma", `{"a":"x" "b":2}`, `{"a":"x","b":2}`},
	{"apostrophe in a valid string", `{"path":"it's.txt"}`, `{"path":"it's.txt"}`},

	{"cut in a string", `{"path":"a.md","content":"# Title\nunter`, ""},
	{"cut after a value", `{"path":"a.md"`, ""},
	{"cut in a list", `{"edits":[{"old":"a","new":"b"}`, ""},
	{"cut in a single-quoted string", `{'path': 'a.md`, ""},
	{"cut at a brace inside of a string", `{"path":"a.go","content":"func a() { return }`, ""},
	{"cut in a fence", "```json\n{\"path\":\"a", ""},
	{"apostrophe in single quotes", `{'path': 'it's.txt'}`, ""},
	{"two objects", `{"path":"a"}{"path":"b"}`, ""},
	{"a list of two", `[{"path":"a"},{"path":"b"}]`, ""},
	{"prose", "I will read a.txt", ""},
	{"a number", "42", ""},
}

func TestRepairArgs(t *testing.T) {
	for _, tc := range repairCases {
		t.Run(tc.name, func(t *testing.T) {
			got, note, err := RepairArgs(tc.in)
			if tc.want == "" {
				if err == nil {
					t.Errorf("got %s, want an error", got)
				}
				return
			}
			if err != nil || !sameJSON(got, tc.want) {
				t.Fatalf("got %s, %v, want %s", got, err, tc.want)
			}
			if valid := json.Valid([]byte(tc.in)) && strings.HasPrefix(strings.TrimSpace(tc.in), "{"); valid != (note == "") || valid && got != tc.in {
				t.Errorf("got note %q for %q", note, tc.in)
			}
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

func TestRepairArgsSaysWhatIsWrong(t *testing.T) {
	if _, _, err := RepairArgs(`{"path":"a`); !errors.Is(err, ErrArgsCut) {
		t.Errorf("got %v", err)
	}
	_, _, err := RepairArgs(`{"a":1}{"b":2}`)
	if err == nil || !strings.Contains(err.Error(), `at byte 8, near "{\"a\":1}{\"b\":2}"`) {
		t.Errorf("got %v", err)
	}
}

// row is a public report of an input that broke other clients.
type row struct {
	ID    string
	Input struct {
		Text     string
		Variants []string
		Cases    []struct {
			Raw  string
			Want map[string]any
		}
	}
}

func rows(t *testing.T) map[string]row {
	t.Helper()
	data, err := os.ReadFile("testdata/reports.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]row{}
	for line := range bytes.Lines(data) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		all[r.ID] = r
	}
	return all
}

// TestReportedArguments: a null stands for an absent argument, so it does not
// count.
func TestReportedArguments(t *testing.T) {
	all := rows(t)
	check := func(raw string, want map[string]any) {
		t.Helper()
		got, _, err := RepairArgs(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			return
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(got), &fields); err != nil {
			t.Errorf("%s: got %s, %v", raw, got, err)
		}
		for name, value := range fields {
			if value == nil {
				delete(fields, name)
			}
		}
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
	for _, raw := range all["A19"].Input.Variants {
		check(raw, map[string]any{"path": "a.txt"})
	}
	for _, c := range all["A42"].Input.Cases {
		check(c.Raw, c.Want)
	}
	if len(all["A19"].Input.Variants) != 2 || len(all["A42"].Input.Cases) != 6 {
		t.Error("rows are missing")
	}
}

// FuzzRepairArgs: valid objects come back untouched, everything else becomes a
// valid object or an error, and a repaired text is repaired for good.
func FuzzRepairArgs(f *testing.F) {
	for _, tc := range repairCases {
		f.Add(tc.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, note, err := RepairArgs(in)
		if isJSONObject(strings.TrimSpace(in)) && (got != in || note != "" || err != nil) {
			t.Errorf("valid %q became %q, %q, %v", in, got, note, err)
		}
		if err != nil {
			return
		}
		if !isJSONObject(strings.TrimSpace(got)) {
			t.Errorf("%q became %q", in, got)
		}
		if again, note, err := RepairArgs(got); again != got || note != "" || err != nil {
			t.Errorf("%q became %q, then %q, %q, %v", in, got, again, note, err)
		}
	})
}

// FuzzRepairArgsCut: no proper prefix of valid arguments is mended into a call
// with another content.
func FuzzRepairArgsCut(f *testing.F) {
	f.Add("# Title\n{\"a\": 'b'} \\ end", 20)
	f.Fuzz(func(t *testing.T, content string, n int) {
		whole, err := json.Marshal(map[string]string{"path": "a.md", "content": content})
		if err != nil {
			return
		}
		n = max(1, (n&0x7fffffff)%len(whole))
		if got, _, err := RepairArgs(string(whole[:n])); err == nil {
			t.Errorf("%q was mended to %q", whole[:n], got)
		}
	})
}
