// Package keys is the one place where keys have names. The help is made from
// it, so that it lists what is in force.
package keys

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Binding is what a key is bound to.
type Binding = key.Binding

// Is reports whether a key press belongs to a binding. Pasted text never does.
func Is(msg tea.KeyMsg, b Binding) bool { return !msg.Paste && key.Matches(msg, b) }

// Name is how hints call a binding: the first of its keys.
func Name(b Binding) string {
	name, _, _ := strings.Cut(b.Help().Key, ", ")
	return name
}

// Hint says in few words what keys do at a place: "j/k move".
func Hint(does string, list ...Binding) string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = Name(b)
	}
	return strings.Join(names, "/") + " " + does
}

// Group is a part of the help.
type Group struct {
	Title    string
	Bindings []Binding
}

func bind(help, desc string, names ...string) Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(help, desc))
}

// Keys of the whole screen.
var (
	Cancel      = bind("Esc", "close; else cancel the turn, asked once", "esc")
	Clear       = bind("Ctrl+C", "cancel; clear the input; twice to quit", "ctrl+c")
	Suspend     = bind("Ctrl+Z", "suspend", "ctrl+z")
	Help        = bind("F1", "help; also ? on an empty input", "f1")
	HelpTyped   = bind("?", "help, on an empty input", "?")
	Palette     = bind("Ctrl+P", "all commands", "ctrl+p")
	History     = bind("Ctrl+R", "search the history of prompts", "ctrl+r")
	Editor      = bind("Ctrl+G", "edit the input in $EDITOR", "ctrl+g")
	Mode        = bind("Shift+Tab", "next permission mode", "shift+tab")
	Focus       = bind("Tab", "input or conversation", "tab")
	Thoughts    = bind("Ctrl+T", "unfold or fold all reasoning", "ctrl+t")
	Outputs     = bind("Ctrl+O", "unfold or fold all outputs", "ctrl+o")
	PageUp      = bind("PgUp", "scroll up", "pgup")
	PageDown    = bind("PgDn", "scroll down", "pgdown")
	Top         = bind("Ctrl+Home", "to the beginning", "ctrl+home")
	Bottom      = bind("Ctrl+End", "to the end, and follow it", "ctrl+end")
	Follow      = bind("End", "follow again after scrolling", "end")
	Redraw      = bind("Ctrl+L", "draw the screen anew", "ctrl+l")
	Mouse       = bind("Alt+M", "the mouse selects text, or scrolls", "alt+m")
	AnswerNow   = bind("Alt+N", "answer now: end the reasoning", "alt+n")
	GoOn        = bind("Ctrl+X", "go on after a stopped turn, on an empty input", "ctrl+x")
	UnqueueLast = bind("Alt+↑", "take the last queued message back", "alt+up")
)

// Keys of the input.
var (
	Send      = bind("Enter", "send", "enter")
	NewLine   = bind("Alt+Enter, Ctrl+J", "new line", "alt+enter", "ctrl+j")
	Left      = bind("←, Ctrl+B", "back", "left", "ctrl+b")
	Right     = bind("→, Ctrl+F", "forward", "right", "ctrl+f")
	WordLeft  = bind("Alt+B, Ctrl+←", "back a word", "alt+b", "ctrl+left", "alt+left")
	WordRight = bind("Alt+F, Ctrl+→", "forward a word", "alt+f", "ctrl+right", "alt+right")
	Up        = bind("↑", "up; at the first line, older prompt", "up")
	Down      = bind("↓", "down; at the last line, newer prompt", "down")
	LineStart = bind("Ctrl+A, Home", "start of the line", "ctrl+a", "home")
	LineEnd   = bind("Ctrl+E, End", "end of the line", "ctrl+e", "end")
	Backspace = bind("Backspace", "delete back", "backspace", "ctrl+h")
	Delete    = bind("Delete, Ctrl+D", "delete forward", "delete", "ctrl+d")
	WordBack  = bind("Ctrl+W, Alt+Backspace", "delete the word before", "ctrl+w", "alt+backspace")
	WordKill  = bind("Alt+D", "delete the word after", "alt+d")
	KillStart = bind("Ctrl+U", "delete to the line's start", "ctrl+u")
	KillEnd   = bind("Ctrl+K", "delete to the line's end", "ctrl+k")
	Yank      = bind("Ctrl+Y", "insert what was deleted", "ctrl+y")
	Unfold    = bind("Alt+O", "unfold a pasted block", "alt+o")
	Undo      = bind("Ctrl+_", "undo", "ctrl+_")
)

