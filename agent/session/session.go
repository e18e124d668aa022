// Package session keeps conversations on disk, one JSON file each, so that a
// kill at any moment loses at most the message being streamed.
package session

import (
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
}

// Item is a message with what is kept beside it.
type Item struct {
	llm.Message
	Turn    int  `json:"turn"`              // the turn it belongs to, from 1
	Summary bool `json:"summary,omitempty"` // a compaction's summary
	Note    bool `json:"note,omitempty"`    // a user message of the program's own

	// Shown is what the user typed, where Text says more: mentions, output
	// of the user's own commands.
	Shown string `json:"shown,omitempty"`

	// Masked results are sent as a stub; Text keeps the whole. Pinned ones
	// are never masked.
	Masked bool `json:"masked,omitempty"`
	Pinned bool `json:"pinned,omitempty"`

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
	Undone  bool          `json:"undone,omitempty"`
}

// Change is one file before and after; JSON holds the bytes in base64. Before
// is null when the file did not exist.
type Change struct {
	Path   string `json:"path"`
	Before []byte `json:"before"`
	After  []byte `json:"after"`
}
