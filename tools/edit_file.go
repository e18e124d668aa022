package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mm/fileedit"
	"mm/safety"
)

// editFile is the tool edit_file.
type editFile struct{ Files }

// NewEditFile returns the tool that changes parts of files.
func NewEditFile(f Files) Tool { return editFile{f} }

//go:embed edit_file.md
var editFileDoc string

func (t editFile) Spec() Spec {
	return Spec{
		Name:        "edit_file",
		Description: strings.TrimSpace(editFileDoc),
		Kind:        KindEdit,
		Synonyms: map[string]string{
			"path":  fileNames,
			"old":   "old_string old_str old_text search find before original",
			"new":   "new_string new_str new_text replace replacement after replace_with",
			"edits": "changes replacements edit",
		},
		Schema: Schema(
			Field{Name: "path", Type: "string"},
			Field{Name: "edits", Type: "array", Items: []Field{
				{Name: "old", Type: "string"},
				{Name: "new", Type: "string"},
			}},
			Field{Name: "dry_run", Type: "boolean", Optional: true},
		),
	}
}

// Normalize takes a path that stands in the edits, where models put it that
// think of one edit as one call.
func (t editFile) Normalize(args map[string]json.RawMessage) string {
	if _, ok := args["path"]; ok {
		return ""
	}
	raw := args["edits"]
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var one struct{ Path string }
	var edits []struct{ Path string }
	if json.Unmarshal(raw, &edits) != nil {
		if json.Unmarshal(raw, &one) != nil {
			return ""
		}
		edits = append(edits, one)
	}
	for _, e := range edits {
		if e.Path == "" || e.Path != edits[0].Path {
			return ""
		}
	}
	if len(edits) == 0 {
		return ""
	}
	args["path"] = encode(edits[0].Path)
	return "the path was taken from edits"
}

// editState is what Plan saw and what Run writes.
type editState struct {
	path   safety.Path
	before []byte
	dry    bool
	seen   Knowledge // what the model knows of the file

	result fileedit.Result
	err    error // why nothing can be written
}

func (t editFile) Plan(ctx context.Context, args json.RawMessage) (Plan, error) {
	var a struct {
		Path   string
		Edits  []fileedit.Edit
		DryRun bool `json:"dry_run"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return Plan{}, fmt.Errorf("[error: edit_file: %w; expected {path, edits:[{old,new}]}]", err)
	}
	op := safety.Write
	if a.DryRun {
		op = safety.Read
	}
	p, err := t.target(a.Path, op)
	if err != nil {
		return Plan{}, err
	}
	s := t.prepare(ctx, p, a.Edits)
	s.dry = a.DryRun
	// A refusal quotes the file, and names quote its folder: of other places
	// than the project they are told after permission.
	if s.err != nil && p.Class == safety.Inside {
		refused := Plan{}
		if s.seen == Unread {
			refused.Action = safety.Action{Tool: "read_file", Op: safety.Read, Path: p}
		}
		return refused, errors.New(t.failure(s))
	}
	plan := Plan{
		Title:     t.Workspace.Display(p.Real),
		Action:    safety.Action{Tool: "edit_file", Op: op, Path: p},
		Locations: []Location{{Path: p.Real}},
		State:     s,
	}
	if s.err != nil {
		return plan, nil
	}
	plan.Action.Digest = safety.Digest(s.result.Text)
	plan.Locations[0].Line = s.result.Matches[0].Line
	plan.Preview = DiffPreview{Files: []fileedit.FileDiff{s.result.Diff}}
	return plan, nil
}

// prepare reads the file and makes the edits in memory.
func (t editFile) prepare(ctx context.Context, p safety.Path, edits []fileedit.Edit) editState {
	s := editState{path: p}
	name := t.Workspace.Display(p.Real)
	if p.Class == safety.Refused {
		s.err = fmt.Errorf("[error: %s is %s and cannot be edited; give the path of a file]", name, p.Reason)
		return s
	}
	s.before, s.err = t.current(ctx, p)
	switch {
	case s.err != nil:
		return s
	case s.before == nil:
		s.err = t.missing(p, "Create it with write_file")
		return s
	}
	s.seen = t.Seen.Of(p.Real, s.before)
	s.result, s.err = fileedit.Apply(s.before, edits, fileedit.Options{Path: name})
	s.result.Diff.Warning = s.warning()
	return s
}

// warning tells the user what the diff does not show.
func (s editState) warning() string {
	if s.err != nil || s.seen != Stale {
		return ""
	}
	return "the file has changed since the model read it; this is the edit of what is there now"
}

// failure is the refusal as the model reads it.
func (t editFile) failure(s editState) string {
	text, _ := Limit(s.err.Error(), t.maxOutput())
	if s.dry {
		return fileedit.DryRun + text
	}
	return text
}

func (t editFile) Run(ctx context.Context, p Plan, _ Sink) Result {
	s := p.State.(editState)
	if s.err != nil {
		return Result{Text: t.failure(s), Status: Failed}
	}
	text, cut := Limit(s.result.Report(), t.maxOutput())
	if s.seen == Stale {
		text += "\n[the file had changed on disk since you read it; the edits were made to what is there now]"
	}
	if s.dry {
		return Result{Text: fileedit.DryRun + text, Status: OK, Truncated: cut}
	}
	if res, ok := t.replace(ctx, s.path, s.before, s.result.Text); !ok {
		return res
	}
	c := Change{Path: s.path.Real, Before: s.before, After: s.result.Text}
	return Result{Text: text + t.checked(ctx, c), Status: OK, Changes: []Change{c}, Truncated: cut}
}
