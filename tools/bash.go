package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"mm/safety"
	"mm/tools/proc"
)

//go:embed bash.md
var bashDescription string

const (
	// defaultTimeout and maxTimeout bound one command. A model may ask for
	// more time than the default, within reason.
	defaultTimeout = 30 * time.Second
	maxTimeout     = 10 * time.Minute

	// notFound is the exit code of a shell that found no such command.
	notFound = 127
)

// BashOptions configures the bash tool.
type BashOptions struct {
	Dir     string        // working directory of every command
	Timeout time.Duration // of a call that gives none; 0: 30 s
	Runner  *proc.Runner

	// Sandbox confines commands as their permit says; nil: there is none, and
	// they run free.
	Sandbox Sandbox

	// Watch, when not nil, is called before a command that may write; what
	// it returns lists what changed since of the files that other programs
	// run or read as settings.
	Watch func() (changed func() []string)

	// MaxOutput returns how many characters of output a result may have; it
	// is asked for each call, since the window may become known late. Nil or
	// 0 sets no bound.
	MaxOutput func() int

	// CheckWrite, when not nil, is asked about each file that a command
	// visibly writes by cat, echo, printf or tee. An error refuses the
	// command; its text is for the model.
	CheckWrite func(context.Context, safety.Written) error
}

// Sandbox starts commands under a tier.
type Sandbox interface {
	Start(cmd *exec.Cmd, t safety.Tier) error
	Environ(t safety.Tier, env []string) ([]string, error)
}

// Bash runs command lines.
type Bash struct{ o BashOptions }

// NewBash returns the bash tool.
func NewBash(o BashOptions) *Bash {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxOutput == nil {
		o.MaxOutput = func() int { return 0 }
	}
	return &Bash{o}
}

// Spec declares the tool.
func (b *Bash) Spec() Spec {
	return Spec{
		Name:        "bash",
		Description: strings.TrimSpace(bashDescription),
		Kind:        KindExecute,
		Schema: Schema(
			Field{Name: "command", Type: "string"},
			Field{
				Name: "timeout", Type: "integer", Optional: true,
				Description: fmt.Sprintf("seconds, default %d", int(b.o.Timeout.Seconds())),
			},
		),
		Synonyms: map[string]string{
			"command": "cmd commands script bash shell_command command_line cmdline",
			"timeout": "timeout_s timeout_sec timeout_seconds timeout_secs seconds",
		},
	}
}

// Normalize takes a command given as a list of words, and a timeout given with
// a unit or in milliseconds.
func (b *Bash) Normalize(args map[string]json.RawMessage) string {
	var notes []string
	var words []string
	if json.Unmarshal(args["command"], &words) == nil && len(words) > 0 {
		args["command"] = quote(joinWords(words))
		notes = append(notes, `"command" was a list, taken as one line`)
	}
	for _, name := range []string{"timeout_ms", "timeoutMs"} {
		if _, ok := args["timeout"]; !ok && args[name] != nil {
			args["timeout"] = quote(plain(args[name]) + "ms")
		}
	}
	var text string
	if json.Unmarshal(args["timeout"], &text) == nil {
		if d, err := time.ParseDuration(text); err == nil {
			args["timeout"] = json.RawMessage(strconv.Itoa(int((d + time.Second - 1) / time.Second)))
			notes = append(notes, `"timeout" is a number of seconds`)
		}
	}
	return strings.Join(notes, "; ")
}

// joinWords makes one line of an argument list. What a list hands to a shell
// (["bash", "-lc", "ls | wc"]) is the line itself.
func joinWords(words []string) string {
	if len(words) == 3 && strings.HasSuffix(words[0], "sh") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	if len(words) == 1 {
		return words[0]
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = safety.Quote(w)
	}
	return strings.Join(quoted, " ")
}

// bashCall is what Run needs of a planned call.
type bashCall struct {
	command string
	permit  safety.Permit
	timeout time.Duration
	notes   []string
}

// Plan checks the command line.
func (b *Bash) Plan(ctx context.Context, args json.RawMessage) (Plan, error) {
	var in struct {
		Command string
		Timeout int
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return Plan{}, fmt.Errorf("[error: invalid arguments for bash: %w]", err)
	}
	call := bashCall{command: safety.UnixLines(in.Command), timeout: b.o.Timeout}
	switch {
	case strings.TrimSpace(call.command) == "":
		return Plan{}, errors.New("[error: the command is empty]")
	case strings.Contains(call.command, "\x00"):
		return Plan{}, errors.New("[error: the command holds a NUL character]")
	}
	if call.command != in.Command {
		call.notes = append(call.notes, "[the CRLF line ends of the command were taken as LF]")
	}
	if in.Timeout > 0 {
		call.timeout = min(time.Duration(in.Timeout)*time.Second, maxTimeout)
	}
	if b.o.CheckWrite != nil {
		for _, w := range safety.Writes(call.command) {
			if err := b.o.CheckWrite(ctx, w); err != nil {
				return Plan{}, err
			}
		}
	}
	return Plan{
		Title:   firstLine(call.command),
		Action:  safety.Action{Tool: "bash", Op: safety.Execute, Command: call.command, Dir: b.o.Dir},
		Preview: CommandPreview{Command: call.command, Dir: b.o.Dir},
		State:   call,
	}, nil
}

