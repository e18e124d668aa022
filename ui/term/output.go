package term

import (
	"bytes"
	"os"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// frameBytes is the size from which a write is taken for a frame.
const frameBytes = 64

// Output is a terminal to write to. A frame is bracketed so that the terminal
// shows it at once; those that do not know the brackets ignore them. Frames
// fill the screen: to erase what is below them would take the last cell, on
// which the cursor still stands.
type Output struct {
	*os.File
	mu sync.Mutex
}

// NewOutput wraps a terminal.
func NewOutput(f *os.File) *Output { return &Output{File: f} }

// Write writes a frame or a few sequences.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(p) < frameBytes {
		return o.File.Write(p)
	}
	framed := make([]byte, 0, len(p)+len(ansi.SetModeSynchronizedOutput)+len(ansi.ResetModeSynchronizedOutput))
	framed = append(framed, ansi.SetModeSynchronizedOutput...)
	framed = append(framed, bytes.ReplaceAll(p, []byte(ansi.EraseScreenBelow), nil)...)
	framed = append(framed, ansi.ResetModeSynchronizedOutput...)
	if n, err := o.File.Write(framed); err != nil {
		return min(n, len(p)), err
	}
	return len(p), nil
}

// maxClip is the size in bytes of what terminals take by OSC 52.
const maxClip = 74 << 10

// Copy puts text on the clipboard of the terminal, which may be far away. It
// reports whether the text was small enough.
func (o *Output) Copy(text string) bool {
	if len(text) > maxClip {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.File.WriteString(ansi.SetSystemClipboard(text))
	return err == nil
}

// Notify calls the user by the terminal's bell and, where the terminal has
// them, a note of the desktop.
func (o *Output) Notify(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.File.WriteString(ansi.Notify(text) + "\a") // the screen tells as well
}

// KeepTitle asks the terminal to remember its window's title, RestoreTitle to
// put it back.
func (o *Output) KeepTitle() { _, _ = o.File.WriteString("\x1b[22;2t") }

// RestoreTitle puts back what KeepTitle kept.
func (o *Output) RestoreTitle() { _, _ = o.File.WriteString("\x1b[23;2t") }
