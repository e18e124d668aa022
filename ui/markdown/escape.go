package markdown

import (
	"html"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mm/safety/clean"
)

var (
	autolink = regexp.MustCompile(`^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>`)
	entity   = regexp.MustCompile(`^&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});`)
)

// escape makes a block safe and faithful under glamour. Tags are text, which
// glamour would strip; an entity that stands for a control or invisible
// character is shown as it is written, since glamour decodes entities after
// all cleaning; and inside code spans, where CommonMark decodes nothing but
// glamour does, ampersands are protected.
func escape(src string) string {
	if !strings.ContainsAny(src, "<&") {
		return src
	}
	var b strings.Builder
	for i := 0; i < len(src); {
		switch src[i] {
		case '`':
			n := codeSpan(src[i:])
			b.WriteString(strings.ReplaceAll(src[i:i+n], "&", "&amp;"))
			i += n
		case '\\':
			n := min(2, len(src)-i)
			b.WriteString(src[i : i+n])
			i += n
		case '<':
			if link := autolink.FindString(src[i:]); link != "" {
				b.WriteString(link)
				i += len(link)
				continue
			}
			b.WriteString("&lt;")
			i++
		case '&':
			e := entity.FindString(src[i:])
			if e != "" && hidden(e) {
				b.WriteString("&amp;")
				i++
				continue
			}
			b.WriteByte('&')
			i++
		default:
			b.WriteByte(src[i])
			i++
		}
	}
	return b.String()
}

// hidden reports whether an entity stands for something that clean would not
// let pass, or that breaks the row.
func hidden(e string) bool {
	s := html.UnescapeString(e)
	return clean.Line("x"+s+"x").String() != "x"+s+"x"
}

// codeSpan returns the length of the code span at the start of s, or of its
// run of backticks when nothing closes it.
func codeSpan(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	for i := n; i < len(s); {
		j := strings.IndexByte(s[i:], '`')
		if j < 0 {
			break
		}
		i += j
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		i += run
		if run == n {
			return i
		}
	}
	return n
}

// onlySGR removes what is neither text nor a colour from a row that a library
// made of foreign text: the last line of defence, not the first.
func onlySGR(row string) string {
	plain := true
	for i := range len(row) {
		if row[i] < ' ' || row[i] == 0x7f || row[i] >= 0x80 && row[i] < 0xC3 {
			plain = false
			break
		}
	}
	if plain {
		return row
	}
	var b strings.Builder
	for i := 0; i < len(row); {
		_, _, n, _ := ansi.DecodeSequence(row[i:], ansi.NormalState, nil)
		seq := row[i : i+max(n, 1)]
		i += len(seq)
		switch {
		case seq[0] == ansi.ESC && isSGR(seq), seq[0] >= ' ' && seq[0] < 0x7f, seq[0] >= 0xC3:
			b.WriteString(seq)
		case seq[0] >= 0xC2 && len(seq) > 1 && seq[1] >= 0xA0:
			b.WriteString(seq)
		}
	}
	return b.String()
}

func isSGR(seq string) bool {
	return len(seq) > 2 && seq[1] == '[' && seq[len(seq)-1] == 'm' && strings.Trim(seq[2:len(seq)-1], "0123456789;:") == ""
}

var padding = regexp.MustCompile(`(?:\x1b\[[0-9;:]*m| )+$`)

// trimRow takes the blanks from the end of a row that glamour padded.
func trimRow(row string) string {
	end := padding.FindString(row)
	if end == "" {
		return row
	}
	row = row[:len(row)-len(end)]
	if strings.Contains(row, "\x1b[") {
		row += ansi.ResetStyle
	}
	return row
}
