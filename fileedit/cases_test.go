package fileedit

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// editCase is a file, edits of it, and what comes of them.
type editCase struct {
	name   string
	before string
	edits  []Edit
	after  string
	errors []string // texts of the refusal, nil when the edits are due
	badly  bool     // also played as models copy it
}

var signs = strings.NewReplacer("␄\n", "", "␠", " ", "␍", "\r", "⍽", "\u00a0")

// readCases reads all cases in testdata.
func readCases(t testing.TB) []editCase {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var all []editCase
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lang := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, f := range a.Files {
			name, part, _ := strings.Cut(f.Name, "/")
			name = lang + ": " + name
			if len(all) == 0 || all[len(all)-1].name != name {
				all = append(all, editCase{name: name, badly: strings.HasSuffix(name, "*")})
			}
			all[len(all)-1].add(t, part, signs.Replace(string(f.Data)))
		}
	}
	return all
}

func (c *editCase) add(t testing.TB, part, text string) {
	t.Helper()
	kind := strings.TrimRight(part, "23456789")
	switch kind {
	case "before":
		c.before = text
	case "after":
		c.after = text
	case "error":
		c.errors = strings.Split(strings.TrimSpace(text), "\n")
	case "old":
		c.edits = append(c.edits, Edit{Old: strings.TrimSuffix(text, "\n")})
	case "new":
		c.edits[len(c.edits)-1].New = strings.TrimSuffix(text, "\n")
	default:
		t.Fatalf("%s: unknown part %q", c.name, part)
	}
}

// readRows reads the table of edits where single bytes matter.
func readRows(t testing.TB) []editCase {
	t.Helper()
	data, err := os.ReadFile("testdata/bytes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []editCase
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "¦")
		if len(cells) != 5 {
			t.Fatalf("%q has %d columns, want 5", line, len(cells))
		}
		text := make([]string, len(cells))
		for i, cell := range cells {
			if text[i], err = strconv.Unquote(`"` + strings.TrimSpace(cell) + `"`); err != nil && i > 0 {
				t.Fatalf("%q: %v", cell, err)
			}
		}
		c := editCase{name: "bytes: " + strings.TrimSpace(cells[0]), before: text[1], edits: []Edit{{text[2], text[3]}}, after: text[4]}
		if refused, ok := strings.CutPrefix(text[4], "<"); ok {
			c.errors = []string{strings.TrimSuffix(refused, ">")}
		}
		all = append(all, c)
	}
	return all
}

func TestCases(t *testing.T) {
	t.Parallel()
	cases := append(readCases(t), readRows(t)...)
	if len(cases) < 150 {
		t.Errorf("%d cases, want at least 150", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

// check plays a case and compares all of the outcome.
func (c editCase) check(t *testing.T) Result {
	t.Helper()
	r, err := Apply([]byte(c.before), c.edits, Options{Path: "f"})
	if c.errors != nil {
		checkRefusal(t, c, err)
		return r
	}
	if err != nil {
		t.Fatalf("%v\nwant:\n%s", err, c.after)
	}
	if string(r.Text) != c.after {
		t.Fatalf("got:\n%q\nwant:\n%q", r.Text, c.after)
	}
	checkResult(t, []byte(c.before), r)
	return r
}

func checkRefusal(t *testing.T, c editCase, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("was not refused; want %q", c.errors)
	}
	text := err.Error()
	for _, want := range c.errors {
		if !strings.Contains(text, want) {
			t.Errorf("refusal:\n%s\nwants %q", text, want)
		}
	}
	done := strings.Contains(text, "applied") && !strings.Contains(text, "already applied")
	if done || strings.Contains(text, "matched ignoring whitespace") {
		t.Errorf("a refusal reads like a success:\n%s", text)
	}
}

// checkResult checks what holds for each success: the bytes outside of the
// matches are as before, and putting the old bytes back gives the old file.
func checkResult(t testing.TB, before []byte, r Result) {
	t.Helper()
	matches := slices.Clone(r.Matches)
	slices.SortFunc(matches, func(a, b Match) int {
		return cmp.Or(a.Start-b.Start, a.End-b.End)
	})
	var back []byte
	oldAt, newAt := 0, 0
	for _, m := range matches {
		if string(before[oldAt:m.Start]) != string(r.Text[newAt:m.NewStart]) {
			t.Fatalf("bytes %d-%d changed outside of the edits", oldAt, m.Start)
		}
		back = append(back, r.Text[newAt:m.NewStart]...)
		back = append(back, before[m.Start:m.End]...)
		oldAt, newAt = m.End, m.NewEnd
	}
	back = append(back, r.Text[newAt:]...)
	if string(back) != string(before) {
		t.Fatalf("undone:\n%q\nwas:\n%q", back, before)
	}
	if got := replay(before, r.Diff); got != string(r.Text) {
		t.Fatalf("the diff gives:\n%q\nthe edits gave:\n%q", got, r.Text)
	}
}

// replay carries out a diff, and fails to match where it is wrong.
func replay(before []byte, d FileDiff) string {
	lines := splitLines(before)
	var out strings.Builder
	at := 0
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			if l.Op == Insert {
				out.WriteString(l.text())
				continue
			}
			for ; at < l.Old-1; at++ {
				out.WriteString(lines[at])
			}
			if at >= len(lines) || lines[at] != l.text() {
				return "the diff has " + l.text()
			}
			if l.Op == Context {
				out.WriteString(lines[at])
			}
			at++
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return out.String()
}

// text returns the line with its line break.
func (l Line) text() string {
	switch {
	case l.NoEOL:
		return l.Text
	case l.CR:
		return l.Text + "\r\n"
	}
	return l.Text + "\n"
}
