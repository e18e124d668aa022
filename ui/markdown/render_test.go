package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"mm/themes"
	"mm/ui/cells"
	"mm/ui/style"
)

func renderer(profile termenv.Profile) *Renderer {
	th, _ := themes.Find(themes.Builtin(), themes.DarkName)
	return NewRenderer(style.New(th, profile))
}

// plain draws all of a text and takes the colours off.
func plain(text string, w int) string {
	r := renderer(termenv.TrueColor)
	rows := drawAll(r, scan(text), w)
	for i, row := range rows {
		rows[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(rows, "\n")
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"prose wraps", "one two three four five", "one two three four\nfive"},
		{"line breaks stay", "one\ntwo", "one\ntwo"},
		{"emphasis", "a **b** *c* ~~d~~ `e`", "a b c d e"},
		{"heading", "## Plan", "## Plan"},
		{"hanging list", "- one two three four five\n- six", "• one two three four\n  five\n• six"},
		{"code in a list", "1. a\n   ```go\n   x := 1\n   ```", "1. a\n\n   │ x := 1"},
		{"tabs in code", "```go\n\tx\n```", "│     x"},
		{"long code is chopped", "```\n" + strings.Repeat("x", 30) + "\n```", "│ " + strings.Repeat("x", 18) + "\n│ " + strings.Repeat("x", 12)},
		{"quote", "> said", "│ said"},
		{"tags are text", "use <div> and `<b>`", "use <div> and <b>"},
		{"entities", "a &amp; b &lt;", "a & b <"},
		{"entities in code stay", "`&amp;`", "&amp;"},
		{"hidden entities are shown", "x&#27;[31my &#8238;z", "x&#27;[31my &#8238;z"},
		{"link", "[site](http://a.b)", "site http://a.b"},
		{"autolink", "<http://a.b>", "http://a.b"},
		{"rule", "---", "────────────────────"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(tc.in, 20); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

const mixed = `# Fixing the flag

The flag is read in ` + "`main.go`" + ` **before** the configuration, so a value from the file
wins over the command line. That is the bug that you see.

1. Read the file first
2. Then parse the flags
   - only those that were set
   - and keep the rest

` + "```go\nfunc main() {\n\tcfg := load()\n\tflag.Parse() // after\n\trun(cfg)\n}\n```" + `

| case | before | after |
|------|--------|-------|
| none | file   | file  |
| flag | file   | flag  |

> Note: 你好 👩‍💻 works too.

`

func TestRowsNeverTooWide(t *testing.T) {
	t.Parallel()
	r := renderer(termenv.TrueColor)
	text := mixed + "\n\n" + strings.Repeat("x", 10000) + "\n\n- " + strings.Repeat("你", 200)
	for _, w := range []int{1, 2, 5, 17, 40, 80, 200} {
		for _, b := range scan(text) {
			for _, row := range append(r.Rows(b, w), r.Plain(b, w)...) {
				if got := cells.Width(row); got > max(w, b.Indent+3) {
					t.Fatalf("width %d: row %q is %d wide", w, row, got)
				}
			}
		}
	}
}

// Streaming a 16 KiB reply in pieces of 64 bytes may hand at most 8 times its
// length to glamour and the lexers: drawing all of it each time would be 128
// times.
func TestStreamFeedsLittle(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(mixed, 16<<10/len(mixed)+1)
	for name, text := range map[string]string{
		"mixed":     text,
		"one fence": "```go\n" + strings.ReplaceAll(text, "```", "") + "\n```\n",
		"one list":  strings.Repeat("- an item of the list with a few words in it\n", 360),
	} {
		r := renderer(termenv.TrueColor)
		var s Stream
		now := time.Unix(0, 0)
		settled := 0
		draw := func() {
			for ; settled < len(s.Settled); settled++ {
				r.Rows(s.Settled[settled], 80)
			}
			s.TailRows(r, 80, now)
			now = now.Add(time.Hour) // the clock never holds a drawing back
		}
		for i := 0; i < len(text); i += 64 {
			s.Write(text[i:min(i+64, len(text))])
			draw()
		}
		s.End()
		draw()
		if r.Fed < len(text)*8/10 || r.Fed > 8*len(text) {
			t.Errorf("%s: %d bytes drawn for a text of %d (%.1f times), want 1 to 8 times", name, r.Fed, len(text), float64(r.Fed)/float64(len(text)))
		}
		t.Logf("%s: %.1f times", name, float64(r.Fed)/float64(len(text)))
	}
}

func TestStreamEndsAsScanned(t *testing.T) {
	t.Parallel()
	var s Stream
	r := renderer(termenv.Ascii)
	for _, p := range pieces(mixed, 3) {
		s.Write(p)
		s.TailRows(r, 60, time.Time{})
	}
	s.End()
	if rows, _ := s.TailRows(r, 60, time.Time{}); len(rows) != 0 {
		t.Errorf("tail after the end: %q", rows)
	}
	got := strings.Join(drawAll(r, s.Settled, 60), "\n")
	want := strings.Join(drawAll(r, scan(mixed), 60), "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTailShowsNewText(t *testing.T) {
	t.Parallel()
	r := renderer(termenv.Ascii)
	for _, start := range []string{"", "```\ncode\n", "- item\n", strings.Repeat("long paragraph ", 80)} {
		var s Stream
		s.Write(start)
		now := time.Unix(0, 0)
		for i := range 200 {
			s.Write(string(rune('a'+i%26)) + "word ")
			rows, _ := s.TailRows(r, 60, now) // the clock stands: drawings are held back
			flat := strings.NewReplacer(" ", "", "│", "").Replace(ansi.Strip(strings.Join(rows, "")))
			if want := string(rune('a'+i%26)) + "word"; !strings.HasSuffix(flat, want) {
				t.Fatalf("after %q: tail %q does not end in %q", start, flat, want)
			}
		}
	}
}

// What is being written looks as it will when it is finished: no mark flashes
// up while its other half is on the way.
func TestFinish(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                        "plain",
		"a **bold te":                  "a **bold te**",
		"a **bold*":                    "a **bold**",
		"a **bold** and":               "a **bold** and",
		"a **":                         "a",
		"a *it":                        "a *it*",
		"a ***both":                    "a ***both***",
		"**a *b* c":                    "**a *b* c**",
		"**a *b":                       "**a *b***",
		"the `code":                    "the `code`",
		"the `":                        "the",
		"the ``a `b":                   "the ``a `b``",
		"**see `x":                     "**see `x`**",
		"~~gone":                       "~~gone~~",
		"2 * 3 and 2*3 is":             "2 * 3 and 2*3 is",
		"snake_case_name":              "snake_case_name",
		"\\*no":                        "\\*no",
		"[site](http://a":              "site",
		"[site](http://a) is":          "[site](http://a) is",
		"list[0] and":                  "list[0] and",
		"*" + strings.Repeat("x", 300): "*" + strings.Repeat("x", 300),
	} {
		if got := finish(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// No prefix of a text shows the marks that its end will hide.
func TestStreamShowsNoMarks(t *testing.T) {
	t.Parallel()
	const text = "Use **two words** and `some code`, then *more* of [the site](http://a.example/x) here."
	r := renderer(termenv.Ascii)
	for i := range len(text) {
		var s Stream
		s.Write(text[:i])
		rows, _ := s.TailRows(r, 200, time.Unix(0, 0))
		if shown := ansi.Strip(strings.Join(rows, "")); strings.ContainsAny(shown, "*`(") {
			t.Errorf("%q is shown as %q", text[:i], shown)
		}
	}
}

// Text behind the last drawing goes on in its row.
func TestHeldBackTextGoesOn(t *testing.T) {
	t.Parallel()
	r := renderer(termenv.Ascii)
	var s Stream
	now := time.Unix(0, 0)
	long := strings.Repeat("word ", 400)
	s.Write(long)
	before, _ := s.TailRows(r, 60, now)
	n := len(before)
	s.Write("and more")
	after, _ := s.TailRows(r, 60, now)
	if len(after) > n+1 || !strings.Contains(strings.Join(after, " "), "word and more") {
		t.Errorf("%d rows became %d, the last %q", n, len(after), after[len(after)-1])
	}
}
