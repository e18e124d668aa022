package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mm/safety"
)

const goFile = "package p\n\nfunc a() {\n\tif x {\n\t\treturn\n\t}\n}\n"

func TestEditFile(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"p.go": goFile})
	_, plan, err := p.plan("edit_file", `{"path":"p.go","edits":[{"old":"if x {","new":"if y {"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Preview.(DiffPreview).Files[0]; d.Added != 1 || d.Removed != 1 || d.Path != "p.go" {
		t.Errorf("preview %+v", d)
	}
	if plan.Locations[0].Line != 4 || plan.Title != "p.go" || plan.Action.Op != safety.Write || plan.Action.Digest == "" {
		t.Errorf("plan %+v", plan)
	}
	res := p.edit("p.go", "  if x {\n    return\n  }", "  if y {\n    return\n  }")
	wants(t, res, OK, "p.go: 1 edit applied, 1 matched ignoring whitespace", "-4|\tif x {\n+4|\tif y {")
	after := strings.Replace(goFile, "x", "y", 1)
	want := []Change{{Path: plan.Action.Path.Real, Before: []byte(goFile), After: []byte(after)}}
	if diff := cmp.Diff(want, res.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if got := p.get("p.go"); got != after {
		t.Errorf("written %q", got)
	}
}

func TestEditFileDecodesWhatModelsSend(t *testing.T) {
	t.Parallel()
	want := strings.Replace(goFile, "x", "y", 1)
	for _, args := range []string{
		`{"path":"p.go","edits":[{"old":"if x","new":"if y"}]}`,
		`{"path":"p.go","edits":"[{\"old\":\"if x\",\"new\":\"if y\"}]"}`,
		`{"path":"p.go","edits":{"old":"if x","new":"if y"}}`,
		`{"path":"p.go","edits":"{\"old\":\"if x\",\"new\":\"if y\"}"}`,
		`{"path":"p.go","old":"if x","new":"if y"}`,
		`{"file_path":"p.go","old_string":"if x","new_string":"if y"}`,
		`{"path":"p.go","edits":[{"search":"if x","replace":"if y"}]}`,
		`{"edits":[{"path":"p.go","old":"if x","new":"if y"}]}`,
		`{"edits":"[{\"path\":\"p.go\",\"old\":\"if x\",\"new\":\"if y\"}]"}`,
		`{"edits":{"path":"p.go","old":"if x","new":"if y"}}`,
	} {
		p := newProject(t, map[string]string{"p.go": goFile})
		wants(t, p.call("edit_file", args), OK, "1 edit applied")
		if got := p.get("p.go"); got != want {
			t.Errorf("%s: written %q", args, got)
		}
	}
	p := newProject(t, map[string]string{"p.go": goFile})
	for _, args := range []string{
		`{"path":"p.go"}`,
		`{"path":"p.go","edits":[{"old":"if x"}]}`,
		`{"path":"p.go","edits":"if x"}`,
		`{"edits":[{"path":"p.go","old":"a","new":"b"},{"path":"q.go","old":"a","new":"b"}]}`,
	} {
		wants(t, p.call("edit_file", args), Failed, "expected {path, edits:[{old,new}]}")
	}
	wants(t, p.call("edit_file", `{"path":"p.go","edits":[]}`), Failed, "at least one")
}

func TestEditFileRefusals(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"p.go": goFile, "bin": "a\x00", "d/x": "x"})
	wants(t, p.edit("p.go", "\tif z {\n\t\treturn\n\t}", "y"), Failed, "nearest is lines 3-7", "5|\t\treturn")
	wants(t, p.edit("q.go", "x", "y"), Failed, "q.go does not exist. Create it with write_file; near are: p.go")
	wants(t, p.edit("bin", "a", "b"), Failed, "binary")
	wants(t, p.edit("d", "a", "b"), Failed, "a folder")
	wants(t, p.edit("/p.go", "a", "b"), Failed, `use "p.go"`)
	wants(t, p.edit("p.go", "", "b"), Failed, "write_file")
	if got := p.get("p.go"); got != goFile {
		t.Errorf("written %q", got)
	}
}

func TestEditFileDryRun(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"p.go": goFile})
	const args = `{"path":"p.go","dry_run":true,"edits":[{"old":"if x","new":"if y"}]}`
	_, plan, err := p.plan("edit_file", args)
	if err != nil || plan.Action.Op != safety.Read {
		t.Errorf("plan %+v, %v; want an action that reads", plan.Action, err)
	}
	res := p.call("edit_file", args)
	wants(t, res, OK, "dry run, nothing written. p.go: 1 edit applied", "+4|\tif y {")
	if len(res.Changes) > 0 || p.get("p.go") != goFile {
		t.Error("a dry run wrote")
	}
	wants(t, p.call("edit_file", `{"path":"p.go","dry_run":"true","edits":[{"old":"if z","new":"if y"}]}`),
		Failed, "dry run, nothing written. ", "not found")
}

func TestEditFileIsBoundToWhatWasShown(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"p.go": goFile})
	tool, plan, err := p.plan("edit_file", `{"path":"p.go","edits":[{"old":"if x","new":"if y"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	p.put("p.go", goFile+"// more\n")
	res := tool.Run(t.Context(), plan, nil)
	wants(t, res, Failed, "changed on disk", "nothing was written")
	if got := p.get("p.go"); got != goFile+"// more\n" || len(res.Changes) > 0 {
		t.Errorf("written %q", got)
	}
}

func TestEditFileTellsOfChangesSinceRead(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"p.go": goFile})
	p.read("p.go")
	p.put("p.go", "// moved\n"+goFile)
	_, plan, err := p.plan("edit_file", `{"path":"p.go","edits":[{"old":"if x","new":"if y"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Preview.(DiffPreview).Files[0].Warning; !strings.Contains(got, "changed since the model read it") {
		t.Errorf("the user is told %q", got)
	}
	wants(t, p.edit("p.go", "if x", "if y"), OK, "had changed on disk since you read it")
	if res := p.edit("p.go", "if y", "if z"); strings.Contains(res.Text, "had changed") {
		t.Errorf("its own edit is taken for a change: %s", res.Text)
	}
}

// The plan of a refused edit carries the reading of a file that the model was
// not shown. One that it was shown may be quoted.
func TestEditFileQuotesWhatTheModelKnows(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"p.go": goFile})
	const call = `{"path":"p.go","edits":[{"old":"if nothing\n\treturn","new":"if y"}]}`
	if _, plan, err := p.plan("edit_file", call); err == nil || plan.Action.Op != safety.Read {
		t.Errorf("not read before: %v, action %+v", err, plan.Action)
	}
	p.read("p.go")
	if _, plan, err := p.plan("edit_file", call); err == nil || plan.Action.Op != safety.None {
		t.Errorf("read before: %v, action %+v", err, plan.Action)
	}
}

// A file that only says that it is large does not fill the memory.
func TestHugeFilesAreNotRead(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"huge": "x"})
	if err := os.Truncate(p.path("huge"), 1<<40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	wants(t, p.edit("huge", "x", "y"), Failed, "more than this tool changes")
	wants(t, p.write("huge", "y"), Failed, "more than this tool changes")
}

func TestEditFileAnswersAreBounded(t *testing.T) {
	t.Parallel()
	var file, other strings.Builder
	for i := range 60 {
		line := fmt.Sprintf("line %d of a text that is long enough to fill an answer by and by\n", i)
		file.WriteString(line)
		if i%3 == 0 {
			line = "not in the file\n"
		}
		other.WriteString(line)
	}
	p := newProject(t, map[string]string{"big.txt": file.String()})
	p.files.MaxOutput = func() int { return 2000 }
	var err error
	if p.box, err = NewToolbox(ToolboxOptions{}, NewEditFile(p.files)); err != nil {
		t.Fatal(err)
	}
	for name, res := range map[string]Result{
		"refused": p.edit("big.txt", other.String(), "y"),
		"applied": p.edit("big.txt", file.String(), other.String()),
	} {
		if n := utf8.RuneCountInString(res.Text); n > 2100 || !strings.Contains(res.Text, "left out") {
			t.Errorf("%s: %d characters: %.200s", name, n, res.Text)
		}
	}
}

// What a file outside of the project holds, and what its folder holds, is told
// only after permission.
func TestEditFileTellsNothingBeforePermission(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{".env": "KEY=secret\nB=1\n"})
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("the secret\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{outside, outside + "x", p.path(".env")} {
		args, _ := json.Marshal(map[string]any{"path": path, "old": "KEY=x\nB=1\nsecond", "new": "y"})
		tool, plan, err := p.plan("edit_file", string(args))
		if err != nil {
			t.Fatalf("%s: the plan tells: %v", path, err)
		}
		if plan.Action.Path.Class == safety.Inside || plan.Preview != nil {
			t.Errorf("%s: plan %+v", path, plan)
		}
		wants(t, tool.Run(t.Context(), plan, nil), Failed)
	}
}

func TestEditFileKeepsModeAndLinks(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"run.sh": "#!/bin/sh\necho a\n"})
	if err := os.Chmod(p.path("run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("run.sh", p.path("link")); err != nil {
		t.Skip(err)
	}
	wants(t, p.edit("link", "echo a", "echo b"), OK)
	info, err := os.Stat(p.path("run.sh"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v; want 0750", info.Mode(), err)
	}
	if l, err := os.Lstat(p.path("link")); err != nil || l.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", l.Mode(), err)
	}
	if got := p.get("run.sh"); got != "#!/bin/sh\necho b\n" {
		t.Errorf("written %q", got)
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("temporary files stay: %v %v", entries, err)
	}
}
