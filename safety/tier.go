package safety

import "strings"

// Tier says how a command is confined while it runs.
type Tier int

// The tiers, from the strictest to the loosest. The zero value lets a command
// read and nothing else: a forgotten case never runs free.
const (
	TierRead    Tier = iota // R: no writes, no network, no credentials in its environment
	TierWrite               // W: writes in the project and the tools' caches, no network
	TierNetwork             // W+N: as W, with the network
	TierNone                // no sandbox: all the user's rights
)

// String is the name of a tier in the dialog and in the documentation.
func (t Tier) String() string {
	switch t {
	case TierRead:
		return "R"
	case TierWrite:
		return "W"
	case TierNetwork:
		return "W+N"
	}
	return "none"
}

// Describe says in words for the user what a tier lets a command do.
func (t Tier) Describe() string {
	switch t {
	case TierRead:
		return "sandbox R: it may read, not write, and has no network"
	case TierWrite:
		return "sandbox W: it may write in the project, and has no network"
	case TierNetwork:
		return "sandbox W+N: it may write in the project and use the network"
	}
	return "no sandbox: it runs with all your rights"
}

// Permit is how a command may run. It is made by a verdict and goes with the
// plan that was judged; a plan that is made anew needs a new one.
type Permit struct {
	Tier Tier

	// Line replaces the command where that was judged to be Harmless: what
	// was judged, quoted anew. Otherwise it is empty.
	Line string
}

// Unconfined is what the user writes in front of a command in the dialog to
// run it without a sandbox. Nothing that a model writes has this meaning.
const Unconfined = "nosandbox "

// Edited returns the command that runs when the user wrote another one into
// the dialog, and how it may run: as what was asked, but for a line that was
// Harmless, whose change need not be.
func (v Verdict) Edited(command string) (string, Permit) {
	if rest, ok := strings.CutPrefix(command, Unconfined); ok {
		return rest, Permit{Tier: TierNone}
	}
	return command, Permit{Tier: max(v.Permit.Tier, v.Approved)}
}
