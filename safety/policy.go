package safety

import (
	"fmt"
	"sync"
)

// Options configures a Policy. The zero value asks for everything that is not
// free of effects.
type Options struct {
	Mode Mode // empty: AskMode

	// AutoApproveReads lets files of the project be read unasked in AskMode.
	// It is meant for machines where commands run in a sandbox: elsewhere
	// what was read can leave by any approved command.
	AutoApproveReads bool

	// AskAll is the rule of the editor protocol: every call that touches
	// the machine is asked, whatever the mode, until "always" was answered
	// for its tool.
	AskAll bool

	// Judge looks into command lines: for the reasons in the dialog, and to
	// know the ones that get a red one. Nil: nothing is known of any.
	Judge func(command string) Judgement

	// YoloOutside makes Yolo reach places outside of the project, secrets
	// and protected files too.
	YoloOutside bool
}

// Policy decides what may run unasked. Remembered answers live in memory only.
// It may be used from several goroutines.
type Policy struct {
	options Options

	mu     sync.Mutex
	mode   Mode
	always map[grant]bool
}

// grant is what one "always" covers: a tool, and where the tool alone would be
// too much, the beginning of a command line, an exact line, or a host.
type grant struct {
	tool, subject string
	prefix        bool
}

// NewPolicy returns a policy without remembered answers.
func NewPolicy(o Options) *Policy {
	if o.Mode == "" {
		o.Mode = AskMode
	}
	return &Policy{options: o, mode: o.Mode, always: map[grant]bool{}}
}

// Mode returns the mode in force.
func (p *Policy) Mode() Mode {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode
}

// SetMode changes the mode. Only a user's act may lead here.
func (p *Policy) SetMode(m Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
}

// Remember records the answer "always" to an action. For a command line it
// covers what begins with the same two words where these are harmless enough
// (see Prefix), or else that exact line; for a fetch its host; for a file the
// tool. Under AskAll it covers the tool. It never covers paths outside of the
// project, secrets and protected files.
func (p *Policy) Remember(a Action) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.always[p.grantFor(a)] = true
}

// covers tells in a few words what the answer "always" to an action would
// cover, "" when it should not be offered.
func (p *Policy) covers(a Action) string {
	onFile := a.Op == Read || a.Op == Write
	switch {
	case onFile && a.Path.Class != Inside:
		return ""
	case p.options.AskAll || onFile:
		return a.Tool
	case a.Op == Execute && p.judge(a.Command).Risk == Perilous:
		return ""
	}
	switch g := p.grantFor(a); {
	case g.prefix:
		return g.subject + " …"
	case a.Op == Execute:
		return "this exact command"
	default:
		return a.Host
	}
}

func (p *Policy) judge(command string) Judgement {
	if p.options.Judge == nil {
		return Judgement{}
	}
	return p.options.Judge(command)
}

func (p *Policy) grantFor(a Action) grant {
	g := grant{tool: a.Tool}
	switch {
	case p.options.AskAll:
	case a.Op == Execute:
		g.subject = Prefix(a.Command)
		if g.prefix = g.subject != ""; !g.prefix {
			g.subject = a.Command
		}
	case a.Op == Fetch:
		g.subject = a.Host
	}
	return g
}

// Decide judges an action.
func (p *Policy) Decide(a Action) Verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.decide(a)
	if v.Decision == Ask {
		v.Always, v.Refusal = p.covers(a), unattended(a)
	}
	return v
}

func (p *Policy) decide(a Action) Verdict {
	if a.Op == None {
		return Verdict{Decision: Allow}
	}
	onFile := a.Op == Read || a.Op == Write
	if onFile && a.Path.Class == Refused {
		return Verdict{
			Decision: Deny, Reasons: reasons(a),
			Refusal: fmt.Sprintf("[refused: %s is %s; only regular files can be used]",
				a.Path.Named, a.Path.Reason),
		}
	}
	if p.mode == ReadOnly {
		if v, done := readOnly(a); done {
			return v
		}
	}
	if onFile && a.Path.Class != Inside {
		if p.mode == Yolo && p.options.YoloOutside && !p.options.AskAll {
			return Verdict{Decision: Allow}
		}
		return Verdict{Decision: Ask, Reasons: reasons(a)}
	}
	if a.Empties && (p.mode != Yolo || p.options.AskAll) {
		return Verdict{Decision: Ask, Reasons: []string{"empties a file that has content"}}
	}
	granted := p.granted(a)
	if a.Op == Execute && (p.mode != Yolo || p.options.AskAll) {
		return p.command(a, granted)
	}
	if granted || !p.options.AskAll && p.free(a.Op) {
		return Verdict{Decision: Allow}
	}
	return Verdict{Decision: Ask, Reasons: reasons(a)}
}

