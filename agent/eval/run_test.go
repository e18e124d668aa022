package eval

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/llm"
	"mm/safety"
)

// sample wants one number of one file changed, and the other file left alone.
const sample = `
title: a number
difficulty: easy
language: go
-- prompt --
Set the limit to 9.
-- project/limit.go --
package limit

const (
	limit = 3
)
-- project/other.go --
package limit
-- want/limit.go --
package limit

const (
	limit = 9
)
`

func sampleTask(t *testing.T) Task { return parsed(t, sample)[0] }

func used(r agenttest.Reply, prompt, cached, completion int) agenttest.Reply {
	r.Usage = llm.Usage{Prompt: prompt, Cached: cached, Completion: completion}
	return r
}

const rightEdit = `{"path":"limit.go","edits":[{"old":"\tlimit = 3","new":"\tlimit = 9"}]}`

func TestSolved(t *testing.T) {
	t.Parallel()
	got := one(t, sampleTask(t), scripted(t,
		used(agenttest.Call("read_file", `{"path":"limit.go"}`), 100, 0, 10),
		used(agenttest.Call("edit_file", rightEdit), 200, 150, 20),
		used(agenttest.Say("It is 9 now."), 300, 250, 30),
	))
	got.Seconds = 0
	want := Result{
		Task: "sample", Kind: Whole, Difficulty: Easy, Language: "go", Run: 1,
		Solved: true, Stop: "answer", Calls: 3, Tools: 2, Repairs: map[string]int{},
		Read: 600, Cached: 400, Written: 60,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a model says counts for nothing.
func TestWordsAlone(t *testing.T) {
	t.Parallel()
	got := one(t, sampleTask(t), scripted(t, agenttest.Say("Done: the limit is 9 and limit.go was saved.")))
	if want := []string{"limit.go: line 4 is not as wanted"}; got.Solved || !slices.Equal(got.Failures, want) {
		t.Errorf("solved %t, failures %q, want %q", got.Solved, got.Failures, want)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ args, want string }{
		"changed": {`{"command":"echo '// x' >> other.go"}`, "other.go: it was changed and must not be"},
		"removed": {`{"command":"rm other.go"}`, "other.go: it was removed and must not be"},
	} {
		got := one(t, sampleTask(t), scripted(t,
			agenttest.Call("edit_file", rightEdit),
			agenttest.Call("bash", tc.args),
			agenttest.Say("Done."),
		))
		if got.Solved || !slices.Equal(got.Failures, []string{tc.want}) {
			t.Errorf("%s: solved %t, failures %q, want %q", name, got.Solved, got.Failures, tc.want)
		}
	}
}

func TestLoop(t *testing.T) {
	t.Parallel()
	again := agenttest.Call("read_file", `{"path":"nowhere.go"}`)
	got := one(t, sampleTask(t), scripted(t, slices.Repeat([]agenttest.Reply{again}, 12)...))
	// The third call is warned about, three more are, and the sixth ends the
	// turn: the fourth warning goes with it.
	if got.Solved || got.Stop != string(agent.StopStuck) || got.Calls != 6 || got.Loops != 4 || got.Error == "" {
		t.Errorf("solved %t, stop %q, calls %d, loops %d, error %q", got.Solved, got.Stop, got.Calls, got.Loops, got.Error)
	}
}

// The result is judged whatever ended the turn.
func TestSolvedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	task := sampleTask(t)
	task.Steps = 1
	got := one(t, task, scripted(t, agenttest.Call("edit_file", rightEdit), agenttest.Say("There is more to do.")))
	if !got.Solved || got.Stop != string(agent.StopMaxTurns) {
		t.Errorf("solved %t, stop %q, failures %q", got.Solved, got.Stop, got.Failures)
	}
}

func TestRepairsAndFuzzyMatches(t *testing.T) {
	t.Parallel()
	got := one(t, sampleTask(t), scripted(t,
		agenttest.Call("cat", `{"file":"limit.go"}`),
		agenttest.Call("edit_file", `{"path":"limit.go","edits":{"old":"const (\n    limit = 3\n)","new":"const (\n    limit = 9\n)"}}`),
		agenttest.Call("python", `{"code":"print(1)"}`),
		agenttest.Say(""),
		agenttest.Say("It is 9 now."),
	))
	want := map[string]int{"tool name": 1, "field name": 1, "type": 1, "empty answer": 1}
	if diff := cmp.Diff(want, got.Repairs); diff != "" {
		t.Error(diff)
	}
	if !got.Solved || got.Fuzzy != 1 || got.Invalid != 1 || got.Tools != 3 {
		t.Errorf("solved %t (%q), fuzzy %d, invalid %d, tools %d; want 1, 1, 3", got.Solved, got.Failures, got.Fuzzy, got.Invalid, got.Tools)
	}
}

func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	blocked := agenttest.Say("Let me think about it.")
	blocked.Block = true
	r := evaluated(t, Options{
		Tasks: []Task{sampleTask(t)}, Timeout: 50 * time.Millisecond,
		New: scripted(t, blocked),
	})
	got := r.Results[0]
	if got.Solved || got.Stop != "time" || !slices.Contains(got.Failures, "not over after 50ms") {
		t.Errorf("solved %t, stop %q, failures %q", got.Solved, got.Stop, got.Failures)
	}
}

