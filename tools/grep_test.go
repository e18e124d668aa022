package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// searchProject is a project with the two searching tools.
func searchProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	p := newProject(t, files)
	box, err := NewToolbox(ToolboxOptions{}, NewGrep(p.files), NewGlob(p.files))
	if err != nil {
		t.Fatal(err)
	}
	p.box = box
	return p
}

func TestGrep(t *testing.T) {
	t.Parallel()
	p := searchProject(t, map[string]string{
		"main.go":        "package main\n\nfunc main() {\n\trun(1)\n}\n",
		"sub/a.py":       "def run(n):\r\n    return n\r\n",
		"sub/deep/b.txt": "nothing\n",
		"out/gen.go":     "func run() {}\n",
		".gitignore":     "out/\n",
		".env":           "run=secret\n",
		"image.png":      "\x89PNG\x00run(\n",
	})
	const hidden = "\n[1 name left out: credentials or settings; read_file one by its name if you must]"
	for _, tc := range []struct{ args, want string }{
		{`{"pattern":"run\\("}`, "main.go:4: \trun(1)\nsub/a.py:1: def run(n):\n[2 matching lines in 2 files; read_file with start shows the lines around]" + hidden},
		{`{"pattern":"^func \\w+"}`, "main.go:3: func main() {\n[1 matching line in 1 file; read_file with start shows the lines around]" + hidden},
		{`{"pattern":"run","path":"sub"}`, "sub/a.py:1: def run(n):\n[1 matching line in 1 file; read_file with start shows the lines around]"},
		{`{"pattern":"run","path":"main.go"}`, "main.go:4: \trun(1)\n[1 matching line in 1 file; read_file with start shows the lines around]"},
		{`{"query":"run","include":"*.py"}`, "sub/a.py:1: def run(n):\n[1 matching line in 1 file; read_file with start shows the lines around]" + hidden},
		{`{"pattern":"run","include":"sub/**/*.py"}`, "sub/a.py:1: def run(n):\n[1 matching line in 1 file; read_file with start shows the lines around]" + hidden},
		{`{"pattern":"RUN\\(1"}`, "[nothing matches with this letter case; these match in any]\nmain.go:4: \trun(1)\n[1 matching line in 1 file; read_file with start shows the lines around]" + hidden},
		{`{"pattern":"run(n"}`, "[the pattern is no regular expression (missing closing )); it was searched as plain text]\nsub/a.py:1: def run(n):\n[1 matching line in 1 file; read_file with start shows the lines around]" + hidden},
		{
			`{"pattern":"absent\\|return"}`,
			"[nothing matches the pattern as it is; in this tool | ( ) + ? { } need no backslash, and it was searched so]\nsub/a.py:2:     return n\n[1 matching line in 1 file; read_file with start shows the lines around]" + hidden,
		},
		{`{"pattern":"absent"}`, "[no match in 5 files; try a shorter word]" + hidden},
		{`{"pattern":"absent","include":"*.rs"}`, `[no match in 0 files; no file is named like include "*.rs"; leave it out or give one like *.go]` + hidden},
		{`{"pattern":"run","path":".env"}`, ".env:1: run=secret\n[1 matching line in 1 file; read_file with start shows the lines around]"},
	} {
		if got := p.call("grep", tc.args); got.Text != tc.want || got.Status != OK {
			t.Errorf("%s: %s\ngot  %q\nwant %q", tc.args, got.Status, got.Text, tc.want)
		}
	}
	for args, want := range map[string]string{
		`{"pattern":" "}`:                     "the pattern is empty",
		`{"pattern":"a\nb"}`:                  "one line",
		`{"pattern":"a","path":"man.go"}`:     "man.go does not exist. List a folder with read_file to see what there is; near are: main.go",
		`{"pattern":"a","path":"/main.go"}`:   `use "main.go"`,
		`{"pattern":"a","include":"{a,b"}`:    "is not closed",
		`{"pattern":"a","include":"[a.go"}`:   "is not closed",
		`{"pattern":"a","path":"../x\u0000"}`: "control characters",
	} {
		wants(t, p.call("grep", args), Failed, want)
	}
}

func TestGrepIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"many.txt": strings.Repeat("needle\n", 1000),
		"long.txt": strings.Repeat("é", 5000) + "needle" + strings.Repeat("x", 5000),
		"big.txt":  strings.Repeat("needle\n", 1<<20),
	}
	for i := range 300 {
		files[fmt.Sprintf("f/%03d.txt", i)] = "needle\n"
	}
	p := searchProject(t, files)
	p.files.MaxOutput = func() int { return 4000 }
	res := runTool(t, NewGrep(p.files), `{"pattern":"needle","path":"."}`)
	wants(t, res, OK, "[1301 matching lines in 302 files, not all are shown; give a narrower pattern, path or include]",
		"[1 file larger than 4 MiB: not searched]")
	if n := len([]rune(res.Text)); n > 4000 || !res.Truncated {
		t.Errorf("%d characters, truncated %v", n, res.Truncated)
	}
	res = runTool(t, NewGrep(p.files), `{"pattern":"needle","path":"many.txt"}`)
	wants(t, res, OK, "many.txt:25: needle\n[975 more in many.txt]\n[1000 matching lines in 1 file")
	res = runTool(t, NewGrep(p.files), `{"pattern":"needle","path":"long.txt"}`)
	if wants(t, res, OK, "needle"); len(res.Text) > 400 {
		t.Errorf("a long line is not cut: %d bytes", len(res.Text))
	}
}

