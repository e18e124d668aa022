package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"mm/configs"
	"mm/safety"
	"mm/safety/sandbox"
)

// confinement is what keeps commands of one project in bounds.
type confinement struct {
	sandbox *sandbox.Sandbox // nil: there is none
	said    []string         // lines for the user
}

// confine makes the sandbox of a project as the configuration says.
func (a *app) confine(ws *safety.Workspace) (confinement, error) {
	if a.cfg.Sandbox == "off" {
		return confinement{said: []string{sandbox.Report{Why: "switched off in the configuration"}.Line()}}, nil
	}
	sb, err := sandbox.New(sandbox.Options{Project: ws.Dir(), Environ: a.env})
	switch {
	case err == nil:
		a.onClose(func() { _ = sb.Close() }) // temporary files that stay do no harm
		c := confinement{sandbox: sb}
		if home, err := filepath.EvalSymlinks(a.getenv("HOME")); err == nil && home == ws.Dir() {
			c.said = []string{"the project is your home folder: commands that you approve may change all that is in it"}
		}
		return c, nil
	case a.cfg.Sandbox == "required":
		return confinement{}, fmt.Errorf("%w, and the configuration has sandbox: required", err)
	}
	return confinement{said: []string{sandbox.Probe().Line()}}, nil
}

// policy makes the policy of a session in a project.
func (a *app) policy(ws *safety.Workspace, f front, c confinement) (*safety.Policy, error) {
	rules, err := permissionRules(a.cfg.Permissions)
	if err != nil {
		return nil, err
	}
	env := rules.Shell(ws.ShellEnv(a.getenv), ws.Dir())
	return safety.NewPolicy(safety.Options{
		Mode:             cmp.Or(f.mode, safety.Mode(a.cfg.Permissions.Mode)),
		AskAll:           f.askAll,
		AutoApproveReads: c.sandbox != nil,
		Sandbox:          c.sandbox != nil,
		Rules:            rules,
		Dir:              ws.Dir(),
		Judge: func(command string) safety.Judgement {
			return safety.JudgeShell(command, env)
		},
	}), nil
}

// permissionRules reads the short forms of rules.
func permissionRules(p configs.Permissions) (safety.Rules, error) {
	var specs []safety.RuleSpec
	for d, list := range map[safety.Decision][]string{safety.Allow: p.Allow, safety.Deny: p.Deny} {
		for _, text := range list {
			where := map[safety.Decision]string{safety.Allow: "permissions.allow", safety.Deny: "permissions.deny"}[d]
			specs = append(specs, safety.RuleText(d, text, where))
		}
	}
	slices.SortStableFunc(specs, func(a, b safety.RuleSpec) int { return cmp.Compare(a.Where, b.Where) })
	return safety.ParseRules(specs)
}