func TestWhatIsAskedIsRefused(t *testing.T) {
	t.Parallel()
	build := rig{t: t, mode: safety.AcceptEdits, model: func(Setup) agent.Model {
		return agenttest.NewModel(agenttest.Call("bash", `{"command":"echo hello"}`), agenttest.Say("I may not."))
	}}.new
	if got := one(t, sampleTask(t), build); got.Refused != 1 {
		t.Errorf("%d calls were refused, want 1", got.Refused)
	}
}

func TestFilesLeftBehind(t *testing.T) {
	t.Parallel()
	got := one(t, sampleTask(t), scripted(t,
		agenttest.Call("edit_file", rightEdit),
		agenttest.Call("bash", `{"command":"echo x > scratch.txt; mkdir __pycache__; echo x > __pycache__/a.pyc"}`),
		agenttest.Say("Done."),
	))
	if !got.Solved || !slices.Equal(got.Left, []string{"scratch.txt"}) {
		t.Errorf("solved %t, left %q; want scratch.txt alone", got.Solved, got.Left)
	}
}

func TestAnswerIsOfTheLastTurn(t *testing.T) {
	t.Parallel()
	task := parsed(t, `
title: two questions
difficulty: easy
language: go
-- prompt --
The first number?
-- prompt/2 --
The second?
-- project/numbers --
4711 4712
-- check --
answer \b4712\b
answer-lacks \b4711\b
`)[0]
	for second, solved := range map[string]bool{"It is 4712.": true, "4711 and 4712": false, "no idea": false} {
		got := one(t, task, scripted(t, agenttest.Say("It is 4711."), agenttest.Say(second)))
		if got.Solved != solved || got.Calls != 2 {
			t.Errorf("%q: solved %t, want %t; %d calls", second, got.Solved, solved, got.Calls)
		}
	}
}

