package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"mm/configs"
	"mm/safety/clean"
)

// trust is "mm trust": what the project brings is shown, and the user is asked.
// Nobody is asked for him: without a terminal nothing is trusted.
func (p program) trust(ctx context.Context, o options, args []string) int {
	cwd, err := os.Getwd()
	if err != nil {
		return p.fail(err)
	}
	word := strings.Join(args, " ")
	if word == "list" {
		return p.trustList()
	}
	if word != "" && word != "forget" {
		return p.usage(fmt.Sprintf("mm trust takes list or forget, not %q", word))
	}
	src := p.sources(o, cwd)
	src.File = ""
	cfg, err := configs.Load(src)
	if err != nil {
		return p.fail(err)
	}
	q := question{project: cfg.Project, brought: brings(cwd, cfg.SkillsDir)}
	switch {
	case word == "forget":
		if err := configs.Forget(configs.TrustFile(), q.texts()...); err != nil {
			return p.fail(err)
		}
		fmt.Fprintln(p.out, "nothing of the project in this folder is trusted")
		return exitOK
	case cfg.Project != nil && cfg.Project.Hash == "":
		return p.fail(errors.New(strings.Join(cfg.Warnings, "; ")))
	case len(q.texts()) == 0:
		return p.fail(errors.New("there is no agent.yaml, no AGENTS.md and no skill in this folder"))
	}
	for _, line := range q.describe() {
		fmt.Fprintln(p.out, line)
	}
	switch {
	case len(q.pending()) == 0 && !slices.ContainsFunc(q.texts(), func(t configs.Text) bool { return t.Trusted }):
		fmt.Fprintln(p.out, "Nothing in it needs your trust.")
		return exitOK
	case len(q.pending()) == 0:
		fmt.Fprintln(p.out, "You trust this in this folder (mm trust forget takes it back).")
		return exitOK
	case !term.IsTerminal(p.in.Fd()):
		return p.fail(errors.New("nobody can be asked here: run mm trust in a terminal"))
	}
	_, err = p.askTrust(ctx, q)
	if err != nil {
		return p.fail(err)
	}
	return exitOK
}

// question is what a project brings, to be put before the user.
type question struct {
	project *configs.Project // nil when it has no configuration
	brought
}

// texts lists all that the user can trust.
func (q question) texts() []configs.Text {
	list := q.brought.texts()
	if q.project != nil && q.project.Hash != "" {
		list = append(list, q.project.Text)
	}
	return list
}

// pending lists what the user's trust would change.
func (q question) pending() []configs.Text {
	return slices.DeleteFunc(q.texts(), func(t configs.Text) bool {
		return t.Trusted || q.project != nil && t.Path == q.project.Path && !q.project.Pending()
	})
}

// undecided tells whether the user has yet to say something.
func (q question) undecided() bool {
	return slices.ContainsFunc(q.pending(), func(t configs.Text) bool { return !t.Declined })
}

// describe tells what the project would do.
func (q question) describe() []string {
	var lines []string
	if q.project != nil {
		lines = append(lines, clean.Visible(q.project.Path).String())
		lines = append(lines, wishes(q.project)...)
	}
	return append(lines, q.brought.describe()...)
}

// askTrust asks, once what there is has been shown, and notes the answer.
func (p program) askTrust(ctx context.Context, q question) (trusted bool, err error) {
	if slices.ContainsFunc(q.pending(), func(t configs.Text) bool { return t.Changed }) {
		fmt.Fprintln(p.out, "You trusted another text in this folder; this one is new.")
	}
	fmt.Fprint(p.out, "Trust this text in this folder? [y/N] ")
	if !p.yes(ctx) {
		fmt.Fprintln(p.out, "not trusted")
		if ctx.Err() != nil {
			return false, nil
		}
		return false, configs.Decline(configs.TrustFile(), q.pending()...)
	}
	if err := configs.Trust(configs.TrustFile(), q.pending()...); err != nil {
		return false, err
	}
	fmt.Fprintln(p.out, "trusted")
	return true, nil
}

// trustAtStart asks before the screen opens, when the project brings something
// of which the user has said nothing yet. Nothing of it has been used by then.
func (a *app) trustAtStart(ctx context.Context) error {
	q := question{project: a.cfg.Project, brought: brings(a.cwd, a.cfg.SkillsDir)}
	if !q.undecided() {
		return nil
	}
	fmt.Fprintln(a.out, "This project brings settings or texts for the model.\nThey count only when you trust them:")
	for _, line := range q.describe() {
		fmt.Fprintln(a.out, line)
	}
	trusted, err := a.askTrust(ctx, q)
	if err != nil || !trusted {
		return err
	}
	a.cfg, err = configs.Load(a.sources(a.opts, a.cwd))
	return err
}

// yes reads the answer to a question. An interrupt is a no.
func (p program) yes(ctx context.Context) bool {
	answer := make(chan string, 1)
	go func() { // it ends with the program at the latest
		line, _ := bufio.NewReader(p.in).ReadString('\n') // what came counts
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case a := <-answer:
		return a == "y" || a == "yes"
	case <-ctx.Done():
		return false
	}
}

// wishes describes what a project's file sets, by when it counts. Its texts
// are written out: nothing in them can hide.
func wishes(project *configs.Project) []string {
	var lines []string
	for _, group := range []struct {
		verdict configs.Verdict
		title   string
	}{
		{configs.AfterTrust, "Only when you trust it:"},
		{configs.AtOnce, "Without your trust too:"},
		{configs.Never, "Never from a project:"},
	} {
		title := group.title
		for _, w := range project.Wishes {
			if w.Verdict != group.verdict {
				continue
			}
			if title != "" {
				lines, title = append(lines, title), ""
			}
			lines = append(lines, fmt.Sprintf("  %s: %s (without it %s)", w.Key, clean.Visible(w.Value), clean.Visible(w.Before)))
		}
	}
	return lines
}

// trustList shows the trusted files.
func (p program) trustList() int {
	list, err := configs.Trusted(configs.TrustFile())
	if err != nil {
		return p.fail(err)
	}
	for _, path := range list {
		fmt.Fprintln(p.out, clean.Line(path))
	}
	return exitOK
}