func firstLine(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		first += " …"
	}
	return first
}

// Run runs the command.
func (b *Bash) Run(ctx context.Context, p Plan, out Sink) Result {
	call, ok := p.State.(bashCall)
	if !ok {
		return Result{Text: "[error: this plan is not of bash]", Status: Failed}
	}
	call.permit = p.Permit
	return b.run(ctx, call, out)
}

// RunLine runs a user's own command line, free, with the same time-out and
// bounds.
func (b *Bash) RunLine(ctx context.Context, line string, out Sink) Result {
	return b.run(ctx, bashCall{command: line, timeout: b.o.Timeout, permit: safety.Permit{Tier: safety.TierNone}}, out)
}

func (b *Bash) run(ctx context.Context, call bashCall, out Sink) Result {
	changed := func() []string { return nil }
	if b.o.Watch != nil && call.permit.Tier != safety.TierRead {
		changed = b.o.Watch()
	}
	c, err := b.confined(call)
	var o proc.Outcome
	if err == nil {
		c.Live = out
		o, err = b.o.Runner.Run(ctx, c)
	}
	if err != nil {
		return Result{Text: fmt.Sprintf("[error: the command could not be started: %v]", err), Status: Failed}
	}
	res := b.result(call, o)
	res.Text = joinNonEmpty([]string{res.Text, changedLine(changed())})
	return res
}

// result puts the output and what is to be said of it into one text.
func (b *Bash) result(call bashCall, o proc.Outcome) Result {
	res := Result{Status: OK}
	text, note := b.outputText(o.Output, &res)
	lines := append(call.notes, text, note)
	switch o.Cause {
	case proc.Exited:
		res.ExitCode = &o.ExitCode
		if o.ExitCode != 0 {
			res.Status = Failed
			lines = append(lines, exitLine(o))
		}
	case proc.TimedOut:
		res.Status = Failed
		lines = append(lines, fmt.Sprintf("[error: %ds timeout exceeded]", int(call.timeout.Seconds())),
			"[the command and all that it started were stopped; give it more time with timeout, "+
				"or run a long job as: nohup command > job.log 2>&1 &]")
	case proc.TooMuch:
		res.Status = Failed
		lines = append(lines, fmt.Sprintf("[error: the output passed %d MiB and the command was stopped; "+
			"limit it with head or grep, or write it to a file]", proc.MaxOutput>>20))
	case proc.Cancelled:
		res.Status = Stopped
		lines = append(lines, "[the command and all that it started were stopped]")
	}
	lines = append(lines, leftLine(o))
	if res.Status == Failed || text == noOutput {
		lines = append(lines, advise(call.command, text, o.ExitCode))
	}
	if b.o.Sandbox != nil && o.Cause == proc.Exited && (res.Status == Failed || deniedPart.MatchString(text)) {
		lines = append(lines, deniedLine(call.permit.Tier, o.ExitCode, text))
	}
	if o.Cause == proc.Exited {
		lines = append(lines, b.changeLine(call.command))
	}
	res.Text = joinNonEmpty(lines)
	return res
}

const noOutput = "[no output]"

// outputText bounds and cleans what a command wrote.
func (b *Bash) outputText(o proc.Output, res *Result) (text, note string) {
	if o.Size() == 0 {
		return noOutput, ""
	}
	head, tail := o.Head, o.Tail
	if o.Lost == 0 {
		head, tail = append(head, tail...), nil
	}
	first, last, note := tidy(head, tail, o.Size())
	text, res.Truncated = limitEnds(first, last, lost{o.LostLines, o.Lost}, b.o.MaxOutput())
	if first+last == "" && note != "" {
		return "", note
	}
	return text, note
}

func exitLine(o proc.Outcome) string {
	if o.Signal != "" {
		return fmt.Sprintf("[exit code: %d, ended by %s]", o.ExitCode, o.Signal)
	}
	return fmt.Sprintf("[exit code: %d]", o.ExitCode)
}

// leftLine tells of processes that go on.
func leftLine(o proc.Outcome) string {
	if len(o.Left) == 0 {
		return ""
	}
	jobs := make([]string, len(o.Left))
	for i, j := range o.Left {
		jobs[i] = strings.TrimSpace(fmt.Sprintf("%d %s", j.PID, firstLine(j.Command)))
	}
	list := strings.Join(jobs, ", ")
	if o.Cause != proc.Exited {
		return "[warning: could not be stopped: " + list + "]"
	}
	return "[goes on in the background: " + list + "; its output is not shown unless it goes to a file]"
}

// changeLine says that what the command did to its shell is gone.
func (b *Bash) changeLine(command string) string {
	words := safety.LastChange(command)
	if len(words) == 0 {
		return ""
	}
	what, again := "what "+words[0]+" changed", firstLine(command)
	if words[0] == "cd" || words[0] == "pushd" || words[0] == "popd" {
		what, again = "the change of directory", strings.Join(words, " ")
	}
	return fmt.Sprintf("[%s ended with this call, and the next command starts in %s: write %s && command]",
		what, b.o.Dir, again)
}

// joinNonEmpty puts texts on lines of their own.
func joinNonEmpty(texts []string) string {
	var kept []string
	for _, t := range texts {
		if t = strings.TrimRight(t, "\n"); t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}