// runTool runs a call that names its arguments as the schema does.
func runTool(t *testing.T, tool Tool, args string) Result {
	t.Helper()
	plan, err := tool.Plan(t.Context(), []byte(args))
	if err != nil {
		return Result{Text: err.Error(), Status: Failed}
	}
	return tool.Run(t.Context(), plan, nil)
}

// Patterns that make backtracking matchers slow end quickly.
func TestSearchOfHostilePatterns(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("a", 200)
	p := searchProject(t, map[string]string{name: strings.Repeat("a", 1<<16), strings.Repeat("a/", 50) + "a": ""})
	began := time.Now()
	for _, pattern := range []string{
		"(a+)+$", "(a|a)*b", "((((a*)*)*)*)*b", strings.Repeat("(a?){50}", 10), "a{1000}{1000}",
	} {
		p.call("grep", jsonOf(map[string]string{"pattern": pattern}))
	}
	for _, pattern := range []string{
		strings.Repeat("*a", 90) + "b", strings.Repeat("**/", 60) + "b", "{a,{a,{a,a}}}" + strings.Repeat("*a", 60),
		strings.Repeat("{a,b}", 50), "{" + strings.Repeat("a,", 140) + "}", strings.Repeat("?", 290), "[" + strings.Repeat("a-z", 90) + "]",
	} {
		p.call("glob", jsonOf(map[string]string{"pattern": pattern}))
	}
	if d := time.Since(began); d > 30*time.Second { // the naive way needs years
		t.Errorf("took %v", d)
	}
}

func TestSearchStops(t *testing.T) {
	t.Parallel()
	p := searchProject(t, map[string]string{"a.go": "x"})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, tool := range []Tool{NewGrep(p.files), NewGlob(p.files)} {
		plan, err := tool.Plan(ctx, []byte(`{"pattern":"*x"}`))
		if err != nil {
			t.Fatal(err)
		}
		if res := tool.Run(ctx, plan, nil); res.Status != Stopped {
			t.Errorf("%s: %+v", tool.Spec().Name, res)
		}
	}
}

func TestSearchDoesNotFollowLinks(t *testing.T) {
	t.Parallel()
	p := searchProject(t, map[string]string{"a.txt": "needle\n"})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, p.path("away")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(".", p.path("loop")); err != nil {
		t.Fatal(err)
	}
	wants(t, p.call("grep", `{"pattern":"needle"}`), OK, "a.txt:1: needle\n[1 matching line in 1 file")
	if got := p.call("glob", `{"pattern":"**"}`); got.Text != "a.txt\naway (link)\nloop (link)" {
		t.Errorf("glob: %q", got.Text)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	p := searchProject(t, map[string]string{
		"main.go": "", "main_test.go": "", "sub/a.go": "", "sub/deep/b.go": "", "sub/c.PY": "",
		"node_modules/x/y.go": "", "build/z.go": "", ".gitignore": "/build\n", ".github/ci.yml": "", "id_rsa": "",
	})
	const hidden = "\n[1 name left out: credentials or settings; read_file one by its name if you must]"
	for _, tc := range []struct{ args, want string }{
		{`{"pattern":"*.go"}`, "main.go\nmain_test.go\nsub/a.go\nsub/deep/b.go" + hidden},
		{`{"pattern":"./*_test.go"}`, "main_test.go" + hidden},
		{`{"pattern":"sub/*.go"}`, "sub/a.go"},
		{`{"pattern":"sub/**/*.go"}`, "sub/a.go\nsub/deep/b.go"},
		{`{"pattern":"{main,a}.go"}`, "main.go\nsub/a.go" + hidden},
		{`{"pattern":"sub/*"}`, "sub/a.go\nsub/c.PY\nsub/deep/"},
		{`{"glob":"*.go","path":"sub"}`, "sub/a.go\nsub/deep/b.go"},
		{jsonOf(map[string]string{"pattern": p.files.Workspace.Dir() + "/sub/*.go"}), "sub/a.go"},
		{`{"pattern":"**/*.yml"}`, ".github/ci.yml" + hidden},
		{`{"pattern":"sub/*.py"}`, `[no file matches "sub/*.py" among 4 names; 1 would with other letter case]`},
		{`{"pattern":"sub/x/y/*.rs"}`, `[no file matches "sub/x/y/*.rs" among 0 names; try a wider pattern, such as **/*.rs]`},
		{`{"pattern":"none"}`, `[no file matches "**/none" among 10 names; list a folder with read_file to see what there is]` + hidden},
	} {
		if got := p.call("glob", tc.args); got.Text != tc.want || got.Status != OK {
			t.Errorf("%s: %s\ngot  %q\nwant %q", tc.args, got.Status, got.Text, tc.want)
		}
	}
	for args, want := range map[string]string{
		`{"pattern":"../*"}`:   "searches the project only",
		`{"pattern":"/etc/*"}`: "searches the project only",
		`{"pattern":"a{b"}`:    "is not closed",
		`{"pattern":""}`:       "it is empty",
	} {
		wants(t, p.call("glob", args), Failed, want)
	}
}

func TestGlobIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("%03d.txt", i)] = ""
	}
	p := searchProject(t, files)
	res := p.call("glob", `{"pattern":"*.txt"}`)
	wants(t, res, OK, "000.txt\n001.txt\n", "[300 more; give a narrower pattern, such as one with a folder]")
	if !res.Truncated {
		t.Error("not marked as truncated")
	}
}
