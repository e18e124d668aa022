//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// prompt is how fast a command that has nothing to wait for must return, on a
// busy machine; it only has to be far below the sleeps that it is told from.
const prompt = 5 * time.Second

func runner(t *testing.T) *Runner {
	t.Helper()
	r, err := NewRunner()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(r.Close)
	return r
}

func run(t *testing.T, r *Runner, c Command) Outcome {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Env == nil {
		c.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	out, err := r.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(o Outcome) string { return string(o.Output.Head) + string(o.Output.Tail) }

func TestRunReportsHowACommandEnds(t *testing.T) {
	t.Parallel()
	r := runner(t)
	for _, tc := range []struct {
		line, text string
		code       int
		signal     string
	}{
		{"echo out; echo err >&2; echo out", "out\nerr\nout\n", 0, ""},
		{"exit 3", "", 3, ""},
		{"kill -TERM $$", "", 143, "SIGTERM"},
		{"printf 'no newline'", "no newline", 0, ""},
		// A file in place of the pipe would lose the first line here.
		{"echo a; echo b > /dev/stderr; echo c", "a\nb\nc\n", 0, ""},
		{"cat <<'EOF'\nbody\nEOF", "body\n", 0, ""},
	} {
		out := run(t, r, Command{Line: tc.line})
		if out.Cause != Exited || text(out) != tc.text || out.ExitCode != tc.code ||
			out.Signal != tc.signal || len(out.Left) != 0 {
			t.Errorf("%s: %+v with %q, want exit %d %s with %q",
				tc.line, out, text(out), tc.code, tc.signal, tc.text)
		}
	}
}

func TestRunErrorsWhenItCannotStart(t *testing.T) {
	t.Parallel()
	_, err := runner(t).Run(t.Context(), Command{Line: "true", Dir: "/no/such/folder"})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the folder does not exist", err)
	}
}

func TestRunGivesNoInputAndNoTerminal(t *testing.T) {
	t.Parallel()
	r := runner(t)
	for line, want := range map[string]string{
		"cat":                           "",
		"read a; echo got:$a":           "got:\n",
		"python3 2>&1 || true":          "",
		"(exec 3</dev/tty) 2>/dev/null": "",
	} {
		if out := run(t, r, Command{Line: line}); out.Cause != Exited || text(out) != want {
			t.Errorf("%s: %+v with %q, want %q", line, out, text(out), want)
		}
	}
	if out := run(t, r, Command{Line: "exec 3</dev/tty"}); out.ExitCode == 0 {
		t.Error("the command could open a terminal")
	}
}

func TestBackgroundJobsDoNotHoldTheTurn(t *testing.T) {
	t.Parallel()
	setsid := "setsid " // a session of its own, found on Linux only
	if runtime.GOOS != "linux" {
		setsid = ""
	}
	for _, line := range []string{
		"sleep 60 & echo done",
		"sleep 60 >/dev/null 2>&1 & echo done",
		"nohup sleep 60 & echo done",
		"(while sleep 0.01; do echo tick; done) & echo done",
		setsid + "sleep 60 >/dev/null 2>&1 & echo done",
	} {
		r := runner(t)
		out := run(t, r, Command{Line: line})
		if out.Cause != Exited || out.Elapsed > prompt || !strings.Contains(text(out), "done\n") {
			t.Errorf("%s: %+v with %q", line, out, text(out))
		}
		if len(out.Left) == 0 {
			t.Errorf("%s: nothing is said to be left", line)
			continue
		}
		if jobs := r.Jobs(); len(jobs) == 0 {
			t.Errorf("%s: the runner knows of no job", line)
		}
		for _, j := range out.Left {
			_ = syscall.Kill(j.PID, syscall.SIGKILL)
		}
		for len(r.Jobs()) > 0 {
			time.Sleep(pollEvery)
		}
	}
}

func TestCloseHangsUpJobsAsATerminalDoes(t *testing.T) {
	t.Parallel()
	r, err := NewRunner()
	if err != nil {
		t.Skip(err)
	}
	plain := run(t, r, Command{Line: "exec sleep 61 >/dev/null 2>&1 &"})
	kept := run(t, r, Command{Line: "nohup sleep 62 >/dev/null 2>&1 &"})
	if len(plain.Left) != 1 || len(kept.Left) != 1 {
		t.Fatalf("left: %v and %v, want one job each", plain.Left, kept.Left)
	}
	// Until nohup has become sleep it may not ignore the signal yet.
	within(prompt, func() bool {
		name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(kept.Left[0].PID), "comm"))
		return err != nil || string(name) == "sleep\n"
	})
	r.Close()
	for running(plain.Left[0].PID) {
		time.Sleep(pollEvery)
	}
	if !running(kept.Left[0].PID) {
		t.Error("nohup did not keep its job")
	}
	_ = syscall.Kill(kept.Left[0].PID, syscall.SIGKILL)
}

// running tells whether a process is alive and not a zombie.
func running(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
	}
	after := b[bytes.LastIndexByte(b, ')')+1:]
	return !bytes.HasPrefix(after, []byte(" Z"))
}

