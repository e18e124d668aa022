package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mm/safety/clean"
)

// table writes a row for each run while the runs go on. The name of a task
// appears when it begins.
type table struct {
	out     io.Writer
	started bool
	open    bool // a row has begun
}

// rowFormat are the columns behind the name.
const rowFormat = "%-9s %5s %5s %7s %5s %7s %5s %7s %7s  %s"

// nameWidth is the width of the first column.
const nameWidth = 27

func (t *table) begin(task Task, run, repeat int) {
	if !t.started {
		t.started = true
		fmt.Fprintf(t.out, "%-*s ", nameWidth, "task")
		writeRow(t.out, rowFormat, "result", "calls", "loops", "repairs", "fuzzy", "read", "cache", "written", "time", "end")
	}
	name := task.Name
	if repeat > 1 {
		name = fmt.Sprintf("%s #%d", name, run)
	}
	fmt.Fprintf(t.out, "%-*s ", nameWidth, clean.Line(name).String())
	t.open = true
}

func (t *table) end(r Result) {
	t.open = false
	if r.Skipped != "" {
		fmt.Fprintf(t.out, "skipped   %s\n", clean.Line(r.Skipped).String())
		return
	}
	one := Sum{Repairs: map[string]int{}}
	one.add(r)
	verdict := "unsolved"
	if r.Solved {
		verdict = "solved"
	}
	t.row(verdict, one, r.Stop)
	for _, why := range r.Failures {
		first, rest, _ := strings.Cut(why, "\n")
		fmt.Fprintf(t.out, "    %s\n", clean.Line(first).String())
		if lines := strings.Split(strings.TrimSpace(rest), "\n"); rest != "" {
			fmt.Fprintf(t.out, "      %s\n", clean.Line(lines[len(lines)-1]).String())
		}
	}
	if r.Error != "" && !r.Solved {
		fmt.Fprintf(t.out, "    %s\n", clean.Line(r.Error).String())
	}
	if r.Kept != "" {
		fmt.Fprintf(t.out, "    kept in %s\n", clean.Line(r.Kept).String())
	}
}

func (t *table) row(verdict string, s Sum, end string) {
	writeRow(t.out, rowFormat, verdict, num(s.Calls), num(s.Loops), num(total(s.Repairs)), num(s.Fuzzy),
		thousands(s.Read), cacheText(s), thousands(s.Written), seconds(s.Seconds), clean.Line(end).String())
}

// close writes the sums.
func (t *table) close(r Report) {
	if t.open {
		fmt.Fprintln(t.out, "stopped")
	}
	if !t.started {
		return
	}
	fmt.Fprintln(t.out)
	for _, g := range groups() {
		s := r.Sum(g.keep)
		if s.Runs > 0 {
			fmt.Fprintf(t.out, "%-*s ", nameWidth, g.name)
			t.row(fmt.Sprintf("%d/%d", s.Solved, s.Runs), s, "")
		}
	}
	if text := repairsText(r.Total.Repairs); text != "" {
		fmt.Fprintln(t.out, "repairs:", clean.Line(text).String())
	}
	if n := r.Total.Skipped; n > 0 {
		fmt.Fprintf(t.out, "skipped: %d\n", n)
	}
	if r.Model != "" {
		fmt.Fprintf(t.out, "model: %s at %s, window %d\n", clean.Line(r.Model).String(), clean.Line(r.Provider).String(), r.Window)
	}
}

// group is a part of the results that is summed up.
type group struct {
	name string
	keep func(Result) bool
}

func groups() []group {
	var out []group
	for _, d := range Difficulties {
		out = append(out, group{string(d), func(r Result) bool { return r.Kind == Whole && r.Difficulty == d }})
	}
	return slices.Concat(out, []group{
		{"routing", func(r Result) bool { return r.Kind == Routing }},
		{"all", nil},
	})
}

// writeRow writes a line without blanks at its end.
func writeRow(out io.Writer, format string, cells ...any) {
	fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf(format, cells...), " "))
}

func num(n int) string { return fmt.Sprint(n) }

// thousands writes a number of tokens in at most six characters.
func thousands(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func cacheText(s Sum) string {
	rate, ok := s.CacheRate()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*rate)
}

func seconds(s float64) string {
	switch {
	case s < 100:
		return fmt.Sprintf("%.1fs", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%dh%02dm", int(s)/3600, int(s)%3600/60)
}
