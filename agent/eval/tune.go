package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"mm/safety/clean"
)

const (
	// clearly is how many more tasks must get better than worse for a
	// variant to count as better: one may be chance.
	clearly = 2

	// faster is the share of the time that a variant must save to be
	// proposed when it solves as much.
	faster = 0.10

	// leastSaved is what it must save in all, in seconds: less is noise.
	leastSaved = 1.0
)

// Judgement is what Tune thinks of a variant.
type Judgement string

// The judgements.
const (
	Better Judgement = "better"
	Faster Judgement = "faster" // solves as much in less time
	Equal  Judgement = "equal"
	Worse  Judgement = "worse"
)

// Trial is one variant with its figures.
type Trial struct {
	Report    Report    `json:"report"`
	Judgement Judgement `json:"judgement"` // against the configuration as it is
	Why       string    `json:"why"`
}

// Tuned is the outcome of Tune.
type Tuned struct {
	Version  int     `json:"version"`
	Base     Report  `json:"base"`
	Trials   []Trial `json:"trials"`
	Proposal Variant `json:"proposal,omitempty"` // empty: nothing beats what is configured
}

// Tune runs the tasks as configured, then once for each variant, each of which
// changes one setting. The best value of each setting that helps goes into a
// proposal; when it changes several, it is run too, and if it does not hold,
// the best single one is proposed. save, when not nil, gets the outcome after
// each trial. After an error the outcome holds the trials so far and no
// proposal.
func Tune(ctx context.Context, o Options, variants []Variant, save func(Tuned) error) (Tuned, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if save == nil {
		save = func(Tuned) error { return nil }
	}
	t := Tuned{Version: ReportVersion}
	var err error
	if t.Base, err = o.try(ctx, nil); err != nil {
		return t, err
	}
	for _, v := range variants {
		if !v.changes(o.Config) {
			continue
		}
		if err := errors.Join(t.trial(ctx, o, v), save(t)); err != nil {
			return t, err
		}
	}
	if t.Proposal, err = t.propose(ctx, o); err != nil {
		return t, err
	}
	t.print(o.Out)
	return t, save(t)
}

// propose joins what helps. A joint variant has to prove itself.
func (t *Tuned) propose(ctx context.Context, o Options) (Variant, error) {
	joined, top := t.best()
	if len(joined) < 2 {
		return joined, nil
	}
	if err := t.trial(ctx, o, joined); err != nil {
		return nil, err
	}
	last := t.Trials[len(t.Trials)-1]
	if last.Judgement == Worse || last.Judgement == Equal || beats(top, last) {
		return top.Report.Variant, nil
	}
	return joined, nil
}

func (o Options) try(ctx context.Context, v Variant) (Report, error) {
	fmt.Fprintf(o.Out, "\n== %s\n", clean.Line(v.String()).String())
	o.Variant = v
	return Run(ctx, o)
}

func (t *Tuned) trial(ctx context.Context, o Options, v Variant) error {
	r, err := o.try(ctx, v)
	if err != nil {
		return err
	}
	trial := Trial{Report: r}
	trial.Judgement, trial.Why = weighed(t.Base, r)
	t.Trials = append(t.Trials, trial)
	return nil
}

// weighed judges a variant against the base.
func weighed(base, r Report) (Judgement, string) {
	c := Weigh(base, r)
	why := fmt.Sprintf("%d tasks better, %d worse", len(c.Better), len(c.Worse))
	switch gain := len(c.Better) - len(c.Worse); {
	case gain >= clearly:
		return Better, why
	case gain <= -clearly:
		return Worse, why
	case gain < 0:
		return Equal, why
	}
	if saved := c.A.Seconds - c.B.Seconds; saved >= leastSaved && saved >= faster*c.A.Seconds {
		return Faster, fmt.Sprintf("%s, %.0f%% less time", why, 100*saved/c.A.Seconds)
	}
	return Equal, why
}

// best joins the best trial of each setting that helps, and returns the best
// trial of all beside it.
func (t *Tuned) best() (joined Variant, top Trial) {
	byKey := map[string]Trial{}
	for _, trial := range t.Trials {
		if trial.Judgement != Better && trial.Judgement != Faster {
			continue
		}
		for key := range trial.Report.Variant {
			if old, ok := byKey[key]; !ok || beats(trial, old) {
				byKey[key] = trial
			}
		}
		if len(top.Report.Variant) == 0 || beats(trial, top) {
			top = trial
		}
	}
	joined = Variant{}
	for _, trial := range byKey {
		maps.Copy(joined, trial.Report.Variant)
	}
	return joined, top
}

// beats tells whether a solves more than b, or as much in less time.
func beats(a, b Trial) bool {
	x, y := a.Report.Total, b.Report.Total
	if x.Solved != y.Solved {
		return x.Solved > y.Solved
	}
	return x.Seconds < y.Seconds
}

// print writes the figures and the proposal.
func (t *Tuned) print(out io.Writer) {
	const format = "%-32s %8s %8s %8s %8s  %s"
	fmt.Fprintln(out)
	writeRow(out, format, "variant", "solved", "calls", "tokens", "time", "")
	row := func(r Report, note string) {
		s := r.Total
		writeRow(out, format, clean.Line(r.Variant.String()).String(),
			fmt.Sprintf("%d/%d", s.Solved, s.Runs), num(s.Calls), thousands(s.Read+s.Written), seconds(s.Seconds), note)
	}
	row(t.Base, "")
	for _, trial := range t.Trials {
		row(trial.Report, string(trial.Judgement)+": "+trial.Why)
	}
	fmt.Fprintln(out)
	if len(t.Proposal) == 0 {
		fmt.Fprintln(out, "Nothing that was tried beats the configuration as it is.")
		return
	}
	fmt.Fprint(out, t.Profile())
}

// Profile is the proposal as lines of a configuration file, with its figures
// in comments; empty without a proposal.
func (t *Tuned) Profile() string {
	for i := range t.Trials {
		trial := &t.Trials[i]
		if len(t.Proposal) == 0 || !maps.Equal(trial.Report.Variant, t.Proposal) {
			continue
		}
		b, p := t.Base, trial.Report
		return fmt.Sprintf("# %s on %s, measured %s with mm %s:\n# solved %d of %d in %s; before %d of %d in %s\n%s",
			clean.Line(p.Model).String(), p.Machine, p.Date.Format("2006-01-02"), p.Program,
			p.Total.Solved, p.Total.Runs, seconds(p.Total.Seconds),
			b.Total.Solved, b.Total.Runs, seconds(b.Total.Seconds), t.Proposal.profile())
	}
	return ""
}
