// Package gauntlet runs the agent through faults: a model and a server that
// misbehave in the ways of small models and real servers, one archive a fault.
// What counts is the result: the files on disk, the answer, how the turn ended,
// and that the user was told.
//
// A fault is a task of package eval (title, prompt, project, want, check) and a
// script of package llmtest (server, llm/N) in one txtar archive. Its header
// has these keys besides, of which the first is required:
//
//	of: model|server   who misbehaves
//	stop: CAUSE        how the last turn ends, "answer" when left out
//	told: REGEXP       a line that the user must be told
//	set: KEY=VALUE ... settings of the configuration
//	forever: yes       the script goes on where the agent is to end it
package gauntlet

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"mm/agent"
	"mm/agent/eval"
	"mm/llm/llmtest"
)

//go:embed faults/*.txtar
var builtin embed.FS

// timeout bounds one fault. Each is over in a few seconds; one that hangs has
// failed.
const timeout = 30 * time.Second

// Fault is one way to misbehave. Load makes it; it does not change.
type Fault struct {
	Name  string // of the archive
	Title string // one line
	Of    string // "model" or "server"

	stop    agent.Stop
	told    *regexp.Regexp // nil: nothing in particular
	set     map[string]string
	forever bool
	task    eval.Task
	script  *llmtest.Script
}

