package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mm/fileedit"
	"mm/safety"
)

// newFileMode is the mode of new files, less the umask.
const newFileMode = 0o666

// writeFile is the tool write_file.
type writeFile struct{ Files }

// NewWriteFile returns the tool that makes and replaces files.
func NewWriteFile(f Files) Tool { return writeFile{f} }

//go:embed write_file.md
var writeFileDoc string

func (t writeFile) Spec() Spec {
	part := t.PartSize
	if part == 0 {
		part = defaultPart
	}
	return Spec{
		Name:        "write_file",
		Description: strings.TrimSpace(strings.ReplaceAll(writeFileDoc, "{{.Part}}", fmt.Sprint(part))),
		Kind:        KindEdit,
		Synonyms: map[string]string{
			"path":    fileNames,
			"content": "contents text file_content file_text data body code",
		},
		Schema: Schema(
			Field{Name: "path", Type: "string", Description: "relative to the project"},
			Field{Name: "content", Type: "string"},
		),
	}
}

// writeState is what Plan saw and what Run writes.
type writeState struct {
	path          safety.Path
	before, after []byte // before is nil when there is no file
	notes         []string
}

func (t writeFile) Plan(ctx context.Context, args json.RawMessage) (Plan, error) {
	var a struct{ Path, Content string }
	if err := json.Unmarshal(args, &a); err != nil {
		return Plan{}, fmt.Errorf("[error: write_file: %w]", err)
	}
	p, err := t.target(a.Path, safety.Write)
	if err != nil {
		return Plan{}, err
	}
	before, err := t.current(ctx, p)
	if err != nil {
		return Plan{}, err
	}
	if err := t.GuardWrite(p, before, a.Content); err != nil {
		return Plan{}, err
	}
	s := writeState{path: p, before: before}
	s.after, s.notes = likeBefore(before, a.Content)
	name := t.Workspace.Display(p.Real)
	diff := fileedit.Diff(name, s.before, s.after)
	diff.Warning = loss(before, s.after)
	return Plan{
		Title:     name,
		Action:    safety.Action{Tool: "write_file", Op: safety.Write, Path: p, Digest: safety.Digest(s.after), Empties: len(before) > 0 && len(s.after) == 0},
		Locations: []Location{{Path: p.Real}},
		Preview:   DiffPreview{Files: []fileedit.FileDiff{diff}},
		State:     s,
	}, nil
}

// current returns the content of a file, nil when it does not exist or is of a
// kind that is never touched.
func (f Files) current(ctx context.Context, p safety.Path) ([]byte, error) {
	disk, err := f.onDisk(p)
	text, _ := f.held(ctx, p, disk)
	return text, err
}

// onDisk is current without the changes that an editor has not saved.
func (f Files) onDisk(p safety.Path) ([]byte, error) {
	if p.Class == safety.Refused {
		return nil, nil
	}
	file, err := f.Workspace.ReadFile(p, maxRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unusable(f.Workspace.Display(p.Real), err)
	case !file.Whole():
		return nil, fmt.Errorf("[error: %s has %s bytes, more than this tool changes; use a command such as sed]",
			f.Workspace.Display(p.Real), thousands(file.Size))
	case file.Data == nil:
		return []byte{}, nil
	}
	return file.Data, nil
}

// likeBefore keeps what a model cannot see of the file that it replaces: the
// byte order mark, and CRLF line breaks where the new text has none.
func likeBefore(before []byte, content string) (after []byte, notes []string) {
	crlf := bytes.Count(before, []byte("\r\n"))
	if 2*crlf > bytes.Count(before, []byte("\n")) && !strings.Contains(content, "\r") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
		notes = append(notes, "its CRLF line endings were kept")
	}
	if bytes.HasPrefix(before, []byte(byteOrderMark)) && !strings.HasPrefix(content, byteOrderMark) {
		content = byteOrderMark + content
		notes = append(notes, "its byte order mark was kept")
	}
	return []byte(content), notes
}

func (t writeFile) Run(ctx context.Context, p Plan, _ Sink) Result {
	s := p.State.(writeState)
	name := t.Workspace.Display(s.path.Real)
	if s.before != nil && bytes.Equal(s.before, s.after) {
		t.Seen.Record(s.path.Real, s.after)
		return Result{Text: name + " has this content already: nothing to write", Status: OK}
	}
	if res, ok := t.replace(ctx, s.path, s.before, s.after); !ok {
		return res
	}
	lines := count(len(fileLines(s.after)), "line")
	text := fmt.Sprintf("%s: created with %s", name, lines)
	if s.before != nil {
		text = fmt.Sprintf("%s: written, %s in place of %d", name, lines, len(fileLines(s.before)))
	}
	for _, n := range append(s.notes, doubts(s.after)...) {
		text += "\n[" + n + "]"
	}
	c := Change{Path: s.path.Real, Before: s.before, After: s.after}
	return Result{Text: text + t.checked(ctx, c), Status: OK, Changes: []Change{c}}
}

// replace writes a file that was approved. When it fails, the result says why.
func (f Files) replace(ctx context.Context, p safety.Path, before, after []byte) (Result, bool) {
	name := f.Workspace.Display(p.Real)
	err := f.put(ctx, p, before, after)
	switch {
	case err == nil:
		f.Seen.Record(p.Real, after)
		return Result{}, true
	case errors.Is(err, safety.ErrChanged):
		err = fmt.Errorf("[error: %s changed on disk after this call was shown to the user: nothing was written; read_file it and call again]", name)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("[error: %s may not be written by this user: nothing was written]", name)
	case errors.Is(err, safety.ErrNotRegular):
		err = fmt.Errorf("[error: %s is not a regular file: nothing was written]", name)
	default:
		err = fmt.Errorf("[error: nothing was written: %w]", err)
	}
	return Result{Text: err.Error(), Status: Failed}, false
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
