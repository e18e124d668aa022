//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mm/safety"
)

// untried are lines of the corpus that are not run even in a sandbox: what
// they would do if it failed could not be undone, or they would slow the
// machine down.
var untried = []string{
	"rm -rf /", "/dev/sd", "/dev/nvme", "mkfs", "kill", "reboot", "shutdown", ":(){", "sudo", "su -", "doas",
	"crontab", "dropdb", "--privileged",
}

// enough is how long a line runs at most. Some wait for ever.
const enough = 2 * time.Second

// corpusLine is a line of the judge's corpus.
type corpusLine struct {
	text     string
	harmless bool // tried in tier R alone
}

// corpusLines reads the lines of the judge's corpus that may be tried.
func corpusLines(t *testing.T) []corpusLine {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "judge.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []corpusLine
	_, lines, _ := strings.Cut(string(data), "\n\n")
	harmless := false
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if section, ok := strings.CutPrefix(line, "== "); ok || line == "" {
			harmless = ok && section == "harmless" || !ok && harmless
			continue
		}
		if text, err := strconv.Unquote(line); err == nil && line[0] == '"' {
			line = text
		}
		tried := !strings.Contains(line, "\x00") // no argument holds it
		for _, u := range untried {
			tried = tried && !strings.Contains(line, u)
		}
		if tried {
			out = append(out, corpusLine{line, harmless})
		}
	}
	return out
}

// corpusProject makes the project of the corpus below base, with a repository,
// beside a folder outside and a home folder.
func corpusProject(t *testing.T, base string) {
	t.Helper()
	for name, text := range map[string]string{
		"proj/main.go": "package main\n\nfunc main() {}\n", "proj/go.mod": "module x\n\ngo 1.21\n",
		"proj/README.md": "# Title\n\nb:2 x\na:1 y\n", "proj/src/a.go": "package src\n", "proj/src/b.txt": "2\n10\n",
		"proj/data.json": `{"a": {"name": "n"}}`, "proj/.env": "KEY=1\n", "outside/secret.txt": "s\n",
		"home/.bashrc": "true\n", "home/.ssh/config": "Host x\n",
		"proj/Makefile": "all:\n\techo x > made\n", "proj/env.sh": "echo x > sourced\n",
		"proj/run.sh": "echo x > ran\n", "proj/script.sh": "echo x > ran\n", "proj/script": "w out\n",
	} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(base, "proj", "out")); err != nil {
		t.Fatal(err)
	}
	git := exec.Command("bash", "-c", "git init -q -b main --template= . && git add -A && git commit -qm one && echo >> README.md && git commit -qam two && echo more >> README.md")
	git.Dir = filepath.Join(base, "proj")
	git.Env = append(os.Environ(), "HOME="+base+"/home", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e")
	if out, err := git.CombinedOutput(); err != nil {
		t.Skipf("no git here: %v %s", err, out)
	}
}

// traces is what a command could leave: names, contents, modes, owners, times.
func traces(t *testing.T, base string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed while looking: it is missing in the result
		}
		fi, err := d.Info()
		if err != nil {
			return nil
		}
		st := fi.Sys().(*syscall.Stat_t)
		found[path] = fmt.Sprint(fi.Mode(), fi.Size(), st.Uid, st.Gid, st.Ino, st.Ctim, fi.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// differ names a path in which two lists of traces differ, or "".
func differ(before, after map[string]string) string {
	for path, was := range before {
		if after[path] != was {
			return path
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			return path
		}
	}
	return ""
}

// leaves runs a line under a tier in a project below base and tells what it
// left there.
func leaves(t *testing.T, tier safety.Tier, line, base string) string {
	t.Helper()
	s, err := New(Options{Project: filepath.Join(base, "proj")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := traces(t, base)
	cmd := exec.Command("bash", "--norc", "--noprofile", "-c", line)
	cmd.Dir = filepath.Join(base, "proj")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base + "/home", "TMPDIR=" + base + "/home"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.Start(cmd, tier); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	_ = cmd.Wait() // most fail, as they should
	if stop() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left in the background
	}
	return differ(before, traces(t, base))
}

// copyTree puts a copy of one folder in the place of another.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Error(err)
	}
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The proof of tier R: no line of the judge's corpus, whatever it is judged as,
// leaves a trace there. How many of them leave one in tier W, where they may
// write in the project, says what that is worth.
func TestNoLineLeavesATraceInTierR(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs hundreds of commands")
	}
	needs(t)
	if !signalsKeptIn() {
		t.Skip("the lines would reach other processes: Landlock is older than version 6")
	}
	t.Parallel()
	base := realPath(t.TempDir())
	model := filepath.Join(base, "model")
	corpusProject(t, model)

	lines := corpusLines(t)
	work := make(chan corpusLine)
	var group sync.WaitGroup
	var left atomic.Int64
	for worker := range 4 {
		group.Go(func() {
			r, w := filepath.Join(base, fmt.Sprint("r", worker)), filepath.Join(base, fmt.Sprint("w", worker))
			copyTree(t, model, r)
			for line := range work {
				if trace := leaves(t, safety.TierRead, line.text, r); trace != "" {
					t.Errorf("%q leaves a trace: %s", line.text, trace)
				}
				if line.harmless {
					continue
				}
				copyTree(t, model, w)
				if leaves(t, safety.TierWrite, line.text, w) != "" {
					left.Add(1)
				}
			}
		})
	}
	for _, line := range lines {
		work <- line
	}
	close(work)
	group.Wait()
	t.Logf("%d lines, of which %d leave a trace in tier W and 0 in tier R", len(lines), left.Load())
	if left.Load() < 50 {
		t.Errorf("only %d lines leave a trace where they may: the test shows little", left.Load())
	}
}
