package fileedit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what an answer quotes.
const (
	maxListed   = 10  // line numbers of an ambiguous text
	maxQuoted   = 60  // lines of the nearest block, and of a diff
	maxLineSize = 500 // bytes of a line
	around      = 1   // lines quoted before and after the nearest block
	maxWhole    = 30  // lines of a file that is shown whole
	maxShown    = 3   // places of an ambiguous text that are shown
	maxLong     = 12  // lines of one
	aside       = 2   // lines quoted before and after one
)

const (
	emptyOld = "old is empty. To make or fill a file use write_file. " +
		"To insert lines, put a neighbouring line in old and repeat it in new."
	identical = "old and new are identical: no change. Put the changed text in new."
)

// failures says what became of each edit that was looked at.
func failures(path string, total int, placed []splice, refusals []string) string {
	if total == 1 {
		return fmt.Sprintf("%s: nothing was written. %s", path, refusals[0])
	}
	failed := 0
	var b strings.Builder
	for i, refusal := range refusals {
		if refusal == "" {
			fmt.Fprintf(&b, "\nedit %d: found at line %d.", i+1, placed[i].line+1)
			continue
		}
		failed++
		fmt.Fprintf(&b, "\nedit %d: %s", i+1, refusal)
	}
	if rest := total - len(refusals); rest > 0 {
		fmt.Fprintf(&b, "\nThe %d edits behind it were not looked at.", rest)
	}
	return fmt.Sprintf("%s: nothing was written, since %d of %d edits failed. Correct them and send all edits again.%s",
		path, failed, total, b.String())
}

// ambiguous says where a text of a number of lines stands that should be there
// once, and shows the first places: a model that has not read the file would
// repeat its call.
func (v *view) ambiguous(lines []int, size int, ignoring string) string {
	var b strings.Builder
	count := fmt.Sprint(len(lines))
	if len(lines) == maxHits {
		count += " or more"
	}
	fmt.Fprintf(&b, "old is in the file %s times%s, at lines ", count, ignoring)
	lines = slices.Compact(lines)
	for i, line := range lines[:min(len(lines), maxListed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line+1)
	}
	if more := len(lines) - maxListed; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	b.WriteString(". It must be there once: add the lines before or after it to old (and to new).")
	if len(lines) < 2 {
		return b.String()
	}
	b.WriteString(" The places, to copy from (without the numbers):")
	for _, line := range lines[:min(len(lines), maxShown)] {
		from, to := max(0, line-aside), min(v.lines(), line+size+aside)
		v.list(&b, from, min(to, from+maxLong))
		b.WriteString("\n--")
	}
	return strings.TrimSuffix(b.String(), "\n--")
}

// missing says that old was not found, and what comes nearest.
func (v *view) missing(old, fresh string) string {
	b := cut(old)
	if v.lines() == 0 {
		return "old was not found: the file is empty. Fill it with write_file."
	}
	if len(b.lines) == 0 {
		return "old holds only blank lines, which cannot be found. Put a line with text in old."
	}
	if line, ok := v.made(b.lines, fresh); ok {
		return fmt.Sprintf("already applied: new is in the file at line %d, and old is not in it. "+
			"If you meant another place, copy old from read_file.", line+1)
	}
	var notes strings.Builder
	for _, form := range numberings {
		if _, bare, ok := unnumberOld(old, form); ok {
			notes.WriteString(" old holds line numbers, which are not part of the file: leave them out.")
			b = cut(bare)
			break
		}
	}
	if unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`).Replace(old); unescaped != old &&
		strings.Contains(string(v.norm), unescaped) {
		notes.WriteString(` old holds the two characters \n or \t or \" where the file has a line break, tab or quote: escape them once, not twice.`)
	}
	first, ok := v.nearest(b.lines)
	if !ok {
		return "old was not found, and no lines of the file are near to it." + notes.String() + v.whole()
	}
	return "old was not found;" + v.quote(b.lines, first) + notes.String()
}

// whole shows a file that is short, since a model that has not read it would
// only be told to.
func (v *view) whole() string {
	if v.lines() > maxWhole {
		return " Read the file with read_file and copy old from it."
	}
	var b strings.Builder
	b.WriteString(" Read the file and copy old from it; as read_file shows it (without the numbers):")
	v.list(&b, 0, v.lines())
	return b.String()
}

// list writes lines of the file with their numbers.
func (v *view) list(b *strings.Builder, from, to int) {
	for i := from; i < to; i++ {
		fmt.Fprintf(b, "\n%d|%s", i+1, shorten(string(v.line(i))))
	}
}

// nested says that the lines of old are there with another nesting.
func (v *view) nested(core []string, first int) string {
	return "old was not found: its lines are there, but nested differently, so that the indentation of new is unclear;" +
		v.quote(core, first)
}

// quote shows the lines of the file where core was expected.
func (v *view) quote(core []string, first int) string {
	from, to := max(0, first-around), min(v.lines(), first+len(core)+around)
	shown := min(to, from+maxQuoted)
	var b strings.Builder
	fmt.Fprintf(&b, " nearest is lines %d-%d, copy these lines (without the numbers):", from+1, shown)
	v.list(&b, from, shown)
	if shown < to {
		fmt.Fprintf(&b, "\n(%d more lines; use a shorter old)", to-shown)
	}
	for i, line := range core {
		at := first + i
		if at < 0 || at >= v.lines() {
			continue
		}
		if d := difference(string(v.line(at)), line); d != "" {
			fmt.Fprintf(&b, "\nLine %d %s.", at+1, d)
			break
		}
	}
	return b.String()
}

// shorten bounds a line that is quoted.
func shorten(line string) string {
	if len(line) <= maxLineSize {
		return line
	}
	cut := maxLineSize
	for cut > maxLineSize-utf8.UTFMax && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…(%d more bytes)", line[:cut], len(line)-cut)
}

// made reports that the file already holds what the edit would make of it:
// all lines of new, once, among them one that old does not have, and not far
// from where most lines of old are. old is known not to be there.
func (v *view) made(old []string, fresh string) (int, bool) {
	b := cut(fresh)
	known := make(map[string]bool, len(old))
	for _, line := range old {
		known[strings.Trim(line, blanks)] = true
	}
	telling := false
	for _, line := range b.lines {
		line = strings.Trim(line, blanks)
		telling = telling || !known[line] && tells([]byte(line))
	}
	if !telling {
		return 0, false
	}
	hits := v.find(b.lines, stripped)
	if len(hits) != 1 {
		return 0, false
	}
	first, near := v.nearest(old)
	elsewhere := near && (first+len(old) <= hits[0] || hits[0]+len(b.lines) <= first)
	return hits[0], !elsewhere
}
