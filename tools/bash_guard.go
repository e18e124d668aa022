package tools

import (
	"context"

	"mm/safety"
)

// CheckWrite applies the guards of write_file to a file that a command line
// writes, and leaves alone what it cannot judge. It serves as
// BashOptions.CheckWrite.
func (f Files) CheckWrite(ctx context.Context, w safety.Written) error {
	if w.Append {
		return nil
	}
	p, err := f.Workspace.Resolve(w.Path, safety.Write)
	if err != nil || p.Class == safety.Refused {
		return nil // the shell says better what is wrong with the name
	}
	before, err := f.current(ctx, p)
	if err != nil {
		return nil // not a file of text that could be lost
	}
	return f.GuardWrite(p, before, w.Content)
}
