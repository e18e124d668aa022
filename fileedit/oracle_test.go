package fileedit

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// applied returns the successful cases with their results.
func applied(t *testing.T) map[string]struct {
	editCase
	Result
} {
	t.Helper()
	all := make(map[string]struct {
		editCase
		Result
	})
	for i, c := range readCases(t) {
		if c.errors != nil {
			continue
		}
		file := fmt.Sprintf("case%d", i)
		r, err := Apply([]byte(c.before), c.edits, Options{Path: file})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		all[file] = struct {
			editCase
			Result
		}{c, r}
	}
	return all
}

func TestGitAppliesTheUnifiedDiff(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing")
	}
	dir := t.TempDir()
	cases := applied(t)
	var patch strings.Builder
	for file, c := range cases {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		patch.WriteString(c.Diff.Unified())
	}
	patch.WriteString(Diff("created", nil, []byte("one\ntwo")).Unified())
	cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(patch.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	for file, c := range cases {
		got, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil && c.after != "" {
			t.Fatal(err)
		}
		if string(got) != c.after {
			t.Errorf("%s: git made\n%q\nwant\n%q", c.name, got, c.after)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "created")); string(got) != "one\ntwo" {
		t.Errorf("git created %q", got)
	}
}

func TestGofmtLeavesEditedGoAsItIs(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, c := range applied(t) {
		if !strings.HasPrefix(c.name, "go: ") {
			continue
		}
		if was, err := format.Source([]byte(c.before)); err != nil || string(was) != c.before {
			continue
		}
		if strings.Contains(c.after, " \n") {
			continue // trailing blanks that the model asked for
		}
		checked++
		if is, err := format.Source(c.Text); err != nil || string(is) != string(c.Text) {
			t.Errorf("%s: gofmt changes the result: %v", c.name, err)
		}
	}
	if checked < 10 {
		t.Errorf("%d Go files were checked, want at least 10", checked)
	}
}

func TestPythonCompilesEditedPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing")
	}
	dir := t.TempDir()
	args := []string{"-c", `import ast, sys
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    try:
        ast.parse(text)
    except SyntaxError as e:
        print(name, e)`}
	for file, c := range applied(t) {
		if !strings.HasPrefix(c.name, "python: ") {
			continue
		}
		name := filepath.Join(dir, file+".py")
		if err := os.WriteFile(name, c.Text, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("python3: %v\n%s", err, out)
	}
}
