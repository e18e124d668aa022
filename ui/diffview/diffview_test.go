package diffview

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"mm/fileedit"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/style"
)

var diff = fileedit.FileDiff{
	Path: "main.go", Added: 2, Removed: 1,
	Hunks: []fileedit.Hunk{
		{Lines: []fileedit.Line{
			{Op: fileedit.Context, Old: 1, New: 1, Text: "func main() {"},
			{Op: fileedit.Delete, Old: 2, Text: "\tport := 80"},
			{Op: fileedit.Insert, New: 2, Text: "\tport := 8080"},
			{Op: fileedit.Insert, New: 3, Text: "\tlog.Println(\"listening\", port, \"你好\")"},
			{Op: fileedit.Context, Old: 3, New: 4, Text: "}"},
		}},
		{Lines: []fileedit.Line{
			{Op: fileedit.Delete, Old: 40, Text: "a := old"},
			{Op: fileedit.Insert, New: 41, Text: "a := fresh"},
		}},
	},
}

func sheet(p termenv.Profile) *style.Sheet {
	th, _ := themes.Find(themes.Builtin(), themes.DarkName)
	return style.New(th, p)
}

func text(rows []string) string {
	for i, r := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n")
}

func TestUnified(t *testing.T) {
	t.Parallel()
	want := `  1   1   func main() {
  2     -     port := 80
      2 +     port := 8080
      3 +     log.Println("listening", port, "你好")
  3   4   }
   ⋯
 40     - a := old
     41 + a := fresh`
	if got := text(Rows(sheet(termenv.TrueColor), diff, 70)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNarrowHasOneColumnOfNumbers(t *testing.T) {
	t.Parallel()
	want := `  1   func main() {
  2 -     port := 80
  2 +     port := 8080
  3 +     log.Println("listening
      ", port, "你好")
  4   }
   ⋯
 40 - a := old
 41 + a := fresh`
	if got := text(Rows(sheet(termenv.TrueColor), diff, 32)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSideBySide(t *testing.T) {
	t.Parallel()
	rows := strings.Split(text(Rows(sheet(termenv.TrueColor), diff, 141)), "\n")
	for i, want := range map[int][2]string{
		1: {"  2 -     port := 80", "  2 +     port := 8080"},
		2: {"", "  3 +     log.Println(\"listening\", port, \"你好\")"},
		5: {" 40 - a := old", " 41 + a := fresh"},
	} {
		left, right, _ := strings.Cut(rows[i], "│")
		if strings.TrimRight(left, " ") != want[0] || right != want[1] {
			t.Errorf("row %d is %q, want %q", i, rows[i], want)
		}
	}
}

func TestRowsAreExact(t *testing.T) {
	t.Parallel()
	long := fileedit.FileDiff{Path: "x.txt", Hunks: []fileedit.Hunk{{Lines: []fileedit.Line{
		{Op: fileedit.Delete, Old: 9999, Text: strings.Repeat("x", 10000)},
		{Op: fileedit.Insert, New: 9999, Text: "👩‍💻 " + strings.Repeat("你", 300) + "\te\u0301"},
	}}}}
	for _, p := range []termenv.Profile{termenv.TrueColor, termenv.ANSI, termenv.Ascii} {
		for _, w := range []int{10, 40, 59, 60, 80, 139, 140, 200} {
			for _, f := range []fileedit.FileDiff{diff, long} {
				for _, row := range Rows(sheet(p), f, w) {
					if got := cells.Width(row); got != w {
						t.Fatalf("width %d: row %q is %d wide", w, row, got)
					}
				}
			}
		}
	}
}

func TestCompareFindsWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b, wantA, wantB string
		ok                 bool
	}{
		{"port := 80", "port := 8080", "80", "8080", true},
		{"foo(a, b)", "foo(a, x, b)", "", "x, ", true},
		{"return oldName", "return newName", "oldName", "newName", true},
		{"abc", "xyz", "abc", "xyz", false},
		{"grüße an alle", "grüne an alle", "grüße", "grüne", true},
	} {
		ca, cb, ok := compare(tc.a, tc.b)
		if a, b := tc.a[ca.start:ca.end], tc.b[cb.start:cb.end]; a != tc.wantA || b != tc.wantB || ok != tc.ok {
			t.Errorf("%q → %q: got %q, %q, %v; want %q, %q, %v", tc.a, tc.b, a, b, ok, tc.wantA, tc.wantB, tc.ok)
		}
	}
}
