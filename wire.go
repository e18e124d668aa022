package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mm/agent"
	"mm/agent/session"
	"mm/configs"
	"mm/llm"
	"mm/llm/demo"
	"mm/llm/doctor"
	"mm/llm/openai"
	"mm/safety"
	"mm/skills"
	"mm/tools"
	"mm/tools/proc"
)

// How often front ends get events at most.
const (
	screenInterval = time.Second / 30
	editorInterval = time.Second / 10
)

// app is the program with its parts: what the configuration says, turned into
// the options of each package.
type app struct {
	program
	opts options
	cfg  *configs.Loaded
	cwd  string

	model           *server
	unreached       error // why the server that was chosen cannot be reached
	runner          *proc.Runner
	asked           atomic.Pointer[safety.Policy] // of the last core
	turns           *agent.TurnLock               // turns of all sessions run one after another
	log             io.WriteCloser
	examineTerminal func() doctor.Finding

	mu      sync.Mutex
	closers []func()
}

func newApp(p program, o options, cwd string, cfg *configs.Loaded) (*app, error) {
	a := &app{program: p, opts: o, cfg: cfg, cwd: cwd, model: &server{}, turns: agent.NewTurnLock()}
	a.examineTerminal = a.lookAtTerminal
	var err error
	if o.logFile != "" {
		if a.log, err = os.OpenFile(o.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
			return nil, err
		}
		a.onClose(func() { _ = a.log.Close() })
	}
	if a.runner, err = proc.NewRunner(); err != nil {
		return nil, err
	}
	a.onClose(a.runner.Close)
	return a, nil
}

// onClose registers what is to be given back at the end.
func (a *app) onClose(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closers = append(a.closers, f)
}

// close gives back what was opened, the last first.
func (a *app) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.closers[i]()
	}
	a.closers = nil
}

// clientOptions are those of the configured server.
func (a *app) clientOptions() openai.Options {
	return openai.Options{
		Provider:          a.cfg.Provider,
		BaseURL:           a.cfg.BaseURL,
		APIKey:            a.cfg.APIKey,
		Model:             a.cfg.Model,
		ContextWindow:     a.cfg.ContextWindow,
		FirstTokenTimeout: a.cfg.FirstTokenTimeout,
		WatchdogTimeout:   a.cfg.WatchdogTimeout,
	}
}

// connect chooses the server that the configuration names, or finds one. It
// says in a few words which and why.
func (a *app) connect(ctx context.Context) (string, error) {
	o := a.clientOptions()
	why := "named in the configuration"
	switch {
	case a.cfg.Provider == "demo":
		return a.useDemo()
	case a.cfg.Provider == "auto" && a.cfg.BaseURL != "":
		o.Provider = "openai"
	case a.cfg.Provider == "auto":
		found, err := openai.Discover(ctx, a.getenv)
		if err != nil {
			return "", err
		}
		o.Provider, o.BaseURL, why = found.Provider, found.BaseURL, found.Why
		if o.APIKey == "" {
			o.APIKey = found.APIKey
		}
	}
	a.model.use(o)
	return o.Provider + ": " + why, a.useProfile(ctx)
}

// chooseModel goes on with another model of the same server, and with the
// settings for its family.
func (a *app) chooseModel(ctx context.Context, model string) (*llm.Sampling, error) {
	a.model.choose(model)
	if err := a.useProfile(ctx); err != nil {
		return nil, err
	}
	s := sampling(a.cfg.Config)
	return &s, nil
}

// askAtStart is how long a server may take to say what it serves before the
// program goes on without knowing: it is asked again before each turn.
const askAtStart = time.Second

// useProfile takes up the settings for the family of the model that answers. A
// server that does not answer yet is no error: the first prompt tells.
func (a *app) useProfile(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askAtStart)
	defer cancel()
	info, err := a.model.Info(ctx)
	a.unreached = nil
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Kind == llm.Unreachable {
		a.unreached = e
	}
	if err != nil || info.ID == "" {
		return nil
	}
	cfg, err := a.cfg.WithProfile(info.ID)
	if err != nil {
		return err
	}
	a.cfg = cfg
	a.model.patience(cfg.FirstTokenTimeout, cfg.WatchdogTimeout)
	return nil
}

// demoPace is the pace of the stand-in for people; MM_DEMO_SCRIPT files set
// their own.
func (a *app) useDemo() (string, error) {
	o := demo.Options{Pace: demo.DefaultPace}
	if name := a.getenv("MM_DEMO_SCRIPT"); name != "" {
		script, err := demo.ReadScript(name)
		if err != nil {
			return "", fmt.Errorf("MM_DEMO_SCRIPT: %w", err)
		}
		o = demo.Options{Script: script}
	}
	if a.opts.prompted || a.opts.acp {
		o.Pace = 0
	}
	a.model.use(openai.Options{
		Provider:          "demo",
		BaseURL:           demo.BaseURL,
		FirstTokenTimeout: a.cfg.FirstTokenTimeout,
		WatchdogTimeout:   a.cfg.WatchdogTimeout,
		HTTPClient:        &http.Client{Transport: demo.Transport(o)},
	})
	return "demo: a scripted stand-in for a model", nil
}