// Keys of the conversation while it has the focus.
var (
	BlockDown = bind("j, ↓", "next block", "j", "down")
	BlockUp   = bind("k, ↑", "previous block", "k", "up")
	Open      = bind("Enter, Space", "unfold or fold the block", "enter", " ")
	Copy      = bind("y", "copy the block", "y")
	First     = bind("g, Home", "first block", "g", "home")
	Last      = bind("G, End", "last block, and follow", "G", "end")
	Search    = bind("/", "search the conversation, upwards", "/")
	NextFound = bind("n", "the next place that was found, upwards", "n")
	PrevFound = bind("N", "the same downwards", "N")
	Leave     = bind("i, Esc, Tab", "back to the input", "i", "esc", "tab")
)

// Keys of a question about a call.
var (
	Allow     = bind("y", "allow once", "y")
	Always    = bind("a", "always allow, asked again", "a")
	Refuse    = bind("n, Esc", "refuse", "n", "esc")
	Tell      = bind("t", "refuse and tell why", "t")
	Edit      = bind("e", "edit the command, or the new text, before it runs", "e")
	Whole     = bind("d", "show all of it", "d")
	Confirm   = bind("Enter", "do what is chosen", "enter")
	ChoicePre = bind("←, Shift+Tab", "previous choice", "left", "shift+tab")
	ChoiceNxt = bind("→, Tab", "next choice", "right", "tab")
)

// Keys of the first screen, while there is no server.
var (
	Retry    = bind("r", "look for servers again", "r")
	EnterURL = bind("u", "enter a server's URL", "u")
	Demo     = bind("d", "demo without a model", "d")
)

// Keys of lists and pages.
var (
	ItemUp     = bind("↑, Ctrl+P", "up", "up", "ctrl+p")
	ItemDown   = bind("↓, Ctrl+N", "down", "down", "ctrl+n")
	Choose     = bind("Enter", "choose", "enter")
	Close      = bind("Esc", "close", "esc", "ctrl+c")
	DeleteItem = bind("Ctrl+D", "delete, asked again", "ctrl+d")
	RowUp      = bind("↑, k", "up", "up", "k")
	RowDown    = bind("↓, j", "down", "down", "j")
	PageHome   = bind("g, Home", "beginning", "g", "home")
	PageEnd    = bind("G, End", "end", "G", "end")
	DropOutput = bind("d", "drop an output from the context", "d")
	PinOutput  = bind("p", "keep an output in the context", "p")
	ClosePage  = bind("Esc, q", "close", "esc", "q", "ctrl+c", "f1")
)

// All is the help, in order.
func All() []Group {
	return []Group{
		{"Everywhere", []Binding{
			Cancel, Clear, Focus, PageUp, PageDown, Top, Bottom, Follow, Thoughts, Outputs, Mode,
			Palette, History, Editor, Help, AnswerNow, GoOn, UnqueueLast, Mouse, Redraw, Suspend,
		}},
		{"Input", []Binding{
			Send, NewLine, Up, Down, Left, Right, WordLeft, WordRight, LineStart, LineEnd,
			Backspace, Delete, WordBack, WordKill, KillStart, KillEnd, Yank, Undo, Unfold,
		}},
		{"Conversation", []Binding{BlockDown, BlockUp, First, Last, Open, Copy, Search, NextFound, PrevFound, Leave}},
		{"Permission", []Binding{Allow, Always, Refuse, Tell, Edit, Whole, ChoicePre, ChoiceNxt, Confirm}},
		{"Lists", []Binding{ItemUp, ItemDown, Choose, DeleteItem, Close}},
		{"Pages", []Binding{RowUp, RowDown, PageHome, PageEnd, ClosePage}},
		{"Context", []Binding{RowUp, RowDown, DropOutput, PinOutput}},
		{"Without a server", []Binding{Retry, EnterURL, Demo}},
	}
}