func TestSkipped(t *testing.T) {
	t.Parallel()
	program, skill := sampleTask(t), sampleTask(t)
	program.Name, program.Needs = "program", []string{"no-such-program-anywhere"}
	skill.Name, skill.Skills = "skill", []string{"no-such-skill"}
	r := evaluated(t, Options{Tasks: []Task{program, skill}, Repeat: 3, New: scripted(t)})
	var got []string
	for _, res := range r.Results {
		got = append(got, res.Task+": "+res.Skipped)
	}
	want := []string{"program: no-such-program-anywhere is not installed", "skill: the skill no-such-skill is not offered to the model"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.Total.Skipped != 2 || r.Total.Runs != 0 {
		t.Errorf("total %+v", r.Total)
	}
}

func TestSkillOfTheTask(t *testing.T) {
	t.Parallel()
	tasks, err := Match(builtinTasks(t), "^skill-release-note$")
	if err != nil || len(tasks) != 1 {
		t.Fatal(len(tasks), err)
	}
	got := one(t, tasks[0], scripted(t,
		agenttest.Call("read_skill", `{"name":"release-note"}`),
		agenttest.Call("write_file", `{"path":"notes/3.1.md","content":"# Kestrel 3.1\n\n* search is faster (#12)\n* a crash on start is gone (#15)\n\nSigned: harbour team\n"}`),
		agenttest.Say("Done."),
	))
	if !got.Solved {
		t.Errorf("failures %q", got.Failures)
	}
}

func TestTheServerIsGone(t *testing.T) {
	t.Parallel()
	gone := agenttest.Fail(&llm.Error{Kind: llm.Unreachable, Message: "connection refused"})
	_, err := Run(t.Context(), Options{
		Tasks: []Task{sampleTask(t)}, Repeat: 10, Temp: t.TempDir(), New: scripted(t, gone),
	})
	if err == nil || !strings.Contains(err.Error(), "3 runs in a row") || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	build := rig{t: t, model: func(Setup) agent.Model {
		if runs++; runs == 2 {
			cancel()
		}
		return agenttest.NewModel(agenttest.Call("edit_file", rightEdit), agenttest.Say("Done."))
	}}.new
	temp := t.TempDir()
	var saved Report
	var out strings.Builder
	r, err := Run(ctx, Options{
		Tasks: []Task{sampleTask(t)}, Repeat: 5, Temp: temp, New: build, Out: &out,
		Save: func(r Report) error { saved = r; return nil },
	})
	if !errors.Is(err, context.Canceled) || len(r.Results) != 1 || r.Total.Solved != 1 {
		t.Errorf("%v, %d results, %d solved; want the first run only", err, len(r.Results), r.Total.Solved)
	}
	if diff := cmp.Diff(r, saved); diff != "" {
		t.Errorf("saved and returned differ: %s", diff)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if !strings.Contains(out.String(), "stopped\n") {
		t.Errorf("the table does not say that it was stopped:\n%s", out.String())
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	r := evaluated(t, Options{
		Tasks: []Task{sampleTask(t)}, Keep: true,
		New: scripted(t, agenttest.Call("bash", `{"command":"echo 1 > trace"}`), agenttest.Say("Done.")),
	})
	if _, err := os.Stat(filepath.Join(r.Results[0].Kept, "trace")); err != nil {
		t.Errorf("the project of an unsolved task was not kept: %v", err)
	}
}

func TestHiddenFilesReplaceTests(t *testing.T) {
	t.Parallel()
	task := parsed(t, `
title: a test that the model rewrites
difficulty: easy
language: go
may: *
-- prompt --
Make check.sh succeed.
-- project/value --
1
-- project/check.sh --
grep -q 2 value
-- hidden/check.sh --
grep -q 2 value
-- check --
run sh check.sh
`)[0]
	got := one(t, task, scripted(t, agenttest.Call("bash", `{"command":"echo true > check.sh && sh check.sh"}`), agenttest.Say("It succeeds.")))
	if want := []string{"sh check.sh: exit 1"}; got.Solved || !slices.Equal(got.Failures, want) {
		t.Errorf("solved %t, failures %q, want %q", got.Solved, got.Failures, want)
	}
}

// What a model does to the folder is its own failure, and ends nothing else.
func TestHostileProjects(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	task := parsed(t, `
title: hidden file
difficulty: easy
language: go
may: *
-- prompt --
Go.
-- project/run.sh --
false
-- hidden/run.sh --
true
-- check --
run sh run.sh
`)[0]
	for name, tc := range map[string]struct {
		command, want string // want is part of the only failure; empty: solved
	}{
		"the folder is gone":            {`rm -rf "$PWD"`, "cannot be read"},
		"a file became a folder":        {`rm run.sh; mkdir -p run.sh/a`, ""},
		"a link leads out":              {`ln -sf ` + outside + ` run.sh`, ""},
		"a folder that cannot be read":  {`mkdir d; echo > d/a; chmod 0 d`, ""},
		"a file without end is no file": {`rm run.sh; mkfifo run.sh`, ""},
	} {
		if strings.Contains(tc.command, "chmod") && os.Getuid() != 0 {
			tc.want = "cannot be read"
		}
		args, err := json.Marshal(map[string]string{"command": tc.command})
		if err != nil {
			t.Fatal(err)
		}
		got := one(t, task, scripted(t, agenttest.Call("bash", string(args)), agenttest.Say("Done.")))
		if got.Solved != (tc.want == "") || tc.want != "" && !strings.Contains(strings.Join(got.Failures, "\n"), tc.want) || got.Kept != "" {
			t.Errorf("%s: solved %t, failures %q, kept %q", name, got.Solved, got.Failures, got.Kept)
		}
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "mine" {
		t.Errorf("the file outside now holds %q, %v", data, err)
	}
}

// All runs work in a directory of one name: it stands in the system prompt, and
// the server's cache begins with that.
func TestRunsShareADirectory(t *testing.T) {
	t.Parallel()
	build := scripted(t, agenttest.Say("42"))
	var dirs []string
	tasks := parsed(t, `
title: say
difficulty: easy
language: any
-- prompt --
Say.
-- check --
answer 42
`)
	report := evaluated(t, Options{Tasks: tasks, Repeat: 3, New: func(ctx context.Context, s Setup) (Core, func(), error) {
		dirs = append(dirs, s.Dir)
		if entries, err := os.ReadDir(s.Dir); err != nil || len(entries) > 0 {
			t.Errorf("the folder is not fresh: %v, %v", entries, err)
		}
		if err := os.WriteFile(filepath.Join(s.Dir, "trace"), nil, 0o600); err != nil {
			t.Error(err)
		}
		return build(ctx, s)
	}})
	if len(dirs) != 3 || dirs[0] != dirs[1] || dirs[1] != dirs[2] {
		t.Errorf("worked in %q", dirs)
	}
	if _, err := os.Stat(filepath.Dir(dirs[0])); err == nil {
		t.Error("the folder was left")
	}
	if !report.Results[2].Solved {
		t.Errorf("%+v", report.Results[2])
	}
}
