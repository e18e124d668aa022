package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mm/safety"
)

// Files is what the tools on files share.
type Files struct {
	Workspace *safety.Workspace
	Seen      *Seen

	// MaxOutput returns how many characters one result may have; it is
	// asked for each call, since the window may become known late. Nil
	// means defaultOutput.
	MaxOutput func() int

	// PartSize is the length in characters from which the model is told to
	// write a file in parts. 0 means defaultPart.
	PartSize int

	// Editor, when not nil, is where files of the project may be open with
	// changes that were not saved.
	Editor Editor

	// Check, when not nil, looks at each file that was written; what it says
	// is added to the result.
	Check Check
}

const (
	defaultOutput = 16_000
	defaultPart   = 6_000

	maxRead    = 32 << 20 // bytes of a file that are looked at
	maxRow     = 2_000    // bytes of a line that are shown
	maxEntries = 300      // entries of a folder that are listed
	maxSniffed = 8 << 10  // bytes that tell the kind of a file
)

func (f Files) maxOutput() int {
	if f.MaxOutput == nil {
		return defaultOutput
	}
	return f.MaxOutput()
}

// fileNames are the names that models give to the path of a file.
const fileNames = "file file_path file_name target_file absolute_path name"

// readFile is the tool read_file.
type readFile struct{ Files }

// NewReadFile returns the tool that shows files and folders.
func NewReadFile(f Files) Tool { return readFile{f} }

//go:embed read_file.md
var readFileDoc string

func (t readFile) Spec() Spec {
	return Spec{
		Name:        "read_file",
		Description: strings.TrimSpace(readFileDoc),
		Kind:        KindRead,
		Synonyms: map[string]string{
			"path":  fileNames + " dir directory folder",
			"start": "start_line line_start from first offset begin",
			"end":   "end_line line_end to last stop",
		},
		Schema: Schema(
			Field{Name: "path", Type: "string"},
			Field{Name: "start", Type: "integer", Description: "first line", Optional: true},
			Field{Name: "end", Type: "integer", Description: "last line", Optional: true},
		),
	}
}

// readArgs are the arguments of read_file. Lines count from 1; 0 or less
// stands for the whole.
type readArgs struct {
	Path       string
	Start, End int
}

// Plan looks at nothing but the path: what is there is told after permission.
func (t readFile) Plan(_ context.Context, args json.RawMessage) (Plan, error) {
	var a readArgs
	if err := json.Unmarshal(args, &a); err != nil {
		return Plan{}, fmt.Errorf("[error: read_file: %w]", err)
	}
	a.Start, a.End = max(a.Start, 0), max(a.End, 0)
	if a.End > 0 && a.Start > a.End {
		return Plan{}, fmt.Errorf("[error: read_file: start %d is behind end %d]", a.Start, a.End)
	}
	p, err := t.resolve(a.Path, safety.Read)
	if err != nil {
		return Plan{}, err
	}
	title := t.Workspace.Display(p.Real)
	if a.Start > 0 || a.End > 0 {
		title += fmt.Sprintf(":%d-", max(a.Start, 1))
		if a.End > 0 {
			title += fmt.Sprint(a.End)
		}
	}
	return Plan{
		Title:     title,
		Action:    safety.Action{Tool: "read_file", Op: safety.Read, Path: p},
		Locations: []Location{{Path: p.Real, Line: a.Start}},
		State:     readState{p, a},
	}, nil
}

type readState struct {
	path safety.Path
	args readArgs
}

// resolve finds out where a path leads. One at the root of the disk that was
// meant to be in the project is refused.
func (f Files) resolve(named string, op safety.Op) (safety.Path, error) {
	p, err := f.Workspace.Resolve(named, op)
	if err != nil {
		return p, err
	}
	if rel, ok := f.Workspace.Strayed(p); ok {
		return p, fmt.Errorf("[error: %s does not exist; the project's files have relative paths: use %q]", p.Named, rel)
	}
	return p, nil
}

// target is resolve for a text that is to be changed: a folder of the project
// is refused with what is in it.
func (f Files) target(named string, op safety.Op) (safety.Path, error) {
	p, err := f.resolve(named, op)
	if err == nil && p.Class == safety.Refused {
		err = f.folder(named)
	}
	return p, err
}

