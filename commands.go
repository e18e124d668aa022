package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"mm/agent/session"
	"mm/configs"
	"mm/safety/clean"
)

// command is a word that makes the program do something else.
type command struct {
	name  string
	words []string // that may follow
	args  string   // as the usage shows them
	about string
}

// commands are listed in this order.
var commands = []command{
	{"doctor", nil, "[-json]", "examine the server, the configuration and the terminal"},
	{"config", []string{"init", "schema", "trust"}, "[init|schema]", "show the configuration in force, write a file to begin with, print a JSON Schema"},
	{"trust", []string{"list", "forget"}, "[list|forget]", "show what the project asks for and tells the model, and trust it"},
	{"sessions", []string{"search", "rename", "export", "delete"}, "[search|rename|export|delete ...]", "list, search or change the conversations kept for this directory"},
	{"eval", nil, "[-help]", "run reproducible tasks against the model"},
	{"gauntlet", nil, "[FAULT...]", "run mm through a misbehaving model and a misbehaving server, and judge what comes of it"},
	{"safety", []string{"explain", "judge", "resolve", "clean", "fetch-check"}, "explain LINE", "say how a command line is judged, and why"},
	{"sandbox", nil, "[-- COMMAND]", "test what confines commands here, or run one in it"},
	{"completion", shellNames, "SHELL", "print a completion script for " + strings.Join(shellNames, ", ")},
}

// command runs a command.
func (p program) command(ctx context.Context, o options, words []string) int {
	name, args := words[0], words[1:]
	said := strings.Join(words, " ")
	switch {
	case said == "help":
		return p.done(p.help())
	case o.json && said != "doctor":
		return p.usage("-json goes with -p and with doctor")
	case said == "doctor":
		return p.doctor(ctx, o)
	case said == "config init":
		return p.configInit()
	case said == "config schema":
		_, err := p.out.Write(configs.Schema())
		return p.done(err)
	case name == "trust":
		return p.trust(ctx, o, args)
	case name == "config" && len(args) > 0 && args[0] == "trust":
		return p.trust(ctx, o, args[1:])
	case name == "safety":
		return p.safety(ctx, o, args)
	case name == "sandbox":
		return p.sandbox(args)
	case name == "completion" && len(args) == 1:
		return p.completion(args[0])
	case name == "eval" || name == "gauntlet" || name == "sessions" || said == "config":
		return p.loaded(ctx, o, name, args)
	}
	return p.usage(fmt.Sprintf("there is no command %q; a prompt goes behind -p", said))
}

// loaded runs a command that needs the configuration.
func (p program) loaded(ctx context.Context, o options, name string, args []string) int {
	cwd, cfg, code := p.load(o)
	if cfg == nil {
		return code
	}
	if name == "eval" || name == "gauntlet" {
		a, err := newApp(p, o, cwd, cfg)
		if err != nil {
			return p.fail(err)
		}
		defer a.close()
		if name == "gauntlet" {
			return a.gauntlet(ctx, args)
		}
		return a.eval(ctx, args)
	}
	for _, w := range cfg.Warnings {
		fmt.Fprintf(p.err, "mm: warning: %s\n", clean.Line(w))
	}
	if name == "config" {
		return p.done(cfg.Print(p.out))
	}
	return p.sessions(cwd, cfg, args)
}

// done is the exit code for an error, which may be nil.
func (p program) done(err error) int {
	if err != nil {
		return p.fail(err)
	}
	return exitOK
}

// configInit writes the commented defaults as the user's file. An existing
// file is not touched.
func (p program) configInit() int {
	path := configs.UserFile()
	if path == "" {
		return p.fail(errors.New("this system names no folder for configuration: set HOME"))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return p.fail(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return p.fail(fmt.Errorf("%s exists already and was left as it is", path))
	}
	if err != nil {
		return p.fail(err)
	}
	_, err = f.Write(configs.Template())
	if err := errors.Join(err, f.Close()); err != nil {
		return p.fail(err)
	}
	fmt.Fprintln(p.out, "wrote", path)
	return exitOK
}

// sessions lists the conversations of a directory, or changes one.
func (p program) sessions(cwd string, cfg *configs.Loaded, args []string) int {
	dir := filepath.Join(cwd, cfg.Sessions.Dir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(p.err, "no conversations are kept for this directory yet")
		return exitOK
	}
	store, err := session.Open(dir)
	if err != nil {
		return p.fail(err)
	}
	what := ""
	if len(args) > 0 {
		what, args = args[0], args[1:]
	}
	switch {
	case what == "":
		list, err := store.List()
		return p.done(cmp.Or(err, p.list(list)))
	case what == "search" && len(args) > 0:
		list, err := store.Search(strings.Join(args, " "))
		return p.done(cmp.Or(err, p.list(list)))
	case what == "rename" && len(args) > 1:
		return p.done(renameSession(store, args[0], strings.Join(args[1:], " ")))
	case what == "export" && len(args) == 1:
		sess, err := store.Load(args[0])
		if err == nil {
			_, err = fmt.Fprint(p.out, clean.Block(sess.Markdown()))
		}
		return p.done(err)
	case what == "delete" && len(args) == 1:
		return p.done(store.Delete(args[0]))
	}
	return p.usage("mm sessions takes search WORDS, rename ID TITLE, export ID or delete ID")
}

// renameSession names a conversation that nobody has open: who has would write
// the old title back.
func renameSession(store *session.Store, id, title string) error {
	release, err := store.Lock(id)
	if err != nil {
		return err
	}
	defer release()
	return store.Rename(id, title)
}

// list prints conversations, the last used first.
func (p program) list(list []session.Entry) error {
	w := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	for _, e := range list {
		if e.Err != nil {
			fmt.Fprintf(w, "%s\t%s\n", e.ID, clean.Line(e.Err.Error()))
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d messages\t%s\t%s\n", e.ID, e.Updated.Local().Format("2006-01-02 15:04"), e.Messages, clean.Line(e.Model), clean.Line(e.Title))
	}
	return w.Flush()
}
