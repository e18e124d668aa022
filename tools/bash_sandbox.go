package tools

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"mm/safety"
	"mm/tools/proc"
)

// confined is the command of a call under its permit: what was judged is what
// runs.
func (b *Bash) confined(call bashCall) (proc.Command, error) {
	c := proc.Command{
		Line: call.command, Dir: b.o.Dir, Timeout: call.timeout,
		Env: shellEnv(os.Environ(), b.o.Dir),
	}
	tier := call.permit.Tier
	if b.o.Sandbox == nil || tier == safety.TierNone {
		return c, nil
	}
	if tier == safety.TierRead && call.permit.Line != "" {
		c.Line = call.permit.Line
	}
	var err error
	c.Env, err = b.o.Sandbox.Environ(tier, c.Env)
	c.Start = func(cmd *exec.Cmd) error { return b.o.Sandbox.Start(cmd, tier) }
	return c, err
}

// Texts of programs that were denied a write or the network. A program that is
// told so may say anything; these are the words of the C library and of the
// usual tools.
var (
	deniedWrite = regexp.MustCompile(`(?i)permission denied|operation not permitted|read-only file system|` +
		`cross-device link|no new privileges|\bEACCES\b|\bEPERM\b`)
	deniedNetwork = regexp.MustCompile(`(?i)could not resolve|couldn't resolve|name resolution|unable to resolve|` +
		`name or service not known|network is unreachable|getaddrinfo|no such host|operation not permitted`)
	// deniedPart is the message of a command that is not the last one and
	// could not write. Reading is denied by files' modes alone.
	deniedPart = regexp.MustCompile(`(?m)^\S+: (line \d+: |(cannot|failed to|unable to) (create|touch|remove|move|make|write|rename|link|change)).*` +
		`: (Permission denied|Operation not permitted|Read-only file system)$|\bEACCES: permission denied, (open|mkdir|unlink|rename|rmdir|symlink)\b`)
	otherDenial = regexp.MustCompile(`(?i)permission denied \((publickey|password)`)
)

// cannotRun is the exit code of a shell for a file that is no program.
const cannotRun = 126

// deniedLine tells a model that the sandbox, and not the files' modes, was in
// its way: without it a small model tries chmod and sudo in turn.
func deniedLine(t safety.Tier, code int, output string) string {
	write := deniedWrite.MatchString(output) && !otherDenial.MatchString(output) && code != cannotRun
	network := deniedNetwork.MatchString(output)
	what := ""
	switch {
	case t == safety.TierRead && (write || network):
		what = "no network and no writes for this command"
	case t == safety.TierWrite && (write || network):
		what = "no network and no writes outside the project for this command"
	case t == safety.TierNetwork && write:
		what = "no writes outside the project for this command"
	default:
		return ""
	}
	return fmt.Sprintf("[sandbox: %s; ask the user to allow it]", what)
}

// changedLine says which files that other programs run or read as settings a
// command changed.
func changedLine(changed []string) string {
	if len(changed) == 0 {
		return ""
	}
	return fmt.Sprintf("[changed by this command, and run or read as settings by other programs: %s]",
		strings.Join(changed, ", "))
}
