package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"

	"mm/configs"
	"mm/llm"
	"mm/llm/doctor"
	"mm/llm/openai"
	"mm/safety/clean"
	"mm/safety/sandbox"
)

// doctor is "mm doctor". It fails when something is broken.
func (p program) doctor(ctx context.Context, o options) int {
	var (
		all    []doctor.Finding
		writes error
	)
	found := func(f doctor.Finding) {
		f.Text, f.Advice = clean.Line(f.Text).String(), clean.Line(f.Advice).String()
		all = append(all, f)
		if !o.json {
			_, err := fmt.Fprint(p.out, f.Line())
			writes = cmp.Or(writes, err)
		}
	}
	if err := cmp.Or(p.examineAll(ctx, o, found), writes); err != nil {
		return p.fail(err)
	}
	if o.json {
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(doctor.Report{Findings: all}); err != nil {
			return p.fail(err)
		}
	}
	if (doctor.Report{Findings: all}).Broken() {
		return exitError
	}
	return exitOK
}

// examineAll loads the configuration and examines. A configuration that cannot
// be loaded is a finding.
func (p program) examineAll(ctx context.Context, o options, found func(doctor.Finding)) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	found(doctor.Finding{Area: "mm", Status: doctor.OK, Text: fmt.Sprintf("%s on %s/%s", version, runtime.GOOS, runtime.GOARCH)})
	cfg, err := configs.Load(p.sources(o, cwd))
	if err != nil {
		found(doctor.Finding{Area: "config", Status: doctor.Broken, Text: err.Error(), Advice: "correct that line"})
		return nil
	}
	a, err := newApp(p, o, cwd, cfg)
	if err != nil {
		return err
	}
	defer a.close()
	a.examine(ctx, found)
	return nil
}

// examine looks at all that mm works with, and tells each finding at once.
func (a *app) examine(ctx context.Context, found func(doctor.Finding)) {
	a.examineConfig(found)
	a.examineServer(ctx, found)
	found(a.profileFinding())
	found(sandboxFinding(a.cfg.Sandbox, sandbox.Probe()))
	for _, f := range a.languageServers() {
		found(f)
	}
	found(a.examineTerminal())
}

// doctorText is the report for the screen.
func (a *app) doctorText(ctx context.Context) string {
	var b strings.Builder
	a.examine(ctx, func(f doctor.Finding) { b.WriteString(f.Line()) })
	return clean.Block(b.String()).String()
}

// examineConfig names the files in force, and what is odd about them.
func (a *app) examineConfig(found func(doctor.Finding)) {
	files := []string{}
	for _, name := range []string{configs.UserFile(), a.opts.config} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	if a.cfg.Project != nil {
		files = append(files, a.cfg.Project.Path)
	}
	f := doctor.Finding{Area: "config", Status: doctor.OK, Text: strings.Join(files, ", ")}
	if len(files) == 0 {
		f.Text = "defaults; no file (mm config init writes one)"
	}
	found(f)
	for _, w := range a.cfg.Warnings {
		found(doctor.Finding{Area: "config", Status: doctor.Warning, Text: w})
	}
	// What would end every other start.
	_, rules := permissionRules(a.cfg.Permissions)
	_, write := a.sandboxWrite()
	for _, err := range []error{rules, write} {
		if err != nil {
			found(doctor.Finding{Area: "config", Status: doctor.Broken, Text: err.Error()})
		}
	}
}

// examineServer examines the server in use, or finds one.
func (a *app) examineServer(ctx context.Context, found func(doctor.Finding)) {
	if !a.model.chosen() {
		if _, err := a.connect(ctx); err != nil {
			info := llm.ModelInfo{Provider: a.cfg.Provider, BaseURL: doctor.Redact(a.cfg.BaseURL)}
			if a.cfg.BaseURL == "" {
				info = llm.ModelInfo{}
			}
			found(doctor.Finding{Area: "server", Status: doctor.Broken, Text: "none was found", Advice: llm.Explain(err, info)})
			return
		}
	}
	opts := a.model.used()
	doctor.Server(ctx, doctor.Options{
		Client: opts, Why: a.why(),
		Sampling: sampling(a.cfg.Config),
		Reasons:  a.cfg.Family.Reasons,
		Found:    found,
	})
	if others, ok := doctor.Others(ctx, opts.BaseURL); ok && opts.Provider != "demo" {
		found(others)
	}
}

// why says how the server was chosen.
func (a *app) why() string {
	switch {
	case a.cfg.Provider == "demo":
		return "a scripted stand-in"
	case a.cfg.Provider == "auto" && a.cfg.BaseURL == "":
		return "found running"
	case a.cfg.BaseURL == "":
		return "its usual address"
	}
	return "baseURL from " + a.cfg.Origins["baseURL"]
}