// folder is the refusal of a folder; nil for what is none.
func (f Files) folder(named string) error {
	p, err := f.Workspace.Resolve(named, safety.Read)
	if err != nil || p.Class != safety.Inside {
		return nil
	}
	entries, err := f.Workspace.ReadDir(p)
	if err != nil {
		return nil
	}
	name := f.Workspace.Display(p.Real)
	var files []string
	for _, e := range entries {
		if !e.IsDir() {
			files = append(files, oneLine(f.Workspace.Display(filepath.Join(p.Real, e.Name()))))
		}
	}
	if len(files) == 0 {
		return fmt.Errorf("[error: %s is a folder without files: nothing was written; give the path of a file]", name)
	}
	more := ""
	if len(files) > maxNames {
		more = fmt.Sprintf(" and %d more", len(files)-maxNames)
	}
	return fmt.Errorf("[error: %s is a folder: nothing was written; give the path of one file: %s%s]", name, strings.Join(files[:min(len(files), maxNames)], ", "), more)
}

func (t readFile) Run(ctx context.Context, p Plan, _ Sink) Result {
	s := p.State.(readState)
	text, cut, err := t.read(ctx, s)
	if err != nil {
		return Result{Text: err.Error(), Status: Failed}
	}
	return Result{Text: text, Status: OK, Truncated: cut}
}

func (t readFile) read(ctx context.Context, s readState) (text string, cut bool, err error) {
	name := t.Workspace.Display(s.path.Real)
	info, err := t.Workspace.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, t.missing(s.path, "List a folder with read_file to see what there is")
	case err != nil:
		return "", false, unusable(name, err)
	case info.IsDir():
		return t.list(s.path, name)
	}
	file, err := t.Workspace.ReadFile(s.path, maxRead)
	if err != nil {
		return "", false, unusable(name, err)
	}
	if kind := otherKind(file.Data); kind != "" {
		return "", false, fmt.Errorf("[error: %s is not text: %s, %s bytes; it is not shown]", name, kind, thousands(file.Size))
	}
	if file.Whole() {
		file.Data, _ = t.held(ctx, s.path, file.Data)
		file.Size = int64(len(file.Data))
		t.Seen.Record(s.path.Real, file.Data)
	}
	return listing{name: name, file: file, args: s.args, room: t.maxOutput()}.text()
}

// unusable is the text for a path that cannot be read.
func unusable(name string, err error) error {
	switch {
	case errors.Is(err, safety.ErrNotRegular):
		return fmt.Errorf("[error: %s is not a regular file (a pipe, a device or the like) and is not read]", name)
	case errors.Is(err, safety.ErrChanged):
		return fmt.Errorf("[error: %s became another file meanwhile; call again]", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("[error: %s may not be read by this user]", name)
	}
	return fmt.Errorf("[error: %s: %w]", name, err)
}

// otherKind names the kind of a file that is not text, or returns nothing.
func otherKind(data []byte) string {
	head := data[:min(len(data), maxSniffed)]
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "UTF-16 text (convert it with iconv to read it)"
	case kind == "application/pdf":
		return "a PDF"
	case strings.HasPrefix(kind, "image/"):
		return "an image (" + kind + ")"
	case bytes.IndexByte(data, 0) < 0:
		return ""
	case kind == "application/octet-stream", strings.HasPrefix(kind, "text/"):
		return "binary data"
	}
	return kind
}

// list shows the entries of a folder, folders first.
func (t readFile) list(p safety.Path, name string) (string, bool, error) {
	entries, err := t.Workspace.ReadDir(p)
	if err != nil {
		return "", false, unusable(name, err)
	}
	var folders, files []string
	for _, e := range entries {
		switch {
		case e.IsDir():
			folders = append(folders, e.Name()+"/")
		case e.Type()&fs.ModeSymlink != 0:
			files = append(files, e.Name()+" (link)")
		default:
			files = append(files, e.Name()+size(e))
		}
	}
	names := append(folders, files...)
	var b strings.Builder
	fmt.Fprintf(&b, "%s is a folder with %d entries", strings.TrimSuffix(name, "/"), len(names))
	if len(names) > 0 {
		b.WriteByte(':')
	}
	room := t.maxOutput() - b.Len()
	for i, n := range names {
		room -= utf8.RuneCountInString(n) + 1
		if i == maxEntries || room < 0 {
			fmt.Fprintf(&b, "\n[%d more entries; use ls with a pattern]", len(names)-i)
			return b.String(), true, nil
		}
		b.WriteString("\n" + oneLine(n))
	}
	return b.String(), false, nil
}

// oneLine writes a file name so that it cannot pass for two.
func oneLine(name string) string {
	if strings.ContainsAny(name, "\n\r\x1b") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

func size(e fs.DirEntry) string {
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return "" // gone meanwhile, or a pipe or device without a size
	}
	return fmt.Sprintf(" (%s bytes)", thousands(info.Size()))
}
