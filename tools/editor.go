package tools

import (
	"bytes"
	"context"
	"unicode/utf8"

	"mm/safety"
)

// Editor is the program in which the user has the project open, and knows of
// changes that were not saved. Paths are absolute, with links resolved. After
// an error the disk counts.
type Editor interface {
	ReadText(ctx context.Context, path string) (string, error)
	WriteText(ctx context.Context, path, text string) error
}

// maxEdited is the largest text, in bytes, that goes through an editor.
const maxEdited = 1 << 20

// editable tells whether a file with this content is the editor's business.
// What lies outside of the project, or is secret or protected, is not.
func (f Files) editable(p safety.Path, text []byte) bool {
	return f.Editor != nil && p.Class == safety.Inside && len(text) <= maxEdited &&
		utf8.Valid(text) && otherKind(text) == ""
}

// held is a file's content as the editor has it: disk, which is its content on
// the disk, unless there are unsaved changes. Editors hold lines, so that other
// line breaks and a missing last one are no change. It returns false when the
// editor does not tell.
func (f Files) held(ctx context.Context, p safety.Path, disk []byte) ([]byte, bool) {
	if disk == nil || !f.editable(p, disk) {
		return disk, false
	}
	text, err := f.Editor.ReadText(ctx, p.Real)
	if err != nil {
		return disk, false
	}
	held := []byte(text)
	if bytes.HasSuffix(disk, []byte("\n")) && len(held) > 0 && !bytes.HasSuffix(held, []byte("\n")) {
		held = append(held, '\n')
	}
	if bytes.Equal(plainText(held), plainText(disk)) {
		return disk, true
	}
	return held, true
}

// plainText is a text without what editors take off while they hold it.
func plainText(text []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(text, []byte(byteOrderMark)), []byte("\r\n"), []byte("\n"))
}

// put writes a file that was approved, through the editor where there is one.
// before is what was seen of it, nil when it did not exist. Errors are those
// of safety.Workspace.Replace.
func (f Files) put(ctx context.Context, p safety.Path, before, after []byte) error {
	if !f.editable(p, after) {
		return f.Workspace.Replace(p, after, before, newFileMode)
	}
	disk, err := f.onDisk(p)
	if err != nil {
		return err
	}
	now, told := f.held(ctx, p, disk)
	if (now == nil) != (before == nil) || !bytes.Equal(now, before) {
		return safety.ErrChanged
	}
	// What is not told might be lost; and line breaks that the editor does not
	// hold are kept by the disk alone, as long as it has all that there is.
	exact := !bytes.Equal(disk, before) || bytes.Equal(plainText(after), after)
	if (told || disk == nil) && exact && f.Editor.WriteText(ctx, p.Real, string(after)) == nil {
		return nil
	}
	return f.Workspace.Replace(p, after, disk, newFileMode)
}
