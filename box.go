package main

import (
	"context"
	"os/exec"

	"mm/safety"
	"mm/skills"
	"mm/tools"
	"mm/tools/lspclient"
)

// toolbox builds the tools that the configuration turns on, and the shell of
// the user's own commands.
func (a *app) toolbox(ws *safety.Workspace, seen *tools.Seen, set skills.Set, policy *safety.Policy, confined confinement, editor tools.Editor) (*tools.Toolbox, func(context.Context, string, tools.Sink) tools.Result, error) {
	files := tools.Files{
		Workspace: ws,
		Seen:      seen,
		Editor:    editor,
		MaxOutput: a.maxOutput,
		PartSize:  a.cfg.Sampling.MaxTokens * 3 / 2,
	}
	if a.cfg.CheckEdits {
		files.Check = tools.SyntaxCheck(ws.Dir())
	}
	var list []tools.Tool
	lsp, err := a.lspTool(files, confined)
	if err != nil {
		return nil, nil, err
	}
	if lsp != nil {
		files.Check = tools.FirstCheck(files.Check, lsp.Check)
		list = append(list, lsp)
	}
	if a.cfg.EditTools {
		list = append(list, tools.NewReadFile(files), tools.NewWriteFile(files), tools.NewEditFile(files))
	}
	var shell func(context.Context, string, tools.Sink) tools.Result
	if a.cfg.BashTool {
		o := tools.BashOptions{
			Dir:        ws.Dir(),
			Timeout:    a.cfg.BashTimeout,
			MaxOutput:  a.maxOutput,
			Runner:     a.runner,
			CheckWrite: files.CheckWrite,
			Watch:      ws.Watch,
		}
		if confined.sandbox != nil {
			o.Sandbox = confined.sandbox
		}
		bash := tools.NewBash(o)
		list = append(list, bash)
		shell = bash.RunLine
	}
	if a.cfg.PlanTool {
		list = append(list, tools.Checklist{})
	}
	if a.cfg.SearchTools || !a.cfg.BashTool {
		list = append(list, tools.NewGrep(files), tools.NewGlob(files))
	}
	if a.cfg.FetchContentTool {
		client, err := safety.NewFetchClient(safety.FetchOptions{AllowHosts: a.cfg.Fetch.AllowHosts})
		if err != nil {
			return nil, nil, err
		}
		list = append(list, tools.NewFetchContent(tools.FetchOptions{
			Files:  files,
			Client: client,
			Follow: func(host string) bool {
				next := safety.Action{Tool: "fetch_content", Op: safety.Fetch, Host: host}
				return policy.Decide(next).Decision == safety.Allow
			},
		}))
	}
	if len(set) > 0 {
		list = append(list, tools.NewReadSkill(set, a.maxOutput))
	}
	box, err := tools.NewToolbox(tools.ToolboxOptions{Repair: repairArgs}, list...)
	return box, shell, err
}

// lspTool makes the lsp tool of the servers that are configured and
// installed; nil when there is none. They run the project's code, and so in
// the sandbox, without a network.
func (a *app) lspTool(files tools.Files, confined confinement) (*tools.LSP, error) {
	configured := map[string]lspclient.Server{}
	for name, server := range a.cfg.LSP {
		configured[name] = lspclient.Server{Command: server.Command, Extensions: server.Extensions}
	}
	servers, _ := lspclient.Find(configured, files.Workspace.Dir(), exec.LookPath) // the doctor names the missing
	if len(servers) == 0 {
		return nil, nil
	}
	o := tools.LSPOptions{Files: files, Servers: servers, Env: safety.ScrubEnv(a.env), NoRename: !a.cfg.EditTools}
	if sb := confined.sandbox; sb != nil {
		env, err := sb.Environ(safety.TierWrite, o.Env)
		if err != nil {
			return nil, err
		}
		o.Env = env
		o.Start = func(cmd *exec.Cmd) error { return sb.Start(cmd, safety.TierWrite) }
	}
	lsp := tools.NewLSP(o)
	a.onClose(lsp.Close)
	return lsp, nil
}
