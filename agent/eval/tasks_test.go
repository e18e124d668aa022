package eval

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mm/tools/proc"
)

// boast is what a model says that has done nothing.
const boast = "Done! I have made all the changes, every test passes and the file is complete."

func builtinTasks(t *testing.T) []Task {
	t.Helper()
	tasks, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

func newPlace(t *testing.T) place {
	t.Helper()
	runner, err := proc.NewRunner()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(runner.Close)
	return place{dir: t.TempDir(), skills: t.TempDir(), runner: runner}
}

func TestBuiltinCoversTheField(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	names := map[string]bool{}
	for _, task := range builtinTasks(t) {
		if names[task.Name] {
			t.Errorf("two tasks are named %s", task.Name)
		}
		names[task.Name] = true
		count[string(task.Kind)]++
		count[string(task.Kind)+" "+task.Language]++
		count[string(task.Kind)+" "+string(task.Difficulty)]++
	}
	for key, least := range map[string]int{
		"whole": 24, "routing": 12,
		"whole go": 3, "whole python": 3, "whole javascript": 3, "whole markdown": 3, "whole yaml": 3,
		"whole easy": 3, "whole medium": 3, "whole hard": 3,
		"routing en": 6, "routing fr": 6,
	} {
		if count[key] < least {
			t.Errorf("%s: %d tasks, want at least %d", key, count[key], least)
		}
	}
	// Tune runs them a dozen times.
	if n := len(Quick(builtinTasks(t))); n < 8 || n > 16 {
		t.Errorf("%d quick tasks, want 8 to 16", n)
	}
}

// Each check can be met, and is not met by words alone, or with damage to a
// file beside.
func TestChecksAreProven(t *testing.T) {
	t.Parallel()
	for _, task := range builtinTasks(t) {
		if task.Kind != Whole {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			for _, program := range task.Needs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip(err)
				}
			}
			proveUntouched(t, task)
			proveSolved(t, task)
			proveDamage(t, task)
		})
	}
}

func unpacked(t *testing.T, task Task) (place, files) {
	t.Helper()
	p := newPlace(t)
	if err := p.unpack(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	before, err := p.read()
	if err != nil {
		t.Fatal(err)
	}
	return p, before
}

func judged(t *testing.T, p place, task Task, before files, answer string) verdict {
	t.Helper()
	v, err := p.judge(t.Context(), task, before, answer)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func proveUntouched(t *testing.T, task Task) {
	t.Helper()
	p, before := unpacked(t, task)
	if v := judged(t, p, task, before, boast); len(v.failures) == 0 {
		t.Error("the untouched project counts as solved")
	}
}

func proveSolved(t *testing.T, task Task) {
	t.Helper()
	p, before := unpacked(t, task)
	solve(t, p, task)
	v := judged(t, p, task, before, task.solution.answer)
	if len(v.failures) > 0 {
		t.Errorf("the reference solution is not accepted:\n%s", strings.Join(v.failures, "\n"))
	}
	if len(v.left) > 0 {
		t.Errorf("the reference solution leaves %v", v.left)
	}
}

// proveDamage changes the file of the project that is last in order and may
// not be changed, beside the reference solution.
func proveDamage(t *testing.T, task Task) {
	t.Helper()
	p, before := unpacked(t, task)
	solve(t, p, task)
	victim := ""
	for name := range before {
		if !task.allows(name) && name > victim {
			victim = name
		}
	}
	if victim == "" {
		return // every file may be changed
	}
	if err := os.WriteFile(filepath.Join(p.dir, victim), []byte("gone\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	v := judged(t, p, task, before, task.solution.answer)
	if want := victim + ": it was changed and must not be"; !slices.Contains(v.failures, want) {
		t.Errorf("failures %q, want %q among them", v.failures, want)
	}
}

// solve carries out the reference solution.
func solve(t *testing.T, p place, task Task) {
	t.Helper()
	for _, name := range task.solution.remove {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, set := range []files{task.want, task.solution.files} {
		if err := p.write(set); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range task.solution.run {
		if why := p.run(t.Context(), command); why != "" {
			t.Fatal(why)
		}
	}
}

func TestBytesOfSpecialFiles(t *testing.T) {
	t.Parallel()
	tasks, err := Match(builtinTasks(t), "^(crlf-file|no-final-newline)$")
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	for _, set := range []files{tasks[0].project, tasks[0].want} {
		data := string(set["settings.yaml"])
		if n := strings.Count(data, "\r\n"); n == 0 || n != strings.Count(data, "\n") {
			t.Errorf("line ends are not all CRLF: %q", data)
		}
	}
	for _, set := range []files{tasks[1].project, tasks[1].want} {
		data := string(set["version.yaml"])
		if !strings.HasPrefix(data, "\uFEFFmajor") || !strings.HasSuffix(data, "7") {
			t.Errorf("byte order mark or end is wrong: %q", data)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const head = "title: t\nlanguage: go\ndifficulty: easy\n"
	const rest = "-- prompt --\nGo.\n-- check --\nabsent a\n"
	if _, err := Parse("ok", []byte(head+rest)); err != nil {
		t.Fatalf("the base of the table is wrong: %v", err)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"key":         {head + "colour: red\n" + rest, "colour"},
		"no value":    {head + "title\n" + rest, "KEY: VALUE"},
		"difficulty":  {strings.Replace(head, "easy", "trivial", 1) + rest, "trivial"},
		"steps":       {head + "steps: none\n" + rest, "steps"},
		"kind":        {head + "kind: other\n" + rest, "other"},
		"no title":    {strings.Replace(head, "title: t\n", "", 1) + rest, "title"},
		"no prompt":   {head + "-- check --\nabsent a\n", "prompt"},
		"no check":    {head + "-- prompt --\nGo.\n", "no check"},
		"section":     {head + rest + "-- things/a --\n", "things/a"},
		"plain":       {head + rest + "-- things --\n", "things"},
		"outside":     {head + rest + "-- project/../a --\n", "no path"},
		"verb":        {head + rest + "-- check --\nsees a b\n", "sees"},
		"expression":  {head + rest + "-- check --\nhas a (\n", "has a ("},
		"no pattern":  {head + rest + "-- check --\nhas a\n", "missing"},
		"check path":  {head + rest + "-- check --\nabsent /etc/passwd\n", "no path"},
		"lines":       {head + rest + "-- check --\nlines a many\n", "many"},
		"command":     {head + rest + "-- check --\nrun\n", "missing"},
		"solution":    {head + rest + "-- solution --\ndo it\n", "do it"},
		"may":         {head + "may: [\n" + rest, "may"},
		"no cases":    {head + "kind: routing\n", "no cases"},
		"case":        {head + "kind: routing\n-- cases --\na en skill: Go.\n", "NAME LANGUAGE"},
		"case target": {head + "kind: routing\n-- cases --\na en call:x Go.\n", "NAME LANGUAGE"},
	} {
		if _, err := Parse("x", []byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tc.want)
		}
	}
}
