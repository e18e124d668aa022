package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// realServer names the variable with the base URL of a real llama-server that
// serves the scripted model of testdata/scripted. .ci/real sets it.
const realServer = "MM_TEST_REAL_SERVER"

// TestReal runs the scenarios of testdata/real against a real llama-server.
func TestReal(t *testing.T) {
	url := os.Getenv(realServer)
	if url == "" {
		t.Skipf("no real llama-server: %s is not set (.ci/real starts one)", realServer)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "real"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, ".home"))
			env.Setenv("MM_PROVIDER", "llamacpp")
			env.Setenv("MM_BASE_URL", url)
			return os.MkdirAll(filepath.Join(env.WorkDir, ".home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"interrupt": interrupt,
			"cached":    cached,
		},
	})
}

// interrupt runs a command, sends it SIGINT when a line of its output matches,
// and wants an exit code: interrupt PATTERN CODE COMMAND... The output is kept
// in interrupted.out. The command has two seconds to end.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt pattern code command...")
	}
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	path := ts.Getenv("PATH")
	program := ""
	for _, dir := range filepath.SplitList(path) {
		if p := filepath.Join(dir, args[2]); program == "" && exec.Command(p).Err == nil {
			if _, err := os.Stat(p); err == nil {
				program = p
			}
		}
	}
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{"PATH=" + path, "HOME=" + ts.Getenv("HOME"), "MM_PROVIDER=" + ts.Getenv("MM_PROVIDER"), "MM_BASE_URL=" + ts.Getenv("MM_BASE_URL")}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	var all strings.Builder
	var sent time.Time
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if sent.IsZero() && pattern.MatchString(lines.Text()) {
			sent = time.Now()
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("interrupted.out"), []byte(all.String()), 0o600))
	if sent.IsZero() {
		ts.Fatalf("no line matched %q in:\n%s", args[0], all.String())
	}
	if took := time.Since(sent); took > 2*time.Second {
		ts.Fatalf("it took %v to end", took)
	}
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[1] {
		ts.Fatalf("exit code %d, want %s\n%s", code, args[1], all.String())
	}
}

// cached wants the last answer in a -json output to have read at least this
// share of its prompt from the cache: cached SHARE FILE.
func cached(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.ParseFloat(args[0], 64)
	ts.Check(err)
	share := -1.0
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		var e struct {
			Event string
			Usage struct{ Prompt, Cached float64 }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Event == "step_ended" && e.Usage.Prompt > 0 {
			share = e.Usage.Cached / e.Usage.Prompt
		}
	}
	if share < want {
		ts.Fatalf("%.2f of the prompt came from the cache, want %.2f", share, want)
	}
}
