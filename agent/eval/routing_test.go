package eval

import (
	"os"
	"path/filepath"
	"testing"

	"mm/agent"
	"mm/agent/agenttest"
)

const routes = `
kind: routing
title: routes
difficulty: easy
-- cases --
skill en skill:git-commit Commit it.
tool en tool:bash|read_file Look at it.
none en none What is 1 + 1?
-- project/a.txt --
1
`

func TestRouting(t *testing.T) {
	t.Parallel()
	skill := func(name string) agenttest.Reply { return agenttest.Call("read_skill", `{"name":"`+name+`"}`) }
	look := agenttest.Call("bash", `{"command":"ls"}`)
	write := agenttest.Call("write_file", `{"path":"a.txt","content":"2"}`)
	say := agenttest.Say("Two.")
	for name, tc := range map[string]struct {
		task    string
		replies []agenttest.Reply
		want    string // the failure; empty: solved
		calls   int
	}{
		"the skill":             {"sample/skill", []agenttest.Reply{skill("git-commit")}, "", 1},
		"its name otherwise":    {"sample/skill", []agenttest.Reply{skill("Git_Commit.md")}, "", 1},
		"after a look":          {"sample/skill", []agenttest.Reply{look, write, skill("git-commit")}, "", 3},
		"too late":              {"sample/skill", []agenttest.Reply{look, look, write}, "bash was called, want the skill git-commit", 3},
		"another skill":         {"sample/skill", []agenttest.Reply{skill("greetings")}, "the skill greetings was loaded, want the skill git-commit", 1},
		"words":                 {"sample/skill", []agenttest.Reply{say, say}, "nothing was called, want the skill git-commit", 2}, // asked once more
		"the tool":              {"sample/tool", []agenttest.Reply{look}, "", 1},
		"its alias":             {"sample/tool", []agenttest.Reply{agenttest.Call("shell", `{"cmd":"ls"}`)}, "", 1},
		"another tool":          {"sample/tool", []agenttest.Reply{write}, "write_file was called, want bash or read_file first", 1},
		"a skill for a tool":    {"sample/tool", []agenttest.Reply{skill("greetings")}, "the skill greetings was loaded, want bash or read_file first", 1},
		"no tool":               {"sample/tool", []agenttest.Reply{say}, "nothing was called, want bash or read_file first", 1},
		"none":                  {"sample/none", []agenttest.Reply{say}, "", 1},
		"none, after a look":    {"sample/none", []agenttest.Reply{look, say}, "", 2},
		"a skill for a trifle":  {"sample/none", []agenttest.Reply{skill("greetings")}, "the skill greetings was loaded, want none", 1},
		"an invalid call first": {"sample/tool", []agenttest.Reply{agenttest.Call("python", "{}"), look}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tasks, err := Match(parsed(t, routes), "^"+tc.task+"$")
			if err != nil || len(tasks) != 1 {
				t.Fatal(len(tasks), err)
			}
			got := one(t, tasks[0], scripted(t, tc.replies...))
			why := ""
			if len(got.Failures) > 0 {
				why = got.Failures[0]
			}
			if why != tc.want || got.Solved != (tc.want == "") || got.Calls != tc.calls {
				t.Errorf("solved %t, %q, %d calls; want %q, %d calls", got.Solved, why, got.Calls, tc.want, tc.calls)
			}
		})
	}
}

// Tools that only record run nothing, and are declared as the real ones are.
func TestRoutingRunsNothing(t *testing.T) {
	t.Parallel()
	tasks, err := Match(parsed(t, routes), "none")
	if err != nil {
		t.Fatal(err)
	}
	var model *agenttest.Model
	var dir string
	build := rig{t: t, model: func(s Setup) agent.Model {
		dir = s.Dir
		model = agenttest.NewModel(agenttest.Call("bash", `{"command":"echo 1 > trace"}`), agenttest.Say("2"))
		return model
	}}.new
	r := evaluated(t, Options{Tasks: tasks, Keep: true, New: build})
	if !r.Results[0].Solved {
		t.Fatalf("failures %q", r.Results[0].Failures)
	}
	if _, err := os.Stat(filepath.Join(dir, "trace")); err == nil {
		t.Error("the command was run")
	}
	requests := model.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests, want 2", len(requests))
	}
	last := requests[1].Messages[len(requests[1].Messages)-1]
	if last.Text != recorded {
		t.Errorf("the model read %q", last.Text)
	}
	if n := len(requests[0].Tools); n != 5 || requests[0].Tools[0].Description == "" {
		t.Errorf("%d tools are declared, want the 5 of the toolbox", n)
	}
}

// For each built-in case, the wanted call is accepted, and its opposite is
// not.
func TestBuiltinRoutes(t *testing.T) {
	t.Parallel()
	for _, task := range builtinTasks(t) {
		if task.Kind != Routing {
			continue
		}
		right, wrong := []called{{tool: "write_file"}}, []called{{tool: "read_skill", skill: "bgjobs"}}
		switch {
		case task.route.skill != "":
			right, wrong = []called{{tool: "read_skill", skill: foldSkill(task.route.skill)}}, nil
		case len(task.route.tools) > 0:
			right, wrong = []called{{tool: task.route.tools[0]}}, nil
		}
		for want, calls := range map[bool][]called{true: right, false: wrong} {
			rec := newRecorder(task)
			rec.calls = calls
			if got := len(rec.failures()) == 0; got != want {
				t.Errorf("%s: %+v is accepted: %t", task.Name, calls, got)
			}
		}
	}
}
