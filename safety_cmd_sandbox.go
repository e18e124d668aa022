package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"

	"mm/safety"
	"mm/safety/sandbox"
	"mm/tools/proc"
)

// sandbox is "mm sandbox": it tests the sandbox of this machine, or runs a
// command in it, in the working directory as the project.
func (p program) sandbox(args []string) int {
	flags := flag.NewFlagSet("mm sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	name := flags.String("tier", safety.TierNetwork.String(), "R, W, W+N or none")
	if err := flags.Parse(args); err != nil {
		return p.usage("mm sandbox [-tier R|W|W+N|none] [-- COMMAND...]")
	}
	tier := safety.TierRead
	for tier.String() != *name {
		if tier == safety.TierNone {
			return p.usage(fmt.Sprintf("there is no tier %q: R, W, W+N or none", *name))
		}
		tier++
	}
	if flags.NArg() == 0 {
		return p.sandboxReport()
	}
	return p.sandboxed(tier, flags.Args())
}

// sandboxReport says what the machine offers.
func (p program) sandboxReport() int {
	r := sandbox.Probe()
	fmt.Fprintln(p.out, r.Line())
	if !r.Works {
		return exitError
	}
	for tier := safety.TierRead; tier < safety.TierNone; tier++ {
		fmt.Fprintf(p.out, "  %-4s %s\n", tier, tier.Describe())
	}
	return exitOK
}

// sandboxed runs a command under a tier and returns its exit code.
func (p program) sandboxed(tier safety.Tier, words []string) int {
	ws, err := safety.NewWorkspace(".")
	if err != nil {
		return p.fail(err)
	}
	defer func() { _ = ws.Close() }() // nothing was written
	sb, err := sandbox.New(sandbox.Options{Project: ws.Dir(), Environ: p.env})
	if err != nil {
		return p.fail(err)
	}
	defer func() { _ = sb.Close() }() // temporary files that stay do no harm
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.err
	if cmd.Env, err = sb.Environ(tier, p.env); err != nil {
		return p.fail(err)
	}
	if err := sb.Start(cmd, tier); err != nil {
		return p.fail(err)
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code, _ := proc.Status(exit.ProcessState)
		return code
	}
	if err != nil {
		return p.fail(err)
	}
	return exitOK
}
