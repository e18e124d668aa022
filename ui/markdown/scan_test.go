package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func scan(text string) []Block {
	var s Scanner
	return append(s.Write(text), s.Flush()...)
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in string
		want     []Block
	}{
		{"paragraphs", "a\nb\n\nc", []Block{{Src: "a\nb"}, {Src: "c", Gap: true}}},
		{"heading", "# A\ntext", []Block{{Kind: Heading, Src: "# A"}, {Src: "text", Gap: true}}},
		{"underlined heading", "A\n===\nB\n---", []Block{{Kind: Heading, Src: "# A"}, {Kind: Heading, Src: "## B", Gap: true}}},
		{"rule", "a\n\n---\nb", []Block{{Src: "a"}, {Kind: Rule, Src: "---", Gap: true}, {Src: "b", Gap: true}}},
		{"stars are a rule", "* * *", []Block{{Kind: Rule, Src: "* * *"}}},
		{"fence", "a\n```go\nx\n\n  y\n```\nb", []Block{
			{Src: "a"}, {Kind: Fence, Lang: "go", Src: "x\n\n  y", Gap: true}, {Src: "b", Gap: true},
		}},
		{"longer fence holds a shorter", "````md\n```\n````", []Block{{Kind: Fence, Lang: "md", Src: "```"}}},
		{"tildes hold backticks", "~~~\n```\n~~~", []Block{{Kind: Fence, Src: "```"}}},
		{"open fence at the end", "```\nx", []Block{{Kind: Fence, Src: "x"}}},
		{"inline code is no fence", "```x``` y", []Block{{Src: "```x``` y"}}},
		{"tight list", "Steps:\n- a\n- b", []Block{
			{Src: "Steps:"}, {Src: "a", Indent: 2, Marker: "• ", Mark: "- "}, {Src: "b", Indent: 2, Marker: "• ", Mark: "- "},
		}},
		{"loose list with numbers by position", "1. a\n\n1. b", []Block{
			{Src: "a", Indent: 3, Marker: "1. ", Mark: "1. "}, {Src: "b", Indent: 3, Marker: "2. ", Mark: "1. ", Gap: true},
		}},
		{"list starts where it says", "7. a\n8. b", []Block{
			{Src: "a", Indent: 3, Marker: "7. ", Mark: "7. "}, {Src: "b", Indent: 3, Marker: "8. ", Mark: "8. "},
		}},
		{"nested list", "1. a\n   - b\n     - c\n2. d", []Block{
			{Src: "a", Indent: 3, Marker: "1. ", Mark: "1. "},
			{Src: "b", Indent: 5, Marker: "◦ ", Mark: "- "},
			{Src: "c", Indent: 7, Marker: "▪ ", Mark: "- "},
			{Src: "d", Indent: 3, Marker: "2. ", Mark: "2. "},
		}},
		{"nested by two blanks under a number", "1. a\n  - b", []Block{
			{Src: "a", Indent: 3, Marker: "1. ", Mark: "1. "}, {Src: "b", Indent: 5, Marker: "◦ ", Mark: "- "},
		}},
		{"fence in an item", "1. a\n   ```sh\n   x\n   ```\n2. b", []Block{
			{Src: "a", Indent: 3, Marker: "1. ", Mark: "1. "},
			{Kind: Fence, Lang: "sh", Src: "x", Indent: 3, Gap: true},
			{Src: "b", Indent: 3, Marker: "2. ", Mark: "2. ", Gap: true},
		}},
		{"paragraph in an item, then outside", "- a\n\n  b\n\nc", []Block{
			{Src: "a", Indent: 2, Marker: "• ", Mark: "- "}, {Src: "b", Indent: 2, Gap: true}, {Src: "c", Gap: true},
		}},
		{"lazy line in an item", "- a\nb", []Block{{Src: "a\nb", Indent: 2, Marker: "• ", Mark: "- "}}},
		{"tasks", "- [ ] a\n- [x] b", []Block{
			{Src: "a", Indent: 2, Marker: "☐ ", Mark: "- [ ] "}, {Src: "b", Indent: 2, Marker: "☑ ", Mark: "- [x] "},
		}},
		{"empty item", "-\n- b", []Block{
			{Indent: 2, Marker: "• ", Mark: "-"}, {Src: "b", Indent: 2, Marker: "• ", Mark: "- "},
		}},
		{"marks as they were written", "* a\n\n+ b\n\n3) c", []Block{
			{Src: "a", Indent: 2, Marker: "• ", Mark: "* "},
			{Src: "b", Indent: 2, Marker: "• ", Mark: "+ ", Gap: true},
			{Src: "c", Indent: 3, Marker: "3. ", Mark: "3) ", Gap: true},
		}},
		{"a year is no list", "it was\n1984. Then", []Block{{Src: "it was\n1984. Then"}}},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |\nafter", []Block{
			{Kind: Table, Src: "| a | b |\n|---|---|\n| 1 | 2 |"}, {Src: "after", Gap: true},
		}},
		{"quote", "> a\n> b\nlazy\n\nc", []Block{
			{Kind: Quote, Src: "> a\n> b\nlazy"}, {Src: "c", Gap: true},
		}},
		{"indented code", "a\n\n    x\n      y\nb", []Block{
			{Src: "a"}, {Kind: Fence, Src: "x\n  y", Gap: true}, {Src: "b", Gap: true},
		}},
		{"CRLF is white space", "a \r\n\r\nb", []Block{{Src: "a"}, {Src: "b", Gap: true}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tc.want, scan(tc.in)); d != "" {
				t.Error(d)
			}
		})
	}
}

// pieces cuts text at places that depend on seed alone.
func pieces(text string, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []string
	for len(text) > 0 {
		n := min(1+r.IntN(9), len(text))
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func FuzzScanner(f *testing.F) {
	f.Add("# a\n\n- b\n  ```go\n  x\n  ```\n\n| a | b |\n|--|--|\n", uint64(1))
	f.Add("1. a\n   1. b\n\n> q\n\n    code\n~~~\nopen", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		want := scan(text)
		var s Scanner
		var got []Block
		for _, p := range pieces(text, seed) {
			got = append(got, s.Write(p)...)
			if !s.InFence() {
				s.Tail() // looking must not change anything
			}
		}
		got = append(got, s.Flush()...)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("cut into pieces, the blocks differ:\n%s", d)
		}
		words := func(s string) int {
			return len(strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }))
		}
		n := 0
		for _, b := range got {
			n += words(b.Src) + words(b.Lang)
		}
		if n != words(text) {
			t.Errorf("%d words in %d blocks, want %d", n, len(got), words(text))
		}
	})
}
