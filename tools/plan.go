package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed plan.md
var planDescription string

// maxSteps bounds a checklist: a longer one is a sign of a loop.
const maxSteps = 50

// The statuses of a step.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Done       = "done"
)

// statuses maps what models write, folded, to the declared statuses.
var statuses = map[string]string{
	"pending": Pending, "todo": Pending, "open": Pending, "notstarted": Pending, "waiting": Pending,
	"planned": Pending, "next": Pending, "false": Pending, "": Pending,
	"inprogress": InProgress, "active": InProgress, "current": InProgress, "doing": InProgress,
	"started": InProgress, "running": InProgress, "ongoing": InProgress, "wip": InProgress,
	"done": Done, "completed": Done, "complete": Done, "finished": Done, "ok": Done, "true": Done,
	"closed": Done, "success": Done, "cancelled": Done, "canceled": Done, "skipped": Done,
}

// statusNames are the names that models give to a step's status.
const statusNames = "state done completed"

// Checklist is the plan tool: it shows the user the model's steps.
type Checklist struct{}

// Spec declares the tool.
func (Checklist) Spec() Spec {
	return Spec{
		Name:        "plan",
		Description: strings.TrimSpace(planDescription),
		Kind:        KindThink,
		Schema: Schema(Field{Name: "steps", Type: "array", Items: []Field{
			{Name: "text", Type: "string"},
			{Name: "status", Type: "string", Enum: []string{Pending, InProgress, Done}},
		}}),
		Synonyms: map[string]string{
			"steps": "plan todos items tasks entries list", "text": "step content title task description name",
			"status": statusNames,
		},
	}
}

// listMark is what stands before the steps of a list in Markdown.
var listMark = regexp.MustCompile(`^\s*(?:[-*+]|\d+[.)])?\s*(?:\[([ xX~>-]?)\])?\s*`)

// Normalize takes steps given as texts, as one text of lines, and statuses in
// other words.
func (c Checklist) Normalize(args map[string]json.RawMessage) string {
	list := rawSteps(args["steps"])
	if list == nil {
		return ""
	}
	for i, raw := range list {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			if obj, ok := inside(raw); ok && kind(obj) == "object" {
				raw = obj
			} else {
				list[i] = encode(parseStep(text))
				continue
			}
		}
		list[i] = normalStep(raw)
	}
	args["steps"] = encode(list)
	return ""
}

// rawSteps reads a list, one element, or a text with a step on each line. It
// returns nil for what it does not know.
func rawSteps(v json.RawMessage) []json.RawMessage {
	if v == nil {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) == nil {
		return list
	}
	if inner, ok := inside(v); ok {
		return rawSteps(inner)
	}
	var text string
	switch {
	case json.Unmarshal(v, &text) == nil:
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				list = append(list, quote(line))
			}
		}
	case kind(v) == "object":
		list = []json.RawMessage{v}
	}
	return list
}

// parseStep reads "- [x] text" and its like.
func parseStep(text string) Step {
	m := listMark.FindStringSubmatch(text)
	s := Step{Text: strings.TrimSpace(text[len(m[0]):]), Status: Pending}
	switch m[1] {
	case "x", "X":
		s.Status = Done
	case "~", ">", "-":
		s.Status = InProgress
	}
	return s
}

// normalStep brings the status of one step to a declared one.
func normalStep(raw json.RawMessage) json.RawMessage {
	obj := fields{}
	if json.Unmarshal(raw, &obj) != nil || obj == nil {
		return raw
	}
	key := "status"
	for name := range obj {
		if slices.Contains(strings.Fields(statusNames), foldName(name)) {
			key = name
		}
	}
	word := ""
	if v, ok := obj[key]; ok && kind(v) != "null" {
		word = foldName(plain(v))
	}
	if s, ok := statuses[word]; ok {
		delete(obj, key)
		obj["status"] = quote(s)
	}
	return encode(obj)
}

// Plan reads the steps. Nothing is asked: it touches nothing.
func (Checklist) Plan(_ context.Context, args json.RawMessage) (Plan, error) {
	var in struct{ Steps []Step }
	if err := json.Unmarshal(args, &in); err != nil {
		return Plan{}, fmt.Errorf("[error: invalid arguments for plan: %w]", err)
	}
	switch {
	case len(in.Steps) == 0:
		return Plan{}, errors.New("[error: the plan has no steps; give all of them, each with text and status]")
	case len(in.Steps) > maxSteps:
		return Plan{}, fmt.Errorf("[error: %d steps are too many; give at most %d]", len(in.Steps), maxSteps)
	}
	for i, s := range in.Steps {
		if strings.TrimSpace(s.Text) == "" {
			return Plan{}, fmt.Errorf("[error: step %d has no text]", i+1)
		}
	}
	return Plan{
		Title:   progress(in.Steps),
		Preview: ChecklistPreview{Steps: in.Steps},
		State:   in.Steps,
	}, nil
}

// Run answers with what comes next.
func (Checklist) Run(_ context.Context, p Plan, _ Sink) Result {
	steps, _ := p.State.([]Step)
	text := progress(steps)
	if next, ok := nextStep(steps); ok {
		text += "; go on with: " + next
	}
	return Result{Text: "[plan: " + text + "]", Status: OK, Preview: p.Preview}
}

func progress(steps []Step) string {
	done := 0
	for _, s := range steps {
		if s.Status == Done {
			done++
		}
	}
	return fmt.Sprintf("%d of %d done", done, len(steps))
}

// nextStep is the one in progress, or the first that waits.
func nextStep(steps []Step) (string, bool) {
	for _, status := range []string{InProgress, Pending} {
		for _, s := range steps {
			if s.Status == status {
				return s.Text, true
			}
		}
	}
	return "", false
}
