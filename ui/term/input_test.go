package term

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// filtered passes pieces through the filter, as they would be read.
func filtered(pieces ...string) string {
	var f filter
	var out string
	for _, p := range pieces {
		f.write([]byte(p))
		out += string(f.out)
		f.out = nil
	}
	return out
}

func TestFilter(t *testing.T) {
	t.Parallel()
	const answer = "\x1b]11;rgb:1e1e/1e1e/1e1e"
	for _, tc := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"keys pass", []string{"hi\r\x1b[A\x1bOP\x1bb"}, "hi\r\x1b[A\x1bOP\x1bb"},
		{"Esc passes at once", []string{"\x1b"}, "\x1b"},
		{"Esc Esc", []string{"\x1b\x1b"}, "\x1b\x1b"},
		{"late colour with BEL", []string{answer + "\x07hi"}, "hi"},
		{"late colour with ST", []string{answer + "\x1b\\hi"}, "hi"},
		{"in two pieces", []string{answer[:9], answer[9:] + "\x07", "hi"}, "hi"},
		{"cut behind ESC", []string{answer[:1], answer[1:] + "\x07hi"}, "\x1bhi"},
		{"cut behind ESC ]", []string{answer[:2], answer[2:] + "\x07hi"}, "hi"},
		{"Alt+]", []string{"\x1b]", "x"}, "\x1b]x"},
		{"DCS reply", []string{"\x1bP1$r0m\x1b\\x"}, "x"},
		{"Shift+Enter of kitty", []string{"\x1b[13;2u"}, "\x1b\r"},
		{"Shift+Enter of xterm", []string{"\x1b[27;2;13~"}, "\x1b\r"},
		{"Ctrl+J of xterm", []string{"\x1b[27;5;106~"}, "\n"},
		{"key cut in two", []string{"\x1b[13", ";2u"}, "\x1b\r"},
		{"a paste is not touched", []string{"\x1b[200~a\x1b]11;x\x1b[13;2u\x1b[201~b"}, "\x1b[200~a\x1b]11;x\x1b[13;2u\x1b[201~b"},
		{"mouse", []string{"\x1b[<64;10;5M"}, "\x1b[<64;10;5M"},
		{"UTF-8", []string{"é你👩‍💻"}, "é你👩‍💻"},
	} {
		if got := filtered(tc.pieces...); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestParseReplies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		want Background
	}{
		{"\x1b]11;rgb:1e1e/1e1e/1e1e\x07\x1b[?62;22c", Background{Known: true}},
		{"he\x1b[Allo\r\x1b]11;rgb:ff/ff/ff\x07\x7fx\x1b[?1;2c", Background{Known: true, Light: true, Typed: "he\x1b[Allo\r\x7fx"}},
		{"hi\x1b]11;rgb:1e", Background{Typed: "hi", Cut: "\x1b]11;rgb:1e"}},
		{"hi\x1b]11;rgb:1/1/1\x1b", Background{Typed: "hi", Cut: "\x1b]11;rgb:1/1/1\x1b"}},
		{"hi\x1b[?62;2", Background{Typed: "hi", Cut: "\x1b[?62;2"}},
		{"hi\x1b", Background{Typed: "hi", Cut: "\x1b"}},
		{"\x1b]11;rgb:ffff/ffff/f0f0\x1b\\\x1b[?1;2c", Background{Known: true, Light: true}},
		{"\x1b]11;rgb:ff/ff/ff\x07", Background{Known: true, Light: true}},
		{"\x1b[?1;2c", Background{}},
		{"hi\x1b[?1;2c", Background{Typed: "hi"}},
		{"", Background{}},
	} {
		if got := parseReplies([]byte(tc.in)); got != tc.want {
			t.Errorf("%q: got %+v, want %+v", tc.in, got, tc.want)
		}
	}
}

func TestWhenToAsk(t *testing.T) {
	t.Parallel()
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	for _, tc := range []struct {
		vars map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true},
		{map[string]string{"TERM": "xterm-256color", "SSH_TTY": "/dev/pts/1"}, true},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x"}, true},
		{map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/x"}, true},
		{map[string]string{"TERM": "screen", "STY": "1.pts"}, false},
		{map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{map[string]string{"TERM": "dumb"}, false},
		{nil, false},
	} {
		if got := mayAsk(env(tc.vars)); got != tc.want {
			t.Errorf("%v: got %v, want %v", tc.vars, got, tc.want)
		}
	}
	if bg, ok := fromEnvironment(env(map[string]string{"COLORFGBG": "0;15"})); !ok || !bg.Light {
		t.Errorf("COLORFGBG 0;15 is %+v, %v; want light", bg, ok)
	}
}

// What is left of a reply that was cut when the wait was over is not typed.
func TestCutReplyIsNotTyped(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ before, after, want string }{
		{"\x1b]11;rgb:1e", "1e/1e1e/1e1e\x07hi", "hi"},
		{"\x1b]11;rgb:1/1/1\x1b", "\\hi", "hi"},
		{"\x1b[?62;2", "2chi", "\x1b[?62;22chi"}, // no key
		{"\x1b", "]11;rgb:1/1/1\x07hi", "hi"},
		{"\x1b", "hi", "hi"}, // and not Alt+H
		{"", "hi", "hi"},
	} {
		in := NewInput(nil, tc.before, nil)
		in.f.write([]byte(tc.after))
		if got := string(in.f.out); got != tc.want {
			t.Errorf("%q then %q: got %q, want %q", tc.before, tc.after, got, tc.want)
		}
	}
}

// A long paste is handed on in pieces, cut between characters, and nothing of
// it is lost.
func TestLongPasteComesInPieces(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("größe 你好\n", 8000)
	var f filter
	for b := range slices.Chunk([]byte("\x1b[200~"+text+"\x1b[201~"), 1000) {
		f.write(b)
	}
	out := string(f.out)
	pieces := strings.Split(strings.TrimSuffix(strings.TrimPrefix(out, "\x1b[200~"), "\x1b[201~"), pasteCut)
	if strings.Join(pieces, "") != text {
		t.Error("the pieces are not the text")
	}
	for _, p := range pieces {
		if !utf8.ValidString(p) || len(p) > pastePiece+utf8.UTFMax {
			t.Errorf("a piece of %d bytes, cut in a character: %v", len(p), !utf8.ValidString(p))
		}
	}
	if len(pieces) < len(text)/pastePiece {
		t.Errorf("%d pieces of %d bytes", len(pieces), len(text))
	}
}
