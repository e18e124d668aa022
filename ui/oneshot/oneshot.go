// Package oneshot answers a single prompt without a screen: the answer goes to
// standard output, what happens on the way to standard error.
package oneshot

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mm/agent"
	"mm/safety/clean"
)

// Exit codes of "mm -p". 2 is a wrong command line, which never gets here.
const (
	ExitAnswer    = 0
	ExitError     = 1
	ExitStopped   = 3   // refused, stuck, too many steps, cut off
	ExitCancelled = 130 // as a shell reports an interrupt
)

// Core is the agent as seen from here.
type Core interface {
	Do(agent.Command) error
	Events() <-chan []agent.Event
}

// Options say what to ask and where the answer goes.
type Options struct {
	Prompt string

	// JSON writes each event as one line of JSON in place of the answer.
	JSON bool

	// Out takes the answer, Err the activity. OutIsTerminal cleans the
	// answer; elsewhere it is passed on as the model wrote it.
	Out, Err      io.Writer
	OutIsTerminal bool

	// Ask answers questions; nil when the core asks none.
	Ask func(agent.ApprovalAsked) agent.Decide
}

// Run asks when the core is idle first, writes, and returns the exit code when
// it is idle again. What the core tells before, a stored conversation, was told
// in its time. When Out cannot be written, the turn is cancelled and the error
// returned.
func Run(ctx context.Context, core Core, o Options) (int, error) {
	p := &printer{Options: o, code: ExitError}
	stop := context.AfterFunc(ctx, func() { _ = core.Do(agent.Interrupt{}) }) // a closed core needs none
	defer stop()
	asked := false
	for batch := range core.Events() {
		for _, e := range batch {
			if !asked {
				p.before(e)
				if _, asked = e.(agent.Idle); asked {
					if err := core.Do(agent.Prompt{Text: o.Prompt}); err != nil {
						return ExitError, err
					}
				}
				continue
			}
			if q, ok := e.(agent.ApprovalAsked); ok && o.Ask != nil {
				if err := core.Do(decide(ctx, q, o.Ask)); err != nil {
					return ExitError, err
				}
			}
			if err := p.print(e); err != nil && p.broken == nil {
				p.broken = err
				_ = core.Do(agent.Interrupt{}) // a closed core needs none
			}
			if _, ok := e.(agent.Idle); ok && p.ended {
				return p.code, p.broken
			}
		}
	}
	return p.code, errors.Join(p.broken, errors.New("the session ended before the answer"))
}

// decide asks and waits for the answer, or for the end of ctx, which is a no. A
// question that nobody answers any more keeps its goroutine until the program
// ends: a terminal's input cannot be taken back.
func decide(ctx context.Context, q agent.ApprovalAsked, ask func(agent.ApprovalAsked) agent.Decide) agent.Decide {
	answered := make(chan agent.Decide, 1)
	go func() { answered <- ask(q) }()
	select {
	case d := <-answered:
		d.ID = q.ID
		return d
	case <-ctx.Done():
		return agent.Decide{ID: q.ID, Choice: agent.ChoiceReject}
	}
}

// printer writes events.
type printer struct {
	Options
	stream clean.Stream
	code   int
	ended  bool
	broken error // Out could not be written

	midLine bool // the answer does not stand at the start of a line
	titles  map[agent.CallID]string

	// held is an answer that is not certain yet: where Out is no terminal, a
	// call of the model that is made again must not print its text twice.
	held    string
	doubted string // an answer that a call may yet make void
}

func (p *printer) print(e agent.Event) error {
	if end, ok := e.(agent.TurnEnded); ok {
		p.ended, p.code = true, exitCode(end.Stop)
	}
	if p.broken != nil {
		return nil
	}
	if p.JSON {
		line, err := Line(e)
		if err != nil {
			return err
		}
		_, err = p.Out.Write(line)
		return err
	}
	return p.plain(e)
}

// before prints what matters of the time before the prompt.
func (p *printer) before(e agent.Event) {
	switch e.(type) {
	case agent.SessionReady, agent.Notice, agent.Fault:
		p.broken = p.print(e)
	}
}

func exitCode(s agent.Stop) int {
	switch s {
	case agent.StopAnswer:
		return ExitAnswer
	case agent.StopCancelled:
		return ExitCancelled
	case agent.StopFailed:
		return ExitError
	}
	return ExitStopped
}

