package eval

import (
	"context"
	"strings"
	"testing"
	"time"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/skills"
	"mm/tools"
	"mm/tools/proc"
)

// rig builds cores with the real tools and a scripted model.
type rig struct {
	t *testing.T

	// model scripts the model of one core.
	model func(Setup) agent.Model

	mode safety.Mode // empty: Yolo, as a program would pass it
}

// scripted is a rig whose model gives the same replies in each run.
func scripted(t *testing.T, replies ...agenttest.Reply) NewFunc {
	t.Helper()
	return rig{t: t, model: func(Setup) agent.Model { return agenttest.NewModel(replies...) }}.new
}

func (r rig) new(_ context.Context, s Setup) (Core, func(), error) {
	ws, err := safety.NewWorkspace(s.Dir)
	if err != nil {
		return nil, nil, err
	}
	runner, err := proc.NewRunner()
	if err != nil {
		return nil, nil, err
	}
	noLimit := func() int { return 0 }
	set, warnings := skills.Load(append(s.Skills, skills.Builtin())...)
	if len(warnings) > 0 {
		r.t.Errorf("skills: %q", warnings)
	}
	f := tools.Files{Workspace: ws, Seen: tools.NewSeen(), MaxOutput: noLimit, PartSize: 6000}
	box, err := tools.NewToolbox(tools.ToolboxOptions{Repair: repairArgs},
		tools.NewReadFile(f), tools.NewWriteFile(f), tools.NewEditFile(f),
		tools.NewBash(tools.BashOptions{Dir: s.Dir, Runner: runner}),
		tools.NewReadSkill(set, noLimit),
	)
	if err != nil {
		return nil, nil, err
	}
	var offered []agent.Skill
	for _, skill := range set {
		offered = append(offered, agent.Skill{Name: skill.Name, Description: skill.Description})
	}
	mode := r.mode
	if mode == "" {
		mode = safety.Yolo
	}
	core := agent.New(agent.Options{
		Model:    r.model(s),
		Tools:    s.Tools(box),
		Policy:   safety.NewPolicy(safety.Options{Mode: mode}),
		Session:  session.New(s.Dir, time.Now()),
		System:   "You are a test.",
		Skills:   offered,
		MaxTurns: s.MaxTurns,
	})
	return core, func() {
		runner.Close()
		_ = ws.Close() // nothing can be done about it here
	}, nil
}

// parsed makes the tasks of an archive.
func parsed(t *testing.T, archive string) []Task {
	t.Helper()
	tasks, err := Parse("sample", []byte(strings.TrimPrefix(archive, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// evaluated runs tasks and returns the report.
func evaluated(t *testing.T, o Options) Report {
	t.Helper()
	o.Temp = t.TempDir()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// one runs a task once.
func one(t *testing.T, task Task, build NewFunc) Result {
	t.Helper()
	r := evaluated(t, Options{Tasks: []Task{task}, New: build})
	if len(r.Results) != 1 {
		t.Fatalf("%d results, want 1", len(r.Results))
	}
	return r.Results[0]
}

func repairArgs(raw string) (string, bool) {
	repaired, _, err := llm.RepairArgs(raw)
	return repaired, err == nil
}
