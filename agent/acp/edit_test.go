package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"mm/fileedit"
	"mm/safety"
	"mm/tools"
)

// editFile writes a file that exists or does not; content "fail" cannot be
// written.
type editFile struct{}

func (editFile) Spec() tools.Spec { return spec("edit_file", tools.KindEdit) }

func (editFile) Plan(_ context.Context, args json.RawMessage) (tools.Plan, error) {
	var a struct{ Path, Content string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tools.Plan{}, err
	}
	if a.Content == "no match" {
		return tools.Plan{}, errors.New("[error: `old` is not in the file]")
	}
	before, err := os.ReadFile(a.Path)
	if err != nil {
		before = nil
	}
	return tools.Plan{
		Title:     a.Path,
		Action:    safety.Action{Tool: "edit_file", Op: safety.Write},
		Locations: []tools.Location{{Path: a.Path}},
		Preview:   tools.DiffPreview{Files: []fileedit.FileDiff{fileedit.Diff("shown.txt", before, []byte(a.Content))}},
		State:     a,
	}, nil
}

func (editFile) Run(_ context.Context, p tools.Plan, _ tools.Sink) tools.Result {
	a := p.State.(struct{ Path, Content string })
	if a.Content == "fail" {
		return tools.Result{Text: "[error: the disk is full]", Status: tools.Failed}
	}
	if err := os.WriteFile(a.Path, []byte(a.Content), 0o600); err != nil {
		return tools.Result{Text: err.Error(), Status: tools.Failed}
	}
	return tools.Result{Text: "[written]", Status: tools.OK}
}
