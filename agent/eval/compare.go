package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mm/safety/clean"
)

// noise is the probability from which on a difference may well be chance.
const noise = 0.05

// tally is what a report says of one task, over its runs.
type tally struct {
	runs, solved int
	seconds      float64
	tokens       int
	calls        int
}

func (t tally) rate() float64 { return float64(t.solved) / float64(t.runs) }

// tallies gathers the runs of each task. Skipped ones are left out.
func tallies(r Report) map[string]tally {
	out := map[string]tally{}
	for _, res := range r.Results {
		if res.Skipped != "" {
			continue
		}
		t := out[res.Task]
		t.runs++
		if res.Solved {
			t.solved++
		}
		t.seconds += res.Seconds
		t.tokens += res.Read + res.Written
		t.calls += res.Calls
		out[res.Task] = t
	}
	return out
}

// Comparison says what changed between two reports, over the tasks that both
// ran.
type Comparison struct {
	Better, Worse []string // tasks solved more often, less often, in b
	Same          int
	OnlyA, OnlyB  []string // tasks that only one ran

	// Chance is the probability that tasks which are as likely to get better
	// as to get worse differ at least so much: a two-sided sign test.
	Chance float64

	A, B Sum // over the tasks that both ran
}

// Weigh compares b with a.
func Weigh(a, b Report) Comparison {
	var c Comparison
	inA, inB := tallies(a), tallies(b)
	for _, name := range taskNames(a, b) {
		x, okA := inA[name]
		y, okB := inB[name]
		switch {
		case !okA && !okB:
		case !okB:
			c.OnlyA = append(c.OnlyA, name)
		case !okA:
			c.OnlyB = append(c.OnlyB, name)
		case y.rate() > x.rate():
			c.Better = append(c.Better, name)
		case y.rate() < x.rate():
			c.Worse = append(c.Worse, name)
		default:
			c.Same++
		}
	}
	both := func(r Result) bool { return inA[r.Task].runs > 0 && inB[r.Task].runs > 0 }
	c.A, c.B = a.Sum(both), b.Sum(both)
	c.Chance = signTest(len(c.Better), len(c.Worse))
	return c
}

// taskNames lists the tasks of two reports, in the order of the first.
func taskNames(reports ...Report) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range reports {
		for _, res := range r.Results {
			if !seen[res.Task] {
				seen[res.Task] = true
				out = append(out, res.Task)
			}
		}
	}
	return out
}

// signTest is the two-sided probability of a split at least as uneven as this
// one when both sides are equally likely.
func signTest(up, down int) float64 {
	n := up + down
	p := 0.0
	for k := 0; k <= min(up, down); k++ {
		p += binomial(n, k)
	}
	return math.Min(1, 2*p)
}

// binomial is the probability of k heads in n throws of a fair coin.
func binomial(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(a - b - c - float64(n)*math.Ln2)
}

// compareFormat are the columns behind the name: for each figure a and b.
const compareFormat = "%6s %6s   %5s %5s   %7s %7s   %7s %7s  %s"

// Compare writes a table of what changed from a to b.
func Compare(out io.Writer, a, b Report) {
	for _, r := range []struct {
		name string
		Report
	}{{"A", a}, {"B", b}} {
		fmt.Fprintf(out, "%s: %s\n", r.name, clean.Line(describe(r.Report)).String())
	}
	for _, line := range configChanges(a, b) {
		fmt.Fprintln(out, "  ", clean.Line(line).String())
	}
	fmt.Fprintf(out, "\n%-*s ", nameWidth, "task")
	writeRow(out, compareFormat, "solved", "", "calls", "", "tokens", "", "time", "", "")
	inA, inB := tallies(a), tallies(b)
	for _, name := range taskNames(a, b) {
		x, okA := inA[name]
		y, okB := inB[name]
		if !okA && !okB {
			continue
		}
		mark := ""
		switch {
		case !okA:
			mark = "only in B"
		case !okB:
			mark = "only in A"
		case y.rate() > x.rate():
			mark = "better"
		case y.rate() < x.rate():
			mark = "worse"
		}
		compareRow(out, name, x, y, mark)
	}
	writeSums(out, Weigh(a, b))
}

func compareRow(out io.Writer, name string, x, y tally, mark string) {
	fmt.Fprintf(out, "%-*s ", nameWidth, clean.Line(name).String())
	x1, x2, x3, x4 := x.columns()
	y1, y2, y3, y4 := y.columns()
	writeRow(out, compareFormat, x1, y1, x2, y2, x3, y3, x4, y4, mark)
}

// columns are solved of runs, and per run: calls, tokens, time.
func (t tally) columns() (solved, calls, tokens, time string) {
	if t.runs == 0 {
		return "-", "-", "-", "-"
	}
	return fmt.Sprintf("%d/%d", t.solved, t.runs), fmt.Sprintf("%.1f", float64(t.calls)/float64(t.runs)),
		thousands(t.tokens / t.runs), seconds(t.seconds / float64(t.runs))
}

func writeSums(out io.Writer, c Comparison) {
	x := tally{c.A.Runs, c.A.Solved, c.A.Seconds, c.A.Read + c.A.Written, c.A.Calls}
	y := tally{c.B.Runs, c.B.Solved, c.B.Seconds, c.B.Read + c.B.Written, c.B.Calls}
	fmt.Fprintln(out)
	compareRow(out, "in both, per run", x, y, "")
	fmt.Fprintf(out, "loops %d → %d, repairs %d → %d, fuzzy %d → %d, invalid calls %d → %d, cache %s → %s\n",
		c.A.Loops, c.B.Loops, total(c.A.Repairs), total(c.B.Repairs), c.A.Fuzzy, c.B.Fuzzy,
		c.A.Invalid, c.B.Invalid, cacheText(c.A), cacheText(c.B))
	fmt.Fprintf(out, "B solves %d tasks more often and %d less often; %d are the same. %s\n",
		len(c.Better), len(c.Worse), c.Same, c.judgement())
}

// judgement says in words how far the difference can be trusted.
func (c Comparison) judgement() string {
	switch {
	case len(c.Better)+len(c.Worse) == 0:
		return "No difference."
	case c.Chance > noise:
		return fmt.Sprintf("This may well be chance (p = %.2f): repeat with a higher -repeat.", c.Chance)
	}
	return fmt.Sprintf("Chance alone would hardly do this (p = %.3f).", c.Chance)
}

func describe(r Report) string {
	return fmt.Sprintf("%s at %s, window %d, mm %s, %s, %s", r.Model, r.Provider, r.Window,
		r.Program, r.Machine, r.Date.Format("2006-01-02 15:04"))
}

// configChanges lists the settings that differ.
func configChanges(a, b Report) []string {
	x, y := a.settings(), b.settings()
	var out []string
	for key := range x {
		if x[key] != y[key] {
			out = append(out, fmt.Sprintf("%s: %s → %s", key, orNone(x[key]), orNone(y[key])))
		}
	}
	for key := range y {
		if _, ok := x[key]; !ok {
			out = append(out, fmt.Sprintf("%s: %s → %s", key, orNone(""), orNone(y[key])))
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
