package fileedit

import (
	"fmt"
	"slices"
	"strings"
)

// DryRun begins the report of edits that were only tried.
const DryRun = "dry run, nothing written. "

// Report is the answer to a model after its edits were written: what was done,
// how it was matched, and the changed lines as evidence.
func (r Result) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s applied", r.Diff.Path, count(len(r.Matches), "edit"))
	if r.Loose > 0 {
		fmt.Fprintf(&b, ", %d matched ignoring whitespace", r.Loose)
	}
	b.WriteByte('\n')
	if slices.ContainsFunc(r.Matches, func(m Match) bool { return m.Numbered }) {
		b.WriteString("(old held line numbers, which were left out: they are not part of the file)\n")
	}
	b.WriteString(r.Diff.Numbered(1))
	return b.String()
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
