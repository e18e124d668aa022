package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestPlanTool(t *testing.T) {
	t.Parallel()
	box, err := NewToolbox(ToolboxOptions{}, Checklist{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := Step{"a", Done}, Step{"b", InProgress}
	for _, tc := range []struct {
		name, args string
		want       []Step
	}{
		{"as declared", `{"steps":[{"text":"a","status":"done"},{"text":"b","status":"in_progress"}]}`, []Step{a, b}},
		{"other words", `{"todos":[{"content":"a","status":"completed"},{"title":"b","state":"In Progress"}]}`, []Step{a, b}},
		{"flags", `{"steps":[{"text":"a","done":true},{"text":"c","done":false}]}`, []Step{a, {"c", Pending}}},
		{"no status", `{"steps":[{"text":"c"}]}`, []Step{{"c", Pending}}},
		{"texts", `{"steps":["c","- [x] a","2. [~] b"]}`, []Step{{"c", Pending}, a, b}},
		{"lines", `{"steps":"1. c\n2) d\n\n* [ ] e"}`, []Step{{"c", Pending}, {"d", Pending}, {"e", Pending}}},
		{"a list in a text", `{"steps":"[{\"text\":\"a\",\"status\":\"done\"}]"}`, []Step{a}},
		{"one step", `{"steps":{"text":"a","status":"done"}}`, []Step{a}},
		{"one step, bare", `{"text":"a","status":"done"}`, []Step{a}},
		{"text that begins with a number", `{"steps":["2 files to read"]}`, []Step{{"2 files to read", Pending}}},
	} {
		tool, valid, _, err := box.Resolve("plan", tc.args)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		p, err := tool.Plan(t.Context(), valid)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got, _ := p.Preview.(ChecklistPreview); !slices.Equal(got.Steps, tc.want) {
			t.Errorf("%s: got %+v, want %+v", tc.name, got.Steps, tc.want)
		}
	}
}

func TestPlanAnswersWithTheNextStep(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, want string }{
		{`{"steps":[{"text":"a","status":"done"},{"text":"b","status":"pending"}]}`, "[plan: 1 of 2 done; go on with: b]"},
		{`{"steps":[{"text":"a","status":"pending"},{"text":"b","status":"in_progress"}]}`, "[plan: 0 of 2 done; go on with: b]"},
		{`{"steps":[{"text":"a","status":"done"}]}`, "[plan: 1 of 1 done]"},
	} {
		p, err := Checklist{}.Plan(t.Context(), json.RawMessage(tc.args))
		if err != nil {
			t.Fatal(err)
		}
		if got := (Checklist{}).Run(t.Context(), p, nil); got.Text != tc.want {
			t.Errorf("got %q, want %q", got.Text, tc.want)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	many := `{"steps":[` + strings.Repeat(`{"text":"a","status":"done"},`, maxSteps) + `{"text":"a","status":"done"}]}`
	for args, want := range map[string]string{
		`{"steps":[]}`: "no steps",
		`{"steps":[{"text":" ","status":"done"}]}`: "step 1 has no text",
		many: "too many",
	} {
		if _, err := (Checklist{}).Plan(t.Context(), json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", args, err, want)
		}
	}
}
