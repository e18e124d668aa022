package tools

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func TestLiteralOf(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]literal{
		`func main\(`:            {text: []byte("func main(")},
		`[A-Z]\w+Context\b`:      {text: []byte("Context")},
		`^\s*(return) [a-z]+nil`: {text: []byte("return")},
		`(?i)Needle`:             {text: []byte("needle"), fold: true},
		`(abc)+d`:                {text: []byte("abc")},
		`(abc)*d`:                {text: []byte("d")},
		`abc|abd`:                {text: []byte("ab")},
		`foo|bar`:                {},
		`(?i)é`:                  {},
		`a?`:                     {},
		`.*`:                     {},
	} {
		if got := literalOf(expr); !bytes.Equal(got.text, want.text) || got.fold != want.fold {
			t.Errorf("%s: got %q %v, want %q %v", expr, got.text, got.fold, want.text, want.fold)
		}
	}
}

// Looking for the literal first loses no line and no number.
func FuzzCandidates(f *testing.F) {
	f.Add("func \\w+", "func a\n\nfunc b\r\nx func c")
	f.Add("(?i)kelvin|s", "KELVIN\n\u212aelvin\n\u017f\nS")
	f.Add("(a|b)c+$", "ac\nbcc\n\n\nabd\nacc")
	f.Add("\n", "a\nb\n")
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 100 {
			return
		}
		match := func(try grepTry) []int {
			var numbers []int
			for n, line := range try.candidates([]byte(text)) {
				if re.Match(line) {
					numbers = append(numbers, n)
				}
			}
			return numbers
		}
		var want []int
		n := 0
		for line := range strings.Lines(text) {
			n++
			if re.MatchString(strings.TrimRight(strings.TrimSuffix(line, "\n"), "\r")) {
				want = append(want, n)
			}
		}
		got := match(grepTry{re: re, literal: literalOf(expr)})
		if len(got) != len(want) {
			t.Fatalf("%q in %q: got %v, want %v", expr, text, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q in %q: got %v, want %v", expr, text, got, want)
			}
		}
	})
}
