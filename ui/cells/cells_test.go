package cells

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const mixed = "ok 👩‍💻 💅🏻 🎙️ 🇫🇷 你好 한글 é →│ \ttab end"

func TestFitIsExact(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "abc", mixed, "\x1b[1mbold " + mixed + "\x1b[0m", strings.Repeat("你", 500)} {
		for w := range 90 {
			if got := ansi.StringWidth(Fit(Expand(s), w)); got != w {
				t.Fatalf("Fit(%q, %d) is %d wide", s, w, got)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		w        int
		want     []string
	}{
		{"empty", "", 5, []string{""}},
		{"fits", "abc", 5, []string{"abc"}},
		{"at a blank", "abc def ghi", 7, []string{"abc def", "ghi"}},
		{"drops blanks at the break", "abc   def", 4, []string{"abc", "def"}},
		{"inside a long word", "abcdefgh ij", 4, []string{"abcd", "efgh", "ij"}},
		{"keeps indentation", "  ab cd", 5, []string{"  ab", "cd"}},
		{"wide runes", "你好世界", 5, []string{"你好", "世界"}},
		{"between Latin and wide", "ab 你好世界", 7, []string{"ab 你好", "世界"}},
		{"keeps clusters", "a👩‍💻b👩‍💻", 3, []string{"a👩‍💻", "b👩‍💻"}},
		{"lines", "a\n\nb", 3, []string{"a", "", "b"}},
		{"word as wide as the row", "abcd efgh", 4, []string{"abcd", "efgh"}},
	} {
		if got := Wrap(tc.in, tc.w); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestWrapStyled(t *testing.T) {
	t.Parallel()
	got := WrapStyled("ab \x1b[1mcd ef\x1b[0m gh", 5)
	want := []string{"ab \x1b[1mcd\x1b[m", "\x1b[1mef\x1b[0m gh\x1b[m"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHardKeepsStyle(t *testing.T) {
	t.Parallel()
	got := Hard("\x1b[31mabcdef\x1b[0mgh", 4)
	want := []string{"\x1b[31mabcd\x1b[m", "\x1b[31mef\x1b[0mgh"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add(mixed, 10)
	f.Add("  indented text that wraps\n\tand a tab", 8)
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < 2 || w > 300 || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 }) {
			t.Skip()
		}
		for _, row := range append(Wrap(s, w), Chop(s, w)...) {
			if got := ansi.StringWidth(row); got > w {
				t.Errorf("row %q is %d wide, want at most %d", row, got, w)
			}
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := letters(strings.Join(Wrap(s, w), "\n")), letters(s); got != want {
			t.Errorf("wrapping changed the text: got %q, want %q", got, want)
		}
	})
}

func TestWrapColumns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		w          int
		want       []string
	}{
		{"a row that fits", "ok   config  defaults", 40, []string{"ok   config  defaults"}},
		{"below the last column", "ok   config  one two three four five six", 30, []string{"ok   config  one two three", "             four five six"}},
		{"an indented row", "    → one two three four", 16, []string{"    → one two", "    three four"}},
		{"no columns", "one two three four", 10, []string{"one two", "three four"}},
		{"no room below it", "a long first column  one two three", 26, []string{"a long first column  one", "two three"}},
		{"a long word", "a  bbbbbbbbbbbbbbbbbbbbbb", 16, []string{"a  bbbbbbbbbbbbb", "   bbbbbbbbb"}},
		{"rows of their own", "a  b\n\nc  d", 10, []string{"a  b", "", "c  d"}},
	} {
		if got := WrapColumns(tc.text, tc.w); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
