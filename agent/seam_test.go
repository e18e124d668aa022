package agent

import (
	"strings"
	"testing"
)

func TestSeam(t *testing.T) {
	t.Parallel()
	const (
		body   = "func main() {\n\tfirst()\n\tsecond()\n"
		divide = "class A:\n    def divide(self, a, b):\n        \"\"\"\n        Divide two numbers.\n        \"\"\"\n        if b == 0:\n            raise ValueError(\"zero\")\n        return a / b\n"
		guide  = "# Guide\n\n## One\n\nText of one.\n"
	)
	for _, tc := range []struct {
		name, path, draft, more, want string
		cut                           bool
		wrong                         bool
	}{
		{name: "goes on", path: "a.go", draft: body, more: "\tthird()\n}\n", want: body + "\tthird()\n}\n"},
		{name: "without a final line break", path: "a.go", draft: body, more: "}", want: body + "}\n"},
		{name: "repeats the last line", path: "a.go", draft: body, more: "\tsecond()\n}\n", want: body + "}\n"},
		{name: "repeats several lines", path: "a.go", draft: body, more: body + "\tthird()\n}\n", want: body + "\tthird()\n}\n"},
		{name: "repeats without indentation", path: "a.go", draft: body, more: "second()\nif x {\n\tthird()\n}\n", want: body + "\tif x {\n\t\tthird()\n\t}\n"},
		{name: "the first line lost its indentation", path: "a.go", draft: body, more: "third()\n\tfourth()\n}\n", want: body + "\tthird()\n\tfourth()\n}\n"},
		{name: "a block of its own", path: "a.py", draft: "def a():\n    one()\n", more: "def b():\n    two()\n", want: "def a():\n    one()\ndef b():\n    two()\n"},
		{name: "a bracket is no repetition", path: "a.js", draft: "a(() => {\n  b(() => {\n    c()\n  })\n", more: "})\n", want: "a(() => {\n  b(() => {\n    c()\n  })\n})\n"},
		{name: "zeros go on with zeros", path: "a.csv", draft: "a,b\n0,0\n0,0\n", more: "0,0\n0,0\n", want: "a,b\n0,0\n0,0\n0,0\n0,0\n"},
		{name: "words that are all alike", path: "a.csv", draft: "none,none\nnone,none\n", more: "none,none\n", want: "none,none\nnone,none\nnone,none\n"},
		{name: "a fence around code", path: "a.go", draft: body, more: "```go\n\tthird()\n}\n```", want: body + "\tthird()\n}\n"},
		{name: "a sentence and a fence", path: "a.go", draft: body, more: "Here is the rest of the file:\n\n```go\n}\n```", want: body + "}\n"},
		{name: "a fence that is cut", path: "a.go", draft: body, more: "```go\n\tthird()\n\tfou", cut: true, want: body + "\tthird()\n"},
		{name: "a fence of Markdown around Markdown", path: "a.md", draft: guide, more: "```markdown\n## Two\n```sh\nls\n```\n```", want: guide + "## Two\n```sh\nls\n```\n"},
		{name: "a fence of the text itself", path: "a.md", draft: guide, more: "```sh\nls\n```", want: guide + "```sh\nls\n```\n"},
		{name: "cut", path: "a.md", draft: guide, more: "## Two\n\nTe", cut: true, want: guide + "## Two\n\n"},
		{name: "blank lines before", path: "a.md", draft: guide, more: "\n\n## Two\n", want: guide + "## Two\n"},

		{name: "the end retold, then more", path: "a.py", draft: divide, more: "    def divide(self, a, b):\n        \"\"\"Divide two numbers.\n        \"\"\"\n        if b == 0:\n            raise ValueError(\"zero\")\n        return a / b\n\n    def power(self, a, b):\n        return a ** b\n", want: divide + "\n    def power(self, a, b):\n        return a ** b\n"},
		{name: "tags around it", path: "a.md", draft: guide, more: "<lines>\n## Two\n</lines>", want: guide + "## Two\n"},
		{name: "the end retold and nothing else", path: "a.py", draft: divide, more: "<lines>\n    def divide(self, a, b):\n        \"\"\"Divide two numbers.\"\"\"\n        if b == 0:\n            raise ValueError(\"zero\")\n        return a / b\n</lines>", wrong: true},

		{name: "nothing", path: "a.md", draft: guide, more: "", wrong: true},
		{name: "an empty fence", path: "a.go", draft: body, more: "```\n```", wrong: true},
		{name: "only what is there", path: "a.go", draft: body, more: "\tsecond()\n", wrong: true},
		{name: "no complete line", path: "a.md", draft: guide, more: "## Tw", cut: true, wrong: true},
		{name: "the file again", path: "a.md", draft: guide + strings.Repeat("more of it\n", 20), more: guide, wrong: true},
		{name: "a call", path: "a.md", draft: guide, more: "<tool_call>\n{\"name\": \"write_file\", \"arguments\": {}}\n</tool_call>", wrong: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, ok := seam{path: tc.path, draft: tc.draft}.join(tc.more, !tc.cut)
			if ok == tc.wrong || ok && got != tc.want {
				t.Errorf("got %q, %v, want %q, %v", got, ok, tc.want, !tc.wrong)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"between two functions", "def a():\n    x()\n\ndef b():\n    y()\n", "def a():\n    x()\n\n"},
		{"not inside of a function", "def a():\n    x()\n\ndef b():\n    y()\n\n    z()\n", "def a():\n    x()\n\n"},
		{"between two methods", "class A:\n    def a():\n        x()\n\n    def b():\n        y()\n\n    def c():\n", "class A:\n    def a():\n        x()\n\n    def b():\n        y()\n\n"},
		{"at the end", "# A\n\ntext\n\n", "# A\n\ntext\n\n"},
		{"no place", "1\n2\n3\n", "1\n2\n3\n"},
		{"only far away", "a\n\n" + strings.Repeat("b\n", 20), "a\n\n" + strings.Repeat("b\n", 20)},
		{"a blank line first", "\na\n", "\na\n"},
		{"nothing", "", ""},
	} {
		if got := settled(tc.text); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestPrefillAndItsEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path, draft, begun string
		more, want               string
		whole, ended             bool
	}{
		{"code", "a.go", "func a() {\n", "```go\nfunc a() {\n", "\tx()\n}\n```\nThat is all.", "func a() {\n\tx()\n}\n", false, true},
		{"code that is cut", "a.go", "func a() {\n", "```go\nfunc a() {\n", "\tx()\n\ty", "func a() {\n\tx()\n", false, false},
		{"code without an end of the fence", "a.go", "func a() {\n", "```go\nfunc a() {\n", "}", "func a() {\n}\n", true, false},
		{"prose with a fence", "a.md", "# A\n", "# A\n", "```\nls\n```\nmore", "# A\n```\nls\n```\nmore\n", true, false},
	} {
		s := seam{path: tc.path, draft: tc.draft}
		if _, begun := s.prefill(); begun != tc.begun {
			t.Errorf("%s: begun with %q, want %q", tc.name, begun, tc.begun)
		}
		inside, ended := s.untilFence(tc.more)
		got, ok := s.append(inside, tc.whole || ended)
		if got != tc.want || !ok || ended != tc.ended {
			t.Errorf("%s: got %q, %v, ended %v; want %q, ended %v", tc.name, got, ok, ended, tc.want, tc.ended)
		}
	}
	_, begun := seam{path: "a.txt", draft: strings.Repeat("x\n", 300)}.prefill()
	if got := strings.Count(begun, "\n"); got != prefillLines {
		t.Errorf("%d lines are sent, want the last %d", got, prefillLines)
	}
}
