package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
)

// batchMsg is a batch of a core's events. gen tells cores apart: one that was
// replaced may still have sent some.
type batchMsg struct {
	gen    int
	events []agent.Event
	closed bool
}

// waitBatch waits for the next batch. Update asks again after each, so that
// one is in flight at most and a slow screen holds the core's batches back
// rather than piling them up.
func waitBatch(gen int, events <-chan []agent.Event) tea.Cmd {
	return func() tea.Msg {
		batch, ok := <-events
		return batchMsg{gen: gen, events: batch, closed: !ok}
	}
}

// Batch is the message in which events of the first core come, for driving a
// model by hand.
func Batch(events ...agent.Event) tea.Msg { return batchMsg{events: events} }
