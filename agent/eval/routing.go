package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mm/agent"
	"mm/tools"
)

// routeCalls is how many calls a model may make before it must have chosen:
// to look around first is no mistake.
const routeCalls = 3

// recorded is the result of a call that was only recorded.
const recorded = "[this is a rehearsal: the call was noted and nothing was run; go on as if it had worked]"

// caseLine is NAME LANGUAGE WANT PROMPT.
var caseLine = regexp.MustCompile(`^(\S+)\s+(\S+)\s+(skill:\S+|tool:\S+|none)\s+(\S.*)$`)

// routing makes one task of each case.
func (p *parser) routing() ([]Task, error) {
	if len(p.cases) == 0 {
		return nil, fmt.Errorf("there are no cases")
	}
	var tasks []Task
	for _, line := range p.cases {
		m := caseLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("cases: %q: want NAME LANGUAGE WANT PROMPT", line)
		}
		t := p.task
		t.Name += "/" + m[1]
		t.Language, t.Prompts = m[2], []string{m[4]}
		kind, names, _ := strings.Cut(m[3], ":")
		switch kind {
		case "skill":
			t.route.skill, t.Skills = names, []string{names}
		case "tool":
			t.route.tools = strings.Split(names, "|")
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// called is one recorded call.
type called struct{ tool, skill string }

// recorder notes the calls of a routing case. For a whole task it stays out of
// the way.
type recorder struct {
	on   bool
	want route
	stop func() // interrupts the turn

	mu    sync.Mutex
	calls []called
}

func newRecorder(t Task) *recorder { return &recorder{on: t.Kind == Routing, want: t.route} }

// wrap is Setup.Tools.
func (r *recorder) wrap(box agent.Toolbox) agent.Toolbox {
	if !r.on {
		return box
	}
	return recordingBox{box, r}
}

// recordingBox declares the tools of another toolbox and runs none of them.
type recordingBox struct {
	agent.Toolbox
	rec *recorder
}

// Resolve implements agent.Toolbox.
func (b recordingBox) Resolve(name, args string) (tools.Tool, json.RawMessage, []string, error) {
	t, valid, notes, err := b.Toolbox.Resolve(name, args)
	if err != nil {
		return nil, nil, nil, err
	}
	return recordingTool{t.Spec(), b.rec}, valid, notes, nil
}

// recordingTool notes that it was called.
type recordingTool struct {
	spec tools.Spec
	rec  *recorder
}

func (t recordingTool) Spec() tools.Spec { return t.spec }

func (t recordingTool) Plan(_ context.Context, args json.RawMessage) (tools.Plan, error) {
	return tools.Plan{Title: t.spec.Name, State: args}, nil
}

// Run notes the call. One that decides the case ends the turn, before the
// model is asked again.
func (t recordingTool) Run(ctx context.Context, p tools.Plan, _ tools.Sink) tools.Result {
	c := called{tool: t.spec.Name}
	if raw, ok := p.State.(json.RawMessage); ok && t.spec.Name == "read_skill" {
		var in struct{ Name string }
		_ = json.Unmarshal(raw, &in) // the toolbox checked it
		c.skill = foldSkill(in.Name)
	}
	t.rec.note(c)
	if t.rec.decided() {
		t.rec.stop()
		<-ctx.Done()
	}
	return tools.Result{Text: recorded, Status: tools.OK}
}

func (r *recorder) note(c called) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// foldSkill drops what read_skill forgives in a name.
func foldSkill(name string) string {
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "$/ ")), ".md")
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(name)
}

// decided tells whether nothing that follows can change the verdict.
func (r *recorder) decided() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.want.tools) > 0 && len(r.calls) > 0 {
		return true
	}
	return len(r.calls) >= routeCalls || r.firstSkill() != ""
}

// firstSkill is the first skill that was loaded, folded, or empty. The caller
// holds r.mu.
func (r *recorder) firstSkill() string {
	for _, c := range r.calls {
		if c.skill != "" {
			return c.skill
		}
	}
	return ""
}

// failures says what was called in place of what was wanted.
func (r *recorder) failures() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := "nothing was called"
	if len(r.calls) > 0 {
		got = r.calls[0].tool + " was called"
	}
	skill := r.firstSkill()
	if skill != "" {
		got = "the skill " + skill + " was loaded"
	}
	switch {
	case r.want.skill != "":
		if skill != foldSkill(r.want.skill) {
			return []string{fmt.Sprintf("%s, want the skill %s", got, r.want.skill)}
		}
	case len(r.want.tools) > 0:
		if skill != "" || len(r.calls) == 0 || !slices.Contains(r.want.tools, r.calls[0].tool) {
			return []string{fmt.Sprintf("%s, want %s first", got, strings.Join(r.want.tools, " or "))}
		}
	case skill != "":
		return []string{got + ", want none"}
	}
	return nil
}
