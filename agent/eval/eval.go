// Package eval measures how well a model works with the agent: it runs tasks,
// each in a folder of its own, and judges what came out of them, not what the
// model says of it. It knows neither configuration files nor servers: the
// caller builds a core for each run.
//
// A task is a txtar archive. Before the first file stand lines KEY: VALUE:
//
//	title, difficulty (easy, medium, hard), language
//	steps: N          calls of the model in a turn, 20 when left out
//	needs, skills     programs and skills without which the task is skipped
//	may: PATTERN...   files that may change; any other change is damage
//	quick: yes        one of the few tasks that Tune runs
//	crlf, no-newline, bom: FILE...   bytes that an archive cannot hold
//	kind: routing     cases of which tool is called, see below
//
// The sections are:
//
//	prompt, prompt/2 ...   what the user says, turn by turn
//	project/PATH           the files that the model finds
//	base/PATH              files committed to git before
//	skill/NAME.md          a skill of this task
//	want/PATH              what a file must hold, byte for byte
//	hidden/PATH            files put in place before commands of the check run
//	check                  one condition a line
//	solved/PATH, solution  a reference, which proves that the check can be met
//
// Conditions, where REGEXP is the bare rest of the line and ^ and $ stand at
// line ends:
//
//	has PATH REGEXP, lacks PATH REGEXP, lines PATH LEAST, absent PATH
//	answer REGEXP, answer-lacks REGEXP
//	run COMMAND
//
// The lines of solution are "answer TEXT", "remove PATH" and "run COMMAND".
//
// The section cases of a routing archive holds lines NAME LANGUAGE WANT PROMPT,
// where WANT is skill:NAME, tool:NAME|NAME, or none.
package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"mm/agent"
	"mm/skills"
	"mm/tools/proc"
)

// DefaultTimeout is the time that one run of a task may take.
const DefaultTimeout = 10 * time.Minute

// maxDead is how many runs in a row may end without one answer of the model
// before the evaluation gives up: the server is gone.
const maxDead = 3

// Core is the agent as seen from here.
type Core interface {
	Run(context.Context) error
	Do(agent.Command) error
	Events() <-chan []agent.Event
}

// Setup says what a core is wanted for. The core must let commands and edits
// inside of Dir run unasked: what it asks all the same is refused. It should
// keep no session and read nothing ahead, so that the figures are of the task
// alone.
type Setup struct {
	Dir      string         // the working directory
	MaxTurns int            // calls of the model in a turn
	Skills   []skills.Layer // skills of the task, nearer than all others
	Variant  Variant

	// Tools takes the place of the toolbox. It returns what it gets, or a
	// toolbox with the same tools that only records.
	Tools func(agent.Toolbox) agent.Toolbox
}

// NewFunc builds a core. release gives back what the core holds; it is called
// after the core has ended. An error ends the evaluation.
type NewFunc func(ctx context.Context, s Setup) (core Core, release func(), err error)

// Options say what to run. New is required.
type Options struct {
	Tasks   []Task
	Repeat  int           // runs of each task; 0 means 1
	Timeout time.Duration // of one run; 0 means DefaultTimeout
	Variant Variant
	New     NewFunc

	// Out gets a table that grows while the tasks run; nil drops it.
	Out io.Writer

	// Program and Config go into the report: the version of the program, and
	// what of its configuration bears on the result.
	Program string
	Config  map[string]string

	// Temp is where projects are unpacked; empty means the system's folder.
	// Keep leaves the folders of tasks that were not solved.
	Temp string
	Keep bool

	// Save, when not nil, gets the report after each run.
	Save func(Report) error
}

// Run runs the tasks one after another. After an error, or the end of ctx, the
// report holds the runs so far.
func Run(ctx context.Context, o Options) (Report, error) {
	o.Repeat = max(1, o.Repeat)
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	runner, err := proc.NewRunner()
	if err != nil {
		return Report{}, err
	}
	defer runner.Close()
	b := &bench{Options: o, runner: runner, table: table{out: o.Out}, report: Report{
		Version: ReportVersion,
		Date:    time.Now().UTC().Truncate(time.Second),
		Program: o.Program,
		Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Config:  o.Config,
		Variant: o.Variant,
		Repeat:  o.Repeat,
	}}
	err = b.all(ctx)
	_ = os.Remove(b.root) // unless something was kept in it
	b.report.Total = b.report.Sum(nil)
	b.table.close(b.report)
	return b.report, err
}

