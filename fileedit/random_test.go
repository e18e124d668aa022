package fileedit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// textRow is a line by its depth; an empty text is a blank line.
type textRow struct {
	depth int
	text  string
}

// randomRows makes nested lines, as of a program in an indented language.
func randomRows(r *rand.Rand, n int) []textRow {
	rows := make([]textRow, n)
	depth := 0
	for i := range rows {
		switch r.IntN(8) {
		case 0:
			continue // blank
		case 1, 2, 3:
			depth = min(depth+1, 6)
		case 4:
			depth = max(0, depth-1)
		case 5:
			depth = r.IntN(depth + 1)
		}
		if i == 0 {
			depth = 0
		}
		text := fmt.Sprintf("line(%d)", i)
		if r.IntN(6) == 0 {
			text = "end" // a text that is there often
		}
		rows[i] = textRow{depth, text}
	}
	return rows
}

// write writes rows out with one unit a level, cut levels less.
func write(rows []textRow, unit string, cut int) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		if row.text != "" {
			lines[i] = strings.Repeat(unit, row.depth-cut) + row.text
		}
	}
	return strings.Join(lines, "\n")
}

// changed makes the new rows of an edit: some lines differ, go, or come in at a
// depth that the lines before them allow.
func changed(r *rand.Rand, rows []textRow) []textRow {
	var out []textRow
	for i, row := range rows {
		if row.text == "" {
			out = append(out, row)
			continue
		}
		switch r.IntN(6) {
		case 0:
			out = append(out, textRow{row.depth, fmt.Sprintf("changed(%d)", i)})
		case 1:
			out = append(out, row, textRow{row.depth, fmt.Sprintf("added(%d)", i)})
		case 2:
			out = append(out, row, textRow{row.depth + 1, fmt.Sprintf("deeper(%d)", i)})
		case 3:
			if i > 0 {
				continue
			}
			out = append(out, row)
		default:
			out = append(out, row)
		}
	}
	return out
}

// vanished reports that fresh has neither the outermost level of old nor one of
// its lines.
func vanished(old, fresh []textRow) bool {
	least := func(rows []textRow) int {
		n := 99
		for _, row := range rows {
			if row.text != "" {
				n = min(n, row.depth)
			}
		}
		return n
	}
	return least(fresh) > least(old) && !slices.ContainsFunc(fresh, func(row textRow) bool {
		return row.text != "" && slices.Contains(old, row)
	})
}

// Edits of random files in random styles come out as if they had been copied
// well. They are refused only where old is there twice, or new is old.
func TestRandomBadCopiesNeverCorrupt(t *testing.T) {
	t.Parallel()
	const rounds = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	units := []string{"\t", "  ", "    ", "   ", "        "}
	done := 0
	for range rounds {
		rows := randomRows(r, 12+r.IntN(20))
		from := r.IntN(len(rows) - 3)
		to := from + 2 + r.IntN(min(8, len(rows)-from-2))
		old := rows[from:to]
		if old[0].text == "" || old[len(old)-1].text == "" {
			continue
		}
		fresh := changed(r, old)
		if fresh[len(fresh)-1].text == "" {
			continue // its final newline would end a line that is not blank
		}
		fileUnit, modelUnit := units[r.IntN(3)], units[r.IntN(len(units))]
		least := 99
		for _, row := range append(append([]textRow{}, old...), fresh...) {
			if row.text != "" {
				least = min(least, row.depth)
			}
		}
		cut := 0
		if least > 0 {
			cut = r.IntN(least + 1)
		}
		src := write(rows, fileUnit, 0) + "\n"
		edit := Edit{write(old, modelUnit, cut), write(fresh, modelUnit, cut)}
		want := write(append(append(append([]textRow{}, rows[:from]...), fresh...), rows[to:]...), fileUnit, 0) + "\n"
		if vanished(old, fresh) {
			continue // the level of new is open: the specification has it right as it is
		}
		if strings.Contains(src, edit.Old) && (fileUnit != modelUnit || cut > 0) {
			continue // an exact match is literal, whatever the style of new
		}
		got, err := Apply([]byte(src), []Edit{edit}, Options{Path: "f"})
		if err != nil {
			if !strings.Contains(err.Error(), " times") && !strings.Contains(err.Error(), "identical") {
				t.Fatalf("refused: %v\nfile:\n%s\nold:\n%s\nnew:\n%s", err, src, edit.Old, edit.New)
			}
			continue
		}
		done++
		if string(got.Text) != want {
			t.Fatalf("file:\n%s\nold:\n%s\nnew:\n%s\ngot:\n%s\nwant:\n%s", src, edit.Old, edit.New, got.Text, want)
		}
	}
	if done < rounds/2 {
		t.Errorf("%d of %d edits were made; the test has lost its point", done, rounds)
	}
}
