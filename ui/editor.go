package ui

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mm/safety/clean"
)

// maxDraft is the size in bytes of a draft that is taken from the editor.
const maxDraft = 1 << 20

// editedMsg is the end of editing the draft elsewhere.
type editedMsg struct {
	text string
	err  error
}

// openEditor edits the draft in the user's editor. The screen is given up
// meanwhile.
func (m *Model) openEditor() tea.Cmd {
	s := m.out.setup
	e := &draftEditor{text: m.comp.Draft(), command: editorCommand(s.Getenv), in: s.In, out: s.Out}
	return tea.Exec(e, func(err error) tea.Msg { return editedMsg{e.text, err} })
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		m.warn(clean.Linef("editor: %v", msg.err))
	} else {
		m.comp.SetText(strings.TrimRight(msg.text, "\n"))
	}
	return m.mouse // Bubble Tea does not turn it on again
}

// editorCommand is $VISUAL or $EDITOR with its arguments.
func editorCommand(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"vi"}
}

// draftEditor runs the editor on a file that holds the draft. It uses the
// terminal's own files: behind any wrapper an editor finds no terminal.
type draftEditor struct {
	text    string
	command []string
	in, out *os.File
}

// SetStdin and the like are for tea.Exec, whose files are wrappers.
func (e *draftEditor) SetStdin(io.Reader)  {}
func (e *draftEditor) SetStdout(io.Writer) {}
func (e *draftEditor) SetStderr(io.Writer) {}

// Run edits the draft.
func (e *draftEditor) Run() (err error) {
	f, err := os.CreateTemp("", "mm-draft-*.md")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, werr := f.WriteString(e.text)
	if err := errors.Join(werr, f.Close()); err != nil {
		return err
	}
	cmd := exec.Command(e.command[0], append(e.command[1:len(e.command):len(e.command)], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.in, e.out, e.out
	if err := cmd.Run(); err != nil {
		return err
	}
	info, err := os.Stat(f.Name())
	if err != nil {
		return err
	}
	if info.Size() > maxDraft {
		return errors.New("the draft is larger than 1 MiB")
	}
	data, err := os.ReadFile(f.Name())
	e.text = string(data)
	return err
}
