package agent

import (
	"time"

	"mm/fileedit"
	"mm/llm"
	"mm/safety"
	"mm/tools"
)

// Ids are small counters made by the core: i1, c1, a1. What the model sends is
// mapped to them, since local servers repeat ids or leave them out.
type (
	ItemID     string
	CallID     string
	ApprovalID string
)

// Names that front ends need, so that they need not import the packages below.
type (
	ModelInfo = llm.ModelInfo
	Usage     = llm.Usage
	Speed     = llm.Speed
	Finish    = llm.Finish
	Phase     = llm.Phase
	Mode      = safety.Mode
	Step      = tools.Step
	Location  = tools.Location
	ToolKind  = tools.Kind
)

// Event is something that happened in the core. Events arrive in order, none
// is dropped, and no event repeats what an earlier one said.
type Event interface{ Kind() string }

type (
	// SessionReady is the first event of a session.
	SessionReady struct {
		Session, Cwd string
		Title        string // of the conversation, empty before its first words
		Model        ModelInfo
		Mode         Mode
		Unconfined   bool // commands run without a sandbox
		Tools        []string
		Skills       []Skill
	}

	// ModelChanged says that another model answers, or that more is known
	// of the same one (its window).
	ModelChanged struct{ Model ModelInfo }

	// ModeChanged says which permission mode is in force.
	ModeChanged struct{ Mode Mode }

	// TitleChanged says what the conversation is called: its first words,
	// until a Rename.
	TitleChanged struct{ Title string }

	// QueueChanged lists the prompts that wait for the running turn.
	QueueChanged struct{ Queued []string }

	// Idle says that nothing runs and nothing waits.
	Idle struct{}

	// TurnStarted opens a turn; turns count from 1 in a session.
	TurnStarted struct{ Turn int }

	// UserMessage is the user's text, as it went into the history.
	UserMessage struct {
		ID   ItemID
		Text string
	}

	// StepStarted opens one call of the model. ContextTokens is the
	// estimated size of the request.
	StepStarted struct{ Step, ContextTokens int }

	// PhaseChanged says what the server is doing in this step.
	PhaseChanged struct {
		Step   int
		Phase  Phase
		Detail string
	}

	// PromptProgress tells how many tokens of the prompt were read.
	PromptProgress struct {
		Step, Done, Total, Cached int
		Elapsed                   time.Duration
	}

	// ReasoningDelta is new reasoning text.
	ReasoningDelta struct {
		ID   ItemID
		Text string
	}

	// ReasoningEnded closes a reasoning item. Tokens is an estimate.
	ReasoningEnded struct {
		ID      ItemID
		Elapsed time.Duration
		Tokens  int
	}

	// TextDelta is new text of the answer.
	TextDelta struct {
		ID   ItemID
		Text string
	}

	// TextEnded closes a text item. Text is its whole text, which differs
	// from the deltas where a tool call or reasoning was taken out of it.
	TextEnded struct {
		ID   ItemID
		Text string
	}

	// StepEnded closes a step. Expected is how many tokens of the prompt the
	// server had read before, by our own account; 0 where it does not tell
	// what it found in its cache.
	StepEnded struct {
		Step     int
		Finish   Finish
		Usage    Usage
		Speed    Speed
		Expected int
	}

	// CallStarted opens a tool call: the model has begun to write it.
	CallStarted struct {
		ID       CallID
		Tool     string
		ToolKind ToolKind
	}

	// CallArgs is new text of the call's arguments while they stream.
	CallArgs struct {
		ID   CallID
		Text string
	}

	// CallPlanned says what the call would do. RawArgs is the JSON object
	// that the tool got.
	CallPlanned struct {
		ID        CallID
		Tool      string // the declared name, where the call was resolved to one
		Title     string
		RawArgs   string
		Locations []Location
		Preview   Preview
		Repairs   []string // what was mended in the call, in a few words each
	}

	// ApprovalAsked waits for a Decide.
	ApprovalAsked struct {
		ID        ApprovalID
		Call      CallID
		Tool      string
		Title     string
		Preview   Preview
		NewText   string   // what the user may rewrite before it is written
		Dir       string   // working directory of a command
		Target    string   // real target, when it differs from the named path
		Reasons   []string // why it is asked
		Dangerous bool
		Options   []Option
	}

	// ApprovalSettled follows each ApprovalAsked exactly once.
	ApprovalSettled struct {
		ID     ApprovalID
		Choice Choice
		By     SettledBy
	}

	// CallRunning says that permission was given and the tool runs.
	CallRunning struct{ ID CallID }

	// CallOutput is new output of a running tool.
	CallOutput struct {
		ID   CallID
		Text string
	}

	// CallEnded closes a call. Output is the text that the model reads.
	CallEnded struct {
		ID        CallID
		Status    CallStatus
		Summary   string // a few words: "exit 1", "+4 -2"
		Output    string
		Preview   Preview
		Truncated bool
		ExitCode  *int
		Elapsed   time.Duration
	}

	// PlanUpdated replaces the checklist.
	PlanUpdated struct{ Steps []Step }

	// ContextUsage is the gauge. Limit is 0 when the window is unknown;
	// Exact means that Used is the server's count.
	ContextUsage struct {
		Used, Limit int
		Exact       bool
	}

	// ContextMapped lists what fills the window.
	ContextMapped struct {
		Used, Limit int
		Parts       []Part
	}

	// ChangesMapped lists what became of each file since the session began.
	// What was undone is left out.
	ChangesMapped struct{ Files []fileedit.FileDiff }

	// FilesChanged lists the files that are other than when the session began,
	// in the order of their first change. It takes the place of the list before.
	FilesChanged struct{ Files []FileChange }

	// Compacted says what came of a compaction, in one line. Changed means
	// that old turns became one summary; Usage is what that took of the model.
	Compacted struct {
		Changed       bool
		Line          string
		Before, After int // messages
		Summary       string
		Usage         Usage
	}

	// Cleared says that the conversation was emptied by /new.
	Cleared struct {
		Session   string // the id in force
		Kept      string // the id under which the old conversation is kept, or empty
		Forgotten int    // messages
	}

	// Warming says that the server reads the prefix ahead, while the user
	// reads or types. It comes outside of turns, like what idle time changes
	// in the context.
	Warming struct{ On bool }

	// AnswerDoubted says that the answer before may be made up, and is asked
	// about. When a call follows in the turn, it was, and the model does not
	// read it again.
	AnswerDoubted struct{}

	// Retrying says that the model call is tried again.
	Retrying struct {
		Attempt, Max int
		Cause        string
	}

	// Notice is one line for the user. Mended says what kind of fault a
	// repair was for.
	Notice struct {
		Level  Level
		Text   string
		Mended RepairKind
	}

	// Fault is an error for the user: one plain line.
	Fault struct{ Text string }

	// ShellStarted says that the user's own "!" command runs.
	ShellStarted struct{ Command string }

	// ShellOutput is new output of it.
	ShellOutput struct{ Text string }

	// ShellEnded closes it. Output is the text that the model reads with the
	// user's next message.
	ShellEnded struct {
		Status    CallStatus
		Summary   string // a few words: "exit 1"
		Output    string
		Truncated bool
		ExitCode  *int // nil when it was stopped
		Elapsed   time.Duration
	}

	// TurnEnded closes a turn, after everything in it was closed.
	TurnEnded struct {
		Turn    int
		Stop    Stop
		Text    string // one line of plain advice; empty after an answer
		Usage   Usage  // sums over the turn
		Elapsed time.Duration
	}
)

