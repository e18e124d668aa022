package clean

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

//go:embed testdata/hostile.txt
var hostileData string

//go:embed testdata/harmless.txt
var harmlessData string

// rows reads a table of columns parted by bars.
func rows(t testing.TB, data string, columns int) [][]string {
	t.Helper()
	var all [][]string
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		row := strings.Split(line, " | ")
		if len(row) != columns {
			t.Fatalf("%q has %d columns, want %d", line, len(row), columns)
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
			if i == 0 {
				continue
			}
			text, err := strconv.Unquote(`"` + row[i] + `"`)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			row[i] = text
		}
		all = append(all, row)
	}
	return all
}

// harm says what in a cleaned text could change more than its own cells, judged
// by a terminal's parser and by the Unicode tables rather than by this package.
func harm(s string) string {
	if !utf8.ValidString(s) {
		return "not UTF-8"
	}
	found := ""
	p := ansi.NewParser()
	p.SetHandler(ansi.Handler{
		Execute: func(b byte) {
			if b != '\n' && b != '\t' {
				found = "control character"
			}
		},
		HandleCsi: func(ansi.Cmd, ansi.Params) { found = "CSI" },
		HandleEsc: func(ansi.Cmd) { found = "escape" },
		HandleDcs: func(ansi.Cmd, ansi.Params, []byte) { found = "DCS" },
		HandleOsc: func(int, []byte) { found = "OSC" },
		HandlePm:  func([]byte) { found = "PM" },
		HandleApc: func([]byte) { found = "APC" },
		HandleSos: func([]byte) { found = "SOS" },
	})
	for _, b := range []byte(s) {
		p.Advance(b)
	}
	marks := MaxMarks
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t':
			return "control " + strconv.QuoteRune(r)
		case unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return "invisible " + strconv.QuoteRune(r)
		case r == 0x2028, r == 0x2029, r >= 0xE0000 && r <= 0xE0FFF:
			return "line break or tag " + strconv.QuoteRune(r)
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > MaxMarks {
				return "too many marks"
			}
		case r == '\n', r == '\t':
			marks = MaxMarks
		default:
			marks = 0
		}
	}
	return found
}

func TestHostileTextIsHarmless(t *testing.T) {
	t.Parallel()
	all := rows(t, hostileData, 3)
	if len(all) < 69 {
		t.Errorf("%d hostile texts, want at least 69", len(all))
	}
	for _, row := range all {
		got := Block(row[1]).String()
		if got != row[2] {
			t.Errorf("%s: Block(%+q) = %+q, want %+q", row[0], row[1], got, row[2])
		}
		for way, text := range map[string]Text{
			"Block": Block(row[1]), "Line": Line(row[1]), "Visible": Visible(row[1]), "VisibleLine": VisibleLine(row[1]), "Source": Source(row[1]),
		} {
			if h := harm(text.String()); h != "" {
				t.Errorf("%s: %s(%+q) leaves %s: %+q", row[0], way, row[1], h, text.String())
			}
		}
	}
}

func TestHarmlessTextIsUnchanged(t *testing.T) {
	t.Parallel()
	for _, row := range rows(t, harmlessData, 2) {
		if got := Block(row[1]).String(); got != row[1] {
			t.Errorf("%s: Block(%+q) = %+q", row[0], row[1], got)
		}
	}
}

func TestStreamEqualsBlockHoweverItIsCut(t *testing.T) {
	t.Parallel()
	texts := rows(t, hostileData, 3)
	texts = append(texts, rows(t, harmlessData, 2)...)
	for _, row := range texts {
		s, want := row[1], Block(row[1])
		for i := range len(s) + 1 {
			for j := i; j <= len(s); j++ {
				var c Stream
				got := Concat(c.Write(s[:i]), c.Write(s[i:j]), c.Write(s[j:]), c.Flush())
				if got != want {
					t.Fatalf("%s cut at %d and %d: %+q, want %+q", row[0], i, j, got.s, want.s)
				}
			}
		}
	}
}

