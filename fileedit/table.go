package fileedit

import (
	"cmp"
	"slices"
	"strings"
)

// table maps the indentations of old to those of the file.
type table struct {
	rows []row // sorted by columns
	step int   // columns of one level in old and fresh
	base int   // columns of the least indented line of old and fresh
	unit string
}

type row struct {
	columns  int
	from, to string
}

// fileTab is the width of the file's tabs where they are compared with spaces.
const fileTab = 8

// newTable makes a table of consistent pairs: each indentation has one value,
// and a deeper one never has a shallower value.
func newTable(pairs []pair, step int) (*table, bool) {
	t := &table{step: step}
	for _, p := range pairs {
		i := slices.IndexFunc(t.rows, func(r row) bool { return r.from == p.from })
		if i < 0 {
			t.rows = append(t.rows, row{width(p.from, step), p.from, p.to})
		} else if t.rows[i].to != p.to {
			return nil, false
		}
	}
	slices.SortStableFunc(t.rows, func(a, b row) int { return cmp.Compare(a.columns, b.columns) })
	for i := 1; i < len(t.rows); i++ {
		a, b := t.rows[i-1], t.rows[i]
		if a.columns < b.columns && width(a.to, fileTab) > width(b.to, fileTab) {
			return nil, false
		}
	}
	return t, len(t.rows) > 0
}

// measure finds the base level and the unit for lines that the table lacks.
func (t *table) measure(fresh, region []string, v *view) {
	t.base = t.rows[0].columns
	for _, line := range fresh {
		if !blank(line) {
			t.base = min(t.base, width(indentOf(line), t.step))
		}
	}
	t.unit = t.unitOf(fresh, region, v)
}

// level returns the whole levels between an indentation and the base.
func (t *table) level(columns int) int { return (columns - t.base) / t.step }

// unitOf returns one level of the file's indentation.
func (t *table) unitOf(fresh, region []string, v *view) string {
	for i := 1; i < len(t.rows); i++ {
		a, b := t.rows[i-1], t.rows[i]
		n := t.level(b.columns) - t.level(a.columns)
		more, deeper := strings.CutPrefix(b.to, a.to)
		if n <= 0 || !deeper || more == "" || len(more)%n != 0 {
			continue
		}
		if unit := more[:len(more)/n]; strings.Repeat(unit, n) == more {
			return unit
		}
	}
	file := v.indentation()
	switch used := charsOf(region); {
	case used&tabs != 0:
		return "\t"
	case used == spaces && file.increase > 0:
		return strings.Repeat(" ", file.increase)
	case used == 0 && file.unit != "":
		return file.unit
	}
	if used := charsOf(region) | charsOf(fresh); used == tabs {
		return "\t"
	}
	return strings.Repeat(" ", t.step)
}

func (t *table) rewrite(fresh []string) []string {
	out := emptied(fresh)
	for i, line := range out {
		if line != "" {
			ind := indentOf(line)
			out[i] = t.to(ind) + line[len(ind):]
		}
	}
	return out
}

// rewriteFirst is rewrite for an old whose first line alone had a wrong
// indentation.
func (t *table) rewriteFirst(fresh []string, first pair) []string {
	out := t.rewrite(fresh)
	for i, line := range fresh {
		if blank(line) {
			continue
		}
		if indentOf(line) == first.from {
			out[i] = first.to + strings.TrimLeft(line, blanks)
		}
		break
	}
	return out
}

// to translates one indentation of fresh.
func (t *table) to(ind string) string {
	if i := slices.IndexFunc(t.rows, func(r row) bool { return r.from == ind }); i >= 0 {
		return t.rows[i].to
	}
	columns := width(ind, t.step)
	if columns < t.rows[0].columns {
		return t.above(columns)
	}
	from := t.rows[0]
	for _, r := range t.rows {
		aligned := (r.columns-t.base)%t.step == 0
		if r.columns <= columns && (aligned || (from.columns-t.base)%t.step != 0) {
			from = r
		}
	}
	more := columns - from.columns
	return from.to + strings.Repeat(t.unit, more/t.step) + strings.Repeat(" ", more%t.step)
}

// above translates an indentation that is less than all that old has.
func (t *table) above(columns int) string {
	less := t.rows[0].columns - columns
	levels := (less + t.step - 1) / t.step
	to := t.rows[0].to
	for range levels {
		to = strings.TrimSuffix(to, t.unit)
	}
	return to + strings.Repeat(" ", levels*t.step-less)
}
