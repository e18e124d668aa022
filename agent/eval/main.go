package eval

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"mm/safety/clean"
)

// Exit codes of Main. Tasks that were not solved are a result, no error.
const (
	exitOK        = 0
	exitError     = 1
	exitUsage     = 2
	exitCancelled = 130 // as a shell reports an interrupt
)

// Env is what the command line needs of the program around it.
type Env struct {
	Out, Err io.Writer
	New      NewFunc
	Program  string            // version of the program
	Config   map[string]string // what of the configuration bears on the result
}

const usage = `usage: mm [flags] eval [flags]
       mm eval compare A.json B.json

Runs reproducible tasks against the configured model, each in a folder of its
own, and judges what comes out. Commands of the model run there unasked.

`

// flags are the command line of an evaluation.
type flags struct {
	task, difficulty, json, dir string
	repeat                      int
	timeout                     time.Duration
	keep, list, tune            bool
}

// Main is "mm eval"; args are what stands behind it. It returns the exit code.
func Main(ctx context.Context, args []string, env Env) int {
	if len(args) > 0 && args[0] == "compare" {
		return compareFiles(args[1:], env)
	}
	f, err := parseFlags(args, env.Out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(env.Err, "mm eval: %v (mm eval -help lists the flags)\n", err)
		return exitUsage
	}
	tasks, err := f.tasks()
	if err != nil {
		return fail(env, err)
	}
	if f.list {
		return list(tasks, env)
	}
	if err := f.evaluate(ctx, tasks, env); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(env.Err, "mm eval: cancelled")
			return exitCancelled
		}
		return fail(env, err)
	}
	return exitOK
}

func fail(env Env, err error) int {
	fmt.Fprintf(env.Err, "mm eval: %s\n", clean.Line(err.Error()).String())
	return exitError
}

func parseFlags(args []string, help io.Writer) (flags, error) {
	var f flags
	fs := flag.NewFlagSet("mm eval", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&f.task, "task", "", "only tasks whose name matches this regular expression `pattern`")
	fs.StringVar(&f.difficulty, "difficulty", "", "only tasks of these, separated by commas: easy, medium, hard")
	fs.StringVar(&f.dir, "tasks", "", "tasks from the *.txtar files of this `folder`, in place of the built-in ones; their commands are run")
	fs.IntVar(&f.repeat, "repeat", 1, "run each task `N` times")
	fs.StringVar(&f.json, "json", "", "write the report to this `file`, after each run")
	fs.DurationVar(&f.timeout, "timeout", DefaultTimeout, "of one run of a task")
	fs.BoolVar(&f.keep, "keep", false, "leave the folders of tasks that were not solved")
	fs.BoolVar(&f.list, "list", false, "list the tasks and run none")
	fs.BoolVar(&f.tune, "tune", false, "try variants of the configuration and propose a profile for this model on this machine")
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, usage)
		fs.SetOutput(help)
		fs.PrintDefaults()
	case err == nil && fs.NArg() > 0:
		err = fmt.Errorf("there is no command %q", fs.Arg(0))
	case err == nil && f.repeat < 1:
		err = errors.New("-repeat must be at least 1")
	case err == nil && f.timeout <= 0:
		err = errors.New("-timeout must be longer than 0")
	}
	return f, err
}

// tasks are those that the flags choose.
func (f flags) tasks() ([]Task, error) {
	all, err := Builtin()
	if f.dir != "" {
		all, err = Load(os.DirFS(f.dir))
	}
	if err != nil {
		return nil, err
	}
	if f.tune && f.task == "" && f.difficulty == "" {
		all = Quick(all)
	}
	tasks, err := Match(all, f.task)
	if err != nil {
		return nil, err
	}
	if f.difficulty != "" {
		kept := tasks[:0]
		for _, t := range tasks {
			if strings.Contains(","+f.difficulty+",", ","+string(t.Difficulty)+",") {
				kept = append(kept, t)
			}
		}
		tasks = kept
	}
	if len(tasks) == 0 {
		return nil, errors.New("no task was chosen (mm eval -list shows them)")
	}
	return tasks, nil
}

func list(tasks []Task, env Env) int {
	w := tabwriter.NewWriter(env.Out, 0, 4, 2, ' ', 0)
	for _, t := range tasks {
		text := t.Title
		if t.Kind == Routing {
			text = t.Prompts[0]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", clean.Line(t.Name), t.Difficulty, clean.Line(t.Language), clean.Line(text))
	}
	if err := w.Flush(); err != nil {
		return fail(env, err)
	}
	return exitOK
}

// evaluate runs the tasks, and keeps the report on disk up to date.
func (f flags) evaluate(ctx context.Context, tasks []Task, env Env) error {
	o := Options{
		Tasks: tasks, Repeat: f.repeat, Timeout: f.timeout, New: env.New, Out: env.Out,
		Program: env.Program, Config: env.Config, Keep: f.keep,
	}
	// A place that cannot be written is better known before than after.
	if err := f.write(Report{Version: ReportVersion}); err != nil {
		return err
	}
	if f.tune {
		_, err := Tune(ctx, o, Variants(), func(t Tuned) error { return f.write(t) })
		return err
	}
	o.Save = func(r Report) error { return f.write(r) }
	r, err := Run(ctx, o)
	return errors.Join(err, f.write(r))
}

// write writes a report where the flags say; without a file it does nothing.
func (f flags) write(v any) error {
	if f.json == "" {
		return nil
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(f.json, append(data, '\n'), 0o644)
}

// compareFiles is "mm eval compare A B".
func compareFiles(args []string, env Env) int {
	if len(args) != 2 {
		fmt.Fprintln(env.Err, "mm eval: compare takes two files: mm eval compare A.json B.json")
		return exitUsage
	}
	var reports [2]Report
	for i, name := range args {
		data, err := os.ReadFile(name)
		if err == nil {
			reports[i], err = Decode(data)
		}
		if err != nil {
			return fail(env, fmt.Errorf("%s: %w", name, err))
		}
	}
	Compare(env.Out, reports[0], reports[1])
	return exitOK
}
