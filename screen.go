package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/charmbracelet/x/term"

	"mm/agent"
	"mm/configs"
	"mm/llm"
	"mm/llm/doctor"
	"mm/llm/openai"
	"mm/safety"
	"mm/tools"
	"mm/ui"
	"mm/ui/transcript"
)

// screen is the full-screen program.
func (a *app) screen(ctx context.Context) int {
	if !term.IsTerminal(a.in.Fd()) || !term.IsTerminal(a.out.Fd()) {
		return a.fail(errors.New("there is no terminal here: use mm -p \"...\" for one prompt"))
	}
	if a.getenv("TERM") == "dumb" {
		return a.fail(errors.New("this terminal (TERM=dumb) cannot show a screen: use mm -p \"...\" for one prompt"))
	}
	terminal := a.lookAtTerminal() // standard output is another once the screen is up
	a.examineTerminal = func() doctor.Finding { return terminal }
	if err := a.trustAtStart(ctx); err != nil {
		return a.fail(err)
	}
	r := &runs{ctx: ctx}
	defer r.stop()
	var starting sync.Mutex
	o := ui.Options{
		Cwd: a.cwd, Version: version, LogFile: a.logFile(),
		Look: ui.Look{
			Theme:        a.cfg.Theme,
			PreviewLines: a.cfg.PreviewLines,
			ContextMarks: []float64{a.cfg.Context.MaskAt, a.cfg.Context.CompactAt},
		},
		Owner: ui.Owner{
			Start: func(ctx context.Context) (ui.Core, *ui.FirstRun, error) {
				starting.Lock()
				defer starting.Unlock()
				return a.begins(ctx, r)
			},
			Files:     a.listFiles,
			Branch:    func() string { return branch(a.cwd) },
			Jobs:      a.jobs,
			Models:    a.modelChoices(r),
			Providers: a.providerChoices(r),
			Sessions:  a.sessionChoices(r),
			Commands:  a.commands(r),
		},
	}
	o.Home, _ = os.UserHomeDir() // for the header alone
	if file := configs.UserFile(); file != "" {
		dir := filepath.Dir(file)
		o.HistoryFile = filepath.Join(dir, "history")
		if themes := filepath.Join(dir, "themes"); isDir(themes) {
			o.UserThemes = os.DirFS(themes)
		}
	}
	err := ui.Run(ctx, nil, o)
	starting.Lock() // a start under way ends soon, since ctx has
	if err != nil {
		return a.fail(err)
	}
	return exitOK
}

// begins connects and opens the session that the command line names. Where no
// server answers it returns what can be done.
func (a *app) begins(ctx context.Context, r *runs) (ui.Core, *ui.FirstRun, error) {
	if err := a.reach(ctx); err != nil {
		return nil, a.firstRun(r, err), nil
	}
	core, err := a.begin(r, a.open)
	return core, nil, err
}

// jobs lists the commands that go on in the background.
func (a *app) jobs() []string {
	var list []string
	for _, j := range a.runner.Jobs() {
		list = append(list, cmp.Or(j.Command, fmt.Sprint("process ", j.PID)))
	}
	return list
}

// maxListed bounds the files that "@" offers.
const maxListed = 20_000

// listFiles lists the files of the project.
func (a *app) listFiles(ctx context.Context) ([]string, error) {
	ws, err := safety.NewWorkspace(a.cwd)
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	return tools.ListFiles(ctx, ws, maxListed)
}

// logFile is where what is printed and what panics goes while the screen is
// up: the file of -log, or one in the user's cache.
func (a *app) logFile() string {
	if a.opts.logFile != "" {
		return a.opts.logFile
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir = filepath.Join(dir, "mm")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	return filepath.Join(dir, "screen.log")
}

// runs keeps the running core, one at a time.
type runs struct {
	ctx context.Context

	mu      sync.Mutex
	core    *agent.Core
	cancel  context.CancelFunc
	done    chan struct{}
	id      string // of the session
	release func() // gives the session's lock back
}

func (r *runs) session() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

// start runs a core. The session's lock is given back when it has ended.
func (r *runs) start(core *agent.Core, sess opened) ui.Core {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.ctx))
	r.core, r.cancel, r.done = core, cancel, make(chan struct{})
	r.id, r.release = sess.session.ID, sess.release
	go func(done chan struct{}) {
		defer close(done)
		_ = core.Run(ctx) // it ends by ctx alone
	}(r.done)
	return core
}

// do sends a command to the running core.
func (r *runs) do(cmd agent.Command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.core == nil {
		return agent.ErrClosed
	}
	return r.core.Do(cmd)
}

// stop ends the running core: its commands are killed, its session is kept.
func (r *runs) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.core == nil {
		return
	}
	r.cancel()
	for range r.core.Events() { //nolint:revive // the core needs a reader until it has ended
	}
	<-r.done
	r.release()
	r.core = nil
}

