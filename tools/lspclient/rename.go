package lspclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Edits are changes of files that a server proposes. They change nothing by
// themselves.
type Edits struct {
	files map[string][]textEdit
	utf8  bool
}

// Rename asks for the changes that give another name to what a name in a file
// stands for.
func (c *Client) Rename(ctx context.Context, path, name string, line int, to string) (edits Edits, found int, err error) {
	found, err = c.at(ctx, path, name, line, func(ctx context.Context, s *session, params map[string]any) error {
		params["newName"] = to
		var answer workspaceEdit
		if err := s.call(ctx, "textDocument/rename", params, &answer); err != nil {
			return err
		}
		edits.utf8 = s.utf8
		edits.files, err = answer.byPath()
		return err
	})
	return edits, found, err
}

// byPath collects the edits of each file. What makes, moves or deletes files
// is refused.
func (w workspaceEdit) byPath() (map[string][]textEdit, error) {
	files := map[string][]textEdit{}
	add := func(uri string, edits []textEdit) error {
		path := pathOf(uri)
		if path == "" {
			return &RefusedError{"the change concerns what is not a file"}
		}
		files[path] = append(files[path], edits...)
		return nil
	}
	for _, change := range w.DocumentChanges {
		if change.Kind != "" {
			return nil, &RefusedError{"the change would " + change.Kind + " a file, which is not done here"}
		}
		if err := add(change.TextDocument.URI, change.Edits); err != nil {
			return nil, err
		}
	}
	if len(w.DocumentChanges) > 0 {
		return files, nil
	}
	for uri, edits := range w.Changes {
		if err := add(uri, edits); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Paths lists the files that would change, sorted.
func (e Edits) Paths() []string {
	var paths []string
	for path, edits := range e.files {
		if len(edits) > 0 {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Places counts the changes of all files.
func (e Edits) Places() int {
	n := 0
	for _, edits := range e.files {
		n += len(edits)
	}
	return n
}

// errEdit says that edits do not fit a text.
var errEdit = errors.New("the changes do not fit the file")

// Apply makes the changes of one file in its text.
func (e Edits) Apply(path string, text []byte) ([]byte, error) {
	starts := lineStarts(string(text))
	type cut struct {
		from, to int
		fresh    string
	}
	var cuts []cut
	for _, edit := range e.files[path] {
		from, ok1 := e.byteOffset(string(text), starts, edit.Range.Start)
		to, ok2 := e.byteOffset(string(text), starts, edit.Range.End)
		if !ok1 || !ok2 || to < from {
			return nil, errEdit
		}
		cuts = append(cuts, cut{from, to, edit.NewText})
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out strings.Builder
	done := 0
	for _, c := range cuts {
		if c.from < done {
			return nil, fmt.Errorf("%w: they overlap", errEdit)
		}
		out.Write(text[done:c.from])
		out.WriteString(c.fresh)
		done = c.to
	}
	out.Write(text[done:])
	return []byte(out.String()), nil
}

// lineStarts lists the byte offsets of the lines of a text.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (e Edits) byteOffset(text string, starts []int, p position) (int, bool) {
	if p.Line < 0 || p.Line >= len(starts) || p.Character < 0 {
		return 0, false
	}
	line, _, _ := strings.Cut(text[starts[p.Line]:], "\n")
	return starts[p.Line] + offset(strings.TrimSuffix(line, "\r"), p.Character, e.utf8), true
}