// Skill is what a front end shows of a skill.
type Skill struct{ Name, Description string }

// FileChange is what became of a file since the session began, in lines.
type FileChange struct {
	Path           string // from the working directory on
	Added, Removed int
	Created        bool
}

// CallStatus says how a tool call ended.
type CallStatus string

// The ends of a call.
const (
	CallOK      CallStatus = "ok"
	CallFailed  CallStatus = "failed"
	CallDenied  CallStatus = "denied"  // by the user or a rule
	CallInvalid CallStatus = "invalid" // never reached a tool
	CallStopped CallStatus = "stopped" // interrupted
)

// Level grades a notice.
type Level string

// The levels of notices.
const (
	Info   Level = "info"
	Repair Level = "repair" // something was mended
	Warn   Level = "warning"
)

// Stop is the cause that ended a turn. The list is closed.
type Stop string

// The causes.
const (
	StopAnswer    Stop = "answer"
	StopCancelled Stop = "cancelled"
	StopMaxTurns  Stop = "max turns"
	StopStuck     Stop = "stuck"      // the loop detector's second level
	StopMaxTokens Stop = "max tokens" // the answer or call was cut, and repairs did not help
	StopRefused   Stop = "refused"    // nobody could be asked
	StopFailed    Stop = "failed"     // an error that repairs could not mend
)

