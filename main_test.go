package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"mm/llm/llmtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mm": main})
}

// TestScripts runs the scenarios of testdata/script: a scripted server, the
// real main, files before and after. The commands are below; the format of the
// model's answers is in package llmtest.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           scriptCondition,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
			env.Values[serverKey{}] = &serving{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": func(ts *testscript.TestScript, neg bool, args []string) {
				serve(t, ts, neg)
			},
			"requests": requests,
			"budget":   budget,
			"send":     send,
		},
	})
}

type serverKey struct{}

// serving holds the scripted server of a scenario.
type serving struct{ server *llmtest.Server }

// serve starts the scripted server from the files llm/N and points mm at it.
// With "!" sections may be left over at the end.
func serve(t *testing.T, ts *testscript.TestScript, neg bool) {
	script, err := llmtest.ParseFS(os.DirFS(ts.MkAbs(".")))
	ts.Check(err)
	server, err := llmtest.Start(nil, script)
	ts.Check(err)
	ts.Value(serverKey{}).(*serving).server = server
	ts.Setenv("MM_PROVIDER", "llamacpp")
	ts.Setenv("MM_BASE_URL", server.URL())
	ts.Defer(func() {
		defer server.Close()
		if err := server.Err(); err != nil {
			t.Errorf("%s: server: %v", ts.Name(), err)
		}
		if n := server.Unused(); n > 0 && !neg {
			t.Errorf("%s: server: %d section(s) were not asked for", ts.Name(), n)
		}
	})
}

// requests writes what the server was asked so far to requests/N.json,
// indented.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(serverKey{}).(*serving)
	if s.server == nil {
		ts.Fatalf("requests: no server was started")
	}
	dir := ts.MkAbs("requests")
	ts.Check(os.MkdirAll(dir, 0o700))
	for i, body := range s.server.Requests() {
		var b bytes.Buffer
		ts.Check(json.Indent(&b, body, "", "  "))
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i+1)), b.Bytes(), 0o600))
	}
}

// budget prints what the first request is made of and fails when it is larger
// than a number of characters: budget CHARACTERS.
func budget(ts *testscript.TestScript, neg bool, args []string) {
	limit, err := strconv.Atoi(args[0])
	ts.Check(err)
	body := ts.Value(serverKey{}).(*serving).server.Requests()[0]
	var req struct {
		Messages []struct{ Role, Content string }
		Tools    []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
	}
	ts.Check(json.Unmarshal(body, &req))
	for _, m := range req.Messages {
		ts.Logf("%-12s %5d characters", m.Role, utf8.RuneCountInString(m.Content))
	}
	for _, t := range req.Tools {
		ts.Logf("%-12s %5d description, %5d schema", t.Function.Name, utf8.RuneCountInString(t.Function.Description), len(t.Function.Parameters))
	}
	size := utf8.RuneCount(body)
	ts.Logf("%-12s %5d characters of JSON, at most %d", "in all", size, limit)
	if size >= limit {
		ts.Fatalf("the first request has %d characters of JSON, the budget is %d", size, limit)
	}
}

// send runs a command, sends it a signal when a line of its output matches, and
// wants an exit code, -1 when the signal killed it:
//
//	send INT|KILL PATTERN CODE COMMAND...
//
// The output is kept in sent.out. The command has two seconds to end.
func send(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: send INT|KILL pattern code command...")
	}
	signal := map[string]os.Signal{"INT": os.Interrupt, "KILL": os.Kill}[args[0]]
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	cmd := exec.Command(found(ts, args[3]), args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "MM_PROVIDER", "MM_BASE_URL"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
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
			ts.Check(cmd.Process.Signal(signal))
		}
	}
	_ = cmd.Wait() // the exit code tells
	ts.Check(os.WriteFile(ts.MkAbs("sent.out"), []byte(all.String()), 0o600))
	if sent.IsZero() {
		ts.Fatalf("no line matched %q in:\n%s", args[1], all.String())
	}
	if took := time.Since(sent); took > 2*time.Second {
		ts.Fatalf("it took %v to end", took)
	}
	if code := strconv.Itoa(cmd.ProcessState.ExitCode()); code != args[2] {
		ts.Fatalf("exit code %s, want %s\n%s", code, args[2], all.String())
	}
}

// found looks a command up on the scenario's PATH.
func found(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	ts.Fatalf("%s is not on the PATH", name)
	return ""
}
