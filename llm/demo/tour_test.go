package demo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/llm/demo"
)

// fullTour is the tour where all goes well: two files, a failing test, a look,
// a refused edit, its repair, the test again.
var fullTour = []string{"write_file", "write_file", "bash", "read_file", "edit_file", "edit_file", "bash"}

func TestTourMendsItsProject(t *testing.T) {
	t.Parallel()
	for _, say := range []string{"tour", "Give me a guided tour, please", "yes", "visite guidée", "oui"} {
		c := newConversation(nil)
		turns := c.say(t, say)
		if diff := cmp.Diff(fullTour, calls(turns)); diff != "" {
			t.Errorf("%q: calls (-want +got):\n%s", say, diff)
		}
		if out := c.bash("sh mm-demo/test.sh"); !strings.HasPrefix(out, "PASS") {
			t.Errorf("%q: after the tour the test says %q", say, out)
		}
		if !strings.Contains(turns[0].say, "script") || turns[3].think == "" || !strings.Contains(last(turns), "```text") {
			t.Errorf("%q: first %q, reasoning %q, last %q", say, turns[0].say, turns[3].think, last(turns))
		}
		for i, g := range turns[:len(turns)-1] {
			if sentences := strings.Count(g.say, ". ") + 1; g.say == "" || sentences > 3 {
				t.Errorf("%q: step %d says %q", say, i+1, g.say)
			}
		}
	}
}

// TestTourShowsARefusedEdit: the fifth call must fail, and its answer must
// quote lines of the file, since the words after it say so.
func TestTourShowsARefusedEdit(t *testing.T) {
	t.Parallel()
	c := newConversation(nil)
	c.say(t, "tour")
	var results []string
	for _, m := range c.messages {
		if m["role"] == "tool" {
			results = append(results, m["content"].(string))
		}
	}
	if got := results[4]; !strings.Contains(got, "nothing was written") || !strings.Contains(got, `echo "Helo, $name!"`) {
		t.Errorf("the wrong edit was answered with %q", got)
	}
	if got := results[5]; !strings.Contains(got, "1 edit applied") {
		t.Errorf("the right edit was answered with %q", got)
	}
}

// TestTourProjectRuns runs the files that the tour writes with a real shell,
// before and after its edit.
func TestTourProjectRuns(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mm-demo"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := newConversation(nil)
	var codes []int
	c.answer = func(tool, _ string) string {
		if tool != "bash" {
			return ""
		}
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(sh, "mm-demo/test.sh")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		codes = append(codes, cmd.ProcessState.ExitCode())
		return string(out)
	}
	c.say(t, "tour")
	if diff := cmp.Diff([]int{1, 0}, codes); diff != "" {
		t.Errorf("exit codes of the test (-want +got):\n%s", diff)
	}
}

// TestTourAfterAnother meets the files of an earlier session, which must be
// read before they are overwritten.
func TestTourAfterAnother(t *testing.T) {
	t.Parallel()
	earlier := newConversation(nil)
	earlier.say(t, "tour")
	c := newConversation(earlier.files)
	want := append([]string{"write_file", "read_file", "write_file", "write_file", "read_file", "write_file"}, fullTour[2:]...)
	if diff := cmp.Diff(want, calls(c.say(t, "tour"))); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fullTour, calls(c.say(t, "tour"))); diff != "" {
		t.Errorf("again in the same session (-want +got):\n%s", diff)
	}
}

// TestTourGoesOnSensibly rejects one kind of call, or takes a tool away.
func TestTourGoesOnSensibly(t *testing.T) {
	t.Parallel()
	const rejected = "[command rejected by the user]"
	for _, tc := range []struct {
		name   string
		tools  []string
		answer func(c *conversation) func(tool, args string) string
		calls  []string
		holds  string
	}{
		{
			"write rejected", allTools,
			rejecting("write_file", rejected),
			[]string{"write_file"},
			"nothing was written",
		},
		{
			"commands rejected", allTools,
			rejecting("bash", rejected),
			fullTour,
			"goes on without it",
		},
		{
			"read-only session", allTools,
			rejecting("write_file", "[refused: this session is read-only: no file was changed]"),
			[]string{"write_file"},
			"this session is read-only",
		},
		{
			"right edit rejected", allTools,
			func(*conversation) func(string, string) string {
				return func(tool, args string) string {
					if tool == "edit_file" && strings.Contains(args, "Hello, $name!") {
						return rejected
					}
					return ""
				}
			},
			fullTour[:6],
			"the file stays as it was",
		},
		{
			"no bash",
			[]string{"edit_file", "read_file", "write_file"},
			rejecting("", ""),
			[]string{"write_file", "write_file", "read_file", "edit_file", "edit_file"},
			"That was the tour",
		},
		{
			"no edit tools",
			[]string{"bash", "read_file"},
			rejecting("", ""),
			nil,
			"`write_file`, which is turned off",
		},
		{
			"the test cannot run", allTools,
			rejecting("bash", "sh: not found\n[exit code: 127]"),
			fullTour,
			"exit code 127",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConversation(nil)
			c.tools, c.answer = tc.tools, tc.answer(c)
			turns := c.say(t, "tour")
			if diff := cmp.Diff(tc.calls, calls(turns)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if !strings.Contains(last(turns), tc.holds) {
				t.Errorf("the last words are %q, want %q in them", last(turns), tc.holds)
			}
		})
	}
}

func rejecting(tool, with string) func(*conversation) func(string, string) string {
	return func(*conversation) func(string, string) string {
		return func(called, _ string) string {
			if called == tool {
				return with
			}
			return ""
		}
	}
}

// TestTourGoesOnAfterACancel: "go on" takes the cancelled step again and
// repeats none that was done.
func TestTourGoesOnAfterACancel(t *testing.T) {
	t.Parallel()
	messages := []object{{"role": "user", "content": "visite"}}
	c := newConversation(nil)
	for _, result := range []string{"mm-demo/greet.sh: created with 4 lines", "mm-demo/test.sh: created with 10 lines", "[cancelled by the user]"} {
		got := ask(t, c.h, object{"messages": messages, "tools": declare(allTools...)})
		messages = append(messages,
			object{"role": "assistant", "content": got.say, "tool_calls": []any{object{
				"id": got.tool + got.args, "type": "function", "function": object{"name": got.tool, "arguments": got.args},
			}}},
			object{"role": "tool", "tool_call_id": got.tool + got.args, "content": result})
	}
	for _, say := range []string{"go on", "la suite"} {
		got := ask(t, demo.Handler(demo.Options{}), object{
			"messages": append(messages, object{"role": "user", "content": say}), "tools": declare(allTools...),
		})
		if got.tool != "bash" || !strings.Contains(got.say, "Je lance le test") {
			t.Errorf("%q: got %s and %q, want the test to be run, in French", say, got.tool, got.say)
		}
	}
}
