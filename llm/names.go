package llm

import (
	"cmp"
	"slices"
	"strings"
)

// maxNearest is how many names NearestNames gives.
const maxNearest = 3

// NearestNames returns the names that resemble name most, the best first: at
// most three, and all of a short list.
func NearestNames(name string, names []string) []string {
	type scored struct {
		name string
		cost int
	}
	want := strings.ToLower(name)
	var list []scored
	for _, n := range names {
		list = append(list, scored{n, nameCost(want, strings.ToLower(n))})
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(a.cost, b.cost) })
	var out []string
	for _, s := range list[:min(maxNearest, len(list))] {
		out = append(out, s.name)
	}
	return out
}

// nameCost is the edit distance, or less when one name holds the other:
// servers add vendors, tags and quantisations to names.
func nameCost(a, b string) int {
	d := editDistance(a, b)
	if a != "" && (strings.Contains(b, a) || strings.Contains(a, b)) {
		return d / 4
	}
	return d
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
