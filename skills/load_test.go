package skills

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestLoadTakesTheNearest(t *testing.T) {
	t.Parallel()
	project := Layer{Name: "project", Dir: "/p", FS: fstest.MapFS{
		"greet.md":            file("---\ndescription: near\n---\nb"),
		"broken.md":           file("no front matter"),
		"notes.txt":           file("not a skill"),
		"deploy/SKILL.md":     file("---\nname: deploy\ndescription: folder\n---\nb"),
		"deploy/reference.md": file("more"),
		"empty/other.md":      file("not a skill"),
		"huge.md":             file("---\ndescription: d\n---\n" + strings.Repeat("x", maxFile)),
		"pipe.md":             {Mode: fs.ModeNamedPipe},
	}}
	user := Layer{Name: "user", FS: fstest.MapFS{
		"greet.md": file("---\ndescription: far\n---\nb"),
		"other.md": file("---\ndescription: other\n---\nb"),
	}}
	missing := Layer{Name: "none", FS: fstest.MapFS{}}
	set, warnings := Load(project, missing, user)

	if want := []string{"deploy", "greet", "other"}; !slices.Equal(set.Names(), want) {
		t.Errorf("names %v, want %v", set.Names(), want)
	}
	greet, _ := set.Get("greet")
	if greet.Description != "near" || greet.Layer != "project" || greet.Dir != "" {
		t.Errorf("the nearest did not win: %+v", greet)
	}
	if deploy, _ := set.Get("deploy"); deploy.Dir != filepath.Join("/p", "deploy") {
		t.Errorf("folder: %+v", deploy)
	}
	if len(warnings) != 3 {
		t.Errorf("warnings %q, want three", warnings)
	}
	for i, name := range []string{"broken.md", "huge.md", "pipe.md"} {
		if i < len(warnings) && !strings.Contains(warnings[i], name) {
			t.Errorf("%q does not name %s", warnings[i], name)
		}
	}
}

func TestGetForgivesTheForm(t *testing.T) {
	t.Parallel()
	set := Set{{Name: "git-commit"}}
	for _, name := range []string{"git-commit", "Git Commit", "git_commit", "$git-commit", "/git-commit"} {
		if _, ok := set.Get(name); !ok {
			t.Errorf("%q was not found", name)
		}
	}
	if _, ok := set.Get("git"); ok {
		t.Error("a part of a name was taken for it")
	}
}

func TestBuiltinSkills(t *testing.T) {
	t.Parallel()
	set, warnings := Load(Builtin())
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	want := []string{
		"bg-jobs", "explore-project", "fix-tests", "git-commit", "greetings",
		"new-file-in-parts", "refactor-rename",
	}
	if !slices.Equal(set.Names(), want) {
		t.Errorf("got %v, want %v", set.Names(), want)
	}
	for _, s := range set {
		if !strings.Contains(s.Body, "for YOU to") {
			t.Errorf("%s does not tell the model to act itself", s.Name)
		}
		if len(s.Keywords) == 0 {
			t.Errorf("%s has no keywords", s.Name)
		}
	}
	// It is sent with every request.
	if n := len(set.Catalogue()); n > 900 {
		t.Errorf("the catalogue has %d characters, want at most 900", n)
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	set := Set{{Name: "a", Description: "does a", Keywords: []string{"x", "y"}}, {Name: "b", Description: "does b"}}
	if got, want := set.Catalogue(), "- a: does a (x, y)\n- b: does b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	set := Set{{Name: "a", Body: "1. do"}, {Name: "b", Body: "2. do", Dir: "/s/b"}}
	for name, want := range map[string]string{
		"A": "[skill: a: carry out these steps now]\n1. do",
		"b": "[skill: b: carry out these steps now]\n2. do\n[files that this skill names are in /s/b]",
		"c": "",
	} {
		if got, ok := set.Text(name); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t; want %q", name, got, ok, want)
		}
	}
}