// reach connects, and wants the server to be there.
func (a *app) reach(ctx context.Context) error {
	if _, err := a.connect(ctx); err != nil {
		return err
	}
	return a.unreached
}

// begin opens a session and starts its core, in place of the one before, which
// goes on where that fails.
func (a *app) begin(r *runs, open func() (opened, error)) (ui.Core, error) {
	sess, err := open()
	if err != nil {
		return nil, err
	}
	core, err := a.core(a.cwd, sess, front{interval: screenInterval})
	if err != nil {
		sess.release()
		return nil, err
	}
	r.stop()
	return r.start(core, sess), nil
}

// firstRun is what is offered when no server was found.
func (a *app) firstRun(r *runs, cause error) *ui.FirstRun {
	f := &ui.FirstRun{Starts: []ui.Start{
		{Name: "llama-server", Command: "llama-server -m MODEL.gguf --jinja -c 16384"},
		{Name: "Docker Model Runner", Command: "docker model run ai/qwen3"},
		{Name: "Ollama", Command: "ollama serve"},
		{Name: "LM Studio", Command: "lms server start"},
		{Name: "vLLM", Command: "vllm serve MODEL"},
	}}
	url := a.cfg.BaseURL
	if p, ok := openai.Defaults(a.cfg.Provider); ok && url == "" {
		url = p.BaseURL
	}
	found := llm.Explain(cause, llm.ModelInfo{Provider: a.cfg.Provider, BaseURL: url})
	if a.cfg.Provider == "auto" && a.cfg.BaseURL == "" {
		for _, name := range []string{openai.LlamaCpp, openai.DMR, openai.Ollama, openai.LMStudio, openai.VLLM} {
			p, _ := openai.Defaults(name)
			f.Probed = append(f.Probed, ui.Probe{Name: name, URL: p.BaseURL, Found: "no answer"})
		}
	} else {
		f.Probed = []ui.Probe{{Name: a.cfg.Provider, URL: url, Found: found}}
	}
	f.Retry = func(ctx context.Context) (ui.Core, *ui.FirstRun, error) { return a.begins(ctx, r) }
	f.Enter = func(ctx context.Context, url string) (ui.Core, *ui.FirstRun, error) {
		opts := a.clientOptions()
		opts.Provider, opts.BaseURL = openai.OpenAI, url
		if _, err := openai.New(opts).Names(ctx); err != nil {
			said := llm.Explain(err, llm.ModelInfo{Provider: openai.OpenAI, BaseURL: url})
			return nil, nil, errors.New(strings.ReplaceAll(said, "baseURL", "the URL")) // it is not of the configuration
		}
		a.model.use(opts)
		if err := a.useProfile(ctx); err != nil {
			return nil, nil, err
		}
		core, err := a.begin(r, a.open)
		return core, nil, err
	}
	f.Demo = func(context.Context) (ui.Core, error) {
		if _, err := a.useDemo(); err != nil {
			return nil, err
		}
		return a.begin(r, a.open)
	}
	return f
}

// modelChoices lists the models that the server has.
func (a *app) modelChoices(r *runs) *ui.Choices {
	return &ui.Choices{
		Heads: []string{"window", "params", "quant", "file", ""},
		List: func(ctx context.Context) ([]ui.Choice, error) {
			client, err := a.model.current()
			if err != nil {
				return nil, err
			}
			models, err := client.Models(ctx)
			if err != nil {
				return nil, errors.New(llm.Explain(err, llm.ModelInfo{Provider: client.Provider(), BaseURL: client.BaseURL()}))
			}
			known := a.model.known()
			var list []ui.Choice
			for _, m := range models {
				current := m.ID == known.ID
				if current && known.ContextWindow > 0 {
					m.ContextWindow, m.WindowIsMaximum = known.ContextWindow, known.WindowIsMaximum
				}
				list = append(list, ui.Choice{ID: m.ID, Details: describe(m), Current: current})
			}
			return list, nil
		},
		Use: func(ctx context.Context, id string) (ui.Core, error) {
			sampling, err := a.chooseModel(ctx, id)
			if err != nil {
				return nil, err
			}
			return nil, r.do(agent.AskModel{Sampling: sampling})
		},
	}
}

// describe is what is known of a model, under the heads of modelChoices.
func describe(m llm.ListedModel) []string {
	window, file, state := "", "", ""
	if m.ContextWindow > 0 {
		window = transcript.Count(m.ContextWindow)
	}
	if m.WindowIsMaximum {
		window = "max " + window
	}
	switch {
	case m.Bytes >= 1e9:
		file = fmt.Sprintf("%.1f GB", float64(m.Bytes)/1e9)
	case m.Bytes > 0:
		file = fmt.Sprintf("%.0f MB", float64(m.Bytes)/1e6)
	}
	if m.Loaded {
		state = "loaded"
	}
	return []string{window, m.Parameters, m.Quantisation, file, state}
}

