package fileedit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	t.Parallel()
	src := "package p\n\nfunc a() {\n\tif x {\n\t\treturn\n\t}\n}\n\nfunc b() {}\n"
	r, err := Apply([]byte(src), []Edit{
		{"    if x {\n        return\n    }", "    if x {\n        log()\n        return\n    }"},
		{"func b() {}", "func b() { a() }"},
	}, Options{Path: "p.go"})
	if err != nil {
		t.Fatal(err)
	}
	want := `p.go: 2 edits applied, 1 matched ignoring whitespace
 4|	if x {
+5|		log()
 6|		return
 9|
-9|func b() {}
+10|func b() { a() }`
	if diff := cmp.Diff(want, r.Report()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if r.Diff.Added != 2 || r.Diff.Removed != 1 {
		t.Errorf("counts +%d -%d, want +2 -1", r.Diff.Added, r.Diff.Removed)
	}
	if one, _ := Apply([]byte("a\n"), []Edit{{"a", "b"}}, Options{Path: "f"}); !strings.HasPrefix(one.Report(), "f: 1 edit applied\n") {
		t.Errorf("report of one edit: %s", one.Report())
	}
}

func TestReportIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1000)
	fresh := strings.Repeat("line "+long+"\n", 500)
	r, err := Apply([]byte("a\n"), []Edit{{"a\n", fresh}}, Options{Path: "f"})
	if err != nil {
		t.Fatal(err)
	}
	report := r.Report()
	if n := strings.Count(report, "\n"); n != maxQuoted+1 {
		t.Errorf("%d line breaks, want %d lines of the diff between two others", n, maxQuoted)
	}
	if !strings.Contains(report, "(441 more lines of the diff)") {
		t.Errorf("the end does not say what is left out: %q", report[len(report)-80:])
	}
	if len(report) > maxQuoted*(maxLineSize+60) {
		t.Errorf("report of %d bytes", len(report))
	}
}

func TestAmbiguousListsTenPlaces(t *testing.T) {
	t.Parallel()
	_, err := Apply([]byte(strings.Repeat("x = 1\n", 5000)), []Edit{{"x = 1", "x = 2"}}, Options{Path: "f"})
	if err == nil {
		t.Fatal("was not refused")
	}
	for _, want := range []string{"1000 or more times", "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 990 more", "add the lines before or after it to old"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

// A model that does not know the surroundings of a text cannot tell its places
// apart.
func TestAmbiguousShowsThePlaces(t *testing.T) {
	t.Parallel()
	const log = "# Log\n\n## New\n\n### Fixed\n\n- Dates.\n\n## 1.2\n\n### Fixed\n\n- Sums.\n"
	_, err := Apply([]byte(log), []Edit{{"### Fixed", "### Mended"}}, Options{Path: "f"})
	if err == nil {
		t.Fatal("was not refused")
	}
	want := "(without the numbers):\n3|## New\n4|\n5|### Fixed\n6|\n7|- Dates.\n--\n9|## 1.2\n10|\n11|### Fixed\n12|\n13|- Sums."
	if !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %q, want it to end in %q", err, want)
	}
	_, err = Apply([]byte(strings.Repeat(strings.Repeat("x", 10_000)+"\n", 100)), []Edit{{strings.Repeat("x", 10_000), "y"}}, Options{Path: "f"})
	if err == nil || len(err.Error()) > 10_000 {
		t.Errorf("an answer of %d bytes for long lines", len(err.Error()))
	}
}

func TestOneLineIsListedOnce(t *testing.T) {
	t.Parallel()
	_, err := Apply([]byte("a a a\nb\na\n"), []Edit{{"a", "x"}}, Options{Path: "f"})
	if err == nil || !strings.Contains(err.Error(), "4 times, at lines 1, 3.") {
		t.Errorf("got %v", err)
	}
}

// Thousands of edits that fail cost a few searches, and a short answer.
func TestOnlyTheFirstFailuresAreLookedInto(t *testing.T) {
	t.Parallel()
	edits := []Edit{{"a", "b"}}
	for i := range 5000 {
		edits = append(edits, Edit{fmt.Sprint("missing ", i), "x"})
	}
	_, err := Apply([]byte("a\n"), edits, Options{Path: "f"})
	if err == nil {
		t.Fatal("was not refused")
	}
	for _, want := range []string{"since 5 of 5001 edits failed", "edit 1: found at line 1.", "edit 6: ", "The 4995 edits behind it were not looked at."} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "edit 7") || len(err.Error()) > 2000 {
		t.Errorf("an answer of %d bytes", len(err.Error()))
	}
}