// killedDir tells the test binary to run a command in this directory until it
// is killed.
const killedDir = "MM_PROC_TEST_DIR"

// TestKilledProgramTakesItsCommandAlong: the shell of a program that was killed
// does not go on.
func TestKilledProgramTakesItsCommandAlong(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a process of its parent's end")
	}
	if dir := os.Getenv(killedDir); dir != "" {
		run(t, runner(t), Command{Line: "echo $$ > new && mv new pid; while :; do sleep 0.05; done", Dir: dir})
		return
	}
	dir := t.TempDir()
	program := exec.Command(os.Args[0], "-test.run=^TestKilledProgramTakesItsCommandAlong$")
	program.Env = append(os.Environ(), killedDir+"="+dir)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if !within(prompt, func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	}) {
		t.Fatal("the command did not start")
	}
	_ = program.Process.Kill()
	_ = program.Wait() // it was killed
	if !within(prompt, func() bool { return !running(pid) }) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the command goes on after its program was killed")
	}
}

// stubborn writes the ids of processes that ignore every polite signal to the
// file pids: one in the command's group, one in a session of its own.
const stubborn = `
trap "" TERM INT HUP
bash -c 'trap "" TERM INT HUP; echo $$ >> pids; while :; do sleep 0.05; done' &
setsid bash -c 'trap "" TERM INT HUP; echo $$ >> pids; while :; do sleep 0.05; done' &
while [ "$(wc -l < pids)" != 2 ]; do sleep 0.01; done
echo ready
wait`

func TestStopReachesEverythingWithinASecond(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processes outside of the session are found on Linux only")
	}
	r := runner(t)
	for _, tc := range []struct {
		name  string
		cause Cause
	}{{"cancel", Cancelled}, {"timeout", TimedOut}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pids := filepath.Join(dir, "pids")
			if err := os.WriteFile(pids, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := Command{Line: stubborn, Dir: dir, Env: os.Environ()}
			var stopped time.Time
			if tc.cause == Cancelled {
				c.Live = func(string) { stopped = time.Now(); cancel() }
			} else {
				c.Timeout = 1500 * time.Millisecond
				stopped = time.Now().Add(c.Timeout)
			}
			out, err := r.Run(ctx, c)
			took := time.Since(stopped)
			if err != nil || out.Cause != tc.cause || text(out) != "ready\n" || len(out.Left) != 0 {
				t.Errorf("%+v, %v with %q", out, err, text(out))
			}
			if took > time.Second+prompt/5 {
				t.Errorf("stopping took %v", took)
			}
			for line := range strings.Lines(read(t, pids)) {
				pid, err := strconv.Atoi(strings.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				if running(pid) {
					t.Errorf("process %d is still running", pid)
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTimeoutKeepsTheOutputSoFar(t *testing.T) {
	t.Parallel()
	out := run(t, runner(t), Command{
		Line: "echo before; nohup sleep 300 & sleep 30; cat nofile", Timeout: time.Second,
	})
	if out.Cause != TimedOut || !strings.HasPrefix(text(out), "before\n") || out.Elapsed > prompt {
		t.Errorf("%+v with %q", out, text(out))
	}
}

func TestRunawayOutputIsStopped(t *testing.T) {
	t.Parallel()
	out := run(t, runner(t), Command{Line: "echo first; yes"})
	if out.Cause != TooMuch {
		t.Fatalf("cause %d, want too much", out.Cause)
	}
	o := out.Output
	if len(o.Head) != keepEnd || len(o.Tail) != keepEnd || !bytes.HasPrefix(o.Head, []byte("first\ny\n")) {
		t.Errorf("kept %d and %d bytes, want %d at each end", len(o.Head), len(o.Tail), keepEnd)
	}
	// "y\n" is one line break in two bytes.
	if got := o.LostLines * 2; got < o.Lost-1 || got > o.Lost+1 {
		t.Errorf("%d bytes with %d lines were lost", o.Lost, o.LostLines)
	}
	if size := o.Size(); size < MaxOutput || size > 2*MaxOutput {
		t.Errorf("read %d bytes, want little more than %d", size, MaxOutput)
	}
}

func TestLiveShowsOutputWhileACommandRuns(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var live strings.Builder
	out, err := runner(t).Run(ctx, Command{
		Line: "printf 'a\\303'; sleep 0.5; printf '\\251\\n'; sleep 60",
		Dir:  t.TempDir(), Env: os.Environ(),
		Live: func(s string) {
			live.WriteString(s)
			if strings.HasSuffix(live.String(), "\n") {
				cancel()
			}
		},
	})
	if err != nil || out.Cause != Cancelled || live.String() != "aé\n" {
		t.Errorf("%+v, %v; live %q, want the character whole", out, err, live.String())
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	out, err := runner(t).Run(ctx, Command{Line: "touch made", Dir: dir})
	if err != nil || out.Cause != Cancelled {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("the command ran")
	}
}

func BenchmarkRun(b *testing.B) {
	r, err := NewRunner()
	if err != nil {
		b.Skip(err)
	}
	defer r.Close()
	c := Command{Line: "true", Dir: b.TempDir(), Env: os.Environ()}
	for b.Loop() {
		if _, err := r.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