// Choice is the answer to an approval.
type Choice string

// The choices, named as in the ACP reference.
const (
	ChoiceAllow  Choice = "allow"
	ChoiceAlways Choice = "allow_always"
	ChoiceReject Choice = "reject"
)

// SettledBy says who settled an approval.
type SettledBy string

// Who settles approvals.
const (
	ByUser      SettledBy = "user"
	ByInterrupt SettledBy = "interrupt"
)

// Option is one possible answer to an approval.
type Option struct {
	Choice Choice
	Label  string
}

func (SessionReady) Kind() string    { return "session_ready" }
func (ModelChanged) Kind() string    { return "model_changed" }
func (ModeChanged) Kind() string     { return "mode_changed" }
func (TitleChanged) Kind() string    { return "title_changed" }
func (QueueChanged) Kind() string    { return "queue_changed" }
func (Idle) Kind() string            { return "idle" }
func (TurnStarted) Kind() string     { return "turn_started" }
func (UserMessage) Kind() string     { return "user_message" }
func (StepStarted) Kind() string     { return "step_started" }
func (PhaseChanged) Kind() string    { return "phase_changed" }
func (PromptProgress) Kind() string  { return "prompt_progress" }
func (ReasoningDelta) Kind() string  { return "reasoning_delta" }
func (ReasoningEnded) Kind() string  { return "reasoning_ended" }
func (TextDelta) Kind() string       { return "text_delta" }
func (TextEnded) Kind() string       { return "text_ended" }
func (StepEnded) Kind() string       { return "step_ended" }
func (CallStarted) Kind() string     { return "call_started" }
func (CallArgs) Kind() string        { return "call_args" }
func (CallPlanned) Kind() string     { return "call_planned" }
func (ApprovalAsked) Kind() string   { return "approval_asked" }
func (ApprovalSettled) Kind() string { return "approval_settled" }
func (CallRunning) Kind() string     { return "call_running" }
func (CallOutput) Kind() string      { return "call_output" }
func (CallEnded) Kind() string       { return "call_ended" }
func (PlanUpdated) Kind() string     { return "plan_updated" }
func (ContextUsage) Kind() string    { return "context_usage" }
func (ContextMapped) Kind() string   { return "context_mapped" }
func (ChangesMapped) Kind() string   { return "changes_mapped" }
func (FilesChanged) Kind() string    { return "files_changed" }
func (Compacted) Kind() string       { return "compacted" }
func (Cleared) Kind() string         { return "cleared" }
func (Warming) Kind() string         { return "warming" }
func (AnswerDoubted) Kind() string   { return "answer_doubted" }
func (Retrying) Kind() string        { return "retrying" }
func (Notice) Kind() string          { return "notice" }
func (Fault) Kind() string           { return "fault" }
func (ShellStarted) Kind() string    { return "shell_started" }
func (ShellOutput) Kind() string     { return "shell_output" }
func (ShellEnded) Kind() string      { return "shell_ended" }
func (TurnEnded) Kind() string       { return "turn_ended" }
