package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

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
	write, err := a.sandboxWrite()
	if err != nil {
		return confinement{}, err
	}
	sb, err := sandbox.New(sandbox.Options{Project: ws.Dir(), Environ: a.env, Write: write})
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

// sandboxWrite lists the folders that the user opens to commands, as real paths.
func (a *app) sandboxWrite() ([]string, error) {
	var list []string
	for _, name := range a.cfg.SandboxWrite {
		if rest, ok := strings.CutPrefix(name, "~"+string(filepath.Separator)); ok {
			name = filepath.Join(a.getenv("HOME"), rest)
		}
		path, err := filepath.EvalSymlinks(name)
		if err != nil || !filepath.IsAbs(name) {
			return nil, fmt.Errorf("%s: sandboxWrite: %s is not the absolute path of something that exists", a.cfg.Origins["sandboxWrite"], name)
		}
		list = append(list, path)
	}
	return list, nil
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
		ModesCount:       a.cfg.ACP.Extended,
		AutoApproveReads: a.cfg.Permissions.AutoApproveReads && c.sandbox != nil,
		Sandbox:          c.sandbox != nil,
		Offline:          !a.cfg.SandboxNetwork,
		YoloOutside:      a.opts.yoloOutside,
		Rules:            rules,
		Dir:              ws.Dir(),
		Judge: func(command string) safety.Judgement {
			return safety.JudgeShell(command, env)
		},
	}), nil
}

// permissionRules reads the rules of a configuration, short and long.
func permissionRules(p configs.Permissions) (safety.Rules, error) {
	var specs []safety.RuleSpec
	for _, list := range []struct {
		decision safety.Decision
		where    string
		texts    []string
	}{
		{safety.Allow, "permissions.allow", p.Allow},
		{safety.Ask, "permissions.ask", p.Ask},
		{safety.Deny, "permissions.deny", p.Deny},
	} {
		for _, text := range list.texts {
			specs = append(specs, safety.RuleText(list.decision, text, list.where))
		}
	}
	for _, r := range p.Rules {
		spec, err := ruleSpec(r)
		if err != nil {
			return safety.Rules{}, err
		}
		specs = append(specs, spec)
	}
	return safety.ParseRules(specs)
}

// ruleSpec reads the long form of a rule.
func ruleSpec(r configs.Rule) (safety.RuleSpec, error) {
	s := safety.RuleSpec{Match: r.Match, NotMatch: r.NotMatch, Where: r.Where, Project: r.Project}
	n := 0
	for d, tools := range map[safety.Decision]map[string]string{safety.Allow: r.Allow, safety.Ask: r.Ask, safety.Deny: r.Deny} {
		for tool, pattern := range tools {
			s.Decision, s.Tool, s.Pattern = d, tool, pattern
			n++
		}
	}
	if n != 1 {
		return s, fmt.Errorf(`%s: a rule has one of allow, ask and deny, with one tool: allow: {bash: "go test *"}`, r.Where)
	}
	return s, nil
}

// permissions is "/permissions": what was answered with "always", as rules, and
// with "save" their way into the user's configuration.
func (a *app) permissions(arg string) (string, error) {
	if arg != "" && arg != "save" {
		return "", fmt.Errorf("/permissions takes save, not %q", arg)
	}
	policy := a.asked.Load()
	if policy == nil {
		return "", errors.New("no conversation has begun")
	}
	rules, left := policy.Granted()
	var texts []string
	for _, r := range rules {
		texts = append(texts, r.Text())
	}
	if arg == "save" {
		added, err := configs.Allow(configs.UserFile(), texts)
		if err != nil {
			return "", err
		}
		if len(added) == 0 {
			return "nothing new to save", nil
		}
		return "added to permissions.allow in " + configs.UserFile() + ":\n" + strings.Join(added, "\n"), nil
	}
	if len(rules)+len(left) == 0 {
		return `nothing was allowed with "always" yet; mode ` + string(policy.Mode()), nil
	}
	var b strings.Builder
	fmt.Fprintln(&b, "Allowed in this session, gone at its end; /permissions save keeps it as these rules:")
	for _, text := range texts {
		fmt.Fprintln(&b, "  "+text)
	}
	if len(left) > 0 {
		fmt.Fprintln(&b, "For this session alone, since no rule should allow it:")
	}
	for _, line := range left {
		fmt.Fprintln(&b, "  "+line)
	}
	return b.String(), nil
}
