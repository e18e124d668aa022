package llm

import (
	"strings"
	"testing"
)

// split feeds text to a filter in pieces of n bytes and returns what was shown
// of each kind and what the end says.
func split(text string, n int) (shownText, shownReasoning, finalText, finalReasoning string) {
	var f ThinkFilter
	var pieces []Piece
	for len(text) > 0 {
		k := min(n, len(text))
		pieces = append(pieces, f.Write(text[:k])...)
		text = text[k:]
	}
	tail, finalText, finalReasoning := f.End(false)
	var t, r strings.Builder
	for _, p := range append(pieces, tail...) {
		if p.Reasoning {
			r.WriteString(p.Text)
		} else {
			t.WriteString(p.Text)
		}
	}
	return t.String(), r.String(), finalText, finalReasoning
}

var thinkCases = []struct{ name, in, text, reasoning string }{
	{"plain", "Hello.", "Hello.", ""},
	{"think", "<think>hm</think>\n\nHello.", "Hello.", "hm"},
	{"thinking", "<thinking>hm</thinking>Hello.", "Hello.", "hm"},
	{"closed by the longer tag", "<think>hm</thinking>Hello.", "Hello.", "hm"},
	{"in the middle", "One. <think>hm</think>Two.", "One. Two.", "hm"},
	{"twice", "<think>a</think>x<think>b</think>y", "xy", "ab"},
	{"never closed", "<think>hm, and then", "", "hm, and then"},
	{"never closed in the middle is text", "Use the <think> tag.", "Use the <think> tag.", ""},
	{"stray close at the start", "</think>\n\nBut an answer.", "But an answer.", ""},
	{"stray close after reasoning", "I wonder.\n</think>\n\nHello.", "Hello.", "I wonder."},
	{"second stray close", "<think>a</think>b</think>c", "bc", "a"},
	{"inline code", "Write `<think>` first, `</think>` last.", "Write `<think>` first, `</think>` last.", ""},
	{"fence", "Like:\n```xml\n<think>x</think>\n```\nok", "Like:\n```xml\n<think>x</think>\n```\nok", ""},
	{"after a fence", "```\nx\n```\n<think>a</think>ok", "```\nx\n```\nok", "a"},
	{"quoted", `The tag "<think>" opens.`, `The tag "<think>" opens.`, ""},
	{"other tags", "a < b <thin> [THIN] <b>", "a < b <thin> [THIN] <b>", ""},
	{"cut tag", "x <thi", "x <thi", ""},
	{"tag inside reasoning", "<think>a <think> b</think>c", "c", "a <think> b"},
	{"magistral", "[THINK]hm[/THINK]Hello.", "Hello.", "hm"},
	{"gemma channel", "<|channel>thought\nhm\n<channel|>Hello.", "Hello.", "hm"},
	{"harmony", "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Hello.", "Hello.", "hm"},
	{"only line ends", "\n\n", "", ""},
	{"indented answer", "\n    code", "    code", ""},
	{"unicode", "<think>日本</think>é", "é", "日本"},
}

func TestThinkFilterAtAnyChunkBoundary(t *testing.T) {
	for _, tc := range thinkCases {
		t.Run(tc.name, func(t *testing.T) {
			for n := 1; n <= len(tc.in); n++ {
				_, _, text, reasoning := split(tc.in, n)
				if text != tc.text || reasoning != tc.reasoning {
					t.Fatalf("in pieces of %d: got %q and %q, want %q and %q", n, text, reasoning, tc.text, tc.reasoning)
				}
			}
		})
	}
}

// TestThinkFilterHoldsBackOnlyTags: what cannot become a tag is shown at once.
func TestThinkFilterHoldsBackOnlyTags(t *testing.T) {
	var f ThinkFilter
	for _, tc := range []struct{ in, want string }{
		{"a <", "a "}, {"b", "<b"}, {" <th", " "}, {"en", "<then"}, {"x[", "x"}, {"0]", "[0]"},
	} {
		var got string
		for _, p := range f.Write(tc.in) {
			got += p.Text
		}
		if got != tc.want {
			t.Errorf("after %q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestThinkFilterKeepsReasoningThatWasCut(t *testing.T) {
	var f ThinkFilter
	f.Write("It is fine.<think>Or is")
	_, text, reasoning := f.End(true)
	if text != "It is fine." || reasoning != "Or is" {
		t.Errorf("got %q and %q", text, reasoning)
	}
}

func FuzzThinkFilter(f *testing.F) {
	for _, tc := range thinkCases {
		f.Add(tc.in, 3)
	}
	f.Fuzz(func(t *testing.T, in string, n int) {
		n = 1 + (n&0x7fffffff)%8
		text1, reason1, final1, finalR1 := split(in, max(1, len(in)))
		textN, reasonN, finalN, finalRN := split(in, n)
		if text1 != textN || reason1 != reasonN || final1 != finalN || finalR1 != finalRN {
			t.Errorf("whole and in pieces of %d differ: %q %q %q %q, %q %q %q %q",
				n, text1, reason1, final1, finalR1, textN, reasonN, finalN, finalRN)
		}
		if len(final1)+len(finalR1) > len(in) {
			t.Errorf("%q grew to %q and %q", in, final1, finalR1)
		}
	})
}
