package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"mm/fileedit"
	"mm/safety"
	"mm/tools/lspclient"
)

// maxRenamed bounds the files of one rename.
const maxRenamed = 200

// renaming is the change of files that a rename makes.
type renaming struct {
	files  []renamedFile
	from   string
	to     string
	places int
	diffs  []fileedit.FileDiff
}

type renamedFile struct {
	path          safety.Path
	before, after []byte
}

// rename asks the server for the changes and makes them in memory. A server's
// word changes only ordinary files of the project.
func (t *LSP) rename(ctx context.Context, c lspCall, to string) (*renaming, error) {
	edits, _, err := c.client.Rename(ctx, c.path.Real, c.symbol, c.line, to)
	if err != nil {
		return nil, t.fault(c, err)
	}
	paths := edits.Paths()
	switch {
	case len(paths) == 0:
		return nil, fmt.Errorf("[lsp: %s finds nothing to rename for %s]", c.client.Name(), shown(c.symbol))
	case len(paths) > maxRenamed:
		return nil, fmt.Errorf("[lsp: the rename would change %d files, more than %d; nothing was changed]", len(paths), maxRenamed)
	}
	r := &renaming{from: c.symbol, to: to, places: edits.Places()}
	for _, path := range paths {
		f, err := t.renamed(edits, path)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, f)
		r.diffs = append(r.diffs, fileedit.Diff(t.files.Workspace.Display(path), f.before, f.after))
	}
	return r, nil
}

// renamed makes the changes of one file.
func (t *LSP) renamed(edits lspclient.Edits, path string) (f renamedFile, err error) {
	f.path, err = t.files.Workspace.Resolve(path, safety.Write)
	if err != nil {
		return f, err
	}
	name := t.files.Workspace.Display(path)
	if f.path.Class != safety.Inside {
		return f, fmt.Errorf("[lsp: the rename would change %s, which is %s; nothing was changed]", name, f.path.Reason)
	}
	if f.before, err = t.files.onDisk(f.path); err != nil {
		return f, err
	}
	if f.after, err = edits.Apply(path, f.before); err != nil {
		return f, fmt.Errorf("[lsp: %s: %w; nothing was changed, call again]", name, err)
	}
	return f, nil
}

// describe puts the changes into a plan.
func (r *renaming) describe(plan *Plan) {
	plan.Title = fmt.Sprintf("rename %s to %s in %s", r.from, r.to, count(len(r.files), "file"))
	plan.Action.Op = safety.Write
	var all bytes.Buffer
	plan.Locations = nil
	for _, f := range r.files {
		plan.Locations = append(plan.Locations, Location{Path: f.path.Real})
		plan.Action.Also = append(plan.Action.Also, safety.Action{Tool: "edit_file", Op: safety.Write, Path: f.path})
		fmt.Fprintf(&all, "%s\x00%d\x00", f.path.Real, len(f.after))
		all.Write(f.after)
	}
	plan.Action.Digest = safety.Digest(all.Bytes())
	plan.Preview = DiffPreview{Files: r.diffs}
}

// apply writes the files of a rename. All are looked at before the first is
// written, so that a change by others stops it early.
func (t *LSP) apply(ctx context.Context, c lspCall) Result {
	r := c.renamed
	for _, f := range r.files {
		name := t.files.Workspace.Display(f.path.Real)
		if now, err := t.files.current(ctx, f.path); err != nil || !bytes.Equal(now, f.before) {
			return Result{
				Text:   fmt.Sprintf("[lsp: %s changed on disk after this call was shown to the user: nothing was renamed; call again]", name),
				Status: Failed,
			}
		}
	}
	var lines []string
	var changes []Change
	for i, f := range r.files {
		known := t.files.Seen.Of(f.path.Real, f.before) == Current
		if res, ok := t.files.replace(ctx, f.path, f.before, f.after); !ok {
			res.Text += fmt.Sprintf("\n[%d of %d files were renamed before it: %s]", i, len(r.files), strings.Join(lines, ", "))
			res.Changes = changes
			return res
		}
		if !known {
			t.files.Seen.Forget(f.path.Real)
		}
		lines = append(lines, t.files.Workspace.Display(f.path.Real))
		changes = append(changes, Change{Path: f.path.Real, Before: f.before, After: f.after})
	}
	text, cut := bounded(lines, maxRows, t.files.maxOutput()-maxNotes)
	head := fmt.Sprintf("renamed %s to %s: %s in %s:\n", r.from, r.to, count(r.places, "place"), count(len(r.files), "file"))
	if cut > 0 {
		text += fmt.Sprintf("\n[and %d more files]", cut)
	}
	return Result{Text: head + text, Status: OK, Changes: changes, Truncated: cut > 0}
}