// bench is one evaluation under way.
type bench struct {
	Options
	runner *proc.Runner
	table  table
	report Report
	dead   int    // runs in a row without an answer of the model
	root   string // holds the project of the run under way, and those that are kept
}

func (b *bench) all(ctx context.Context) error {
	for _, t := range b.Tasks {
		for n := 1; n <= b.Repeat; n++ {
			b.table.begin(t, n, b.Repeat)
			res, err := b.one(ctx, t)
			if err != nil {
				return err
			}
			res.Run = n
			b.table.end(res)
			b.report.Results = append(b.report.Results, res)
			if err := b.save(); err != nil {
				return err
			}
			if b.dead == maxDead {
				return fmt.Errorf("gave up: %d runs in a row ended without an answer of the model: %s", maxDead, res.Error)
			}
			if res.Skipped != "" {
				break // a further run would be skipped too
			}
		}
	}
	return nil
}

func (b *bench) save() error {
	if b.Save == nil {
		return nil
	}
	b.report.Total = b.report.Sum(nil)
	return b.Save(b.report)
}

// one runs a task once. An error means that nothing can be said of it.
func (b *bench) one(ctx context.Context, t Task) (Result, error) {
	res := Result{Task: t.Name, Kind: t.Kind, Difficulty: t.Difficulty, Language: t.Language, Repairs: map[string]int{}}
	for _, program := range t.Needs {
		if _, err := exec.LookPath(program); err != nil {
			res.Skipped = program + " is not installed"
			return res, nil
		}
	}
	p, err := b.folder()
	if err != nil {
		return res, err
	}
	err = b.in(ctx, p, t, &res)
	if b.Keep && err == nil && res.Skipped == "" && !res.Solved {
		kept, err := os.MkdirTemp(b.root, "kept-")
		if err != nil {
			return res, err
		}
		res.Kept = filepath.Join(kept, filepath.Base(p.dir))
		return res, errors.Join(os.Rename(p.dir, res.Kept), remove(p.skills))
	}
	if errors.Join(remove(p.dir), remove(p.skills)) != nil {
		res.Kept, b.root = b.root, "" // what a model leaves does not end the evaluation
	}
	return res, err
}

// folder makes the folders of a run, under their real name, so that what the
// model sees of it is what commands print. All runs have the same one: the
// directory stands in the system prompt, and with another each time the server
// would read the whole prompt anew in each run.
func (b *bench) folder() (place, error) {
	if b.root == "" {
		dir, err := os.MkdirTemp(b.Temp, "mm-eval-")
		if err != nil {
			return place{}, err
		}
		if b.root, err = filepath.EvalSymlinks(dir); err != nil {
			return place{}, err
		}
	}
	p := place{dir: filepath.Join(b.root, "project"), skills: filepath.Join(b.root, "skills"), runner: b.runner}
	return p, errors.Join(os.Mkdir(p.dir, 0o755), os.Mkdir(p.skills, 0o755))
}

// in runs a task in its folder and judges the outcome.
func (b *bench) in(ctx context.Context, p place, t Task, res *Result) error {
	if err := p.unpack(ctx, t); err != nil {
		return err
	}
	before, err := p.read()
	if err != nil {
		return err
	}
	rec := newRecorder(t)
	core, release, err := b.New(ctx, Setup{
		Dir: p.dir, MaxTurns: t.Steps, Skills: p.layers(t), Variant: b.Variant, Tools: rec.wrap,
	})
	if err != nil {
		return err
	}
	defer release()
	// A closed core needs no interrupt.
	rec.stop = func() { _ = core.Do(agent.Interrupt{}) }
	d := drive(ctx, core, t, b.Timeout)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.fill(res)
	b.report.served(d.model)
	if res.Skipped != "" {
		return nil
	}
	b.alive(d)
	if t.Kind == Routing {
		res.Failures = rec.failures()
		if rec.decided() {
			res.Stop, res.Error = "decided", ""
		}
	} else {
		v, err := p.judge(ctx, t, before, d.answer.String())
		if err != nil {
			return err
		}
		res.Failures, res.Left = v.failures, v.left
	}
	if d.late {
		res.Failures = append(res.Failures, fmt.Sprintf("not over after %s", b.Timeout))
	}
	res.Solved = len(res.Failures) == 0
	return nil
}

// alive counts the runs in which the server gave nothing at all.
func (b *bench) alive(d *driven) {
	b.dead++
	if d.stop != agent.StopFailed || d.answers > 0 {
		b.dead = 0
	}
}
