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
	rows := strings.Split(text(Rows(sheet(termenv.TrueColor), diff, 101)), "\n")
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

// A new file has no other side, however much room there is.
func TestNewFileHasOneSide(t *testing.T) {
	t.Parallel()
	for op, want := range map[fileedit.Op]string{fileedit.Insert: "      1 + a", fileedit.Delete: "  1     - a"} {
		line := fileedit.Line{Op: op, Text: "a"}
		if op == fileedit.Insert {
			line.New = 1
		} else {
			line.Old = 1
		}
		f := fileedit.FileDiff{Path: "x", Hunks: []fileedit.Hunk{{Lines: []fileedit.Line{line}}}}
		if got := text(Rows(sheet(termenv.TrueColor), f, 150)); got != want {
			t.Errorf("got %q, want %q", got, want)
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
		for _, w := range []int{10, 40, 59, 60, 80, 99, 100, 200} {
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
		a, b, wantA, wantB string // the changes, between bars
		ok                 bool
	}{
		{"port := 80", "port := 8080", "80", "8080", true},
		{"foo(a, b)", "foo(a, x, b)", "", "x, ", true},
		{"return oldName", "return newName", "oldName", "newName", true},
		{"abc", "xyz", "abc", "xyz", false},
		{"foo(a)", "bar(b)", "foo|a", "bar|b", false},
		{"grüße an alle", "grüne an alle", "grüße", "grüne", true},
		{"get(name, 80) || old", "get(host, 80) || fresh", "name|old", "host|fresh", true},
		{"if a b {", "if c d {", "a b", "c d", true},
		{"x = a + b", "x = a", " + b", "", true},
	} {
		ca, cb, ok := compare(tc.a, tc.b)
		if a, b := parts(tc.a, ca), parts(tc.b, cb); a != tc.wantA || b != tc.wantB || ok != tc.ok {
			t.Errorf("%q → %q: got %q, %q, %v; want %q, %q, %v", tc.a, tc.b, a, b, ok, tc.wantA, tc.wantB, tc.ok)
		}
	}
}

func parts(s string, list []change) string {
	var out []string
	for _, c := range list {
		out = append(out, s[c.start:c.end])
	}
	return strings.Join(out, "|")
}

// Long lines cost no more than their length allows.
func TestCompareOfLongLinesIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a b ", 50_000)
	ca, cb, ok := compare("begin x "+long+"y end", "begin z "+long+"w end")
	if len(ca) != 1 || len(cb) != 1 || ok {
		t.Errorf("%d and %d changes, %v; want one on each side and too little in common", len(ca), len(cb), ok)
	}
}

// Words are set off also where the numbers of lines differ, and each of several
// in a line.
func TestChangedWordsAreSetOff(t *testing.T) {
	t.Parallel()
	s := sheet(termenv.TrueColor)
	for name, tc := range map[string]struct {
		lines []fileedit.Line
		want  map[themes.Role][]string
		lacks map[themes.Role][]string
	}{
		"one line becomes two": {
			[]fileedit.Line{
				{Op: fileedit.Delete, Old: 1, Text: "alpha one beta"},
				{Op: fileedit.Insert, New: 1, Text: "alpha two beta"},
				{Op: fileedit.Insert, New: 2, Text: "gamma"},
			},
			map[themes.Role][]string{themes.RemovedWord: {"one"}, themes.AddedWord: {"two"}},
			map[themes.Role][]string{themes.AddedWord: {"gamma"}},
		},
		"two places in a line": {
			[]fileedit.Line{
				{Op: fileedit.Delete, Old: 1, Text: "one alpha beta two"},
				{Op: fileedit.Insert, New: 1, Text: "three alpha beta four"},
			},
			map[themes.Role][]string{themes.RemovedWord: {"one", "two"}, themes.AddedWord: {"three", "four"}},
			map[themes.Role][]string{themes.RemovedWord: {"alpha"}, themes.AddedWord: {"beta"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := strings.Join(Rows(s, fileedit.FileDiff{Path: "x", Hunks: []fileedit.Hunk{{Lines: tc.lines}}}, 80), "\n")
			each := func(m map[themes.Role][]string, want bool) {
				for role, words := range m {
					for _, w := range words {
						if got := strings.Contains(rows, s.PaintOver(themes.Text, role, w)); got != want {
							t.Errorf("%q as %v: %v, want %v in\n%q", w, role, got, want, rows)
						}
					}
				}
			}
			each(tc.want, true)
			each(tc.lacks, false)
		})
	}
}
