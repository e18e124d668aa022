package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"mm/configs"
	"mm/safety/clean"
)

// trust is "mm trust": what the project's file asks for is shown, and the user
// is asked. Nobody is asked for him: without a terminal nothing is trusted.
func (p program) trust(ctx context.Context, o options, args []string) int {
	cwd, err := os.Getwd()
	if err != nil {
		return p.fail(err)
	}
	switch strings.Join(args, " ") {
	case "":
	case "list":
		return p.trustList()
	case "forget":
		if err := configs.Distrust(configs.TrustFile(), cwd); err != nil {
			return p.fail(err)
		}
		fmt.Fprintln(p.out, "the project in this folder is not trusted")
		return exitOK
	default:
		return p.usage(fmt.Sprintf("mm trust takes list or forget, not %q", strings.Join(args, " ")))
	}
	src := p.sources(o, cwd)
	src.File = ""
	cfg, err := configs.Load(src)
	if err != nil {
		return p.fail(err)
	}
	return p.trustProject(ctx, cfg)
}

// trustProject shows the wishes of a project's file and asks.
func (p program) trustProject(ctx context.Context, cfg *configs.Loaded) int {
	project := cfg.Project
	switch {
	case project == nil:
		return p.fail(errors.New("there is no agent.yaml in this folder"))
	case project.Hash == "":
		return p.fail(errors.New(strings.Join(cfg.Warnings, "; ")))
	}
	fmt.Fprintln(p.out, clean.Visible(project.Path))
	for _, line := range wishes(project) {
		fmt.Fprintln(p.out, line)
	}
	switch {
	case project.Trusted:
		fmt.Fprintln(p.out, "You trust this text in this folder (mm trust forget takes it back).")
		return exitOK
	case !project.Pending():
		fmt.Fprintln(p.out, "Nothing in it needs your trust.")
		return exitOK
	case !term.IsTerminal(p.in.Fd()):
		return p.fail(errors.New("nobody can be asked here: run mm trust in a terminal"))
	}
	if project.Changed {
		fmt.Fprintln(p.out, "You trusted another text in this folder; this one is new.")
	}
	fmt.Fprint(p.out, "Trust this text in this folder? [y/N] ")
	if !p.yes(ctx) {
		fmt.Fprintln(p.out, "not trusted")
		return exitOK
	}
	if err := project.Trust(configs.TrustFile()); err != nil {
		return p.fail(err)
	}
	fmt.Fprintln(p.out, "trusted")
	return exitOK
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
	for _, path := range slices.Sorted(maps.Keys(list)) {
		fmt.Fprintln(p.out, clean.Line(path))
	}
	return exitOK
}
