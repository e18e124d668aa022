package agent

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/agent/session"
	"mm/llm"
)

func TestUnseen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"config.yaml", "main.go", "read.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	items := []session.Item{
		{Message: llm.Message{Role: llm.User, Text: "look at it"}},
		{Message: llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c1", Name: "read_file", Args: `{"path":"read.go"}`}}}},
		{Message: llm.Message{Role: llm.Tool, CallID: "c1", Text: "package read // three tests passed\n"}},
	}
	for _, tc := range []struct {
		name, answer string
		want         []string
	}{
		{"a file with a line, never read", "The bug is at config.yaml:12.", []string{"config.yaml (never read)"}},
		{"in other words", "See line 3 of `main.go`, it is wrong.", []string{"main.go (never read)"}},
		{"a file that was read", "The bug is at read.go:12.", nil},
		{"a file that does not exist", "The bug is at nothere.go:12.", nil},
		{"advice", "You should look at main.go:12.", nil},
		{"a file without a line", "There is a main.go.", nil},
		{"a quotation from a file never read", "`config.yaml` contains:\n\n```yaml\nport: 7431\n```\n", []string{"config.yaml (never read)"}},
		{"a proposal for a file", "Change config.yaml so that it says:\n\n```yaml\nport: 7431\n```\n", nil},
		{"an output that nothing printed", "The output is:\n\n```\nall 12 tests have passed\n```\n", []string{"the quoted output"}},
		{"an output that was printed", "The output is:\n\n```\nthree  tests\npassed\n```\n", nil},
		{"an output as a guess", "The output would be:\n\n```\nall 12 tests have passed\n```\n", nil},
		{"a short output", "The output is:\n\n```\n42\n```\n", nil},
		{"code of the answer's own", "Here is a function:\n\n```go\nfunc main() { main.go:12 }\n```\n", nil},
		{"outside of the project", "See ../../etc/passwd.txt:3.", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, unseen(tc.answer, items, dir)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
