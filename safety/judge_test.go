package safety

import (
	"bufio"
	"bytes"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/judge.txt
var judged string

//go:embed testdata/everyday.txt
var everyday string

//go:embed testdata/dangerous.txt
var dangerous string

type judgedLine struct {
	line string
	want Risk
}

// corpus reads testdata/judge.txt.
func corpus(t testing.TB) []judgedLine {
	t.Helper()
	var out []judgedLine
	want, begun := Unproven, false
	lines := bufio.NewScanner(strings.NewReader(judged))
	for lines.Scan() {
		line := lines.Text()
		if section, ok := strings.CutPrefix(line, "== "); ok {
			want, begun = map[string]Risk{"harmless": Harmless, "ask": Unproven, "perilous": Perilous}[section], true
			continue
		}
		if line == "" || !begun {
			continue
		}
		// A Go string; but a line may also begin with a quoted word.
		if text, err := strconv.Unquote(line); err == nil && line[0] == '"' {
			line = text
		}
		out = append(out, judgedLine{line, want})
	}
	return out
}

// judgeProject makes the project that the corpus speaks of.
func judgeProject(t testing.TB) (*Workspace, ShellEnv) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "proj")
	for _, d := range []string{filepath.Join(dir, "src"), filepath.Join(base, "outside"), filepath.Join(base, "home")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"main.go": "package main\n\nfunc main() {}\n", "go.mod": "module x\n", "README.md": "# Title\n\nb:2 x\na:1 y\n",
		"src/a.go": "package src\n", "src/b.txt": "2\n10\n", "data.json": `{"a": {"name": "n"}}`, ".env": "KEY=1\n",
		"../outside/secret.txt": "s\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range map[string]string{"out": "../outside", "self": "."} {
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	w, err := NewWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	env := w.ShellEnv(func(name string) string {
		return map[string]string{
			"HOME": filepath.Join(base, "home"), "USER": "me", "PATH": "/usr/bin:/bin", "PWD": dir,
		}[name]
	})
	env.Safe = func(string) bool { return true }
	return w, env
}

// What is called harmless runs unasked: not one line may be called so wrongly.
// The other faults only cost a question.
func TestJudgeShellCorpus(t *testing.T) {
	t.Parallel()
	_, env := judgeProject(t)
	count := map[Risk]int{}
	for _, c := range corpus(t) {
		count[c.want]++
		got := JudgeShell(c.line, env)
		if got.Risk != c.want {
			t.Errorf("%q: risk %d %q, want %d", c.line, got.Risk, got.Reasons, c.want)
		}
		if (got.Risk == Harmless) != (len(got.Reasons) == 0) || (got.Risk == Harmless) != (got.Canonical != "") {
			t.Errorf("%q: %+v", c.line, got)
		}
	}
	t.Logf("harmless %d, ask %d, perilous %d", count[Harmless], count[Unproven], count[Perilous])
}

// What share of everyday and of dangerous lines is judged as it should be. Each
// miss costs a question or a warning; the corpus above holds what may not miss.
func TestJudgeShellShares(t *testing.T) {
	t.Parallel()
	_, env := judgeProject(t)
	for _, tc := range []struct {
		name, lines string
		want        Risk
		percent     int
	}{{"everyday", everyday, Harmless, 90}, {"dangerous", dangerous, Perilous, 85}} {
		lines := strings.Split(strings.TrimSpace(tc.lines), "\n")
		right := 0
		for _, line := range lines {
			if got := JudgeShell(line, env); got.Risk == tc.want {
				right++
			} else {
				t.Logf("%s: %s: %q", tc.name, line, got.Reasons)
			}
		}
		if len(lines) < 100 || 100*right < tc.percent*len(lines) {
			t.Errorf("%s: %d of %d lines are right, want %d percent", tc.name, right, len(lines), tc.percent)
		}
	}
}

// Lines as long as the gate lets through: a walk that is not bounded takes
// minutes here.
func TestJudgeShellIsBounded(t *testing.T) {
	t.Parallel()
	_, env := judgeProject(t)
	for _, part := range []string{"a|", "a;", "a&&", "cat *;", "git status;", "f(){ f|f&};", "<<a ", "sh -c ", "env ", "! ", "find -exec ", "xargs ", "eval "} {
		line := strings.Repeat(part, maxLine/len(part)-1) + "a"
		if got := JudgeShell(line, env); got.Risk == Harmless {
			t.Errorf("%q repeated is harmless", part)
		}
	}
}

