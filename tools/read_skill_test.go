package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

// shelf is a Skills of plain texts.
type shelf map[string]string

func (s shelf) Catalogue() string { return "- bg-jobs: run jobs\n- greetings: greet" }

func (s shelf) Names() []string { return []string{"bg-jobs", "greetings"} }

func (s shelf) Text(name string) (string, bool) {
	text, ok := s[name]
	return text, ok
}

func TestReadSkill(t *testing.T) {
	t.Parallel()
	tool := NewReadSkill(shelf{"greetings": "1. Say hello."}, func() int { return 0 })
	for name, want := range map[string]Result{
		"greetings":    {Text: "1. Say hello.", Status: OK},
		"greetings.md": {Text: "1. Say hello.", Status: OK},
		"x":            {Text: `[skill: no skill named "x" — available: bg-jobs, greetings]`, Status: Failed},
	} {
		args, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tool.Plan(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if p.Action.Op != "" || p.Title != name {
			t.Errorf("%s: planned %+v", name, p)
		}
		if got := tool.Run(t.Context(), p, nil); got.Text != want.Text || got.Status != want.Status {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if d := tool.Spec().Description; !strings.HasSuffix(d, "call this first:\n- bg-jobs: run jobs\n- greetings: greet") {
		t.Errorf("the catalogue is not in the description: %q", d)
	}
}
