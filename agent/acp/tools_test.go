package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"mm/fileedit"
	"mm/safety"
	"mm/tools"
)

// box holds the tools of a test.
type box []tools.Tool

func (b box) Specs() []tools.Spec {
	specs := make([]tools.Spec, len(b))
	for i, t := range b {
		specs[i] = t.Spec()
	}
	return specs
}

func (b box) Resolve(name, args string) (tools.Tool, json.RawMessage, []string, error) {
	for _, t := range b {
		if t.Spec().Name == name && json.Valid([]byte(args)) {
			return t, json.RawMessage(args), nil, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("[error: there is no tool named %q, or its arguments are not valid]", name)
}

func spec(name string, kind tools.Kind) tools.Spec {
	return tools.Spec{Name: name, Description: name + ".", Kind: kind, Schema: json.RawMessage(`{"type":"object"}`)}
}

// bash runs nothing: it says its command, or does what a test wants.
type bash struct {
	run func(ctx context.Context, command string, out tools.Sink) tools.Result
}

func (bash) Spec() tools.Spec { return spec("bash", tools.KindExecute) }

func (bash) Plan(_ context.Context, args json.RawMessage) (tools.Plan, error) {
	var a struct{ Command string }
	if err := json.Unmarshal(args, &a); err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{
		Title:   a.Command,
		Action:  safety.Action{Tool: "bash", Op: safety.Execute, Command: a.Command},
		Preview: tools.CommandPreview{Command: a.Command},
		State:   a.Command,
	}, nil
}

func (b bash) Run(ctx context.Context, p tools.Plan, out tools.Sink) tools.Result {
	command := p.State.(string)
	if b.run != nil {
		return b.run(ctx, command, out)
	}
	return tools.Result{Text: "ran " + command, Status: tools.OK}
}

// readSkill needs no permission.
type readSkill struct{}

func (readSkill) Spec() tools.Spec { return spec("read_skill", tools.KindRead) }

func (readSkill) Plan(context.Context, json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Title: "greetings", Action: safety.Action{Tool: "read_skill"}}, nil
}

func (readSkill) Run(context.Context, tools.Plan, tools.Sink) tools.Result {
	return tools.Result{Text: "Say hello.", Status: tools.OK}
}

// policy asks for whatever touches the machine.
type policy struct {
	always map[string]bool

	mu    sync.Mutex
	modes []string // that were set
}

func (p *policy) Decide(a safety.Action) safety.Verdict {
	if a.Op == safety.None || p.always[a.Tool] {
		return safety.Verdict{Decision: safety.Allow}
	}
	return safety.Verdict{Reasons: []string{"touches the machine"}, Always: a.Tool, Dangerous: strings.HasPrefix(a.Command, "rm ")}
}

func (p *policy) Remember(a safety.Action) {
	if p.always == nil {
		p.always = map[string]bool{}
	}
	p.always[a.Tool] = true
}

func (*policy) Mode() safety.Mode { return safety.AskMode }

func (p *policy) SetMode(m safety.Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.modes = append(p.modes, string(m))
}

func (p *policy) set() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.modes
}

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
