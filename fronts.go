package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"mm/agent"
	"mm/agent/acp"
	"mm/agent/session"
	"mm/configs"
	"mm/llm"
	"mm/safety/clean"
	"mm/ui/oneshot"
)

// maxPrompt bounds a prompt read from standard input, in bytes.
const maxPrompt = 4 << 20

// opened is a session that is ready to go on.
type opened struct {
	session *session.Session
	store   *session.Store // nil when none are kept
	said    []string       // lines for the user
	release func()         // gives the lock back
}

// open finds the session to go on with, or makes one, and locks it.
func (a *app) open() (opened, error) {
	store, err := a.store(a.cwd)
	if err != nil {
		if a.opts.goOn || a.opts.resume != "" {
			return opened{}, err
		}
		return a.unkept(err), nil
	}
	o := opened{store: store, release: func() {}}
	if store == nil {
		if a.opts.goOn || a.opts.resume != "" {
			return opened{}, errors.New("no conversation is kept: sessions.enabled is false")
		}
		o.session = session.New(a.cwd, time.Now())
		return o, nil
	}
	id := a.opts.resume
	if a.opts.goOn && id == "" {
		o.said = store.SetAside()
		last, err := store.Latest()
		switch {
		case errors.Is(err, session.ErrNone):
			o.said = append(o.said, "there is no conversation to go on with: this is a new one")
		case err != nil:
			return opened{}, err
		default:
			id = last.ID
		}
	}
	if id != "" {
		err := o.take(id)
		return o, err
	}
	o.session = session.New(a.cwd, time.Now())
	if o.release, err = store.Lock(o.session.ID); err != nil {
		return a.unkept(err), nil
	}
	return o, nil
}

// unkept is a new session in a place where none can be written.
func (a *app) unkept(err error) opened {
	return opened{session: session.New(a.cwd, time.Now()), release: func() {}, said: []string{notKept(err)}}
}

func notKept(err error) string {
	return "this conversation is not kept: " + err.Error() + " (sessions.enabled: false turns this line off)"
}

// reopen takes up a stored session.
func (a *app) reopen(id string) (opened, error) {
	store, err := a.store(a.cwd)
	if err != nil {
		return opened{}, err
	}
	o := opened{store: store, release: func() {}}
	err = o.take(id)
	return o, err
}

// take locks a session for this process and loads it, in this order: what
// another process saves last must not be missed. One that is open elsewhere is
// gone on with as a copy, under an id of its own; one in a place where nothing
// can be written is not kept any more.
func (o *opened) take(id string) error {
	release, unlocked := o.store.Lock(id)
	var err error
	if o.session, err = o.store.Load(id); err != nil {
		if release != nil {
			release()
		}
		return err
	}
	inUse, ok := errors.AsType[*session.InUseError](unlocked)
	if unlocked != nil && !ok {
		o.store, o.said = nil, append(o.said, notKept(unlocked))
		return nil
	}
	if inUse != nil {
		o.said = append(o.said, inUse.Error()+": going on with a copy")
		o.session.ID = session.NewID(time.Now())
		if release, err = o.store.Lock(o.session.ID); err != nil {
			return err
		}
	}
	o.release = release
	return nil
}

// oneshot is "mm -p".
func (a *app) oneshot(ctx context.Context) int {
	prompt, err := a.promptText()
	if err != nil {
		return a.fail(err)
	}
	if strings.TrimSpace(prompt) == "" {
		return a.usage("the prompt is empty")
	}
	if _, err := a.connect(ctx); err != nil {
		return a.fail(errors.New(llm.Explain(err, llm.ModelInfo{})))
	}
	sess, err := a.open()
	if err != nil {
		return a.fail(err)
	}
	defer sess.release()
	o := oneshot.Options{
		Prompt: prompt, JSON: a.opts.json,
		Out: a.out, Err: a.err, OutIsTerminal: term.IsTerminal(a.out.Fd()),
	}
	if tty := a.terminal(); tty != nil {
		defer tty.Close()
		o.Ask = oneshot.AskOnTerminal(tty)
	}
	core, err := a.core(a.cwd, sess, front{unattended: o.Ask == nil})
	if err != nil {
		return a.fail(err)
	}
	var code int
	a.serve(core, func() { code, err = oneshot.Run(ctx, core, o) })
	if err != nil {
		fmt.Fprintf(a.err, "mm: %v\n", err)
		return oneshot.ExitError
	}
	return code
}

