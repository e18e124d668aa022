package safety

import (
	"cmp"
	"slices"
	"sync"
)

// Options configures a Policy. The zero value asks for everything that is not
// free of effects.
type Options struct {
	Mode Mode // empty: AskMode

	// AutoApproveReads lets files of the project be read unasked in AskMode,
	// and commands that only read run, where there is a sandbox. It is meant
	// for such machines: elsewhere what was read can leave by any command.
	AutoApproveReads bool

	// AskAll is the rule of the editor protocol: every call that touches
	// the machine is asked, whatever the mode, until "always" was answered
	// for its tool.
	AskAll bool

	// ModesCount limits AskAll to AskMode: the editor offers the modes.
	ModesCount bool

	// Sandbox says that commands are confined. Harmless ones then run
	// unasked, in tier R; without a sandbox every command is asked.
	Sandbox bool

	// Offline keeps the network from commands that were approved too.
	Offline bool

	// Rules are those of the configuration, for the project in Dir, a real
	// path.
	Rules Rules
	Dir   string

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
	case p.askAll() || onFile:
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

func (p *Policy) askAll() bool {
	return p.options.AskAll && (p.mode == AskMode || !p.options.ModesCount)
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
	case p.askAll():
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

// Granted lists what "always" was answered to, as rules that would allow the
// same, sorted. In left are exact lines that no rule should state: dangerous
// ones, and those that are more than one simple command.
func (p *Policy) Granted() (rules []RuleSpec, left []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for g := range p.always {
		r := RuleSpec{Decision: Allow, Tool: g.tool, Pattern: g.subject}
		if g.prefix {
			r.Pattern += " *"
		}
		if _, err := compile(r); err != nil || g.tool == "bash" && p.judge(g.subject).Risk == Perilous {
			left = append(left, g.subject)
			continue
		}
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b RuleSpec) int { return cmp.Compare(a.String(), b.String()) })
	slices.Sort(left)
	return rules, left
}
