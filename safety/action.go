// Package safety decides what the agent may do to the machine: permission
// modes, rules, remembered answers and the confinement of paths. It knows
// nothing of tools, models or screens.
package safety

// Op says what an action does to the machine.
type Op string

// The operations that tools perform.
const (
	Read    Op = "read"
	Write   Op = "write"
	Execute Op = "execute"
	Fetch   Op = "fetch"
	None    Op = "" // touches nothing: plan, read_skill
)

// Action is what a tool is about to do. It is also what an approval is bound
// to: when anything in it changed by the time of execution, the approval is
// void.
type Action struct {
	Tool string
	Op   Op

	Command string // for Execute: the exact command line
	Dir     string // for Execute: the working directory

	Path   Path   // for Read and Write
	Host   string // for Fetch
	Digest string // for Write: hash of the content that the preview showed

	// Empties says that a Write leaves a file empty that was not.
	Empties bool

	// Also lists what else the same call does: the file that a page is saved
	// to, the files that a rename changes. Each is judged by itself, and the
	// strictest judgement counts for all.
	Also []Action
}

// Class says where a path leads.
type Class int

// The classes of paths, in rising order of danger.
const (
	Inside    Class = iota // below the project's real path
	Outside                // anywhere else
	Secret                 // a name that usually holds credentials
	Protected              // .git, the agent's own configuration, editors' settings
	Refused                // a device, a FIFO, /proc: never touched
)

// Path is a path resolved once: what the model named and what it really is.
type Path struct {
	Named  string // as the model wrote it
	Real   string // absolute, links resolved as far as the path exists
	Class  Class
	Reason string // why it is not Inside, for the dialog
}

// Decision is the answer to an action.
type Decision int

// The decisions. The zero value asks: a forgotten case never runs unasked.
const (
	Ask Decision = iota
	Allow
	Deny
)

// Verdict is a decision with its reasons.
type Verdict struct {
	Decision Decision

	// Reasons say why it is asked or refused, in words for the user.
	Reasons []string

	// Refusal is the text for the model when Decision is Deny, or when it is
	// Ask and nobody can be asked.
	Refusal string

	// Always tells, in a few words, what the answer "always" would cover;
	// empty when it is not to be offered.
	Always string

	// Permit is how a command runs once it is allowed.
	Permit Permit

	// Approved is the tier of commands that the user wrote or approved.
	Approved Tier

	// Dangerous actions get a red dialog, default "no", and no "always".
	Dangerous bool
}

// Mode is the permission mode of a session.
type Mode string

// The modes of the specification, from the strictest to the loosest.
const (
	ReadOnly    Mode = "read-only"
	AskMode     Mode = "ask"
	AcceptEdits Mode = "accept-edits"
	Yolo        Mode = "yolo"
)

// Modes lists the modes in the order in which a key cycles through them.
var Modes = []Mode{AskMode, AcceptEdits, Yolo, ReadOnly}
