package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"mm/agent/session"
	"mm/configs"
	"mm/safety/clean"
)

// subcommand runs "mm config" or "mm sessions".
func (p program) subcommand(name, cwd string, cfg *configs.Loaded) int {
	var err error
	switch name {
	case "config":
		err = cfg.Print(p.out)
	case "sessions":
		err = p.sessions(cwd, cfg)
	}
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

// sessions lists the conversations of a directory, the last used first.
func (p program) sessions(cwd string, cfg *configs.Loaded) error {
	dir := filepath.Join(cwd, cfg.Sessions.Dir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(p.err, "no conversations are kept for this directory yet")
		return nil
	}
	store, err := session.Open(dir)
	if err != nil {
		return err
	}
	list, err := store.List()
	if err != nil {
		return err
	}
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
