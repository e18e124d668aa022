// Package tools holds what the agent can do: one tool is a description for the
// model, a plan made without side effects, and a run. It knows neither models
// nor the agent; a failure is text that a model can act on.
package tools

import (
	"context"
	"encoding/json"

	"mm/fileedit"
	"mm/safety"
)

// Kind classifies a tool for the screen and for editors. The values are those
// of the Agent Client Protocol.
type Kind string

// The kinds in use.
const (
	KindRead    Kind = "read"
	KindEdit    Kind = "edit"
	KindSearch  Kind = "search"
	KindExecute Kind = "execute"
	KindThink   Kind = "think"
	KindFetch   Kind = "fetch"
)

// Spec declares a tool.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage // a JSON schema of type object
	Kind        Kind

	// Synonyms lists for a declared argument the names that models invent for
	// it, separated by blanks: "cmd script" for "command".
	Synonyms map[string]string
}

// Tool is one capability. Plan and Run are called in turn, Run only after
// permission was given.
type Tool interface {
	Spec() Spec

	// Plan validates the arguments and computes the effect without any side
	// effect. args is a JSON object that passed Normalize. The text of an
	// error is for the model; where it shows a part of a file, the plan beside
	// it has the reading as its action.
	Plan(ctx context.Context, args json.RawMessage) (Plan, error)

	// Run carries out a plan made by this tool. It stops within a second
	// when ctx ends. It gives up, in text, when what Plan saw has changed.
	Run(ctx context.Context, p Plan, out Sink) Result
}

// Sink receives output while a tool runs, in raw pieces. It may be nil.
type Sink func(text string)

// Plan is what a call would do.
type Plan struct {
	// Title is one line: "go test ./...", "main.go".
	Title string

	Action    safety.Action
	Locations []Location
	Preview   Preview // nil when there is nothing to show

	// Permit is how a command may run; it is set with the permission, and
	// its zero value is the strictest.
	Permit safety.Permit

	// State is what Run needs; only the tool that made it reads it.
	State any
}

// Location is a place in a file that a call concerns.
type Location struct {
	Path string // absolute
	Line int    // from 1, or 0
}

// Preview is what the user sees before deciding, and after.
type Preview interface{ preview() }

type (
	// DiffPreview shows changes of files.
	DiffPreview struct{ Files []fileedit.FileDiff }

	// CommandPreview shows a command and where it will run.
	CommandPreview struct{ Command, Dir string }

	// TextPreview shows plain text; Lang names its syntax or is empty.
	TextPreview struct{ Text, Lang string }

	// ChecklistPreview shows the steps of the plan tool.
	ChecklistPreview struct{ Steps []Step }
)

func (DiffPreview) preview()      {}
func (CommandPreview) preview()   {}
func (TextPreview) preview()      {}
func (ChecklistPreview) preview() {}

// Step is one step of the plan tool. Status is pending, in_progress or done.
type Step struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

// Status says how a call ended.
type Status string

// The statuses of a run. Refused and invalid calls never reach Run.
const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Stopped Status = "stopped" // ctx ended
)

// Result is the outcome of a run. Text is what the model reads, already
// bounded; a normal failure is such a text, with Status Failed.
type Result struct {
	Text   string
	Status Status

	// ExitCode is set for commands that ended by themselves.
	ExitCode *int

	// Preview replaces the plan's preview where the run knows better.
	Preview Preview

	// Changes records what was written, for undo.
	Changes []Change

	// Truncated is true when Text leaves out part of the output.
	Truncated bool
}

// Change is one file before and after. Before is nil when it did not exist.
type Change struct {
	Path          string // absolute, real
	Before, After []byte
}