// granted tells whether an earlier "always" covers an action.
func (p *Policy) granted(a Action) bool {
	if p.options.AskAll || a.Op != Execute {
		return p.always[p.grantFor(a)]
	}
	if p.always[grant{tool: a.Tool, subject: a.Command}] {
		return true
	}
	prefixes, ok := linePrefixes(a.Command)
	for _, prefix := range prefixes {
		ok = ok && p.always[grant{a.Tool, prefix, true}]
	}
	return ok
}

// command judges a command line that no mode lets through. A perilous one is
// asked again each time, except under AskAll, whose "always" is literal.
func (p *Policy) command(a Action, granted bool) Verdict {
	j := p.judge(a.Command)
	perilous := j.Risk == Perilous
	if granted && (!perilous || p.options.AskAll) {
		return Verdict{Decision: Allow}
	}
	why := j.Reasons
	switch {
	case j.Risk == Harmless:
		why = []string{"only reads, as far as can be told"}
	case len(why) == 0:
		why = reasons(a)
	}
	return Verdict{Decision: Ask, Reasons: why, Dangerous: perilous}
}

// free tells what the mode allows without a question inside the project.
func (p *Policy) free(op Op) bool {
	switch p.mode {
	case Yolo:
		return true
	case AcceptEdits:
		return op == Read || op == Write
	case ReadOnly:
		return op == Read
	}
	return op == Read && p.options.AutoApproveReads
}

// readOnly refuses what read-only mode never does. Reading in the project and
// fetching go on to be judged.
func readOnly(a Action) (Verdict, bool) {
	text := ""
	switch a.Op {
	case Execute:
		text = "[refused: this session is read-only and runs no commands; " +
			"use the reading tools, and describe what you would run]"
	case Write:
		text = "[refused: this session is read-only: no file was changed; " +
			"describe the change, and let the user leave the read-only mode]"
	case Read:
		if a.Path.Class == Inside {
			return Verdict{}, false
		}
		text = fmt.Sprintf("[refused: %s: %s; in a read-only session only "+
			"ordinary files of the project are read]", a.Path.Named, a.Path.Reason)
	default:
		return Verdict{}, false
	}
	return Verdict{Decision: Deny, Reasons: reasons(a), Refusal: text}, true
}

// reasons say in words for the user why an action is asked.
func reasons(a Action) []string {
	switch a.Op {
	case Read:
		if a.Path.Class == Inside {
			return []string{"reads a file of the project"}
		}
		return []string{"reads: " + a.Path.Reason}
	case Write:
		if a.Path.Class == Inside {
			return []string{"changes a file of the project"}
		}
		return []string{"writes: " + a.Path.Reason}
	case Execute:
		return []string{"runs with all your rights"}
	case Fetch:
		return []string{"network: " + a.Host}
	}
	return nil
}

// unattended is the refusal where nobody can be asked.
func unattended(a Action) string {
	flag := "-yolo"
	switch {
	case (a.Op == Read || a.Op == Write) && a.Path.Class != Inside:
		return fmt.Sprintf("[refused: %s: %s; this needs the user's permission "+
			"and nobody can be asked in this run]", a.Path.Named, a.Path.Reason)
	case a.Op == Read || a.Op == Write:
		flag = "-mode accept-edits (or -yolo)"
	}
	return fmt.Sprintf("[refused: %s needs the user's permission and nobody can "+
		"be asked in this run; tell the user to start mm with %s]", a.Tool, flag)
}
