package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// configFlags are the flags that set a key of the configuration.
var configFlags = []struct{ name, key, usage string }{
	{"provider", "provider", "the `server`: auto, llamacpp, dmr, ollama, lmstudio, vllm, openai, demo"},
	{"base-url", "baseURL", "the server's `address`, http://HOST:PORT/v1"},
	{"model", "model", "the model's `name` at the server"},
	{"profile", "profile", "the `settings` for a family of models: auto, none, or a name"},
	{"mode", "permissions.mode", "`what` runs unasked: read-only, ask, accept-edits, yolo"},
	{"theme", "theme", "`colours`: auto, dark, light, high-contrast, catppuccin, gruvbox, none, or a theme of your own"},
}

// newFlags are the flags of the program. They fill o.
func newFlags(o *options) *flag.FlagSet {
	o.values = map[string]string{}
	fs := flag.NewFlagSet("mm", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.config, "config", "", "a configuration `file`, trusted, in place of the project's agent.yaml")
	fs.Func("p", "answer this `prompt` and end; - reads it from standard input", func(s string) error {
		o.prompt, o.prompted = s, true
		return nil
	})
	fs.BoolVar(&o.json, "json", false, "with -p: one event per line, as JSON; with doctor: the report as JSON")
	fs.BoolVar(&o.acp, "acp", false, "speak the Agent Client Protocol on standard input and output")
	fs.BoolVar(&o.goOn, "continue", false, "go on with the last conversation of this directory")
	fs.StringVar(&o.resume, "resume", "", "go on with the conversation of this `id`")
	fs.StringVar(&o.logFile, "log", "", "write a log for developers to this `file`")
	fs.BoolVar(&o.version, "version", false, "print the version")
	fs.BoolFunc("yolo", "run everything unasked (-mode yolo)", func(string) error {
		o.values["permissions.mode"] = "yolo"
		return nil
	})
	fs.BoolVar(&o.yoloOutside, "yolo-outside", false, "with -yolo: files outside of the project, and protected ones, unasked too")
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
	return fs
}

// parse reads the command line: flags, and the words of a command, which may
// stand before, between and behind them. An error is a usage error, and was
// reported.
func (p program) parse() (o options, words []string, err error) {
	fs := newFlags(&o)
	err = fs.Parse(p.args)
	for err == nil && fs.NArg() > 0 {
		words = append(words, fs.Arg(0))
		if slices.Contains([]string{"eval", "sandbox", "safety"}, words[0]) { // they have flags of their own
			words = append(words, fs.Args()[1:]...)
			break
		}
		err = fs.Parse(fs.Args()[1:])
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(p.err, "mm: %v (mm -help lists the flags)\n", err)
	}
	return o, words, err
}

// help writes the usage and the flags.
func (p program) help() error {
	b := bytes.NewBufferString(usageText())
	fs := newFlags(&options{})
	fs.SetOutput(b)
	fs.PrintDefaults()
	_, err := b.WriteTo(p.out)
	return err
}

// usageText is what stands above the flags.
func usageText() string {
	var b strings.Builder
	b.WriteString("mm is a terminal coding agent for small local models.\n\n")
	line := func(use, about string) { fmt.Fprintf(&b, "  %-24s %s\n", use, about) }
	line("mm [flags]", "the full-screen program")
	line(`mm -p "..." [flags]`, "one prompt; the answer goes to standard output")
	line("mm -acp [flags]", "an agent for editors (Agent Client Protocol)")
	for _, c := range commands {
		line(strings.TrimSpace("mm "+c.name+" "+c.args), c.about)
	}
	b.WriteString("\nFlags (one or two dashes):\n")
	return b.String()
}
