package fileedit

import (
	"slices"
	"strings"
)

// reindent rewrites fresh, the new text of an edit, into the indentation of
// region, the lines of the file that old was found to mean. Both base level
// and unit follow the file; depth inside of fresh is kept and blank lines come
// out empty. It fails where old and region are nested differently, so that no
// level of the file can be told for the lines of fresh.
func reindent(old, region, fresh []string, v *view) ([]string, bool) {
	pairs := pairUp(old, region)
	if !slices.ContainsFunc(pairs, func(p pair) bool { return p.from != p.to }) {
		return fresh, true
	}
	if alreadyRight(pairs, region, fresh, v) && !follows(old, region, fresh) && !rescaled(pairs, fresh) {
		return emptied(fresh), true
	}
	step := stepOf(old, fresh)
	if t, ok := newTable(pairs, step); ok {
		t.measure(fresh, region, v)
		return t.rewrite(fresh), true
	}
	if t, ok := newTable(pairs[1:], step); ok && len(pairs) > 1 {
		t.measure(fresh, region, v)
		return t.rewriteFirst(fresh, pairs[0]), true
	}
	return lineByLine(old, pairs, fresh)
}

// pair is the indentation of a line as old has it and as the file has it.
type pair struct{ from, to string }

// pairUp pairs the indentations of lines that are not blank.
func pairUp(old, region []string) []pair {
	var pairs []pair
	for i, line := range old {
		if !blank(line) {
			pairs = append(pairs, pair{indentOf(line), indentOf(region[i])})
		}
	}
	return pairs
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, blanks))] }

// emptied returns the lines with blank ones empty.
func emptied(lines []string) []string {
	out := slices.Clone(lines)
	for i, line := range out {
		if blank(line) {
			out[i] = ""
		}
	}
	return out
}

// alreadyRight reports whether fresh is in the indentation of the file although
// old is not: the model copied old badly and wrote fresh well.
func alreadyRight(pairs []pair, region, fresh []string, v *view) bool {
	from := slices.MinFunc(pairs, func(a, b pair) int { return len(a.from) - len(b.from) }).from
	to := slices.MinFunc(pairs, func(a, b pair) int { return len(a.to) - len(b.to) }).to
	least, ok := shortest(fresh)
	if !ok || least != to || least == from || slices.Equal(fresh, region) {
		return false
	}
	used := charsOf(region)
	if used == 0 {
		used = charsOf([]string{v.indentation().unit})
	}
	return used == 0 || charsOf(fresh)&^used == 0
}

// follows reports whether a line that fresh took over from old still has the
// indentation of old there, and not that of the file.
func follows(old, region, fresh []string) bool {
	for i, line := range old {
		if !blank(line) && indentOf(line) != indentOf(region[i]) && slices.Contains(fresh, line) {
			return true
		}
	}
	return false
}

// rescaled reports whether fresh uses no indentation but those of old, and old
// differs from the file in more than its base: then both were written in
// another unit.
func rescaled(pairs []pair, fresh []string) bool {
	shift := func(p pair) int { return width(p.to, fileTab) - width(p.from, fileTab) }
	known := make(map[string]bool)
	moved := false
	for _, p := range pairs {
		known[p.from] = true
		moved = moved || shift(p) != shift(pairs[0])
	}
	return moved && !slices.ContainsFunc(fresh, func(line string) bool {
		return !blank(line) && !known[indentOf(line)]
	})
}

// shortest returns the shortest indentation of lines that are not blank.
func shortest(lines []string) (string, bool) {
	least, found := "", false
	for _, line := range lines {
		if blank(line) {
			continue
		}
		if ind := indentOf(line); !found || len(ind) < len(least) {
			least, found = ind, true
		}
	}
	return least, found
}

const (
	tabs   = 1
	spaces = 2
)

// charsOf tells which of tabs and spaces lines are indented with. A string of
// blanks alone counts as indentation.
func charsOf(lines []string) int {
	used := 0
	for _, line := range lines {
		ind := indentOf(line)
		if strings.Contains(ind, "\t") {
			used |= tabs
		}
		if strings.Contains(ind, " ") {
			used |= spaces
		}
	}
	return used
}

// lineByLine gives each line of fresh the indentation of the file's line in
// its place. It serves where nesting differs, and only if fresh has the lines
// of old, none of them moved, so that the places are sure.
func lineByLine(old []string, pairs []pair, fresh []string) ([]string, bool) {
	var was []string
	for _, line := range old {
		if !blank(line) {
			was = append(was, strings.Trim(line, blanks))
		}
	}
	out := emptied(fresh)
	at := 0
	for i, line := range fresh {
		if blank(line) {
			continue
		}
		text := strings.Trim(line, blanks)
		if at == len(was) || indentOf(line) != pairs[at].from ||
			text != was[at] && slices.Contains(was, text) {
			return nil, false
		}
		out[i] = pairs[at].to + strings.TrimLeft(line, blanks)
		at++
	}
	return out, at == len(was)
}

// stepOf returns how many columns one level takes in old and fresh: of 8, 4, 3
// and 2 the one that divides most of the distances to the least indented line,
// the larger on a tie. Distances of one column are alignment, not levels. Where
// no line is deeper than another, the distances to the margin decide.
func stepOf(old, fresh []string) int {
	var columns []int
	for _, line := range slices.Concat(old, fresh) {
		if ind := indentOf(line); !blank(line) && !strings.Contains(ind, "\t") {
			columns = append(columns, len(ind))
		}
	}
	if len(columns) == 0 {
		return steps[0] // any: a tab is one level
	}
	step, votes := dividing(columns, slices.Min(columns))
	if votes == 0 {
		step, _ = dividing(columns, 0)
	}
	return step
}

// steps are the widths that a level can have, the larger first.
var steps = []int{8, 4, 3, 2}

// dividing returns the step that divides most of the distances from columns to
// base, and how many these are.
func dividing(columns []int, base int) (best, most int) {
	most = -1
	for _, step := range steps {
		n := 0
		for _, c := range columns {
			if d := c - base; d > 1 && d%step == 0 {
				n++
			}
		}
		if n > most {
			best, most = step, n
		}
	}
	return best, most
}

// width returns the columns of an indentation where a tab takes tab of them.
func width(ind string, tab int) int {
	return len(ind) + strings.Count(ind, "\t")*(tab-1)
}

// indentation is the habit of a whole file.
type indentation struct {
	unit     string // of most indented lines; empty when none is indented
	increase int    // most frequent step of spaces from line to line, or 0
}

// maxIncrease is the largest step of spaces that is taken for one level.
const maxIncrease = 8

// indentation measures the file.
func (v *view) indentation() indentation {
	var steps [maxIncrease + 1]int
	withTab, withSpace, last := 0, 0, 0
	for i := range v.starts {
		line := v.line(i)
		rest := stripped.of(line)
		if len(rest) == 0 {
			continue
		}
		ind := line[:len(line)-len(unedged.of(line))]
		switch {
		case len(ind) > 0 && ind[0] == '\t':
			withTab++
		case len(ind) > 0:
			withSpace++
		}
		if d := len(ind) - last; d > 1 && d <= maxIncrease && ind[len(ind)-1] == ' ' {
			steps[d]++
		}
		last = len(ind)
	}
	var in indentation
	for d, n := range steps {
		if n > 0 && (in.increase == 0 || n > steps[in.increase]) {
			in.increase = d
		}
	}
	switch {
	case withTab > withSpace:
		in.unit = "\t"
	case withSpace > 0:
		in.unit = strings.Repeat(" ", max(in.increase, 1))
	}
	return in
}
