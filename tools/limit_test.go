package tools

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLimit(t *testing.T) {
	t.Parallel()
	short := "a\nb\n"
	if got, cut := Limit(short, 100); got != short || cut {
		t.Errorf("a short text became %q", got)
	}
	if got, cut := Limit(short, 0); got != short || cut {
		t.Errorf("without a bound: %q", got)
	}

	// The marker takes 102 characters at its longest, which leaves 199
	// at each end: 18 whole lines.
	lines := strings.Repeat("0123456789\n", 1000)
	got, cut := Limit(lines, 500)
	want := strings.Repeat("0123456789\n", 18) +
		"[... 964 lines, 10,604 characters left out; read a range with read_file, or use grep/head ...]\n" +
		strings.Repeat("0123456789\n", 18)
	if got != want || !cut {
		t.Errorf("lines:\ngot  %q\nwant %q", got, want)
	}
}

func TestLimitCutsInsideOneLongLine(t *testing.T) {
	t.Parallel()
	got, _ := Limit(strings.Repeat("é", 100000)+"\nend\n", 400)
	if !utf8.ValidString(got) {
		t.Error("a character was cut in two")
	}
	if n := utf8.RuneCountInString(got); n > 400 {
		t.Errorf("%d characters, want at most 400", n)
	}
	if !strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "é\nend\n") {
		t.Errorf("head or tail is missing: %q", got)
	}
}

func TestLimitKeepsTheBound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("x", 5000), strings.Repeat("\n", 5000), strings.Repeat("ab\n", 2000),
		strings.Repeat("long line without end ", 200) + "\n" + strings.Repeat("s\n", 50),
	} {
		for max := 150; max < 600; max += 7 {
			if got, _ := Limit(text, max); utf8.RuneCountInString(got) > max {
				t.Fatalf("Limit(%.10q…, %d) has %d characters", text, max, utf8.RuneCountInString(got))
			}
		}
	}
}