// Patterns in a large project: what is looked at has a bound for the whole line.
func TestPatternsOfALineAreBounded(t *testing.T) {
	t.Parallel()
	w, env := judgeProject(t)
	for i := range 20 {
		for j := range 20 {
			dir := filepath.Join(w.Dir(), "many", strconv.Itoa(i), strconv.Itoa(j))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"a", "b"} {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	entries, paths := 0, 0
	expand, classify := env.Expand, env.Classify
	env.Expand = func(pattern string, most int) ([]string, int, bool) {
		found, looked, ok := expand(pattern, most)
		entries += looked
		return found, looked, ok
	}
	env.Classify = func(path string) (Class, string) {
		paths++
		return classify(path)
	}
	for line, want := range map[string]Risk{
		"cat many/1/*/a":                             Harmless,
		"cat many/*/*/a":                             Harmless,
		"cat many/*/*/* many/*/*/*":                  Unproven,
		strings.Repeat("cat many/*/*/a; ", 150):      Unproven,
		"cat " + strings.Repeat("many/*/*/?z ", 600): Unproven,
	} {
		entries, paths = 0, 0
		if got := JudgeShell(line, env); got.Risk != want {
			t.Errorf("%.40s: %+v", line, got)
		}
		if entries > 2*maxEntries || paths > 2*maxEntries/pathCost+600 {
			t.Errorf("%.40s: looked at %d entries and %d paths", line, entries, paths)
		}
	}
}

// The canonical line is judged harmless itself, and bash gives the same output
// for it as for the original.
func TestCanonicalLineMeansTheSame(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	w, env := judgeProject(t)
	environ := []string{
		"HOME=" + env.Getenv("HOME"), "USER=me", "PATH=" + os.Getenv("PATH"), "LC_ALL=C",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e",
	}
	run := func(line string) string {
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-c", line)
		cmd.Dir, cmd.Env = w.Dir(), GuardEnv(environ)
		out, _ := cmd.CombinedOutput() // a failure shows in the output
		return string(out)
	}
	run("git init -q -b main . && git add -A && git commit -qm one && echo >> README.md && git commit -qam two")
	for _, c := range corpus(t) {
		if c.want != Harmless || changing(c.line) {
			continue
		}
		first := JudgeShell(c.line, env)
		again := JudgeShell(first.Canonical, env)
		if again.Risk != Harmless || again.Canonical != first.Canonical {
			t.Errorf("%q → %q is judged again as %+v", c.line, first.Canonical, again)
		}
		// bash names the line number and the program in its own messages.
		if got, want := run(first.Canonical), run(c.line); got != want {
			t.Errorf("%q → %q\ngot  %q\nwant %q", c.line, first.Canonical, got, want)
		}
	}
}

// changing tells of lines whose output differs from one moment to the next.
func changing(line string) bool {
	for _, word := range []string{"date", "ps ", "pgrep", "uptime", "free", "time ", "df ", "stat "} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// Nothing that is added to a line makes it safer.
func FuzzJudgeShell(f *testing.F) {
	for _, c := range corpus(f) {
		f.Add(c.line)
	}
	_, env := judgeProject(f)
	f.Fuzz(func(t *testing.T, line string) {
		got := JudgeShell(line, env)
		if got.Risk != Harmless {
			if _, err := parse(line); err != nil || strings.HasSuffix(line, `\`) {
				return // incomplete: what is added may complete it
			}
			for _, more := range []string{"; touch x", " | sh", " $(touch x)", "\ntouch x", " > x", " && touch x"} {
				if JudgeShell(line+more, env).Risk == Harmless {
					t.Errorf("%q with %q is harmless", line, more)
				}
			}
			return
		}
		again := JudgeShell(got.Canonical, env)
		if again.Risk != Harmless || again.Canonical != got.Canonical {
			t.Errorf("%q → %q → %+v", line, got.Canonical, again)
		}
		if JudgeShell(line+"\ntouch x", env).Risk == Harmless {
			t.Errorf("%q and a second line that writes is harmless", line)
		}
	})
}

func BenchmarkJudgeShell(b *testing.B) {
	_, env := judgeProject(b)
	lines := corpus(b)
	i := 0
	for b.Loop() {
		JudgeShell(lines[i%len(lines)].line, env)
		i++
	}
}

func TestNamesThatOthersMayTakeAreNotSafe(t *testing.T) {
	t.Parallel()
	w, outside := project(t)
	for _, dir := range []string{w.Dir(), outside} {
		if err := os.WriteFile(filepath.Join(dir, "tool"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open := filepath.Join(outside, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(open, "tool"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct{ tool, missing bool }{
		outside:                         {true, true},
		"/nowhere:" + outside:           {true, true},
		w.Dir() + ":" + outside:         {false, false},
		open + ":" + outside:            {false, false},
		":" + outside:                   {false, false},
		".:" + outside:                  {false, false},
		"bin:" + outside:                {false, false},
		outside + ":" + w.Dir():         {true, false},
		outside + ":" + open:            {true, false},
		outside + ":" + open + "/later": {true, false},
		outside + "/later":              {true, true},
		"":                              {false, false},
	} {
		if got := w.safeName(path, "tool"); got != want.tool {
			t.Errorf("PATH=%s: tool is safe: %t", path, got)
		}
		if got := w.safeName(path, "missing"); got != want.missing {
			t.Errorf("PATH=%s: what is not there is safe: %t", path, got)
		}
	}
}

func TestGitRisk(t *testing.T) {
	t.Parallel()
	const usual = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n" +
		"[remote \"origin\"]\n\turl = git@host:x/y.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n" +
		"[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n; a comment\n[user]\n\tname = x = y\n"
	if risk := settingsRisk([]byte(usual)); risk != "" {
		t.Errorf("usual settings: %s", risk)
	}
	for _, more := range []string{
		"[core]\n\tfsmonitor = ./evil", "[core] fsmonitor = ./evil", "[CORE]\nFSMONITOR=./evil",
		"[core]\n\thooksPath = h", "[core]\n\tsshCommand = x", "[core]\n\tpager = x", "[core]\n\tworktree = /",
		"[filter \"x\"]\n\tclean = ./evil", "[diff \"x\"]\n\ttextconv = ./evil", "[diff]\n\texternal = x",
		"[pager]\n\tlog = x", "[gpg]\n\tprogram = x", "[credential]\n\thelper = !x", "[alias]\n\tlog = !x",
		"[include]\n\tpath = /x", "[includeIf \"gitdir:/\"]\n\tpath = x", "[extensions]\n\tpartialClone = origin",
		"[remote \"origin\"]\n\tpromisor = true", "[remote \"origin\"]\n\turl = ext::sh -c evil",
		"[user]\n\tname = x\\\n[core]", "nonsense", "[broken", "[future]\n\tkey = 1", "[core \"x\"]\n\tbare = 1",
	} {
		if settingsRisk([]byte(usual+more)) == "" {
			t.Errorf("%q is no risk", more)
		}
	}
}

func TestGitRiskOfFolders(t *testing.T) {
	t.Parallel()
	w, _ := project(t)
	if risk := gitRisk(w.Dir()); risk != "" {
		t.Errorf("a plain repository: %s", risk)
	}
	sub := filepath.Join(w.Dir(), "src")
	if err := os.WriteFile(filepath.Join(w.Dir(), ".git", "config"), []byte("[core]\nfsmonitor=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if risk := gitRisk(sub); !strings.Contains(risk, "core.fsmonitor") {
		t.Errorf("from a folder below: %q", risk)
	}
	if err := os.WriteFile(filepath.Join(sub, ".git"), []byte("gitdir: /elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if gitRisk(sub) == "" {
		t.Error("a repository that is elsewhere is no risk")
	}
}

func TestGuardEnv(t *testing.T) {
	t.Parallel()
	got := GuardEnv([]string{"PATH=/bin", "GIT_EXTERNAL_DIFF=x", "RIPGREP_CONFIG_PATH=x", "CDPATH=/", "A_TOKEN=1", "LD_PRELOAD=x"})
	if got[0] != "PATH=/bin" || len(got) != 1+len(guards) {
		t.Errorf("got %q", got)
	}
	if n := bytes.Count([]byte(strings.Join(guards, "\n")), []byte("GIT_CONFIG_KEY_")); !strings.Contains(strings.Join(guards, "\n"), "GIT_CONFIG_COUNT="+strconv.Itoa(n)+"\n") {
		t.Errorf("the count of settings is not %d", n)
	}
}
