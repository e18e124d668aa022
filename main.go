// Command mm is a terminal coding agent for small local models.
//
//	mm              the full-screen program
//	mm -p "..."     one prompt, answered on standard output
//	mm -acp         an agent for editors, on standard input and output
//	mm config       the configuration in force, with the origin of each value
//	mm doctor       the server, the configuration and the terminal, examined
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
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

	yoloOutside bool

	values map[string]string // flags that are configuration, by key
}

// run does what the command line says and returns the exit code.
func (p program) run(ctx context.Context) int {
	o, words, err := p.parse()
	switch {
	case errors.Is(err, flag.ErrHelp):
		return p.done(p.help())
	case err != nil:
		return exitUsage
	case o.version:
		_, err := fmt.Fprintf(p.out, "mm %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
		return p.done(err)
	case len(words) > 0:
		return p.command(ctx, o, words)
	case o.acp && o.prompted:
		return p.usage("-acp and -p exclude each other")
	case o.json && !o.prompted:
		return p.usage("-json goes with -p")
	}
	cwd, cfg, code := p.load(o)
	if cfg == nil {
		return code
	}
	app, err := newApp(p, o, cwd, cfg)
	if err != nil {
		return p.fail(err)
	}
	defer app.close()
	switch {
	case o.acp:
		return app.acp(ctx)
	case o.prompted:
		return app.oneshot(ctx)
	}
	return app.screen(ctx)
}

// load reads the configuration of the working directory. Without one it has
// said why, and returns the exit code.
func (p program) load(o options) (cwd string, cfg *configs.Loaded, code int) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", nil, p.fail(err)
	}
	if cfg, err = configs.Load(p.sources(o, cwd)); err != nil {
		fmt.Fprintf(p.err, "mm: %v\n", err)
		return "", nil, exitUsage
	}
	return cwd, cfg, exitOK
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
