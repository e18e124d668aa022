package state

import (
	"hash/maphash"
	"time"

	"mm/agent"
	"mm/fileedit"
	"mm/safety/clean"
)

// Item is one entry of the conversation.
type Item interface{ item() }

type (
	// User is what the user said.
	User struct{ Text clean.Text }

	// Answer is text of the model. Chunks grow at the end; Epoch counts how
	// often they were replaced by others.
	Answer struct {
		Chunks []clean.Text
		Epoch  int
		Ended  bool

		stream clean.Stream
		sum    maphash.Hash
		size   int
	}

	// Reasoning is what the model thinks before it answers.
	Reasoning struct {
		Chunks  []clean.Text
		Ended   bool
		Started time.Time
		Elapsed time.Duration
		Tokens  int // estimated

		stream clean.Stream
	}

	// Call is a tool call, or a command of the user's own.
	Call struct {
		ID      agent.CallID
		Own     bool // the user's
		Tool    clean.Text
		Kind    agent.ToolKind
		Title   clean.Text
		Status  CallState
		Started time.Time
		Elapsed time.Duration
		Args    int          // bytes, while it is composed
		Repairs []clean.Text // what was mended

		Preview   Preview
		Summary   clean.Text
		Output    Output
		Truncated bool
		ExitCode  *int
	}

	// Notice is one line about the work.
	Notice struct {
		Level NoticeLevel
		Text  clean.Text
	}

	// TurnEnd closes a turn that did not end in an answer, and sums up those
	// that did.
	TurnEnd struct {
		Stop    agent.Stop
		Text    clean.Text
		Elapsed time.Duration
		Tokens  int // generated
		Next    Next
	}

	// Summary stands for turns that were compacted.
	Summary struct {
		Line          clean.Text // what came of it, in one line
		Before, After int        // messages
		Text          clean.Text
	}
)

// Next is what a key sends to go on after the end of a turn.
type Next int

// The ways to go on.
const (
	NoNext   Next = iota // it was answered, or gone on with
	GoOn                 // where it was stopped
	AskAgain             // with the same prompt
)

// nextOf has each cause but an answer.
var nextOf = map[agent.Stop]Next{
	agent.StopCancelled: GoOn,
	agent.StopMaxTurns:  GoOn,
	agent.StopStuck:     GoOn,
	agent.StopMaxTokens: GoOn,
	agent.StopRefused:   AskAgain,
	agent.StopFailed:    AskAgain,
}

func (*User) item()      {}
func (*Answer) item()    {}
func (*Reasoning) item() {}
func (*Call) item()      {}
func (*Notice) item()    {}
func (*TurnEnd) item()   {}
func (*Summary) item()   {}

// CallState is where a call stands.
type CallState int

// The states of a call.
const (
	CallComposing CallState = iota
	CallWaiting             // for permission
	CallRunning
	CallOK
	CallFailed
	CallDenied
	CallInvalid
	CallStopped
)

// Over reports whether the call has ended.
func (c CallState) Over() bool { return c >= CallOK }

// NoticeLevel grades a notice.
type NoticeLevel int

// The levels.
const (
	Info NoticeLevel = iota
	Repair
	Warning
	Failure
)

// maxLive is how much output of a running tool is kept at least, in bytes, and
// half of the most. What the model reads replaces it when the call ends.
const maxLive = 32 << 10

// Output is what a tool printed: the end of it while it runs.
type Output struct {
	chunks []clean.Text
	bytes  int
	stream clean.Stream

	Cut   bool // the beginning is not kept
	Lines int  // line breaks so far
}

// add keeps new output of a running tool.
func (o *Output) add(s string) {
	t := o.stream.Write(s)
	if t.IsEmpty() {
		return
	}
	o.chunks = append(o.chunks, t)
	o.bytes += t.Len()
	o.Lines += countLines(t.String())
	if o.bytes < 2*maxLive {
		return
	}
	n := 0
	for n < len(o.chunks)-1 && o.bytes-o.chunks[n].Len() >= maxLive {
		o.bytes -= o.chunks[n].Len()
		n++
	}
	o.chunks, o.Cut = append(o.chunks[:0], o.chunks[n:]...), true
}

// set replaces the output by its final form.
func (o *Output) set(s string) {
	t := clean.Block(s)
	*o = Output{chunks: []clean.Text{t}, bytes: t.Len(), Lines: countLines(t.String())}
}

// Text returns what is kept.
func (o *Output) Text() clean.Text { return clean.Concat(o.chunks...) }

// Last returns the last line that is not empty.
func (o *Output) Last() clean.Text {
	for i := len(o.chunks) - 1; i >= 0; i-- {
		lines := o.chunks[i].Lines()
		for j := len(lines) - 1; j >= 0; j-- {
			if t := lines[j].Trim(); !t.IsEmpty() {
				return clean.Line(t.String()) // one row: no tabs
			}
		}
	}
	return clean.Text{}
}

func countLines(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] == '\n' {
			n++
		}
	}
	return n
}

// Approval is a question about a call.
type Approval struct {
	ID        agent.ApprovalID
	Call      agent.CallID
	Tool      clean.Text
	Title     clean.Text
	Preview   Preview
	Dir       clean.Text
	Target    clean.Text
	NewText   string // as it would be written, for editing only
	Reasons   []clean.Text
	Dangerous bool
	Options   []Option
}

// Option is one possible answer.
type Option struct {
	Choice agent.Choice
	Label  clean.Text
}

// Preview is what a call would do, or did. At most one part is set.
type Preview struct {
	Files   []fileedit.FileDiff // cleaned
	Command clean.Text          // with everything invisible written out
	Raw     string              // the command as it will run, for editing only
	Dir     clean.Text
	Text    clean.Text
	Lang    string
	Steps   []Step
}

// IsEmpty reports whether there is nothing to show.
func (p Preview) IsEmpty() bool {
	return len(p.Files) == 0 && p.Command.IsEmpty() && p.Text.IsEmpty() && len(p.Steps) == 0
}
