package eval

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
)

func TestWeighed(t *testing.T) {
	t.Parallel()
	base := report(10, "a", "+", "b", "-", "c", "-", "d", "+")
	for name, tc := range map[string]struct {
		r    Report
		want Judgement
	}{
		"two more":                {report(10, "a", "+", "b", "+", "c", "+", "d", "+"), Better},
		"one more is chance":      {report(10, "a", "+", "b", "+", "c", "-", "d", "+"), Equal},
		"two fewer":               {report(1, "a", "-", "b", "-", "c", "-", "d", "-"), Worse},
		"one fewer, though fast":  {report(1, "a", "-", "b", "-", "c", "-", "d", "+"), Equal},
		"the same in less time":   {report(8, "a", "+", "b", "-", "c", "-", "d", "+"), Faster},
		"the same, a little less": {report(9.5, "a", "+", "b", "-", "c", "-", "d", "+"), Equal},
		"slower":                  {report(20, "a", "+", "b", "-", "c", "-", "d", "+"), Equal},
	} {
		if got, why := weighed(base, tc.r); got != tc.want || why == "" {
			t.Errorf("%s: got %s (%s), want %s", name, got, why, tc.want)
		}
	}
	quick, quicker := report(0.1, "a", "+"), report(0.01, "a", "+")
	if got, _ := weighed(quick, quicker); got != Equal {
		t.Errorf("less than a second counts as %s", got)
	}
}

// tuned runs Tune on three tasks, each of which a model solves under the
// variants that solves says.
func tuned(t *testing.T, variants []Variant, solves func(task string, v Variant) bool) (Tuned, string) {
	t.Helper()
	var tasks []Task
	for _, name := range []string{"one", "two", "three"} {
		task := sampleTask(t)
		task.Name, task.Prompts = name, []string{name}
		tasks = append(tasks, task)
	}
	var out strings.Builder
	saved := 0
	got, err := Tune(t.Context(), Options{
		Tasks: tasks, Temp: t.TempDir(), Out: &out, Program: "0.1",
		Config: map[string]string{KeyPrompt: "full", KeyPlanTool: "true"},
		New:    tuneRig(t, tasks, solves),
	}, variants, func(Tuned) error { saved++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if saved < len(got.Trials) {
		t.Errorf("saved %d times, want once for each of %d trials", saved, len(got.Trials))
	}
	return got, out.String()
}

// tuneRig gives the tasks in turn a model that solves them or only talks.
func tuneRig(t *testing.T, tasks []Task, solves func(string, Variant) bool) NewFunc {
	n := 0
	return rig{t: t, model: func(s Setup) agent.Model {
		task := tasks[n%len(tasks)].Name
		n++
		if solves(task, s.Variant) {
			return agenttest.NewModel(agenttest.Call("edit_file", rightEdit), agenttest.Say("Done."))
		}
		return agenttest.NewModel(agenttest.Say("Done."))
	}}.new
}

func TestTuneProposesWhatHelps(t *testing.T) {
	t.Parallel()
	short := Variant{KeyPrompt: "short"}
	got, out := tuned(t, []Variant{{KeyPrompt: "full"}, short, {KeyPlanTool: "false"}}, func(task string, v Variant) bool {
		return v[KeyPrompt] == "short" || task == "one" && v[KeyPlanTool] == ""
	})
	if !maps.Equal(got.Proposal, short) {
		t.Errorf("proposed %v, want %v", got.Proposal, short)
	}
	// What is configured already is not tried.
	if len(got.Trials) != 2 {
		t.Errorf("%d trials, want 2", len(got.Trials))
	}
	for _, want := range []string{"promptVariant: short\n", "solved 3 of 3", "before 1 of 3", "better: 2 tasks better, 0 worse"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}

func TestTuneJoinsAndConfirms(t *testing.T) {
	t.Parallel()
	// Together they solve everything.
	variants := []Variant{{KeyPrompt: "short"}, {KeyPlanTool: "false"}}
	got, _ := tuned(t, variants, func(task string, v Variant) bool {
		return task != "three" && len(v) > 0 || len(v) > 1
	})
	if want := (Variant{KeyPrompt: "short", KeyPlanTool: "false"}); !maps.Equal(got.Proposal, want) || len(got.Trials) != 3 {
		t.Errorf("proposed %v after %d trials, want %v after 3", got.Proposal, len(got.Trials), want)
	}
	// Together they do harm: the better of the two stays.
	got, _ = tuned(t, variants, func(task string, v Variant) bool {
		return len(v) == 1 && (v[KeyPlanTool] != "" || task != "three")
	})
	if want := (Variant{KeyPlanTool: "false"}); !maps.Equal(got.Proposal, want) {
		t.Errorf("proposed %v, want %v", got.Proposal, want)
	}
}

func TestTuneProposesNothing(t *testing.T) {
	t.Parallel()
	got, out := tuned(t, []Variant{{KeyPrompt: "short"}}, func(string, Variant) bool { return true })
	if len(got.Proposal) != 0 || got.Profile() != "" || !strings.Contains(out, "Nothing that was tried") {
		t.Errorf("proposed %v:\n%s", got.Proposal, out)
	}
}

func TestTuneStopsOnAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("unknown key")
	build := scripted(t, agenttest.Say("Done."))
	_, err := Tune(t.Context(), Options{
		Tasks: []Task{sampleTask(t)}, Temp: t.TempDir(),
		New: func(ctx context.Context, s Setup) (Core, func(), error) {
			if len(s.Variant) > 0 {
				return nil, nil, broken
			}
			return build(ctx, s)
		},
	}, []Variant{{"x": "1"}}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestVariantsChangeOneSettingEach(t *testing.T) {
	t.Parallel()
	for _, v := range Variants() {
		if len(v) != 1 {
			t.Errorf("%s changes %d settings", v, len(v))
		}
	}
}