func (p program) getenv(name string) string {
	for _, entry := range p.env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// front says what differs from one front end to another.
type front struct {
	unattended bool // nobody can be asked
	askAll     bool // the editor protocol's rule
	interval   time.Duration
	editor     tools.Editor // nil: files are those of the disk

	mode   safety.Mode                       // in place of the configured one
	skills []skills.Layer                    // nearer than all others
	tools  func(agent.Toolbox) agent.Toolbox // in place of the toolbox
}

// core builds the agent for a working directory and a session.
func (a *app) core(cwd string, sess opened, f front) (*agent.Core, error) {
	ws, err := safety.NewWorkspace(cwd, a.protected()...)
	if err != nil {
		return nil, err
	}
	a.onClose(func() { _ = ws.Close() })
	project := brings(cwd, a.cfg.SkillsDir)
	set, warnings := a.skills(f.skills, project)
	seen := tools.NewSeen()
	confined, err := a.confine(ws)
	if err != nil {
		return nil, err
	}
	policy, err := a.policy(ws, f, confined)
	if err != nil {
		return nil, err
	}
	a.asked.Store(policy)
	box, shell, err := a.toolbox(ws, seen, set, policy, confined, f.editor)
	if err != nil {
		return nil, err
	}
	system, err := a.systemPrompt(cwd, ws, box)
	if err != nil {
		return nil, err
	}
	system += a.instructions(project)
	declared := agent.Toolbox(box)
	if f.tools != nil {
		declared = f.tools(box)
	}
	o := agent.Options{
		Model:           a.model,
		Tools:           declared,
		Policy:          policy,
		Session:         sess.session,
		Notices:         slices.Concat(a.cfg.Warnings, warnings, confined.said, sess.said),
		Skills:          named(set),
		System:          system,
		Sampling:        sampling(a.cfg.Config),
		Context:         contextOptions(a.cfg.Context),
		LoopTemperature: a.cfg.LoopTemperature,
		MaxTurns:        a.cfg.MaxTurns,
		NoTextCalls:     !a.cfg.TextCalls,
		Grounding:       a.cfg.Grounding,
		Shape:           agent.Shape{MergeSystem: a.cfg.Family.SystemInUser, Alternate: a.cfg.Family.Alternates},
		Repairs: agent.Repairs{
			NoSalvage:    !a.cfg.Salvage,
			SalvageCalls: a.cfg.SalvageCalls,
			NoConstrain:  a.cfg.Constrain == "off",
			NoCheckWork:  !a.cfg.CheckWork,
		},
		Prewarm:       a.cfg.Prewarm,
		IdleSteps:     a.cfg.IdleSteps,
		Restore:       restorer(ws),
		Cleared:       seen.Reset,
		Unattended:    f.unattended,
		Unconfined:    confined.sandbox == nil,
		TurnLock:      a.turns,
		BatchInterval: f.interval,
	}
	if a.cfg.CheckEdits {
		faultOf := tools.SyntaxFaults(ws.Dir())
		o.Check = func(ctx context.Context, c tools.Change) string { return faultOf(ctx, ws.Display(c.Path), c) }
	}
	if a.log != nil {
		o.Log = a.log
	}
	if sess.store != nil {
		o.Store = sess.store
	}
	if shell != nil {
		o.Shell = shell
	}
	return agent.New(o), nil
}

// protected lists the program's own folders outside of projects.
func (a *app) protected() []string {
	if file := configs.UserFile(); file != "" {
		return []string{filepath.Dir(file)}
	}
	return nil
}

// skills loads the procedures: those of a trusted project, the user's own, and
// the built-in ones.
func (a *app) skills(nearer []skills.Layer, project brought) (skills.Set, []string) {
	layers := slices.Clone(nearer)
	for _, f := range project.skills {
		if f.Trusted {
			layers = append(layers, skills.Layer{Name: "project", Set: f.set})
		}
	}
	if dir := a.cfg.SkillsDir; filepath.IsAbs(dir) { // a project's lies inside of it
		layers = append(layers, skills.Layer{Name: "user", FS: os.DirFS(dir), Dir: dir})
	}
	if file := configs.UserFile(); file != "" {
		dir := filepath.Join(filepath.Dir(file), "skills")
		layers = append(layers, skills.Layer{Name: "user", FS: os.DirFS(dir), Dir: dir})
	}
	set, warnings := skills.Load(append(layers, skills.Builtin())...)
	return set, append(project.said(), warnings...)
}

// named is what the agent shows of skills.
func named(set skills.Set) []agent.Skill {
	var list []agent.Skill
	for _, s := range set {
		list = append(list, agent.Skill{Name: s.Name, Description: s.Description})
	}
	return list
}

// repairArgs mends the JSON of a call's arguments. A cut text stays as it is:
// half a file must not be written.
func repairArgs(raw string) (string, bool) {
	repaired, _, err := llm.RepairArgs(raw)
	return repaired, err == nil
}

// Bounds of a tool's output, in characters, where the configuration sets none.
const (
	outputShare   = 0.15 // of the window
	outputLeast   = 2_000
	outputMost    = 16_000
	charsPerToken = 3.5
)

// maxOutput is how many characters of a tool's output the model reads.
func (a *app) maxOutput() int {
	window := a.model.known().ContextWindow
	switch {
	case a.cfg.MaxOutput > 0:
		return a.cfg.MaxOutput
	case window == 0:
		return outputMost
	}
	return min(outputMost, max(outputLeast, int(outputShare*charsPerToken*float64(window))))
}

// systemPrompt is the configured one, or the built-in one for these tools.
func (a *app) systemPrompt(cwd string, ws *safety.Workspace, box *tools.Toolbox) (string, error) {
	switch {
	case a.cfg.SystemPromptFile != "":
		return a.promptFile(ws)
	case a.cfg.SystemPrompt != "":
		return a.cfg.SystemPrompt, nil
	}
	s := agent.Surroundings{Cwd: cwd, System: runtime.GOOS + "/" + runtime.GOARCH, Shell: filepath.Base(a.runner.Shell())}
	for _, spec := range box.Specs() {
		switch spec.Name {
		case "bash":
			s.Bash = true
		case "edit_file":
			s.Edit = true
		case "read_skill":
			s.Skills = true
		}
	}
	return agent.SystemPrompt(a.cfg.Prompt, s)
}

// maxPromptFile bounds a file with a system prompt, in bytes: more would leave
// no room in any window that mm is made for.
const maxPromptFile = 256 << 10

// promptFile reads the configured system prompt. One that a project names lies
// in the project, links resolved: a repository must not put files of the user
// into requests.
func (a *app) promptFile(ws *safety.Workspace) (string, error) {
	name := a.cfg.SystemPromptFile
	p, err := ws.Resolve(name, safety.Read)
	if err != nil {
		return "", fmt.Errorf("systemPromptFile %s cannot be read", name)
	}
	if prj := a.cfg.Project; prj != nil && strings.HasPrefix(a.cfg.Origins["systemPromptFile"], prj.Path+":") && p.Class != safety.Inside {
		return "", fmt.Errorf("systemPromptFile %s is %s; a project names files of its own only", name, p.Reason)
	}
	f, err := ws.ReadFile(p, maxPromptFile)
	switch {
	case err != nil:
		if missing, ok := errors.AsType[*fs.PathError](err); ok {
			err = missing.Err // its path is the end of the name
		}
		return "", fmt.Errorf("systemPromptFile %s: %w", name, err)
	case !f.Whole():
		return "", fmt.Errorf("systemPromptFile %s is larger than %d bytes", name, maxPromptFile)
	}
	return string(f.Data), nil
}

func contextOptions(c configs.Context) agent.Context {
	return agent.Context{
		Enabled:          c.Enabled,
		MaskAt:           c.MaskAt,
		MaskTo:           c.MaskTo,
		CompactAt:        c.CompactAt,
		MaskAfterTurns:   c.MaskAfterTurns,
		KeepLastTurns:    c.KeepLastTurns,
		SummaryMaxTokens: c.SummaryMaxTokens,
		MaxMessages:      c.MaxMessages,
	}
}

func sampling(c configs.Config) llm.Sampling {
	s := c.Sampling
	return llm.Sampling{
		ThinkingBudget:    c.ThinkingBudget,
		Temperature:       s.Temperature,
		TopP:              s.TopP,
		MaxTokens:         s.MaxTokens,
		ParallelToolCalls: s.ParallelToolCalls,
		TopK:              s.TopK,
		MinP:              s.MinP,
		RepeatPenalty:     s.RepeatPenalty,
		PresencePenalty:   s.PresencePenalty,
		FrequencyPenalty:  s.FrequencyPenalty,
		Seed:              s.Seed,
	}
}

// restorer writes files back for undo, through the same checks as the tools.
func restorer(ws *safety.Workspace) func(path string, data, expect []byte) error {
	return func(path string, data, expect []byte) error {
		p, err := ws.Resolve(path, safety.Write)
		if err != nil {
			return err
		}
		if data == nil {
			err = ws.Remove(p, expect)
		} else {
			err = ws.Replace(p, data, expect, 0o644)
		}
		if errors.Is(err, safety.ErrChanged) {
			return errors.New("it changed since")
		}
		return err
	}
}

// store opens the sessions of a directory, or returns nil when they are
// turned off.
func (a *app) store(cwd string) (*session.Store, error) {
	if !a.cfg.Sessions.Enabled {
		return nil, nil
	}
	dir := a.cfg.Sessions.Dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	s, err := session.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return s, nil
}
