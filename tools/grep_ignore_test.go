package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mm/safety"
)

// The rules are those of gitignore(5).
func TestIgnoreRules(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rules, path     string // path ends with / for a folder
		ignored, silent bool
	}{
		{"*.log", "a.log", true, false},
		{"*.log", "a/b.log", true, false},
		{"*.log", "a.txt", false, true},
		{"/a", "a", true, false},
		{"/a", "b/a", false, true},
		{"a/b", "a/b", true, false},
		{"a/b", "x/a/b", false, true},
		{"a/", "a", false, true},
		{"a/", "x/a/", true, false},
		{"**/a", "x/y/a", true, false},
		{"a/**/b", "a/b", true, false},
		{"a/**/b", "a/x/y/b", true, false},
		{"a/**", "a/", false, true},
		{"a/**", "a/x/y", true, false},
		{"*.log\n!keep.log", "keep.log", false, false},
		{"!keep.log\n*.log", "keep.log", true, false},
		{"# a\n\n\\#b\n\\!c", "#b", true, false},
		{"\\!c", "!c", true, false},
		{"a ", "a", true, false},
		{"a\\ ", "a ", true, false},
		{"a\r", "a", true, false},
		{"a?c", "abc", true, false},
		{"a[bc]", "ab", true, false},
		{"a[!bc]", "ab", false, true},
		{"{a,b}", "a", false, true},
		{"{a,b}", "{a,b}", true, false},
		{"c++", "c++", true, false},
	} {
		name, folder := strings.CutSuffix(tc.path, "/")
		ignored, named := parseIgnore([]byte(tc.rules)).match(name, folder)
		if ignored != tc.ignored || named == tc.silent {
			t.Errorf("%q on %s: ignored %v, named %v", tc.rules, tc.path, ignored, named)
		}
	}
}

// A project below the root of a repository is searched by the rules of all
// folders up to it, as git does.
func TestSearchIgnoresWhatGitIgnores(t *testing.T) {
	t.Parallel()
	p := searchProject(t, map[string]string{
		"repo/.gitignore": "*.tmp\n/app/cache\n", "repo/app/.gitignore": "!keep.tmp\nlocal/**\n!local/b\n",
		"repo/app/a.tmp": "", "repo/app/keep.tmp": "", "repo/app/cache/x": "", "repo/app/sub/cache/x": "",
		"repo/app/local/a": "", "repo/app/local/b": "", "repo/app/excluded": "", "repo/app/src/main.c": "",
	})
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir = p.path("repo/app")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	run("init", "-q", p.path("repo"))
	if err := os.WriteFile(p.path("repo/.git/info/exclude"), []byte("excluded\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(run("ls-files", "--others", "--exclude-standard"))
	ws, err := safety.NewWorkspace(p.path("repo/app"))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	res := runTool(t, NewGlob(Files{Workspace: ws}), `{"pattern":"**"}`)
	var got []string
	for _, line := range strings.Fields(res.Text) {
		if !strings.HasSuffix(line, "/") {
			got = append(got, filepath.ToSlash(line))
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) < 4 {
		t.Errorf("got %v, git says %v", got, want)
	}
}
