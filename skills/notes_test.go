package skills

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// tree makes files below a new folder, and returns its real path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestProjectNotesAreTheNearest(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"AGENTS.md": "outside of the repository", "repo/.git/HEAD": "", "repo/AGENTS.md": "\uFEFFof the\r\nroot\r\n",
		"repo/a/AGENTS.md": "of a", "repo/a/b/c/x": "", "repo/empty/AGENTS.md": " \n", "repo/d/x": "",
		"bare/.git/HEAD": "", "bare/x": "", "plain/sub/x": "",
	})
	for _, tc := range []struct{ dir, root, text, path string }{
		{"repo", "", "of the\nroot", "repo/AGENTS.md"},
		{"repo/d", "", "of the\nroot", "repo/AGENTS.md"},
		{"repo/a/b/c", "", "of a", "repo/a/AGENTS.md"},
		{"repo/empty", "", "of the\nroot", "repo/AGENTS.md"},
		{"repo/d", "repo/d", "", ""},
		{"repo/d", ".", "of the\nroot", "repo/AGENTS.md"},
		{"bare", "", "", ""},
		{"plain/sub", "", "", ""}, // no repository: not even the folder above
	} {
		root := tc.root
		if root != "" {
			root = filepath.Join(dir, root)
		}
		text, path, err := ProjectNotes(filepath.Join(dir, tc.dir), root)
		want := tc.path
		if want != "" {
			want = filepath.Join(dir, tc.path)
		}
		if err != nil || text != tc.text || path != want {
			t.Errorf("%s up to %q: got %q of %q, %v", tc.dir, tc.root, text, path, err)
		}
	}
	for _, root := range []string{filepath.Join(dir, "bare"), filepath.Join(dir, "none")} {
		if _, _, err := ProjectNotes(filepath.Join(dir, "repo"), root); err == nil {
			t.Errorf("root %s was taken", root)
		}
	}
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é line\n", 1000)
	text := CutNotes(long, 200)
	if n := utf8.RuneCountInString(text); n > 200 || n < 150 {
		t.Errorf("%d characters", n)
	}
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] != "[cut here; read_file AGENTS.md shows the rest]" || lines[len(lines)-2] != "é line" {
		t.Errorf("cut in the middle: %q", text)
	}
	if text := CutNotes(long, 10); text != "" {
		t.Errorf("no room: %q", text)
	}
	if whole := strings.Repeat("é", 200); CutNotes(whole, 200) != whole {
		t.Error("what fits was cut")
	}
}

func TestProjectNotesStayInTheProject(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"secret": "secret", "repo/.git/HEAD": "", "repo/docs/agents.txt": "inside"})
	link := filepath.Join(dir, "repo", "AGENTS.md")
	if err := os.Symlink(filepath.Join("docs", "agents.txt"), link); err != nil {
		t.Skip(err)
	}
	repo := filepath.Join(dir, "repo")
	if text, _, err := ProjectNotes(repo, ""); text != "inside" || err != nil {
		t.Errorf("a link inside: %q, %v", text, err)
	}
	for _, target := range []string{filepath.Join(dir, "secret"), filepath.Join("..", "secret"), "AGENTS.md", "docs"} {
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if text, path, err := ProjectNotes(repo, ""); err == nil || text != "" || path != "" {
			t.Errorf("a link to %s: %q of %q, %v", target, text, path, err)
		}
	}
}