// Faults returns the faults that come with the program, in order of their names.
func Faults() ([]Fault, error) {
	names, err := fs.Glob(builtin, "faults/*.txtar")
	if err != nil {
		return nil, err
	}
	var list []Fault
	for _, name := range names {
		data, err := builtin.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := Parse(strings.TrimSuffix(path.Base(name), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// Parse reads one archive.
func Parse(name string, data []byte) (Fault, error) {
	f := Fault{Name: name, stop: agent.StopAnswer, set: map[string]string{}}
	whole := txtar.Parse(data)
	task := &txtar.Archive{Comment: []byte("difficulty: easy\nlanguage: any\n")}
	for line := range strings.Lines(string(whole.Comment)) {
		known, err := f.header(strings.TrimSpace(line))
		if err != nil {
			return f, err
		}
		if !known {
			task.Comment = append(task.Comment, line...)
		}
	}
	if f.Of != "model" && f.Of != "server" {
		return f, fmt.Errorf("header of: %q is neither model nor server", f.Of)
	}
	for _, file := range whole.Files {
		if file.Name != "server" && !strings.HasPrefix(file.Name, "llm/") {
			task.Files = append(task.Files, file)
		}
	}
	tasks, err := eval.Parse(name, txtar.Format(task))
	if err != nil {
		return f, err
	}
	f.task, f.Title = tasks[0], tasks[0].Title
	f.script, err = llmtest.Parse(string(data))
	return f, err
}

// header reads one line that is not the task's own.
func (f *Fault) header(line string) (known bool, err error) {
	key, value, _ := strings.Cut(line, ": ")
	switch key {
	case "of":
		f.Of = value
	case "stop":
		f.stop = agent.Stop(value)
	case "told":
		f.told, err = regexp.Compile(value)
	case "forever":
		f.forever = value == "yes"
	case "set":
		for _, pair := range strings.Fields(value) {
			k, v, ok := strings.Cut(pair, "=")
			if !ok {
				return true, fmt.Errorf("header set: %q is not KEY=VALUE", pair)
			}
			f.set[k] = v
		}
	default:
		return false, nil
	}
	return true, err
}

// NewFunc builds the core for a fault, on a server at baseURL, with settings by
// the keys of the configuration. The setup is that of an evaluation.
type NewFunc func(ctx context.Context, s eval.Setup, baseURL string, set map[string]string) (eval.Core, func(), error)

// Row is what came of one fault.
type Row struct {
	Fault   string        `json:"fault"`
	Of      string        `json:"of"`
	Title   string        `json:"title"`
	Passed  bool          `json:"passed"`
	Why     []string      `json:"why,omitempty"` // when it did not pass
	Elapsed time.Duration `json:"nanoseconds"`
}

// Run runs faults one after another and writes a line for each to out. An
// error means that nothing more can be said.
func Run(ctx context.Context, faults []Fault, build NewFunc, out io.Writer) ([]Row, error) {
	var rows []Row
	for _, f := range faults {
		row, err := f.run(ctx, build)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", f.Name, err)
		}
		rows = append(rows, row)
		fmt.Fprintln(out, row.line())
		for _, why := range row.Why {
			fmt.Fprintln(out, "      "+why)
		}
	}
	return rows, nil
}

func (r Row) line() string {
	mark := "ok  "
	if !r.Passed {
		mark = "FAIL"
	}
	return fmt.Sprintf("%s  %-6s  %-20s  %s", mark, r.Of, r.Fault, r.Title)
}

// run runs one fault and judges what came of it.
func (f Fault) run(ctx context.Context, build NewFunc) (Row, error) {
	row := Row{Fault: f.Name, Of: f.Of, Title: f.Title}
	server, err := llmtest.Start(nil, f.script)
	if err != nil {
		return row, err
	}
	defer server.Close()
	var heard *ear
	began := time.Now()
	report, err := eval.Run(ctx, eval.Options{
		Tasks: []eval.Task{f.task}, Timeout: timeout,
		New: func(ctx context.Context, s eval.Setup) (eval.Core, func(), error) {
			core, release, err := build(ctx, s, server.URL(), f.set)
			if err != nil {
				return nil, nil, err
			}
			heard = listen(core)
			return heard, release, nil
		},
	})
	if err != nil {
		return row, err
	}
	row.Elapsed = time.Since(began)
	res := report.Results[0]
	if res.Skipped != "" {
		row.Passed, row.Title = true, f.Title+" (skipped: "+res.Skipped+")"
		return row, nil
	}
	row.Why = append(row.Why, res.Failures...)
	for _, name := range res.Left {
		row.Why = append(row.Why, name+": it was made and nobody asked for it")
	}
	if res.Stop != string(f.stop) {
		row.Why = append(row.Why, fmt.Sprintf("the turn ended with %q, want %q: %s", res.Stop, f.stop, res.Error))
	}
	if f.told != nil && !heard.told(f.told) {
		row.Why = append(row.Why, fmt.Sprintf("the user was not told %q, but: %s", f.told, strings.Join(heard.lines, " | ")))
	}
	if err := server.Err(); err != nil {
		row.Why = append(row.Why, err.Error())
	}
	if n := server.Unused(); n > 0 && !f.forever {
		row.Why = append(row.Why, fmt.Sprintf("%d sections of the script were not asked for", n))
	}
	row.Passed = len(row.Why) == 0
	return row, nil
}

// ear is a core whose lines for the user are overheard.
type ear struct {
	eval.Core
	events chan []agent.Event
	lines  []string // complete when events is closed
}

func listen(core eval.Core) *ear {
	e := &ear{Core: core, events: make(chan []agent.Event)}
	go func() {
		defer close(e.events)
		for batch := range core.Events() {
			for _, event := range batch {
				e.hear(event)
			}
			e.events <- batch
		}
	}()
	return e
}

func (e *ear) hear(event agent.Event) {
	switch event := event.(type) {
	case agent.Notice:
		e.lines = append(e.lines, event.Text)
	case agent.Retrying:
		e.lines = append(e.lines, "trying again: "+event.Cause)
	case agent.Fault:
		e.lines = append(e.lines, event.Text)
	case agent.CallPlanned:
		e.lines = append(e.lines, event.Repairs...)
	case agent.Compacted:
		e.lines = append(e.lines, event.Line)
	case agent.TurnEnded:
		if event.Text != "" {
			e.lines = append(e.lines, event.Text)
		}
	}
}

// Events implements eval.Core.
func (e *ear) Events() <-chan []agent.Event { return e.events }

func (e *ear) told(want *regexp.Regexp) bool {
	for _, line := range e.lines {
		if want.MatchString(line) {
			return true
		}
	}
	return false
}
