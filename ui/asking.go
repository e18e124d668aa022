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

// askPending opens the dialog of the first approval that waits for an answer,
// and closes those that were settled.
func (m *Model) askPending(now time.Time) {
	waits := map[agent.ApprovalID]bool{}
	for _, a := range m.st.Approvals {
		waits[a.ID] = !m.moods.answered[a.ID]
	}
	for id := range m.moods.answered {
		if _, ok := waits[id]; !ok {
			delete(m.moods.answered, id) // settled
		}
	}
	asked := false
	m.dialogs.Remove(func(d dialog.Dialog) bool {
		id, ok := approvalOf(d)
		asked = asked || ok && waits[id]
		return ok && !waits[id]
	})
	for _, a := range m.st.Approvals {
		if waits[a.ID] && !asked {
			m.openApproval(a, now)
			return
		}
	}
}

// approvalOf returns the approval that a dialog belongs to.
func approvalOf(d dialog.Dialog) (agent.ApprovalID, bool) {
	switch d := d.(type) {
	case *dialog.Approve:
		return d.State.ID, true
	case *dialog.Page:
		return d.Approval, d.Approval != ""
	}
	return "", false
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
	if !m.do(agent.Decide{ID: d.ID, Choice: d.Choice, Note: d.Note, Command: d.Command, NewText: d.NewText}) {
		return nil
	}
	if m.moods.answered == nil {
		m.moods.answered = map[agent.ApprovalID]bool{}
	}
	m.moods.answered[d.ID] = true
	m.askPending(m.now())
	return nil
}

// dueTick is the end of the wait after an Enter that came in a burst.
func dueTick(time.Time) tea.Msg { return dueMsg{} }
