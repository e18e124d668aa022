package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
	"mm/ui/composer"
	"mm/ui/state"
)

// answered takes the results of work outside of the screen's goroutine.
func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case historyMsg:
		m.comp.LoadHistory(msg)
	case branchMsg:
		m.out.branch = clean.Line(string(msg))
	case jobsMsg:
		return m.setJobs(msg)
	case filesMsg:
		m.setFiles(msg)
	case askedMsg:
		m.showText(msg)
	case listedMsg:
		m.listed(msg)
	case usedMsg:
		if msg.err != nil {
			m.warn(clean.Line(msg.err.Error()))
			return nil
		}
		return m.replaceCore(msg.core)
	case foundMsg:
		return m.found(msg)
	case editedMsg:
		return m.edited(msg)
	case tea.ResumeMsg:
		m.attention.title = "" // the shell has named the window
		return m.mouse
	case copiedMsg:
		m.say(clean.Text(msg))
	case troubleMsg:
		m.warn(clean.Text(msg))
	}
	return nil
}

type (
	historyMsg []string
	branchMsg  string
	filesMsg   struct {
		paths []string
		at    time.Time
	}
	copiedMsg  clean.Text
	troubleMsg clean.Text
)

// replaceCore drives another core from here on. The same or none changes
// nothing.
func (m *Model) replaceCore(core Core) tea.Cmd {
	if core == nil || core == m.core {
		return nil
	}
	if m.core != nil {
		m.moods.flash = clean.Text{} // such as that the old one has ended
	}
	m.core = core
	m.gen++
	m.st = state.State{}
	m.list.Clear()
	m.askPending(m.now())
	m.moods.interrupting = false
	return tea.Batch(waitBatch(m.gen, core.Events()), m.readBranch())
}

// readBranch asks for the branch.
func (m *Model) readBranch() tea.Cmd {
	if m.opt.Branch == nil {
		return nil
	}
	return func() tea.Msg { return branchMsg(m.opt.Branch()) }
}

// fileList is what "@" offers.
type fileList struct {
	asked bool
	at    time.Time
}

// filesFresh is how long a list of files is good for.
const filesFresh = 10 * time.Second

// wantFiles asks for the files when "@" is being completed.
func (m *Model) wantFiles() tea.Cmd {
	now := m.now()
	if m.opt.Files == nil || m.comp.Completing() != '@' || m.out.files.asked || now.Sub(m.out.files.at) < filesFresh {
		return nil
	}
	m.out.files.asked = true
	return runLater(m.ctx, func(ctx context.Context) tea.Msg {
		paths, err := m.opt.Files(ctx)
		if err != nil {
			return troubleMsg(clean.Linef("list files: %v", err))
		}
		return filesMsg{paths, now}
	})
}

func (m *Model) setFiles(msg filesMsg) {
	m.out.files = fileList{at: msg.at}
	list := make([]composer.Candidate, len(msg.paths))
	for i, p := range msg.paths {
		insert := "@" + clean.Line(p).String()
		if strings.ContainsAny(p, " \t") {
			insert = `@"` + clean.Line(p).String() + `"`
		}
		list[i] = composer.Candidate{Insert: insert, Label: clean.Line(p)}
	}
	m.comp.SetCandidates('@', list)
}

// copyText puts text on the clipboard.
func (m *Model) copyText(text string) tea.Cmd {
	if text == "" {
		m.say(clean.Trusted("nothing to copy"))
		return nil
	}
	return func() tea.Msg {
		if err := m.out.setup.Copy(text); err != nil {
			return troubleMsg(clean.Linef("copy: %v", err))
		}
		n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		if n == 1 {
			return copiedMsg(clean.Line(fmt.Sprintf("copied %d characters", len([]rune(text)))))
		}
		return copiedMsg(clean.Linef("copied %d lines", n))
	}
}