// providerChoices lists the servers that can be changed to.
func (a *app) providerChoices(r *runs) *ui.Choices {
	return &ui.Choices{
		List: func(context.Context) ([]ui.Choice, error) {
			list := []ui.Choice{{ID: "auto", Details: []string{"the first that answers"}}}
			for _, name := range []string{openai.LlamaCpp, openai.DMR, openai.Ollama, openai.LMStudio, openai.VLLM} {
				p, _ := openai.Defaults(name)
				list = append(list, ui.Choice{ID: name, Details: []string{p.BaseURL}})
			}
			list = append(list, ui.Choice{ID: "demo", Details: []string{"a scripted stand-in"}})
			for i := range list {
				list[i].Current = list[i].ID == a.model.known().Provider
			}
			return list, nil
		},
		Use: func(ctx context.Context, id string) (ui.Core, error) {
			before := a.model.inUse()
			settings, err := a.connectTo(ctx, id)
			if err != nil {
				a.model.use(before)
				return nil, err
			}
			return nil, r.do(agent.AskModel{Sampling: settings})
		},
	}
}

// connectTo changes to another server, at its own address, and returns what
// its model wants. One that does not answer is an error.
func (a *app) connectTo(ctx context.Context, provider string) (*llm.Sampling, error) {
	cfg := *a.cfg
	cfg.Provider, cfg.BaseURL, cfg.Model = provider, "", ""
	there := &app{program: a.program, opts: a.opts, cfg: &cfg, cwd: a.cwd, model: a.model}
	if err := there.reach(ctx); err != nil {
		return nil, errors.New(llm.Explain(err, llm.ModelInfo{Provider: provider}))
	}
	s := sampling(there.cfg.Config)
	return &s, nil
}

// sessionChoices are the conversations of this directory; nil when none are
// kept.
func (a *app) sessionChoices(r *runs) *ui.Sessions {
	if !a.cfg.Sessions.Enabled {
		return nil
	}
	return &ui.Sessions{
		List: func(context.Context) ([]ui.Choice, error) {
			store, err := a.store(a.cwd)
			if err != nil {
				return nil, err
			}
			entries, err := store.List()
			var list []ui.Choice
			for _, e := range entries {
				c := ui.Choice{ID: e.ID, Label: e.Title, Current: e.ID == r.session(), Details: []string{
					e.Updated.Local().Format("2006-01-02 15:04"), fmt.Sprint(e.Messages, " messages"), e.Model,
				}}
				if e.Err != nil {
					c.Label, c.Details = e.ID+": "+e.Err.Error(), nil
				}
				list = append(list, c)
			}
			return list, err
		},
		Open: func(_ context.Context, id string) (ui.Core, error) {
			if id == r.session() {
				return nil, nil // it runs
			}
			return a.begin(r, func() (opened, error) { return a.reopen(id) })
		},
		Delete: func(_ context.Context, id string) error {
			store, err := a.store(a.cwd)
			if err != nil {
				return err
			}
			return store.Delete(id)
		},
	}
}

// commands are the slash commands that need more than the core.
func (a *app) commands(r *runs) []ui.Command {
	return []ui.Command{
		{Name: "config", Help: "the configuration in force", Run: func(context.Context, string) (string, error) {
			var b strings.Builder
			err := a.cfg.Print(&b)
			return b.String(), err
		}},
		{Name: "permissions", Args: "[save]", Help: "what you allowed always; save keeps it in your configuration", Run: func(_ context.Context, arg string) (string, error) {
			return a.permissions(arg)
		}},
		{Name: "export", Args: "[file]", Help: "write the conversation as Markdown", Run: func(_ context.Context, name string) (string, error) {
			return a.export(r, name)
		}},
		{Name: "doctor", Help: "examine the server, the configuration and the terminal", Run: func(ctx context.Context, _ string) (string, error) {
			return a.doctorText(ctx), nil
		}},
	}
}

// export writes the running conversation, as it is kept, to a new file.
func (a *app) export(r *runs, name string) (string, error) {
	store, err := a.store(a.cwd)
	if err != nil {
		return "", err
	}
	if store == nil {
		return "", errors.New("no conversation is kept: sessions.enabled is false")
	}
	sess, err := store.Load(r.session())
	if err != nil {
		return "", errors.New("nothing has been said yet")
	}
	name = cmp.Or(name, sess.ID+".md")
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.cwd, name)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(sess.Markdown())
	return "wrote " + name, errors.Join(err, f.Close())
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
