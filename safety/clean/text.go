package clean

import (
	"strings"
	"unicode/utf8"
)

// String returns the text for drawing.
func (t Text) String() string { return t.s }

// Len returns the size in bytes.
func (t Text) Len() int { return len(t.s) }

// Runes returns the number of runes.
func (t Text) Runes() int { return utf8.RuneCountInString(t.s) }

// IsEmpty reports whether there is nothing to draw.
func (t Text) IsEmpty() bool { return t.s == "" }

// Lines splits the text at its newlines. A final newline ends the last line
// and begins no other; an empty text has no lines.
func (t Text) Lines() []Text {
	if t.s == "" {
		return nil
	}
	parts := strings.Split(strings.TrimSuffix(t.s, "\n"), "\n")
	lines := make([]Text, len(parts))
	for i, p := range parts {
		lines[i] = Text{p}
	}
	return lines
}

// FirstLine returns the text up to its first newline.
func (t Text) FirstLine() Text {
	first, _, _ := strings.Cut(t.s, "\n")
	return Text{first}
}

// Trim returns the text without white space at its ends.
func (t Text) Trim() Text { return Text{strings.TrimSpace(t.s)} }

// Short returns at most n runes, the last one "…" where something was cut.
func (t Text) Short(n int) Text {
	if n <= 0 {
		return Text{}
	}
	if t.Runes() <= n {
		return t
	}
	return Text{string([]rune(t.s)[:n-1]) + cutMark}
}

// Concat joins texts with nothing between them.
func Concat(parts ...Text) Text { return Join(parts, Text{}) }

// Join joins texts with sep between them.
func Join(parts []Text, sep Text) Text {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(sep.s)
		}
		b.WriteString(p.s)
	}
	return Text{b.String()}
}
