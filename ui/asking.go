package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/agent"
	"mm/ui/dialog"
	"mm/ui/state"
)

// writingFor is how recent a key in the draft must be for the user to be
// writing there still.
const writingFor = time.Second

// askPending opens the dialog of the first approval that waits, and closes
// those that were settled.
func (m *Model) askPending(now time.Time) {
	open := map[agent.ApprovalID]bool{}
	waits := func(id agent.ApprovalID) bool {
		for _, a := range m.st.Approvals {
			if a.ID == id {
				return true
			}
		}
		return false
	}
	m.dialogs.Remove(func(d dialog.Dialog) bool {
		a, ok := d.(*dialog.Approve)
		if ok && waits(a.State.ID) {
			open[a.State.ID] = true
			return false
		}
		return ok
	})
	pending, ok := m.st.Pending()
	if !ok || open[pending.ID] {
		return
	}
	m.openApproval(pending, now)
}

func (m *Model) openApproval(a state.Approval, now time.Time) {
	m.comp.ClosePopup()
	if m.dialogs.Top() == nil {
		m.moods.writing = now.Sub(m.moods.lastDraftKey) < writingFor
	}
	m.dialogs.Push(dialog.NewApprove(a, m.look.sheet, now))
}

// decide gives the core an answer and closes the question.
func (m *Model) decide(d dialog.Decided) tea.Cmd {
	if !m.do(agent.Decide{ID: d.ID, Choice: d.Choice, Note: d.Note, Command: d.Command}) {
		return nil
	}
	m.dialogs.Remove(func(x dialog.Dialog) bool {
		a, ok := x.(*dialog.Approve)
		return ok && a.State.ID == d.ID
	})
	return nil
}

// dueTick is the end of the wait after an Enter that came in a burst.
func dueTick(time.Time) tea.Msg { return dueMsg{} }