// plain writes the answer to Out, and a line for each thing that happens on
// the way to Err.
func (p *printer) plain(e agent.Event) error {
	if err := p.settle(e); err != nil {
		return err
	}
	switch e := e.(type) {
	case agent.TextDelta:
		if !p.OutIsTerminal {
			p.held += e.Text
			return nil
		}
		return p.answer(e.Text)
	case agent.TextEnded:
		if !p.OutIsTerminal {
			if p.held == "" {
				return p.endAnswer() // it was printed when a call began
			}
			if !strings.HasSuffix(p.held, "\n") {
				p.held += "\n"
			}
			return nil
		}
		return p.endAnswer()
	case agent.CallStarted:
		p.name(e.ID, e.Tool)
	case agent.CallPlanned:
		title := e.Title
		if title != e.Tool {
			title = e.Tool + " " + e.Title
		}
		p.name(e.ID, title)
	case agent.CallEnded:
		p.activity("⚙ " + strings.Join(strings.Fields(p.titles[e.ID]), " ") + "  " + string(e.Status) + " " + strings.TrimPrefix(e.Summary, string(e.Status)))
	case agent.Retrying:
		p.activity("↻ trying again: " + e.Cause)
	case agent.Notice:
		p.activity("· " + e.Text)
	case agent.Fault:
		p.activity("mm: " + e.Text)
	case agent.TurnEnded:
		if e.Text != "" && e.Stop != agent.StopFailed {
			p.activity("mm: " + e.Text)
		}
	}
	return nil
}

// name remembers what a call is called.
func (p *printer) name(id agent.CallID, title string) {
	if p.titles == nil {
		p.titles = map[agent.CallID]string{}
	}
	p.titles[id] = title
}

// settle prints or drops the held answer when the event tells which.
func (p *printer) settle(e agent.Event) error {
	switch e.(type) {
	case agent.TextDelta, agent.TextEnded, agent.StepEnded, agent.ContextUsage, agent.CacheBroken, agent.Notice:
		return nil
	case agent.AnswerDoubted:
		p.doubted += p.held
		p.held = ""
		return nil
	case agent.CallStarted:
		p.doubted = ""
	case agent.TurnEnded:
		p.held = p.doubted + p.held
		p.doubted = ""
	default:
		if p.doubted != "" {
			return nil // what is held stands behind it
		}
	case agent.Retrying:
		p.held = ""
		return nil
	}
	text := p.held
	p.held = ""
	return p.answer(text)
}

func (p *printer) answer(text string) error {
	if p.OutIsTerminal {
		text = p.stream.Write(text).String()
	}
	if text == "" {
		return nil
	}
	p.midLine = !strings.HasSuffix(text, "\n")
	_, err := io.WriteString(p.Out, text)
	return err
}

func (p *printer) endAnswer() error {
	if p.OutIsTerminal {
		if _, err := io.WriteString(p.Out, p.stream.Flush().String()); err != nil {
			return err
		}
	}
	if !p.midLine {
		return nil
	}
	p.midLine = false
	_, err := io.WriteString(p.Out, "\n")
	return err
}

// activity writes one cleaned line. Standard error that cannot be written has
// nobody to be told.
func (p *printer) activity(line string) {
	if p.midLine && p.OutIsTerminal {
		fmt.Fprintln(p.Err)
	}
	fmt.Fprintln(p.Err, clean.Line(strings.TrimSpace(line)).String())
}

// AskOnTerminal asks on a terminal that is not the answer's output: y allows
// once, a always, anything else is no.
func AskOnTerminal(tty *os.File) func(agent.ApprovalAsked) agent.Decide {
	in := bufio.NewReader(tty)
	return func(q agent.ApprovalAsked) agent.Decide { return ask(in, tty, q) }
}

func ask(in *bufio.Reader, out io.Writer, q agent.ApprovalAsked) agent.Decide {
	for _, reason := range q.Reasons {
		fmt.Fprintln(out, "  ! "+clean.Line(reason).String())
	}
	if q.Target != "" {
		fmt.Fprintln(out, "  real target: "+clean.VisibleLine(q.Target).String())
	}
	switch preview := q.Preview.(type) {
	case agent.CommandPreview:
		fmt.Fprintf(out, "  in %s\n  %s\n", clean.VisibleLine(preview.Dir).String(), clean.Visible(preview.Command).String())
	case agent.DiffPreview:
		for _, f := range preview.Files {
			fmt.Fprintln(out, clean.Block(f.Unified()).String())
		}
	default:
		fmt.Fprintln(out, "  "+clean.Visible(q.Title).String())
	}
	choices := "[y]es, [a]lways, [N]o"
	if q.Dangerous {
		choices = "[y]es, [N]o"
	}
	fmt.Fprintf(out, "Allow %s? %s: ", clean.Line(q.Tool).String(), choices)
	answer, _ := in.ReadString('\n') // no answer is no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return agent.Decide{Choice: agent.ChoiceAllow}
	case "a", "always":
		if !q.Dangerous {
			return agent.Decide{Choice: agent.ChoiceAlways}
		}
	}
	return agent.Decide{Choice: agent.ChoiceReject}
}
