// Package state is what the screen knows of the conversation: plain data that
// grows by events. All foreign text becomes clean.Text here, and nowhere else.
// It knows nothing of terminals, widths or colours.
package state

import (
	"time"

	"mm/agent"
	"mm/fileedit"
	"mm/safety/clean"
)

// State is the whole of it. The zero value is a session not yet ready.
type State struct {
	Session
	Work
	Moment

	Items []Item // the conversation, in order

	dirty []int // items touched since TakeDirty
	index index
}

// Session is what holds as long as the core runs.
type Session struct {
	Ready  bool
	ID     clean.Text
	Title  clean.Text // of the conversation
	Cwd    clean.Text
	Model  Model
	Mode   agent.Mode
	Skills []Skill

	Unconfined bool // commands run without a sandbox
}

// Work is what was done, and what is still to do.
type Work struct {
	Plan  []Step
	Files []FileChange        // other than when the session began
	Net   []fileedit.FileDiff // what became of them, as it was asked for last; cleaned
	Queue []clean.Text        // prompts typed ahead
	Jobs  []clean.Text        // commands that go on in the background
}

// Moment is how things stand.
type Moment struct {
	Approvals []Approval // waiting, the first one is asked
	Busy      bool       // a turn runs
	Asked     Asked      // a command of the screen that runs
	Warming   bool       // the server reads ahead while nobody waits
	Now       Activity
	Gauge     Gauge
	Fill      Fill // as it was asked for last
}

// index finds items by the ids of the core.
type index struct {
	items map[agent.ItemID]int
	calls map[agent.CallID]int
	turn  struct {
		calls  int
		asked  time.Time     // when the question that waits came
		waited time.Duration // for answers
		end    int           // behind the item of the last end
	}
}

// Model says who answers.
type Model struct {
	ID, Provider, URL clean.Text
	Window            int // tokens, 0 when unknown
	WindowSource      clean.Text
	NoTools           bool
}

// Skill is a procedure that the user can call by "$name".
type Skill struct{ Name, Description clean.Text }

// Step is one line of the plan.
type Step struct {
	Text   clean.Text
	Status StepStatus
}

// StepStatus says how far a step is.
type StepStatus int

// The statuses of a step.
const (
	Pending StepStatus = iota
	InProgress
	Done
)

// FileChange is what became of one file, in lines.
type FileChange struct {
	Path           clean.Text
	Added, Removed int
	Created        bool
}

// Gauge is what the last line shows.
type Gauge struct {
	Used, Limit int // tokens; Limit is 0 when the window is unknown
	Exact       bool

	HasUsage          bool // a request has ended
	Prompt, Cached    int  // of the last request
	ReadRate, GenRate float64
	Broken            clean.Text // why the server read tokens again, or empty
	BrokenOnPurpose   bool       // the program itself has changed what was sent
}

// Asked is a command such as /doctor, which may take a while.
type Asked struct {
	Name  clean.Text
	Since time.Time
}

// Fill is what fills the context window.
type Fill struct {
	Used, Limit int // tokens
	Parts       []FillPart
}

// FillPart is one of them. Call names a tool's output, which can be dropped or
// pinned; Frees is what dropping it frees, in tokens.
type FillPart struct {
	Name           clean.Text
	Tokens, Frees  int
	Call           agent.CallID
	Masked, Pinned bool
}

// Activity is what goes on at this moment.
type Activity struct {
	Phase  Phase
	Since  time.Time
	Detail clean.Text // the last line of a running tool; why it waits

	Read Reading
	Args int // bytes of the call being composed
	Tool clean.Text
}

// Phase is a moment's activity.
type Phase int

// The phases.
const (
	Resting Phase = iota
	Connecting
	Loading
	ReadingPrompt
	Thinking
	Answering
	Composing
	Running
	Asking
	Retrying
)

// Reading is how far the server has read the prompt.
type Reading struct {
	Known               bool // the server tells
	Done, Total, Cached int  // tokens
	Elapsed             time.Duration
}

// Left estimates the time until the prompt is read, or returns false when
// there is nothing to judge by. Cached tokens cost nothing.
func (r Reading) Left() (time.Duration, bool) {
	done, total := r.Done-r.Cached, r.Total-r.Cached
	if done <= 0 || r.Elapsed <= 0 || total < done {
		return 0, false
	}
	return time.Duration(float64(r.Elapsed) / float64(done) * float64(total-done)), true
}

// TakeDirty returns the indices of the items that changed since it was last
// called, in rising order and without repeats.
func (s *State) TakeDirty() []int {
	d := s.dirty
	s.dirty = nil
	return d
}

func (s *State) touch(i int) {
	for j := len(s.dirty) - 1; j >= 0; j-- {
		if s.dirty[j] == i {
			return
		}
		if s.dirty[j] < i {
			s.dirty = append(s.dirty[:j+1], append([]int{i}, s.dirty[j+1:]...)...)
			return
		}
	}
	s.dirty = append([]int{i}, s.dirty...)
}

// last is the last item, or nil.
func (s *State) last() Item {
	if len(s.Items) == 0 {
		return nil
	}
	return s.Items[len(s.Items)-1]
}

func (s *State) add(it Item) int {
	s.Items = append(s.Items, it)
	s.touch(len(s.Items) - 1)
	return len(s.Items) - 1
}
