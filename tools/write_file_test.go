package tools

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mm/safety"
)

func TestWriteFileCreates(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	_, plan, err := p.plan("write_file", `{"path":"a/b/c.go","content":"package b\n"}`)
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Preview.(DiffPreview).Files[0]; !d.Created || d.Added != 1 || d.Path != "a/b/c.go" || d.Warning != "" {
		t.Errorf("preview %+v", d)
	}
	if plan.Title != "a/b/c.go" || plan.Action.Op != safety.Write || plan.Action.Path.Class != safety.Inside {
		t.Errorf("plan %+v", plan)
	}
	if _, err := os.Stat(p.path("a")); err == nil {
		t.Error("the plan made a folder")
	}
	res := p.write("a/b/c.go", "package b\n")
	wants(t, res, OK, "a/b/c.go: created with 1 line")
	want := []Change{{Path: plan.Action.Path.Real, After: []byte("package b\n")}}
	if diff := cmp.Diff(want, res.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if got := p.get("a/b/c.go"); got != "package b\n" {
		t.Errorf("written: %q", got)
	}
}

func TestWriteFileKnowsWhatItReplaces(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.go": "package a\n", "empty.go": ""})

	wants(t, p.write("a.go", "package b\n"), Failed, "not read it in this session", "read_file, then edit_file")
	wants(t, p.read("a.go"), OK)
	p.put("a.go", "package a\n\nvar x int\n")
	wants(t, p.write("a.go", "package b\n"), Failed, "has changed on disk since you read it")
	wants(t, p.read("a.go"), OK)
	res := p.write("a.go", "package b\n")
	wants(t, res, OK, "a.go: written, 1 line in place of 3")
	if string(res.Changes[0].Before) != "package a\n\nvar x int\n" {
		t.Errorf("before: %q", res.Changes[0].Before)
	}
	wants(t, p.write("a.go", "package c\n"), OK) // its own writing it knows
	wants(t, p.write("a.go", "package c\n"), OK, "has this content already")
	wants(t, p.write("empty.go", "package e\n"), OK) // nothing is lost
}

func TestWriteFileIsBoundToWhatWasShown(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a": "one\n"})
	p.read("a")
	tool, plan, err := p.plan("write_file", `{"path":"a","content":"two\n"}`)
	if err != nil {
		t.Fatal(err)
	}
	p.put("a", "three\n")
	wants(t, tool.Run(t.Context(), plan, nil), Failed, "changed on disk", "nothing was written")

	tool, plan, err = p.plan("write_file", `{"path":"new","content":"two\n"}`)
	if err != nil {
		t.Fatal(err)
	}
	p.put("new", "made by somebody else\n")
	wants(t, tool.Run(t.Context(), plan, nil), Failed, "nothing was written")
	if a, n := p.get("a"), p.get("new"); a != "three\n" || n != "made by somebody else\n" {
		t.Errorf("overwritten: %q, %q", a, n)
	}
}

func TestWriteFileRefusesWhatIsNotTheText(t *testing.T) {
	t.Parallel()
	const before = "package a\n\n// ... and so on\nfunc A() {}\n"
	for _, tc := range []struct{ name, content, want string }{
		{"a.go", "package a\n\n// ... existing code ...\n\nfunc B() {}\n", "// ... existing code ..."},
		{"a.go", "package a\n\n// rest of the code unchanged\n", "edit_file"},
		{"a.go", "package a\n\n// … rest of file remains the same …\n", "rest of file"},
		{"a.go", "package a\n\n\t// ...\n", "nothing was written"},
		{"a.go", "package a\n\n...\n", "nothing was written"},
		{"a.go", "package a\n\n/* ... remaining methods ... */\n", "nothing was written"},
		{"a.py", "import a\n\n# ... rest of the file ...\n", "nothing was written"},
		{"a.py", "import a\n\n# (the rest of the code remains unchanged)\n", "nothing was written"},
		{"a.html", "<p>\n<!-- existing content here -->\n</p>\n", "nothing was written"},
		{"a.md", "# A\n\n[... rest of the document unchanged ...]\n", "nothing was written"},
		{"a.go", "// unchanged ...\npackage a\n", "nothing was written"},
		{"a.go", "```go\npackage a\n```\n", "Markdown fence"},
		{"a.go", "1|package a\n2|\n3|func A() {}\n", "line number"},
		{"a.go", "package a\n 3|// ... and so on\n 4|func A() {}\n+5|func B() {}\n", "line number"},

		{"a.go", "package a\n\n// ... and so on\nfunc B() {}\n", ""}, // the file has it
		{"a.go", "package a\n\n// Existing code calls B.\nfunc B() {}\n", ""},
		{"a.go", "package a\n\n// existing code\nfunc B(x ...int) {}\n", ""},
		{"a.go", "package a\n\nvar x = append(y, z...)\n", ""},
		{"a.go", "package a\n\n// The rest of the function is in b.go.\n", ""},
		{"a.pyi", "def f() -> int:\n    ...\n", ""},
		{"a.yaml", "a: 1\n...\n", ""},
		{"a.md", "Unchanged content.\n\n```\nx\n```\n", ""},
		{"a.md", "```\nx\n```\n", ""},
		{"a.csv", "1|a\n2|b\n3|c\n", ""},
		{"a.go", "1|package a\n3|x\n", ""},
	} {
		p := newProject(t, map[string]string{tc.name: before})
		p.read(tc.name)
		res := p.write(tc.name, tc.content)
		if tc.want == "" {
			wants(t, res, OK)
			continue
		}
		wants(t, res, Failed, tc.want, "nothing was written")
		if got := p.get(tc.name); got != before {
			t.Errorf("%q was written all the same: %q", tc.content, got)
		}
	}
}

func TestWriteFileSaysWhatIsLost(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\n", 200)
	for _, tc := range []struct{ before, after, want string }{
		{long, "one\n", "drops most of the file: 200 lines become 1"},
		{long, "", "empties the file: all of its 200 lines go"},
		{"one\n", " \n", "empties the file: all of its 1 line go"},
		{long, strings.Repeat("line\n", 150), ""},
		{"1\n2\n3\n", "1\n", ""},
	} {
		p := newProject(t, map[string]string{"f": tc.before})
		p.read("f")
		_, plan, err := p.plan("write_file", jsonOf(map[string]string{"path": "f", "content": tc.after}))
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Preview.(DiffPreview).Files[0].Warning; got != tc.want {
			t.Errorf("warning %q, want %q", got, tc.want)
		}
	}
}

func TestWriteFilePaths(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"main.go": "package main\n", "cmd/x.go": "package cmd\n"})
	wants(t, p.write("/main.go", "x"), Failed, `use "main.go"`)
	wants(t, p.write("/cmd/new.go", "x"), Failed, `use "cmd/new.go"`)
	wants(t, p.write("a\x1b]0;x\x07b", "x"), Failed, "control characters")
	wants(t, p.write("cmd/", "x"), Failed, "folder")
	wants(t, p.write("cmd", "x"), Failed, "nothing was written")
	for _, path := range []string{"../outside", ".git/config", ".env"} {
		_, plan, err := p.plan("write_file", fmt.Sprintf(`{"path":%q,"content":"x"}`, path))
		if err != nil || plan.Action.Path.Class == safety.Inside {
			t.Errorf("%s: %v, class %v; want a path that is asked", path, err, plan.Action.Path.Class)
		}
	}
}

func TestWriteFileKeepsTheFilesNature(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"w.cs": "\uFEFFclass A {}\r\nclass B {}\r\n", "run.sh": "#!/bin/sh\n"})
	if err := os.Chmod(p.path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.read("w.cs")
	wants(t, p.write("w.cs", "class C {}\nclass D {}\n"), OK, "CRLF line endings were kept", "byte order mark was kept")
	if got := p.get("w.cs"); got != "\uFEFFclass C {}\r\nclass D {}\r\n" {
		t.Errorf("written %q", got)
	}
	p.read("run.sh")
	wants(t, p.write("run.sh", "#!/bin/sh\necho\n"), OK)
	if info, err := os.Stat(p.path("run.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v; want 0755", info.Mode(), err)
	}
	if err := os.Symlink("w.cs", p.path("link")); err != nil {
		t.Skip(err)
	}
	p.read("link")
	wants(t, p.write("link", "x\n"), OK)
	if info, err := os.Lstat(p.path("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
}

func TestWriteFileDoubtsEscapedLineBreaks(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	wants(t, p.write("a.go", `package a\n\nfunc A() {\n}\n`), OK, `characters \n in it`)
}
