package tools

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSyntaxCheck(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		before, after string
		want          string // exact, or a beginning that ends with …
	}{
		{"main.go", "package a\n", "package a\n\nfunc f() {\n", "[warning: main.go no longer parses: line 3: expected '}', found 'EOF']"},
		{"main.go", "package a\n\nfunc f() {\n", "package a\n\nfunc g() {\n", ""}, // was broken
		{"main.go", "package a\n", "package b\n", ""},
		{"main.go", "", "package a\nfunc f( {}\n", "[warning: main.go does not parse: line 2: …"},
		{"main.go", "package a\n", "package a\nimport \"none\"\nvar x = undefined\n", ""}, // parses
		{"a.json", `{"a":1}`, "{\n\"a\":1,\n}", "[warning: a.json no longer parses: line 3: invalid character '}' …"},
		{"a.json", "\uFEFF{}", "\uFEFF{\"a\":2}", ""},
		{"a.json", `{"a":1}`, `{"a":1}{"b":2}`, "[warning: a.json no longer parses: line 1: …"},
		{"tsconfig.json", "{}", "{ // comment\n}", ""},
		{"a.yaml", "a: 1\n", "a: 1\n b: 2\n", "[warning: a.yaml no longer parses: line 2: …"},
		{"a.yml", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: [\n", "[warning: a.yml no longer parses: line …"},
		{"a.yaml", "a: 1\n", "a: {{ .Values.a }}\n", ""},
		{"a.toml", "a = 1\n", "a = 1\nb = \n", "[warning: a.toml no longer parses: line 2: …"},
		{"a.toml", "a = 1\n", "a = 1\na = 2\n", "[warning: a.toml no longer parses: line 2: …"},
		{"a.txt", "a", "{", ""},
	} {
		dir := t.TempDir()
		c := Change{Path: filepath.Join(dir, tc.name), After: []byte(tc.after)}
		if tc.before != "" {
			c.Before = []byte(tc.before)
		}
		checkSaid(t, SyntaxCheck(dir)(t.Context(), tc.name, c), tc.want)
	}
}

func checkSaid(t *testing.T, got, want string) {
	t.Helper()
	start, open := strings.CutSuffix(want, "…")
	if got != want && !(open && strings.HasPrefix(got, start)) {
		t.Errorf("got %q, want %q", got, want)
	}
	if strings.Contains(got, "\n") {
		t.Errorf("more than one line: %q", got)
	}
}

func TestSyntaxCheckByInterpreters(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ program, name, before, after, want string }{
		{"python3", "a.py", "x = 1\n", "x = 1\ndef f(:\n  pass\n", "[warning: a.py no longer parses: line 2: invalid syntax]"},
		{"python3", "a.py", "x = 1\n", "raise SystemExit(9)\n", ""}, // would end it, if it ran
		{"python3", "run", "#!/usr/bin/env python3\n", "#!/usr/bin/env python3\nif 1\n", "[warning: run no longer parses: line 2: …"},
		{"node", "a.js", "let a = 1\n", "let a = 1\nlet b = {\n", "[warning: a.js no longer parses: line …"},
		{"node", "a.js", "let a = 1\n", "import b from './b.js'\nexport const c = await b()\n", ""},
		{"node", "a.js", "let a = 1\n", "const b = require('b')\nwith (b) { c }\n", ""}, // a script only
		{"node", "a.mjs", "let a = 1\n", "import b from './b.js'\nimport {\n", "[warning: a.mjs no longer parses: line …"},
		{"node", "a.cjs", "let a = 1\n", "import b from './b.js'\n", "[warning: a.cjs no longer parses: line 1: …"},
		{"node", "a.js", "let a = 1\n", "process.exit(9)\n", ""},
		{"node", "a.js", "", "export const a = () => <p>x</p>\n", ""},
		{"bash", "a.sh", "echo\n", "echo\nif true; then\necho\n", "[warning: a.sh no longer parses: line …"},
		{"bash", "a.sh", "echo\n", "exit 9\n", ""},
		{"bash", "run", "#!/bin/sh\n", "#!/bin/sh\necho )\n", "[warning: run no longer parses: line 2: …"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tc.program); err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			c := Change{Path: filepath.Join(dir, tc.name), Before: []byte(tc.before), After: []byte(tc.after)}
			checkSaid(t, SyntaxCheck(dir)(t.Context(), tc.name, c), tc.want)
		})
	}
}

// An interpreter in the project, as the Python of a virtual environment is, is
// the project's code and is not started.
func TestSyntaxCheckRunsNothingOfTheProject(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(dir, "ran")
	for _, name := range []string{"python3", "node", "bash"} {
		script := "#!/bin/sh\necho x > " + mark + "\nexit 1\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"a.py", "a.js", "a.sh"} {
		c := Change{Path: filepath.Join(dir, name), Before: []byte("x=1\n"), After: []byte("(((\n")}
		if got := SyntaxCheck(dir)(t.Context(), name, c); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the project ran")
	}
}

// Texts on which parsers need time or stack out of proportion are left alone.
func TestSyntaxCheckIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"deep.toml": "a = " + strings.Repeat("[", 100_000),
		"keys.toml": strings.Repeat("a.", 50_000) + "b = 1",
		"deep.json": strings.Repeat("[", 1_000_000),
		"deep.yaml": strings.Repeat("[", 1_000_000),
		"deep.go":   "package a\nvar x = " + strings.Repeat("(", 1_000_000),
		"big.json":  "{" + strings.Repeat(" ", maxChecked),
	} {
		got := SyntaxCheck("/p")(t.Context(), name, Change{Path: "/p/" + name, Before: []byte{}, After: []byte(text)})
		if len(got) > 2*maxFault {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if (strings.HasSuffix(name, ".toml") || name == "big.json") && got != "" {
			t.Errorf("%s was judged: %s", name, got)
		}
	}
}

func TestWritersReportWhatTheCheckSays(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.go": "package a\n\nvar x = 1\n"})
	p.files.Check = SyntaxCheck(p.dir)
	box, err := NewToolbox(ToolboxOptions{}, NewReadFile(p.files), NewWriteFile(p.files), NewEditFile(p.files))
	if err != nil {
		t.Fatal(err)
	}
	p.box = box
	wants(t, p.edit("a.go", "var x = 1", "var x = {"), OK, "[warning: a.go no longer parses: line 3: ")
	if got := p.get("a.go"); got != "package a\n\nvar x = {\n" {
		t.Errorf("written: %q", got)
	}
	wants(t, p.write("b.go", "package b\n\nfunc f( {}\n"), OK, "[warning: b.go does not parse: line 3: ")
	res := p.write("b.go", "package b\n")
	if wants(t, res, OK); strings.Contains(res.Text, "warning") {
		t.Errorf("warned of a file that parses: %s", res.Text)
	}
}

func TestFirstCheckStopsAtTheFirstWord(t *testing.T) {
	t.Parallel()
	asked := 0
	says := func(text string) Check {
		return func(context.Context, string, Change) string { asked++; return text }
	}
	if got := FirstCheck(says(""), says("b"), says("c"))(t.Context(), "a", Change{}); got != "b" || asked != 2 {
		t.Errorf("got %q after %d checks", got, asked)
	}
}
