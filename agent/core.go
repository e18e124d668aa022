package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"mm/agent/session"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// ErrClosed is returned by Do after the core has ended.
var ErrClosed = errors.New("the session is closed")

// ErrNoTitle is returned by Do for a Rename to nothing.
var ErrNoTitle = errors.New("a title is missing: /rename TITLE")

// Options are what a core is made of. Model, Tools, Policy and Session are
// required.
type Options struct {
	Model  Model
	Tools  Toolbox
	Policy Policy

	// Session is the conversation to go on with; a fresh one has no items.
	Session *session.Session

	// Notices are lines that the user should see at the start.
	Notices []string

	// Store keeps the session; nil keeps nothing.
	Store Store

	// System is the system prompt. It does not change within a session.
	System string

	Sampling        llm.Sampling
	Context         Context
	LoopTemperature float64 // sampling after a loop was noticed; 0 turns it off
	MaxTurns        int     // calls of the model in one turn; 0 means 40
	Skills          []Skill

	// Prewarm has the prefix read while nobody waits, where the Model is a
	// Warmer; IdleSteps makes room in the window then.
	Prewarm, IdleSteps bool

	// Shell runs the user's own "!" commands; nil refuses them.
	Shell func(ctx context.Context, command string, out tools.Sink) tools.Result

	// Restore writes a file back for undo, or removes it when data is nil. It
	// refuses, with an error, a file whose bytes are not expect.
	Restore func(path string, data, expect []byte) error

	// Cleared is called after the conversation was emptied: what the tools
	// know of what the model has seen no longer holds. Nil is not called.
	Cleared func()

	// Check says, in one line, that a file parsed before a change and does not
	// after it; nil checks nothing.
	Check func(ctx context.Context, change tools.Change) string

	// Grounding has the claims of answers checked against what was read.
	Grounding bool

	Repairs Repairs // of answers that arrive in a bad state
	Shape   Shape   // of messages, as the model's profile says

	// NoTextCalls turns off that calls written as text are recovered.
	NoTextCalls bool

	// Unconfined says that commands run without a sandbox, for the front ends.
	Unconfined bool

	// Unattended says that nobody can be asked: what needs a permission is
	// refused with a text for the model.
	Unattended bool

	// Log receives what developers need to know; nil drops it.
	Log io.Writer

	// TurnLock, when not nil, is shared by the cores of a process, so that
	// turns never run side by side.
	TurnLock *TurnLock

	// BatchInterval is the least time between two batches of events.
	BatchInterval time.Duration
}

// defaultMaxTurns is the limit of model calls in a turn; 10 proved small.
const defaultMaxTurns = 40

// Core runs one session. It is driven by commands and tells by events.
type Core struct {
	opts Options
	out  *outbox
	mail mailbox
	asks approvals

	queue   []Command // waiting for the work under way to end
	running *running  // the work under way, or nil
	hurry   hurry     // ends the reasoning of the answer under way

	stillborn bool // the next work is cancelled before it begins

	state
}

// state is the conversation with what is known beside it. It belongs to the
// goroutine of Run, and is lent to the goroutine of a turn while that runs.
type state struct {
	ids    counters
	model  llm.ModelInfo
	infoCh chan served // the first answer of Model.Info
	asked  bool        // that answer has not been taken yet
	stale  bool        // another server may answer by now

	loop  *detector // kept over compaction, reset by the user's next words
	gauge gauge     // fill of the context window

	net map[string]netDiff // what became of the files, by path

	past past // what the requests have told

	unsaved   bool // the last save failed
	useless   int  // compactions in a row that did not help
	cold      bool // the server may not know the prefix
	fixedSaid bool // the user knows that the fixed part fills the window
}

// served is an answer of Model.Info.
type served struct {
	info llm.ModelInfo
	err  error
}

// mailbox holds the commands that were sent and not yet taken.
type mailbox struct {
	mu     sync.Mutex
	inbox  []Command
	closed bool
	wake   chan struct{} // capacity 1
}

// running is a turn under way.
type running struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	idle   bool // done while nobody waits: any command ends it
}

// errInterrupted is the cause of a turn's context when the user cancelled.
var errInterrupted = errors.New("cancelled by the user")

// New makes a core. Run starts it.
func New(o Options) *Core {
	if o.MaxTurns <= 0 {
		o.MaxTurns = defaultMaxTurns
	}
	c := &Core{
		opts: o,
		out:  newOutbox(o.BatchInterval),
		mail: mailbox{wake: make(chan struct{}, 1)},
		state: state{
			loop:   newDetector(),
			infoCh: make(chan served, 1),
			cold:   true,
		},
	}
	c.ids.resume(o.Session.Items)
	c.gauge.est = llm.Calibrated(o.Session.TokenRatio)
	if len(o.Session.Items) > 0 {
		c.gauge.sending(llm.Request{Messages: Outgoing(o.System, o.Session.Items), Tools: c.toolSpecs()})
		c.gauge.counted(llm.Usage{})
	}
	return c
}