func TestOverlappingPlacesCount(t *testing.T) {
	t.Parallel()
	_, err := Apply([]byte("aaa\n"), []Edit{{"aa", "b"}}, Options{Path: "f"})
	if err == nil || !strings.Contains(err.Error(), "2 times") {
		t.Errorf("got %v, want a refusal that counts two places", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src string
		edits     []Edit
		want      string
	}{
		{"no edits", "a", nil, "at least one"},
		{"binary", "a\x00b", []Edit{{"a", "b"}}, "binary"},
		{"empty file", "", []Edit{{"a", "b"}}, "not found"},
		{"percent signs", "a", []Edit{{"100%d", "%s"}}, "not found"},
	} {
		_, err := Apply([]byte(tc.src), tc.edits, Options{Path: "dir/100%.txt"})
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "dir/100%.txt") {
			t.Errorf("%s: %v, want the path and %q", tc.name, err, tc.want)
		}
	}
}

func TestNearestBlockIsBounded(t *testing.T) {
	t.Parallel()
	var src, old strings.Builder
	for i := range 300 {
		fmt.Fprintf(&src, "line %d\n", i)
		if i != 150 {
			fmt.Fprintf(&old, "line %d\n", i)
		} else {
			old.WriteString("other\n")
		}
	}
	_, err := Apply([]byte(src.String()), []Edit{{old.String(), "x"}}, Options{Path: "f"})
	if err == nil || strings.Count(err.Error(), "\n") != maxQuoted+1 || !strings.Contains(err.Error(), "use a shorter old") {
		t.Errorf("want %d quoted lines and advice, got:\n%v", maxQuoted, err)
	}
}

func TestDiffOfCreatedAndDeletedFiles(t *testing.T) {
	t.Parallel()
	created := Diff("f", nil, []byte("a\nb"))
	want := FileDiff{Path: "f", Created: true, Added: 2, Hunks: []Hunk{{Lines: []Line{
		{Op: Insert, New: 1, Text: "a"}, {Op: Insert, New: 2, Text: "b", NoEOL: true},
	}}}}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	deleted := Diff("f", []byte("a\n"), nil)
	if !deleted.Deleted || deleted.Created || deleted.Removed != 1 {
		t.Errorf("deleted: %+v", deleted)
	}
	if got, want := deleted.Unified(), "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"; got != want {
		t.Errorf("unified: %q, want %q", got, want)
	}
	if same := Diff("f", []byte("a"), []byte("a")); len(same.Hunks) != 0 {
		t.Errorf("a diff of equal texts: %+v", same)
	}
}

// Qwen2.5-Coder 1.5B wrote a file anew from the answer of an edit, numbers and
// all.
func TestListingsAreNoContent(t *testing.T) {
	t.Parallel()
	const file = "# Log\n\n## New\n\n- Dates.\n- Sums.\n"
	for text, want := range map[string]bool{
		"3|## New\n4|\n5|- Dates.\n":             true,
		"# Log\n3|## New\n 5|- Dates.\n+7|- New": true,
		"5|- Dates.\r\n6|- Sums.\r\n":            true,
		"1: # Log\n3: ## New\n":                  true,
		"3|## New":                               false, // one line may be content
		"5|apple\n6|pear\n":                      false, // a table of another thing
		"":                                       false,
		"## New\n\n- Dates.\n":                   false,
		"99999999999999999999|x\n3|## New\n":     false,
		"3|## New\n5|- Dates.\na\nb\nc\n":        false,
	} {
		if got := Listed([]byte(file), text); got != want {
			t.Errorf("Listed(%q) = %v, want %v", text, got, want)
		}
	}
	_, err := Apply([]byte(file), []Edit{{"- Sums.", "5|- Dates.\n6|- Sums.\n7|- Products."}}, Options{Path: "f"})
	if err == nil || !strings.Contains(err.Error(), "new holds line numbers") {
		t.Errorf("an edit with a listing: %v", err)
	}
}

// A short file is shown where nothing of it is near: being told to read it, a
// model may repeat its call.
func TestShortFileIsShown(t *testing.T) {
	t.Parallel()
	short, long := "import sys\n\nprint(sys.argv)\n", strings.Repeat("print(1)\n", 31)
	for file, want := range map[string]string{
		short: "(without the numbers):\n1|import sys\n2|\n3|print(sys.argv)",
		long:  "Read the file with read_file and copy old from it.",
	} {
		_, err := Apply([]byte(file), []Edit{{"def subtract(left, right):", "x"}}, Options{Path: "f"})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want it to end in %q", err, want)
		}
	}
}
