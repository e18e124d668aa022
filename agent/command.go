package agent

import "mm/llm"

// Command asks the core for something. Do never blocks on one.
type Command interface{ command() }

type (
	// Prompt starts a turn, or waits in the queue while one runs.
	Prompt struct{ Text string }

	// Interrupt cancels the running turn.
	Interrupt struct{}

	// Decide answers an approval. Note, with ChoiceReject, is read by the
	// model. Command, when not empty, replaces the command line of a bash
	// call, NewText what a call writes that was asked about with one; the
	// model is told what really ran.
	Decide struct {
		ID      ApprovalID
		Choice  Choice
		Note    string
		Command string
		NewText string
	}

	// SetMode changes the permission mode.
	SetMode struct{ Mode Mode }

	// Unqueue takes a waiting prompt back; Index counts from 0.
	Unqueue struct{ Index int }

	// RunShell runs the user's own command. It is told by ShellStarted,
	// ShellOutput and ShellEnded, and given to the model with the next message.
	RunShell struct{ Command string }

	// Rename gives the conversation another title: the first line of Title,
	// cleaned and cut to 60 characters. Do refuses one that is empty then with
	// ErrNoTitle.
	Rename struct{ Title string }

	// Clear empties the conversation, keeping the old one under a new id.
	Clear struct{}

	// Compact summarises old turns now.
	Compact struct{}

	// MapContext asks for a ContextMapped.
	MapContext struct{}

	// MapChanges asks for a ChangesMapped.
	MapChanges struct{}

	// DropOutput leaves the result of a call out of the context from now on;
	// PinOutput keeps it there (or no longer, when Off). Both are answered by
	// a ContextMapped.
	DropOutput struct{ Call CallID }
	PinOutput  struct {
		Call CallID
		Off  bool
	}

	// AskModel asks the server again what it serves: another model was chosen.
	// Sampling is what that model wants; nil keeps the old.
	AskModel struct{ Sampling *llm.Sampling }

	// Undo takes back the file changes of the last turn; Redo redoes them.
	Undo struct{}
	Redo struct{}
)

func (Prompt) command()     {}
func (Interrupt) command()  {}
func (Decide) command()     {}
func (SetMode) command()    {}
func (Unqueue) command()    {}
func (RunShell) command()   {}
func (Rename) command()     {}
func (Clear) command()      {}
func (Compact) command()    {}
func (MapContext) command() {}
func (MapChanges) command() {}
func (DropOutput) command() {}
func (PinOutput) command()  {}
func (AskModel) command()   {}
func (Undo) command()       {}
func (Redo) command()       {}
