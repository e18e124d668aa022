package ui

import (
	"context"
	"io/fs"
	"os"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
)

// Core is what the screen drives: an agent.Core, or a stand-in for tests.
type Core interface {
	// Do asks for something and never blocks.
	Do(agent.Command) error

	// Events returns ordered batches. The screen is the only reader.
	Events() <-chan []agent.Event
}

// Options are what the screen is made with.
type Options struct {
	Cwd, Version string
	Home         string // for "~" in the header

	HistoryFile string // prompts of earlier sessions; empty keeps none
	LogFile     string // what libraries print, and panics; empty drops it

	Look
	Owner
	Terminal Terminal
}

// Look are the settings of how it is drawn.
type Look struct {
	Theme        string    // a name, or "auto" or empty to go by the terminal
	UserThemes   fs.FS     // further themes, or nil
	PreviewLines int       // rows of a folded output; 0 means 8
	ContextMarks []float64 // shares of the window at which the core acts
}

// Owner is what the screen can ask of who runs it. A nil function is not
// offered to the user. All functions run outside of the screen's goroutine.
type Owner struct {
	// Start makes the core when Run gets none. It is asked once the screen
	// is up. Where there is no server, what can be done is returned; an
	// error ends the program.
	Start func(context.Context) (Core, *FirstRun, error)

	// Branch returns the branch of the directory, or nothing.
	Branch func() string

	// Files lists the project's files for "@", as paths relative to Cwd.
	Files func(context.Context) ([]string, error)

	// Jobs lists the commands that go on in the background, a line each.
	Jobs func() []string

	Models    *Choices
	Providers *Choices
	Sessions  *Sessions
	Commands  []Command
}

// Terminal replaces the process's own, for tests.
type Terminal struct {
	In, Out *os.File
	Environ []string
	Root    func(tea.Model) tea.Model // wraps the screen; nil leaves it
}

// Choice is a line of a list.
type Choice struct {
	ID      string
	Label   string   // ID when empty
	Details []string // columns, the most telling first: window, size, date
	Current bool
}

// Choices is a list to choose from.
type Choices struct {
	Heads []string // of the columns of details, or nil
	List  func(context.Context) ([]Choice, error)

	// Use takes a choice. A core that it returns replaces the running one.
	Use func(ctx context.Context, id string) (Core, error)
}

// Sessions are the stored conversations.
type Sessions struct {
	List func(context.Context) ([]Choice, error)

	// Open goes on with a conversation. The core that it returns replays
	// the conversation as events.
	Open   func(ctx context.Context, id string) (Core, error)
	Delete func(ctx context.Context, id string) error
}

// Command is a slash command that the owner of the screen carries out.
type Command struct {
	Name string // without the slash
	Args string // for the help: "[file]"
	Help string // a few words

	// Run returns text to show: one line as a message, more as a page.
	Run func(ctx context.Context, arg string) (string, error)
}

// FirstRun is what is shown when no server was found.
type FirstRun struct {
	Probed []Probe
	Starts []Start

	// Retry probes again; Enter tries a URL; Demo starts the scripted
	// stand-in. Each returns a core, or what to show next, or an error.
	Retry func(context.Context) (Core, *FirstRun, error)
	Enter func(ctx context.Context, url string) (Core, *FirstRun, error)
	Demo  func(context.Context) (Core, error)
}

// Probe is a server that was looked for.
type Probe struct{ Name, URL, Found string }

// Start says how to start a server.
type Start struct{ Name, Command string }
