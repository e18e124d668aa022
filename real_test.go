package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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
			"send":   send,
			"cached": cached,
		},
	})
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