// promptText is the prompt, read from standard input when it is "-".
func (a *app) promptText() (string, error) {
	if a.opts.prompt != "-" {
		return a.opts.prompt, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, maxPrompt+1))
	if err != nil {
		return "", fmt.Errorf("read the prompt: %w", err)
	}
	if len(data) > maxPrompt {
		return "", fmt.Errorf("the prompt is larger than %d bytes: put it into a file and mention it with @", maxPrompt)
	}
	return string(bytes.ToValidUTF8(data, []byte("\uFFFD"))), nil
}

// terminal is where permission can be asked while the answer goes elsewhere;
// nil when the program has no terminal. Standard error must be one: a program
// whose output is all taken away runs without a person.
func (a *app) terminal() *os.File {
	if a.opts.json || !term.IsTerminal(a.err.Fd()) {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return tty
}

// serve runs the core while work lasts, and drains it to its end.
func (a *app) serve(core *agent.Core, work func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = core.Run(ctx) // it ends by ctx alone
	}()
	work()
	cancel()
	for range core.Events() { //nolint:revive // the core needs its reader until it has ended
	}
	<-done
}

// acp is "mm -acp". A server that is not there yet is no reason to end: each
// prompt says what is missing.
func (a *app) acp(ctx context.Context) int {
	why, err := a.connect(ctx)
	if err != nil {
		why = llm.Explain(err, llm.ModelInfo{Provider: a.cfg.Provider, BaseURL: a.cfg.BaseURL})
	}
	fmt.Fprintf(a.err, "mm %s, %s\n", version, why)
	for _, w := range a.cfg.Warnings {
		fmt.Fprintf(a.err, "mm: warning: %s\n", clean.Line(w))
	}
	o := acp.Options{
		Version: version,
		Log:     a.err,
		Open: func(cwd string, s *session.Session, store *session.Store, files *acp.ClientFiles) (*agent.Core, error) {
			f := front{askAll: true, interval: editorInterval}
			if files != nil {
				f.editor = files
			}
			return a.core(cwd, opened{session: s, store: store}, f)
		},
		ClientFiles: a.cfg.ACP.ClientFiles,
		Extended:    a.cfg.ACP.Extended,
		Settings:    []acp.Setting{a.modelSetting(), a.profileSetting()},
	}
	if a.cfg.Sessions.Enabled {
		o.Store = a.store
	}
	if err := acp.Serve(ctx, a.in, a.out, o); err != nil {
		return a.fail(err)
	}
	return exitOK
}

// modelSetting lets an editor choose among the models that the server has.
func (a *app) modelSetting() acp.Setting {
	return acp.Setting{
		ID: "model", Name: "Model", Description: "The model that answers, in all sessions",
		List: func(ctx context.Context) ([]string, string, error) {
			client, err := a.model.current()
			if err != nil {
				return nil, "", err
			}
			names, err := client.Names(ctx)
			if err != nil || len(names) == 0 {
				return nil, "", err
			}
			return names, cmp.Or(a.model.known().ID, a.model.inUse().Model, names[0]), nil
		},
		Use: func(ctx context.Context, id string) (agent.Command, error) {
			sampling, err := a.chooseModel(ctx, id)
			return agent.AskModel{Sampling: sampling}, err
		},
	}
}

// profileSetting lets an editor choose the settings for a family of models.
// What they say of prompts counts for new sessions.
func (a *app) profileSetting() acp.Setting {
	return acp.Setting{
		ID: "profile", Name: "Profile", Description: "Settings for a family of models, in all sessions",
		List: func(context.Context) ([]string, string, error) {
			return append([]string{"auto", "none"}, configs.Profiles()...), a.cfg.Profile, nil
		},
		Use: func(ctx context.Context, name string) (agent.Command, error) {
			o := a.opts
			o.values = maps.Clone(o.values)
			if o.values == nil {
				o.values = map[string]string{}
			}
			o.values["profile"] = name
			cfg, err := configs.Load(a.sources(o, a.cwd))
			if err != nil {
				return nil, err
			}
			a.opts, a.cfg = o, cfg
			if err := a.useProfile(ctx); err != nil {
				return nil, err
			}
			s := sampling(a.cfg.Config)
			return agent.AskModel{Sampling: &s}, nil
		},
	}
}
