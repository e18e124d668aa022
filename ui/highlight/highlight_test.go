package highlight

import (
	"slices"
	"strings"
	"testing"

	"mm/themes"
)

func TestLinesColourGo(t *testing.T) {
	t.Parallel()
	got := Lines("package x // y\n\nvar s = \"a\"\n", "go")
	if len(got) != 3 || len(got[1]) != 0 {
		t.Fatalf("got %d lines %q, want 3 with an empty second", len(got), got)
	}
	for _, want := range []Span{{themes.Keyword, "package"}, {themes.Comment, "// y"}} {
		if !slices.Contains(got[0], want) {
			t.Errorf("first line %q lacks %q", got[0], want)
		}
	}
	if want := (Span{themes.String, `"a"`}); !slices.Contains(got[2], want) {
		t.Errorf("last line %q lacks %q", got[2], want)
	}
}

func TestLinesKeepText(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"", "go", "python", "yaml", "bash", "json", "html", "diff", "markdown", "c++", "no-such"} {
		src := "a: \"b\n\tc' {[\n\n# x`y\nlast"
		var rows []string
		for _, line := range Lines(src, lang) {
			var b strings.Builder
			for _, sp := range line {
				b.WriteString(sp.Text)
			}
			rows = append(rows, b.String())
		}
		if got := strings.Join(rows, "\n"); got != src {
			t.Errorf("%q changed the code to %q", lang, got)
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		"":                 "",
		"go":               "go",
		"Go title=main.go": "go",
		"golang":           "go",
		"{.python}":        "python",
		"no-such-language": "",
		"text":             "",
	} {
		if got := Language(info); got != want {
			t.Errorf("%q: got %q, want %q", info, got, want)
		}
	}
	if got := ForFile("/a/b/main.go"); got != "Go" {
		t.Errorf("main.go is %q", got)
	}
}
