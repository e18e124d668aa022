package fileedit

import (
	"fmt"
	"strings"
)

// Unified returns the diff in the form that git apply and patch read.
func (f FileDiff) Unified() string {
	var b strings.Builder
	from, to := "a/"+f.Path, "b/"+f.Path
	if f.Created {
		from = "/dev/null"
	}
	if f.Deleted {
		to = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
	shift := 0
	for _, h := range f.Hunks {
		oldAt, oldN, newAt, newN := h.span(shift)
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(oldAt, oldN), span(newAt, newN))
		shift += newN - oldN
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Op))
			b.WriteString(l.Text)
			if l.CR {
				b.WriteByte('\r')
			}
			b.WriteByte('\n')
			if l.NoEOL {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String()
}

// span returns where a hunk begins on both sides and how many lines it has
// there. shift is how far earlier hunks moved the new side.
func (h Hunk) span(shift int) (oldAt, oldN, newAt, newN int) {
	for _, l := range h.Lines {
		if l.Op != Insert {
			oldN++
			if oldAt == 0 {
				oldAt = l.Old
			}
		}
		if l.Op != Delete {
			newN++
			if newAt == 0 {
				newAt = l.New
			}
		}
	}
	// A side without lines is named by the line before.
	if oldN == 0 {
		oldAt = max(0, newAt-1-shift)
	}
	if newN == 0 {
		newAt = max(0, oldAt-1+shift)
	}
	return oldAt, oldN, newAt, newN
}

func span(at, n int) string {
	if n == 1 {
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("%d,%d", at, n)
}

// Numbered returns the diff for a model: "-41|text" and "+41|text" with the
// line numbers of the side that the sign names, around lines of context, long
// lines and long diffs cut.
func (f FileDiff) Numbered(around int) string {
	var b strings.Builder
	n, left := 0, 0
	for i, h := range f.Hunks {
		if i > 0 {
			b.WriteString("...\n")
		}
		for j, l := range h.Lines {
			if l.Op == Context && !h.changes(j-around, j+around) {
				continue
			}
			if n++; n > maxQuoted {
				left++
				continue
			}
			at := l.New
			if l.Op == Delete {
				at = l.Old
			}
			fmt.Fprintf(&b, "%c%d|%s\n", l.Op, at, shorten(strings.TrimPrefix(l.Text, bom)))
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%d more lines of the diff)\n", left)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// changes reports whether a line from the first to the last is changed.
func (h Hunk) changes(first, last int) bool {
	for i := max(0, first); i <= min(last, len(h.Lines)-1); i++ {
		if h.Lines[i].Op != Context {
			return true
		}
	}
	return false
}