func TestFlushLeavesANewStream(t *testing.T) {
	t.Parallel()
	var c Stream
	c.Write("a\x1b]0;title \xf0")
	c.Flush()
	if got := c.Write("next").String(); got != "next" {
		t.Errorf("after Flush: %q, want next", got)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                   "",
		"go test ./...":      "go test ./...",
		"a\nb":               "a⏎b",
		"a\r\n\r\nb\n":       "a⏎b",
		"\n\na\n":            "a",
		"a\tb":               "a b",
		"na\x1b[31mme\x07":   "name",
		"x\u202egpj.exe":     "xgpj.exe",
		"\x1b]0;t\x07model ": "model ",
	} {
		if got := Line(in).String(); got != want {
			t.Errorf("Line(%+q) = %+q, want %+q", in, got, want)
		}
	}
	if got := Line(strings.Repeat("é", 5<<20)).Runes(); got != MaxLine+1 {
		t.Errorf("a long line has %d runes, want %d and the mark of the cut", got, MaxLine)
	}
	if got := Linef("%s: %d", "a\nb", 3).String(); got != "a⏎b: 3" {
		t.Errorf("Linef = %q", got)
	}
}

func TestBlockIsBounded(t *testing.T) {
	t.Parallel()
	row := Block(strings.Repeat("x", MaxRow+10) + "\nnext").String()
	if want := strings.Repeat("x", MaxRow) + "…\nnext"; row != want {
		t.Errorf("a long row has %d bytes, want %d: its beginning, the mark and the next row", len(row), len(want))
	}
	all := Block(strings.Repeat("line\n", MaxTotal/5+100)).String()
	if len(all) > MaxTotal+len("…") || !strings.HasSuffix(all, "…") {
		t.Errorf("a flood gives %d bytes, want at most %d and the mark", len(all), MaxTotal)
	}
}

func TestTextConveniences(t *testing.T) {
	t.Parallel()
	b := Block("one\ntwo\n\nfour\n")
	lines := b.Lines()
	if len(lines) != 4 || lines[1] != Trusted("two") || !lines[2].IsEmpty() {
		t.Errorf("Lines = %v", lines)
	}
	if got := Join(lines, Trusted("|")).String(); got != "one|two||four" {
		t.Errorf("Join = %q", got)
	}
	if got := b.FirstLine().Short(2).String(); got != "o…" {
		t.Errorf("Short = %q", got)
	}
	if got := Trusted("  é ").Trim(); got.Runes() != 1 || got.Len() != 2 {
		t.Errorf("Trim = %q", got)
	}
	if (Text{}).Lines() != nil || Trusted("a").Short(0) != (Text{}) || Trusted("ab").Short(2) != Trusted("ab") {
		t.Error("the empty text has lines, or Short cuts what fits")
	}
}

func FuzzClean(f *testing.F) {
	for _, row := range rows(f, hostileData, 3) {
		f.Add(row[1], 1)
	}
	for _, row := range rows(f, harmlessData, 2) {
		f.Add(row[1], 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		want := Block(s)
		for _, text := range []Text{want, Line(s), Visible(s), VisibleLine(s), Source(s)} {
			if h := harm(text.String()); h != "" {
				t.Fatalf("%+q leaves %s: %+q", s, h, text.String())
			}
		}
		if again := Block(want.String()); again != want {
			t.Errorf("cleaned twice: %+q, once: %+q", again.s, want.s)
		}
		cut = max(0, min(cut, len(s)))
		var c Stream
		if got := Concat(c.Write(s[:cut]), c.Write(s[cut:]), c.Flush()); got != want {
			t.Errorf("%+q cut at %d: %+q, want %+q", s, cut, got.s, want.s)
		}
		if strings.ContainsAny(Line(s).String(), "\n\t") {
			t.Errorf("Line(%+q) holds a line break or tab", s)
		}
	})
}

func BenchmarkBlock(b *testing.B) {
	s := strings.Repeat("The quick brown fox, 你好, \x1b[31mred\x1b[0m e\u0301.\n", 2000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Block(s)
	}
}

func BenchmarkStreamOfTokens(b *testing.B) {
	for b.Loop() {
		var c Stream
		for range 1000 {
			c.Write(" tok")
		}
	}
}
