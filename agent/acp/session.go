package acp

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/agent/session"
)

const (
	// announceDelay is how long the commands of a new session are held back:
	// some editors register a session late and drop what comes at once.
	announceDelay = 100 * time.Millisecond

	// outputEvery is the least time between two looks at a running tool.
	outputEvery = time.Second
)

var errClosed = errors.New("the session is closed")

// live is a session being served: a core, and the goroutine that hears it.
type live struct {
	id, cwd string
	srv     *server
	core    *agent.Core
	tr      *translator // used by the hearing goroutine alone
	stop    context.CancelFunc
	release func() // gives the session's file to other processes
	quiet   bool   // what is stored is not replayed

	ready  chan struct{} // closed when the core is idle for the first time: the replay was sent
	ended  chan struct{} // closed when the core has ended and its last event was handled
	skills []agent.Skill // set before ready is closed

	announced sync.Once

	mu   sync.Mutex
	job  *job // what the client waits for, or nil
	mode agent.Mode
}

// job is one command under way, with what the events told of it. The fields
// are the hearing goroutine's until done is closed.
type job struct {
	ctx  context.Context // ended: the client has cancelled
	done chan struct{}   // closed when the core is idle again

	turn      *agent.TurnEnded
	cleared   *agent.Cleared
	titled    *agent.TitleChanged
	compacted *agent.Compacted
	fault     string
}

// saw notes what an event tells of the job.
func (j *job) saw(e agent.Event) {
	switch e := e.(type) {
	case agent.TurnEnded:
		j.turn = &e
	case agent.Cleared:
		j.cleared = &e
	case agent.TitleChanged:
		j.titled = &e
	case agent.Compacted:
		j.compacted = &e
	case agent.Fault:
		j.fault = e.Text
	case agent.Idle:
		close(j.done)
	}
}

// newLive makes a session of a core. It owns release once it is started.
func (s *server) newLive(core *agent.Core, sess *session.Session, release func()) *live {
	return &live{
		id: sess.ID, cwd: sess.Cwd, srv: s, core: core, release: release,
		tr:    newTranslator(sess.Cwd, &s.ids),
		ready: make(chan struct{}),
		ended: make(chan struct{}),
	}
}

// start runs the core and waits until its replay was sent.
func (l *live) start() error {
	ctx, stop := context.WithCancel(l.srv.ctx)
	l.stop = stop
	if !l.srv.spawn(func() { l.run(ctx) }) {
		stop()
		l.release()
		return errClosed
	}
	select {
	case <-l.ready:
		return nil
	case <-l.ended:
		return errClosed
	}
}

// run runs the core and hears it until it has ended.
func (l *live) run(ctx context.Context) {
	defer close(l.ended)
	defer l.release()
	defer l.stop()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		if err := l.core.Run(ctx); err != nil {
			l.srv.log.printf("session %s: %v", l.id, err)
		}
	})
	for {
		var look <-chan time.Time
		if l.tr.hasOutput() {
			look = time.After(outputEvery)
		}
		select {
		case batch, ok := <-l.core.Events():
			if !ok {
				return
			}
			for _, e := range batch {
				l.hear(e)
			}
		case <-look:
		}
		l.send(l.tr.outputs(time.Now()))
	}
}

// close ends the session, whatever runs in it.
func (l *live) close() {
	l.stop()
	<-l.ended
}

// hear takes in one event. An event that cannot be handled is lost; the
// session goes on.
func (l *live) hear(e agent.Event) {
	defer func() {
		if p := recover(); p != nil {
			l.srv.log.printf("session %s: panic at %s: %v", l.id, e.Kind(), p)
		}
	}()
	j := l.current()
	if updates := l.tr.translate(e, time.Now()); j != nil || l.tr.replaying && !l.quiet {
		l.send(updates)
	}
	switch e := e.(type) {
	case agent.SessionReady:
		l.skills = e.Skills
		l.noteMode(e.Mode)
	case agent.ApprovalAsked:
		l.ask(e)
	case agent.TitleChanged:
		if l.srv.opts.Extended && j != nil {
			l.send([]update{titled(e.Title)})
		}
	case agent.Notice:
		l.srv.log.printf("session %s: %s: %s", l.id, e.Level, e.Text)
	case agent.Fault:
		l.srv.log.printf("session %s: error: %s", l.id, e.Text)
	case agent.Retrying:
		l.srv.log.printf("session %s: try %d of %d after: %s", l.id, e.Attempt+1, e.Max+1, e.Cause)
	case agent.Idle:
		if l.tr.replaying {
			l.tr.replaying = false
			close(l.ready)
		}
	}
	if j != nil {
		j.saw(e)
	}
}

func (l *live) current() *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.job
}

func (l *live) setJob(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.job = j
}

func (l *live) modeNow() agent.Mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mode
}

func (l *live) noteMode(m agent.Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mode = m
}

// setMode changes the permission mode, also while a turn runs.
func (l *live) setMode(m agent.Mode) error {
	if err := l.core.Do(agent.SetMode{Mode: m}); err != nil {
		return err
	}
	l.noteMode(m)
	return nil
}

// do gives the core a command and waits until it is carried out, or stopped
// since ctx has ended. Only the first of the queue of turns may call it.
func (l *live) do(ctx context.Context, cmd agent.Command) (*job, error) {
	l.announce()
	j := &job{ctx: ctx, done: make(chan struct{})}
	l.setJob(j)
	defer l.setJob(nil)
	if err := l.core.Do(cmd); err != nil {
		return nil, err
	}
	select {
	case <-j.done:
		return j, nil
	case <-l.ended:
		return j, errClosed
	case <-ctx.Done():
	}
	_ = l.core.Do(agent.Interrupt{}) // a core that has ended needs none
	select {
	case <-j.done:
		return j, nil
	case <-l.ended:
		return j, errClosed
	}
}

// announceSoon tells the commands of a new session after the delay.
func (l *live) announceSoon() {
	timer := time.NewTimer(announceDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
		l.announce()
	case <-l.ended:
	}
}

// announce tells the client once which commands there are.
func (l *live) announce() {
	l.announced.Do(func() { l.send([]update{availableCommands(l.skills, l.srv.opts.Extended)}) })
}

// notification is a session/update.
type notification struct {
	SessionID string `json:"sessionId"`
	Update    update `json:"update"`
}

// send writes updates to the client. A failure is the output's, and ends the
// connection.
func (l *live) send(updates []update) {
	for _, u := range updates {
		err := l.srv.conn.SendNotification(context.Background(), sdk.ClientMethodSessionUpdate, notification{l.id, u})
		if err != nil && l.srv.out.failure() == nil {
			l.srv.log.printf("session %s: an update is lost: %v", l.id, err)
		}
	}
}
