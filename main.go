// Command mm is a terminal coding agent for small local models.
//
//	mm              the full-screen program
//	mm -p "..."     one prompt, answered on standard output
//	mm -acp         an agent for editors, on standard input and output
//	mm config       the configuration in force, with the origin of each value
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"mm/configs"
)

// version is set by the linker for a release.
var version = "0.11.0-dev"

// Exit codes; those of "mm -p" are in package oneshot.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

func main() { os.Exit(run()) }

// run is main with an exit code, for the tests.
func run() int {
	// A reader that goes away must not kill the program before it has
	// stopped its commands: the write fails, and that ends it. The signal is
	// taken and not ignored, since commands would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return program{
		args: os.Args[1:], env: os.Environ(),
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
	}.run(ctx)
}

// program is the command line with its surroundings.
type program struct {
	args, env []string
	in        *os.File
	out, err  *os.File
}

// options are the flags.
type options struct {
	config   string
	prompt   string
	prompted bool // -p was given, even if empty
	json     bool
	acp      bool
	goOn     bool
	resume   string
	logFile  string
	version  bool

	values map[string]string // flags that are configuration, by key
}

// configFlags are the flags that set a key of the configuration.
var configFlags = []struct{ name, key, usage string }{
	{"provider", "provider", "the server: auto, llamacpp, dmr, ollama, lmstudio, vllm, openai, demo"},
	{"base-url", "baseURL", "the server's address, http://HOST:PORT/v1"},
	{"model", "model", "the model's name at the server"},
	{"profile", "profile", "settings for a family of models"},
	{"mode", "permissions.mode", "what runs unasked: read-only, ask, accept-edits, yolo"},
	{"theme", "theme", "colours: auto, dark, light, high-contrast, catppuccin, gruvbox, none"},
}

const usageText = `mm is a terminal coding agent for small local models.

  mm [flags]             the full-screen program
  mm -p "..." [flags]    one prompt; the answer goes to standard output
  mm -acp [flags]        an agent for editors (Agent Client Protocol)
  mm config [init]       show the configuration in force / write a commented file
  mm sessions            list the conversations kept for this directory
  mm eval [-help]        run reproducible tasks against the model

Flags (one or two dashes):
`

// parse reads the flags. An error is a usage error, and was reported.
func (p program) parse() (options, []string, error) {
	o := options{values: map[string]string{}}
	fs := flag.NewFlagSet("mm", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.config, "config", "", "a configuration `file`, trusted, in place of the project's agent.yaml")
	fs.Func("p", "answer this `prompt` and end; - reads it from standard input", func(s string) error {
		o.prompt, o.prompted = s, true
		return nil
	})
	fs.BoolVar(&o.json, "json", false, "with -p: one event per line, as JSON")
	fs.BoolVar(&o.acp, "acp", false, "speak the Agent Client Protocol on standard input and output")
	fs.BoolVar(&o.goOn, "continue", false, "go on with the last conversation of this directory")
	fs.StringVar(&o.resume, "resume", "", "go on with the conversation of this `id`")
	fs.StringVar(&o.logFile, "log", "", "write a log for developers to this `file`")
	fs.BoolVar(&o.version, "version", false, "print the version")
	fs.BoolFunc("yolo", "run everything unasked (-mode yolo)", func(string) error {
		o.values["permissions.mode"] = "yolo"
		return nil
	})
	fs.BoolFunc("demo", "use the built-in stand-in for a model (-provider demo)", func(string) error {
		o.values["provider"] = "demo"
		return nil
	})
	for _, f := range configFlags {
		fs.Func(f.name, f.usage, func(s string) error {
			o.values[f.key] = s
			return nil
		})
	}
	err := fs.Parse(p.args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.out, usageText)
		fs.SetOutput(p.out)
		fs.PrintDefaults()
	} else if err != nil {
		fmt.Fprintf(p.err, "mm: %v (mm -help lists the flags)\n", err)
	}
	return o, fs.Args(), err
}

// run does what the command line says and returns the exit code.
func (p program) run(ctx context.Context) int {
	o, rest, err := p.parse()
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case o.version:
		fmt.Fprintf(p.out, "mm %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
		return exitOK
	case o.acp && o.prompted:
		return p.usage("-acp and -p exclude each other")
	case o.json && !o.prompted:
		return p.usage("-json goes with -p")
	case len(rest) > 0 && rest[0] == "config" && len(rest) == 2 && rest[1] == "init":
		return p.configInit()
	}
	if len(rest) > 0 && rest[0] != "eval" && (rest[0] != "config" && rest[0] != "sessions" || len(rest) > 1) {
		return p.usage(fmt.Sprintf("there is no command %q; a prompt goes behind -p", strings.Join(rest, " ")))
	}
	cwd, err := os.Getwd()
	if err != nil {
		return p.fail(err)
	}
	cfg, err := configs.Load(configs.Sources{UserFile: configs.UserFile(), File: o.config, Dir: cwd, TrustFile: configs.TrustFile(), Env: p.env, Flags: o.values})
	if err != nil {
		fmt.Fprintf(p.err, "mm: %v\n", err)
		return exitUsage
	}
	if len(rest) > 0 && rest[0] != "eval" {
		for _, w := range cfg.Warnings {
			fmt.Fprintf(p.err, "mm: warning: %s\n", w)
		}
		return p.subcommand(rest[0], cwd, cfg)
	}
	app, err := newApp(p, o, cwd, cfg)
	if err != nil {
		return p.fail(err)
	}
	defer app.close()
	switch {
	case len(rest) > 0:
		return app.eval(ctx, rest[1:])
	case o.acp:
		return app.acp(ctx)
	case o.prompted:
		return app.oneshot(ctx)
	}
	return app.screen(ctx)
}

// sources is where the configuration comes from.
func (p program) sources(o options, cwd string) configs.Sources {
	return configs.Sources{
		UserFile: configs.UserFile(), TrustFile: configs.TrustFile(), File: o.config,
		Dir: cwd, Env: p.env, Flags: o.values,
	}
}

func (p program) usage(text string) int {
	fmt.Fprintf(p.err, "mm: %s (mm -help lists what there is)\n", text)
	return exitUsage
}

func (p program) fail(err error) int {
	fmt.Fprintf(p.err, "mm: %v\n", err)
	return exitError
}