// profileFinding says which settings the model's name brought.
func (a *app) profileFinding() doctor.Finding {
	f := a.cfg.Family
	text := f.Name
	if f.Name == "" {
		text = "none for this model's name: the defaults"
	}
	if f.Size > 0 {
		text += fmt.Sprintf(", %vB parameters", f.Size)
	}
	if f.Reasons {
		text += ", thinks before it answers"
	}
	return doctor.Finding{Area: "profile", Status: doctor.OK, Text: text}
}

// sandboxFinding says what restrains commands on this machine.
func sandboxFinding(setting string, r sandbox.Report) doctor.Finding {
	f := doctor.Finding{Area: "sandbox", Status: doctor.OK}
	switch {
	case setting == "off":
		f.Status, f.Text, f.Advice = doctor.Warning, "off: commands run with all your rights", "sandbox: auto"
	case r.Works:
		f.Text = r.Kind
	case setting == "required":
		f.Status, f.Text, f.Advice = doctor.Broken, "none ("+r.Why+"), and the configuration requires one", "sandbox: auto, or another system"
	default:
		f.Status, f.Text, f.Advice = doctor.Warning, "none ("+r.Why+"): commands run with all your rights", "keep permissions.mode at ask"
	}
	return f
}

// knownServers are language servers worth a mention when they are installed.
var knownServers = []string{"gopls", "rust-analyzer", "clangd", "pyright-langserver", "pylsp", "typescript-language-server", "jdtls", "lua-language-server", "zls"}

// languageServers looks the configured servers up, and names installed ones
// that are not configured. None is started.
func (a *app) languageServers() []doctor.Finding {
	var list []doctor.Finding
	used := map[string]bool{}
	for _, language := range slices.Sorted(maps.Keys(a.cfg.LSP)) {
		command := a.cfg.LSP[language].Command
		if len(command) == 0 {
			list = append(list, doctor.Finding{Area: "lsp", Status: doctor.Warning, Text: language + " has no command", Advice: "lsp: {" + language + ": {command: [PROGRAM]}}"})
			continue
		}
		used[filepath.Base(command[0])] = true
		if path, err := exec.LookPath(command[0]); err != nil {
			list = append(list, doctor.Finding{Area: "lsp", Status: doctor.Warning, Text: language + ": " + command[0] + " is not in PATH", Advice: "install it, or take it out of the configuration"})
		} else {
			list = append(list, doctor.Finding{Area: "lsp", Status: doctor.OK, Text: language + ": " + path})
		}
	}
	var idle []string
	for _, name := range knownServers {
		if _, err := exec.LookPath(name); err == nil && !used[name] {
			idle = append(idle, name)
		}
	}
	switch {
	case len(idle) > 0:
		list = append(list, doctor.Finding{Area: "lsp", Status: doctor.OK, Text: "installed and not configured: " + strings.Join(idle, ", ")})
	case len(list) == 0:
		list = append(list, doctor.Finding{Area: "lsp", Status: doctor.OK, Text: "no language server is configured or installed"})
	}
	return list
}

// lookAtTerminal says what the terminal can show.
func (a *app) lookAtTerminal() doctor.Finding {
	f := doctor.Finding{Area: "terminal", Status: doctor.OK}
	name := a.getenv("TERM")
	if !term.IsTerminal(a.out.Fd()) {
		f.Text = "standard output is no terminal"
		return f
	}
	colours := map[termenv.Profile]string{
		termenv.TrueColor: "true colour", termenv.ANSI256: "256 colours", termenv.ANSI: "16 colours", termenv.Ascii: "no colours",
	}[termenv.NewOutput(a.out, termenv.WithEnvironment(environment{a})).EnvColorProfile()]
	f.Text = name + ", " + colours
	if a.getenv("NO_COLOR") != "" {
		f.Text += " (NO_COLOR is set)"
	}
	if !a.unicode() {
		f.Status, f.Text, f.Advice = doctor.Warning, f.Text+", a locale without UTF-8", "set LANG to a UTF-8 locale, such as C.UTF-8"
	}
	return f
}

// unicode tells whether the locale is one of UTF-8. Windows has none to tell.
func (a *app) unicode() bool {
	if runtime.GOOS == "windows" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(a.getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

// environment is the program's, for termenv.
type environment struct{ a *app }

func (e environment) Environ() []string         { return e.a.env }
func (e environment) Getenv(name string) string { return e.a.getenv(name) }

// used are the options of the client in use.
func (s *server) used() openai.Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options
}

// chosen tells whether there is a client.
func (s *server) chosen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client != nil
}
