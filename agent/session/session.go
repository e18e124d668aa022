// Package session keeps conversations on disk, one JSON file each, so that a
// kill at any moment loses at most the message being streamed.
package session

import (
	"bytes"
	"time"

	"mm/fileedit"
	"mm/llm"
)

// Version is the format of the files written.
const Version = 1

// Session is one conversation as stored. The system prompt is not part of it:
// a resumed session gets today's.
type Session struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Title   string    `json:"title"` // the first words of the first message
	Cwd     string    `json:"cwd"`
	Updated time.Time `json:"updated"`
	Items   []Item    `json:"items"`
	Turns   []Turn    `json:"turns"`

	// TokenRatio is what the server's counts have taught of the model's
	// tokenizer (llm.Estimator), so that a resumed session begins with it.
	TokenRatio float64 `json:"tokenRatio,omitzero"`

	// Shared is what the user did since the last message, to be told with the
	// next one: commands, undone changes.
	Shared string `json:"shared,omitempty"`

	// Redo are the numbers of the turns that can be redone, the one undone
	// last at the end.
	Redo []int `json:"redo,omitempty"`
}

// Item is a message with what is kept beside it.
type Item struct {
	llm.Message
	Turn    int  `json:"turn"`              // the turn it belongs to, from 1
	Summary bool `json:"summary,omitempty"` // a compaction's summary
	Note    bool `json:"note,omitempty"`    // a user message of the program's own

	// Unsent is an answer that the user has read and the model is not to read
	// again.
	Unsent bool `json:"unsent,omitempty"`

	// Usage is what the server counted for the call of the model that gave
	// an assistant message or a summary.
	Usage llm.Usage `json:"usage,omitzero"`

	// Record is what a summary keeps beside the model's words. It is part of
	// Text too.
	Record []Noted `json:"record,omitempty"`

	// Shown is what the user typed, where Text says more: mentions, output
	// of the user's own commands.
	Shown string `json:"shown,omitempty"`

	// Masked results are sent as a stub; Text keeps the whole. Pinned ones
	// are never masked.
	Masked bool `json:"masked,omitempty"`
	Pinned bool `json:"pinned,omitempty"`

	// Cut is how many characters of a result are sent, its head and its tail;
	// 0 sends all.
	Cut int `json:"cut,omitempty"`

	// Of a tool message: how the call ended, for the replay.
	Tool   string `json:"tool,omitempty"`
	Title  string `json:"title,omitempty"`
	Status string `json:"status,omitempty"`
	Summed string `json:"summed,omitempty"` // a few words: "exit 1"

	// ExitCode, Elapsed and Diff are what the screen showed of the call.
	ExitCode *int                `json:"exitCode,omitempty"`
	Elapsed  time.Duration       `json:"elapsed,omitempty"` // nanoseconds
	Diff     []fileedit.FileDiff `json:"diff,omitempty"`
}

// Noted is a line of the record that a summary keeps word for word.
type Noted struct {
	Turn int    `json:"turn"`
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Call string `json:"call,omitempty"` // the tool and what it was called for
}

// Kind says what a line of the record tells.
type Kind string

// The kinds of lines: what the user asked, what was found or changed, and what
// was done besides.
const (
	Request Kind = "request"
	Finding Kind = "finding"
	Step    Kind = "step"
)

// Turn says what happened in one turn.
type Turn struct {
	Number   int       `json:"number"`
	Started  time.Time `json:"started"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Stop     string    `json:"stop,omitempty"` // empty while it runs, or after a kill
	Error    string    `json:"error,omitempty"`
	Usage    llm.Usage `json:"usage"`

	Elapsed time.Duration `json:"elapsed,omitempty"` // nanoseconds
	Changes []Change      `json:"changes,omitempty"` // files written, for undo
	Undone  bool          `json:"undone,omitempty"`  // as far as that was possible

	// Dropped says that its changes were too large to be kept.
	Dropped bool `json:"dropped,omitempty"`
}

// Change is one file before and after; JSON holds the bytes in base64. Before
// is null when the file did not exist.
type Change struct {
	Path   string `json:"path"`
	Before []byte `json:"before"`
	After  []byte `json:"after"`
	Undone bool   `json:"undone,omitempty"`
}

// maxUndo bounds what a session keeps for undo, in bytes of content: all of it
// is written with each message.
const maxUndo = 8 << 20

// Record keeps a change of the last turn for undo. A file that changes several
// times in a turn is kept as it was before the first and after the last. When
// it is too much in all, the oldest turns lose theirs. What was undone before
// cannot be redone any more.
func (s *Session) Record(ch Change) {
	s.Redo = nil
	last := &s.Turns[len(s.Turns)-1]
	if last.Dropped {
		return // a part of a turn's changes cannot be undone alone
	}
	before := -1
	for i, c := range last.Changes {
		if c.Path == ch.Path {
			before = i
		}
	}
	if before >= 0 && ch.Before != nil && bytes.Equal(last.Changes[before].After, ch.Before) {
		last.Changes[before].After = ch.After
	} else {
		last.Changes = append(last.Changes, ch)
	}
	kept := 0
	for i := range s.Turns {
		kept += s.Turns[i].undoSize()
	}
	for i := range s.Turns {
		if size := s.Turns[i].undoSize(); kept > maxUndo && size > 0 {
			s.Turns[i].Changes, s.Turns[i].Dropped = nil, true
			kept -= size
		}
	}
}

func (t *Turn) undoSize() int {
	n := 0
	for _, c := range t.Changes {
		n += len(c.Before) + len(c.After)
	}
	return n
}
