package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mm/agent"
	"mm/agent/eval"
	"mm/agent/gauntlet"
	"mm/agent/session"
	"mm/configs"
	"mm/llm"
	"mm/llm/openai"
	"mm/safety"
	"mm/tools/proc"
)

// evalKeys are the settings that bear on the result of an evaluation, under
// the names that its variants use. Those that differ from the key of the
// configuration are mapped to it.
var evalKeys = map[string]string{
	"promptVariant":        "prompt",
	"planTool":             "planTool",
	"searchTools":          "searchTools",
	"maxOutput":            "maxOutput",
	"loopTemperature":      "loopTemperature",
	"profile":              "profile",
	"sampling.temperature": "sampling.temperature",
	"sampling.max_tokens":  "sampling.max_tokens",
}

// eval is "mm eval".
func (a *app) eval(ctx context.Context, args []string) int {
	env := eval.Env{Out: a.out, Err: a.err, New: a.evalCore, Program: version, Config: map[string]string{}}
	for name, key := range evalKeys {
		env.Config[name] = fmt.Sprint(a.cfg.Value(key))
	}
	if !slices.ContainsFunc(args, needsNoModel) {
		if _, err := a.connect(ctx); err != nil {
			return a.fail(errors.New(llm.Explain(err, llm.ModelInfo{Provider: a.cfg.Provider, BaseURL: a.cfg.BaseURL})))
		}
	}
	return eval.Main(ctx, args, env)
}

// needsNoModel tells whether an argument of "mm eval" only shows something.
func needsNoModel(arg string) bool {
	return slices.Contains([]string{"compare", "list", "help", "h"}, strings.TrimLeft(arg, "-"))
}

// evalCore builds the agent of one task: a folder of its own, nothing asked,
// nothing kept, no work in idle time, so that the figures are the task's.
func (a *app) evalCore(ctx context.Context, s eval.Setup) (eval.Core, func(), error) {
	o := a.opts
	o.values = maps.Clone(o.values)
	for name, value := range s.Variant {
		key, ok := evalKeys[name]
		if !ok {
			return nil, nil, fmt.Errorf("the variant sets %q, which is no setting of an evaluation", name)
		}
		o.values[key] = value
	}
	src := a.sources(o, "")
	cfg, err := configs.Load(src)
	if err != nil {
		return nil, nil, err
	}
	if cfg, err = cfg.WithProfile(a.model.known().ID); err != nil {
		return nil, nil, err
	}
	return a.taskCore(s, cfg, o, a.model)
}

// taskCore builds a core that works in a folder on its own.
func (a *app) taskCore(s eval.Setup, cfg *configs.Loaded, o options, model *server) (eval.Core, func(), error) {
	cfg.MaxTurns, cfg.Prewarm, cfg.IdleSteps = s.MaxTurns, false, false
	runner, err := proc.NewRunner()
	if err != nil {
		return nil, nil, err
	}
	task := &app{program: a.program, opts: o, cfg: cfg, cwd: s.Dir, model: model, runner: runner, turns: agent.NewTurnLock(), log: a.log}
	task.onClose(runner.Close)
	core, err := task.core(s.Dir, opened{session: session.New(s.Dir, time.Now())}, front{
		unattended: true, mode: safety.Yolo, skills: s.Skills, tools: s.Tools,
	})
	if err != nil {
		task.close()
		return nil, nil, err
	}
	return core, task.close, nil
}

// gauntlet is "mm gauntlet": it says whether every fault was survived. The
// configuration of the user plays no part in it.
func (a *app) gauntlet(ctx context.Context, args []string) int {
	faults, err := gauntlet.Faults()
	if err != nil {
		return a.fail(err)
	}
	for _, name := range args {
		if !slices.ContainsFunc(faults, func(f gauntlet.Fault) bool { return f.Name == name }) {
			return a.usage(fmt.Sprintf("there is no fault %q; mm gauntlet alone runs and names all", name))
		}
	}
	if len(args) > 0 {
		faults = slices.DeleteFunc(faults, func(f gauntlet.Fault) bool { return !slices.Contains(args, f.Name) })
	}
	rows, err := gauntlet.Run(ctx, faults, a.gauntletCore, a.out)
	if err != nil {
		return a.fail(err)
	}
	passed := 0
	for _, r := range rows {
		if r.Passed {
			passed++
		}
	}
	fmt.Fprintf(a.out, "%d of %d faults passed\n", passed, len(rows))
	if passed < len(rows) {
		return exitError
	}
	return exitOK
}

// gauntletCore builds the agent of one fault, on its scripted server.
func (a *app) gauntletCore(_ context.Context, s eval.Setup, baseURL string, set map[string]string) (eval.Core, func(), error) {
	cfg, err := configs.Load(configs.Sources{Flags: set})
	if err != nil {
		return nil, nil, err
	}
	model := &server{}
	model.use(openai.Options{
		Provider:          openai.LlamaCpp,
		BaseURL:           baseURL,
		FirstTokenTimeout: cfg.FirstTokenTimeout,
		WatchdogTimeout:   cfg.WatchdogTimeout,
	})
	return a.taskCore(s, cfg, a.opts, model)
}
