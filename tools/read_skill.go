package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed read_skill.md
var readSkillDescription string

// Skills is what read_skill serves.
type Skills interface {
	Catalogue() string // for the description: one line for each skill
	Names() []string
	Text(name string) (string, bool)
}

// ReadSkill loads a procedure for the model.
type ReadSkill struct {
	skills    Skills
	maxOutput func() int
}

// NewReadSkill returns the read_skill tool. It is declared only when there is
// at least one skill. maxOutput returns the bound of a text in characters; 0 is
// none.
func NewReadSkill(s Skills, maxOutput func() int) *ReadSkill { return &ReadSkill{s, maxOutput} }

// Spec declares the tool; the catalogue is part of the description.
func (r *ReadSkill) Spec() Spec {
	return Spec{
		Name:        "read_skill",
		Description: strings.TrimSpace(readSkillDescription) + "\n" + r.skills.Catalogue(),
		Kind:        KindRead,
		Schema:      Schema(Field{Name: "name", Type: "string"}),
		Synonyms:    map[string]string{"name": "skill skill_name id path title"},
	}
}

// standIn takes a call of a skill, as if it were a tool, for the wish to load it.
func (r *ReadSkill) standIn(name string) (json.RawMessage, bool) {
	if _, ok := r.skills.Text(name); !ok {
		return nil, false
	}
	return encode(fields{"name": quote(name)}), true
}

// Plan reads the name. An unknown one is answered by Run.
func (r *ReadSkill) Plan(_ context.Context, args json.RawMessage) (Plan, error) {
	var in struct{ Name string }
	if err := json.Unmarshal(args, &in); err != nil {
		return Plan{}, fmt.Errorf("[error: invalid arguments for read_skill: %w]", err)
	}
	return Plan{Title: in.Name, State: in.Name}, nil
}

// Run returns the skill's text.
func (r *ReadSkill) Run(_ context.Context, p Plan, _ Sink) Result {
	name, _ := p.State.(string)
	text, ok := r.skills.Text(strings.TrimSuffix(name, ".md"))
	if !ok {
		return Result{
			Status: Failed,
			Text: fmt.Sprintf("[skill: no skill named %s — available: %s]",
				shown(name), strings.Join(r.skills.Names(), ", ")),
		}
	}
	text, cut := Limit(text, r.maxOutput())
	return Result{Text: text, Status: OK, Truncated: cut}
}
