package llm

import (
	"fmt"
	"strings"
	"testing"
)

func TestArgsGuard(t *testing.T) {
	zeros := strings.Repeat(`0,0,0,0\n`, 300) // 2.7 KB of CSV
	var program, list strings.Builder
	for i := range 400 {
		fmt.Fprintf(&program, `\tx%d := f(%d)\n`, i, i)
		fmt.Fprintf(&list, `{"path":"dir%d/file.go"},`, i)
	}
	for _, tc := range []struct {
		name, args string
		runaway    bool
	}{
		{"short", `{"command":"ls -la"}`, false},
		{"a CSV of zeros as content", `{"path":"a.csv","content":"` + zeros + `"}`, false},
		{"a CSV of zeros as new text", `{"edits":[{"old":"x","new":"` + zeros + `"}]}`, false},
		{"the same as a command", `{"command":"` + zeros + `"}`, true},
		{"the same as old text", `{"edits":[{"old":"` + zeros + `","new":"x"}]}`, true},
		{"content that goes on", `{"content":"` + zeros + zeros + `"}`, true},
		{"a program", `{"content":"` + program.String() + `"}`, false},
		{"a list of objects", `{"edits":[` + list.String() + `]}`, false},
		{"blank space outside of strings", `{"command":` + strings.Repeat("\n", 300), true},
		{"a rule in a command", `{"command":"echo ` + strings.Repeat("=", 200) + `"}`, false},
		{"an escaped quote does not end content", `{"content":"say \"` + zeros + `"}`, false},
		{"content as a value elsewhere", `{"command":"content: ` + zeros, true},
		{"after content", `{"content":"` + zeros + `","path":"a.csv"}`, false},
		{"period of 64", `{"q":"` + strings.Repeat(strings.Repeat("a", 63)+"b", 6), true},
		{"period of 65", `{"q":"` + strings.Repeat(strings.Repeat("a", 64)+"b", 6), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, n := range []int{1, 5, 64, len(tc.args)} {
				if why := feed(new(ArgsGuard).Add, tc.args, n); (why != "") != tc.runaway {
					t.Errorf("in pieces of %d: got %q, want runaway %v", n, why, tc.runaway)
				}
			}
		})
	}
}

// feed gives s in pieces of n bytes until something is wrong.
func feed(add func(string) string, s string, n int) string {
	for s != "" {
		k := min(n, len(s))
		if why := add(s[:k]); why != "" {
			return why
		}
		s = s[k:]
	}
	return ""
}

func TestArgsGuardBoundsTheLength(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"content":"`)
	for i := 0; b.Len() <= MaxArgs; i++ {
		fmt.Fprintf(&b, "line %d\\n", i)
	}
	if why := feed(new(ArgsGuard).Add, b.String(), 1000); !strings.Contains(why, "256 KiB") {
		t.Errorf("got %q", why)
	}
	if why := feed(new(ArgsGuard).Add, b.String()[:MaxArgs], 1000); why != "" {
		t.Errorf("got %q for 256 KiB", why)
	}
}

// TestArgsGuardCutsEarly: the point of the guard is to save the minutes that a
// derailed model would write on.
func TestArgsGuardCutsEarly(t *testing.T) {
	var g ArgsGuard
	text := `{"command":"` + strings.Repeat("foo bar ", 1000)
	for i := range len(text) {
		if why := g.Add(text[i : i+1]); why != "" {
			if i > 300 {
				t.Errorf("cut after %d bytes", i)
			}
			if want := `"foo bar " repeats`; !strings.Contains(why, "repeats over 256") {
				t.Errorf("got %q, want %s", why, want)
			}
			return
		}
	}
	t.Error("never cut")
}

func TestTextGuard(t *testing.T) {
	var prose, numbers strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&prose, "Sentence %d says something. ", i*7919)
		fmt.Fprintf(&numbers, "%d\n", i)
	}
	for _, tc := range []struct {
		name, text string
		runaway    bool
	}{
		{"prose", prose.String(), false},
		{"numbers", numbers.String(), false},
		{"a table of zeros", strings.Repeat("| 0 | 0 | 0 |\n", 300), false},
		{"the same line for ever", strings.Repeat("I will now read the file.\n", 1000), true},
		{"the same paragraph for ever", strings.Repeat("Wait, maybe I should look. "+strings.Repeat("x", 500)+"\n", 30), true},
		{"after an honest start", prose.String() + strings.Repeat("Wait. ", 2000), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, n := range []int{1, 5, 1000} {
				if why := feed(new(TextGuard).Add, tc.text, n); (why != "") != tc.runaway {
					t.Errorf("in pieces of %d: got %q, want runaway %v", n, why, tc.runaway)
				}
			}
		})
	}
}