// Events returns ordered batches. It has one reader, who reads until the
// channel is closed; a second would steal.
func (c *Core) Events() <-chan []Event { return c.out.out }

// Do asks for something. It never blocks; what it asks for happens in order.
// It returns ErrClosed after the end, or says what is wrong with the command.
func (c *Core) Do(cmd Command) error {
	switch cmd := cmd.(type) {
	case SetMode:
		if !slices.Contains(safety.Modes, cmd.Mode) {
			return fmt.Errorf("there is no mode %q", cmd.Mode)
		}
	case Rename:
		if title(cmd.Title) == "" {
			return ErrNoTitle
		}
	}
	return c.mail.put(cmd)
}

// put appends a command.
func (m *mailbox) put(cmd Command) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.inbox = append(m.inbox, cmd)
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return nil
}

// take removes what has arrived.
func (m *mailbox) take() []Command {
	m.mu.Lock()
	defer m.mu.Unlock()
	cmds := m.inbox
	m.inbox = nil
	return cmds
}

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

func (c *Core) emit(e Event) { c.out.put(e) }

// Run is the core's goroutine. It returns when ctx ends, after a running turn
// was stopped and its events were delivered.
func (c *Core) Run(ctx context.Context) error {
	var pumping sync.WaitGroup
	pumping.Go(c.out.pump)
	defer pumping.Wait()
	defer c.out.close()

	asking, stopAsking := context.WithCancel(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer stopAsking()

	c.emit(SessionReady{
		Session: c.opts.Session.ID,
		Cwd:     c.opts.Session.Cwd,
		Title:   c.opts.Session.Title,
		Mode:    c.opts.Policy.Mode(),
		Tools:   toolNames(c.opts.Tools.Specs()),
		Skills:  c.opts.Skills,

		Unconfined: c.opts.Unconfined,
	})
	c.replay()
	c.emit(c.gauge.event())
	for _, text := range c.opts.Notices {
		c.emit(Notice{Level: Warn, Text: text})
	}
	c.asked = true
	helpers.Go(func() {
		info, err := c.opts.Model.Info(asking)
		c.infoCh <- served{info, err}
	})
	c.emit(Idle{})

	for {
		// While a turn runs, the state is the turn's.
		var turnDone chan struct{}
		infoCh := c.infoCh
		if c.running != nil {
			turnDone, infoCh = c.running.done, nil
		}
		select {
		case <-ctx.Done():
			c.shutDown()
			return nil
		case got := <-infoCh:
			c.asked = false
			c.learn(got)
			c.startIdle(ctx)
		case <-turnDone:
			quiet := c.running.idle && len(c.queue) == 0
			c.running = nil
			if !quiet {
				c.startNext(ctx)
			}
		case <-c.mail.wake:
			for _, cmd := range c.mail.take() {
				c.handle(ctx, cmd)
			}
		}
	}
}

// shutDown stops a running turn and refuses further commands.
func (c *Core) shutDown() {
	c.mail.close()
	if c.running != nil {
		c.running.cancel(errInterrupted)
		<-c.running.done
		c.running = nil
	}
}

func (c *Core) handle(ctx context.Context, cmd Command) {
	switch cmd := cmd.(type) {
	case Unqueue:
		if cmd.Index >= 0 && cmd.Index < len(c.queue) {
			c.queue = slices.Delete(c.queue, cmd.Index, cmd.Index+1)
			c.tellQueue()
		}
	case Interrupt:
		c.interrupt()
	case Decide:
		c.settle(cmd)
	case AnswerNow:
		c.answerNow()
	case SetMode:
		c.opts.Policy.SetMode(cmd.Mode)
		c.emit(ModeChanged(cmd))
	default:
		if c.running != nil {
			c.queue = append(c.queue, cmd)
			if c.running.idle {
				c.running.cancel(errInterrupted)
				return
			}
			c.tellQueue()
			return
		}
		c.begin(ctx, cmd)
		if c.running == nil {
			c.emit(Idle{})
			c.startIdle(ctx)
		}
	}
}

// interrupt cancels the work under way. Where that is done in idle time, it is
// on its way out already, and what is meant is the prompt that waits for it.
func (c *Core) interrupt() {
	if c.running == nil {
		return
	}
	c.running.cancel(errInterrupted)
	if c.running.idle && len(c.queue) > 0 {
		c.stillborn = true
	}
}

// begin carries out a command that needs the history for itself.
func (c *Core) begin(ctx context.Context, cmd Command) {
	switch cmd := cmd.(type) {
	case Prompt:
		c.start(ctx, func(ctx context.Context) { c.runTurn(ctx, cmd.Text) })
	case Compact:
		c.start(ctx, c.compactAsked)
	case AskModel:
		c.start(ctx, func(ctx context.Context) { c.askModel(ctx, cmd.Sampling) })
	case RunShell:
		c.runShell(ctx, cmd.Command)
	case MapContext:
		c.emit(c.mapContext())
	case MapChanges:
		c.emit(ChangesMapped{Files: c.netChanges()})
	case DropOutput:
		c.setOutput(cmd.Call, func(item *session.Item) { item.Masked, item.Pinned = true, false })
	case PinOutput:
		c.setOutput(cmd.Call, func(item *session.Item) { item.Pinned, item.Masked = !cmd.Off, false })
	case Rename:
		c.rename(cmd.Title)
	case Clear:
		c.clear()
	case Undo:
		c.undo()
	case Redo:
		c.redo()
	}
}

// startNext begins what waits, oldest first, until something runs.
func (c *Core) startNext(ctx context.Context) {
	for c.running == nil && len(c.queue) > 0 {
		cmd := c.queue[0]
		c.queue = c.queue[1:]
		c.tellQueue()
		c.begin(ctx, cmd)
	}
	if c.running == nil {
		c.emit(Idle{})
		c.startIdle(ctx)
	}
}

// tellQueue lists what waits, as the user would type it.
func (c *Core) tellQueue() {
	var waiting []string
	for _, cmd := range c.queue {
		text := ""
		switch cmd := cmd.(type) {
		case Prompt:
			text = cmd.Text
		case RunShell:
			text = "!" + cmd.Command
		case Rename:
			text = "/rename " + title(cmd.Title)
		case Clear:
			text = "/new"
		case Compact:
			text = "/compact"
		case AskModel:
			text = "/model"
		case MapContext, DropOutput, PinOutput:
			text = "/context"
		case MapChanges:
			text = "/diff"
		case Undo:
			text = "/undo"
		case Redo:
			text = "/redo"
		}
		waiting = append(waiting, text)
	}
	c.emit(QueueChanged{Queued: waiting})
}

// start lends the state to a goroutine of its own until work returns.
func (c *Core) start(ctx context.Context, work func(context.Context)) {
	ctx, cancel := context.WithCancelCause(ctx)
	if c.stillborn {
		c.stillborn = false
		cancel(errInterrupted)
	}
	r := &running{cancel: cancel, done: make(chan struct{})}
	c.running = r
	go func() {
		defer close(r.done)
		defer cancel(nil)
		defer c.recovered()
		work(ctx)
	}()
}

// recovered keeps a panic from ending the program: the work is over, the
// session goes on.
func (c *Core) recovered() {
	if p := recover(); p != nil {
		c.logf("panic: %v\n%s", p, debug.Stack())
		c.emit(Fault{Text: fmt.Sprintf("internal error: %v; the session is kept", p)})
	}
}

// knowModel asks the server what it serves, until the window is known, and when
// it may be another.
func (c *Core) knowModel(ctx context.Context) {
	switch {
	case c.asked:
		select {
		case got := <-c.infoCh:
			c.asked = false
			c.learn(got)
		case <-ctx.Done():
		}
	case c.model.ContextWindow == 0 || c.stale:
		if info, err := c.opts.Model.Info(ctx); err == nil {
			c.stale = false
			c.learn(served{info: info})
		}
	}
}

// askModel asks the server again, after another model was chosen.
func (c *Core) askModel(ctx context.Context, sampling *llm.Sampling) {
	if sampling != nil {
		c.opts.Sampling = *sampling
	}
	info, err := c.opts.Model.Info(ctx)
	if err != nil {
		c.emit(Fault{Text: explain(err, c.model)})
		return
	}
	c.cold = true
	c.learn(served{info: info})
}

// learn takes in what is known of the model. What a server could not be asked a
// turn tells; what it does not tell of its window is said once.
func (c *Core) learn(got served) {
	if got.info != c.model {
		c.model = got.info
		c.gauge.limit = got.info.ContextWindow
		c.emit(ModelChanged{Model: got.info})
		if got.info.Asked != "" {
			c.emit(Notice{Level: Warn, Text: llm.ExplainOther(got.info)})
		}
	}
	c.past.about(c.model)
	if got.err != nil || c.past.windowSaid || !c.opts.Context.Enabled {
		return
	}
	if text := llm.ExplainWindow(c.model); text != "" {
		c.past.windowSaid = true
		c.emit(Notice{Level: Warn, Text: text})
	}
}

func toolNames(specs []tools.Spec) []string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return names
}
