package agent_test

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"mm/agent"
	"mm/agent/agenttest"
	"mm/agent/session"
)

// kills is how often TestKilledAtAnyMoment kills, at about a tenth of a second
// each. The whole check of the project takes the 200 of the report.
var kills = flag.Int("kills", 25, "how many sessions are killed at random moments")

// What a session that is killed holds already, so that a save takes its time.
const (
	oldTurns    = 200
	oldMessages = 2 * oldTurns
)

// killedDir tells the test binary to play the program that is killed.
const killedDir = "MM_AGENT_TEST_DIR"

// converse goes on without end with a long conversation, kept in dir. Each turn
// has two calls and an answer. Whenever something is told that follows from a
// message, and so must be safe by then, it prints how many messages are.
func converse(t *testing.T, dir string) {
	store, err := session.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const more, perTurn = 10_000, 6
	call := agenttest.Call("echo", `{"text":"some words for the file to grow"}`)
	var replies []agenttest.Reply
	for range more {
		replies = append(replies, call, call, agenttest.Say("That is what it says."))
	}
	o := yolo(options(agenttest.NewModel(replies...), echo{}))
	o.Session, o.Store = session.New(dir, time.Now()), store
	if _, err := store.Lock(o.Session.ID); err != nil {
		t.Fatal(err)
	}
	turns(&o, oldTurns)
	r := agenttest.Run(t, o)
	before, safe := oldMessages, 0 // messages of the turns before, and in all
	r.On(func(e agent.Event) {
		switch e := e.(type) {
		case agent.StepStarted:
			safe = before + 1 + 2*(e.Step-1) // the question, and a call and a result for each step
		case agent.CallPlanned:
			safe++
		case agent.TurnEnded:
			before += perTurn
			safe = before
		default:
			return
		}
		fmt.Println(safe)
	})
	for range more {
		r.Prompt("go on")
	}
}

// TestKilledAtAnyMoment is report H01: it kills a program in the middle of a
// conversation. Each time the session loads with all that was said to be safe,
// nothing else lies about, and the conversation goes on.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(killedDir); dir != "" {
		converse(t, dir)
		return
	}
	runs := *kills
	if testing.Short() {
		runs = min(runs, 5)
	}
	for range runs {
		dir := filepath.Join(t.TempDir(), ".mm", "sessions")
		safe := converseUntilKilled(t, dir)
		store, err := session.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("left behind after a new start: %v", left)
		}
		list, err := store.List()
		if err != nil || len(list) != 1 || list[0].Err != nil {
			t.Fatalf("after a kill behind %d messages: %+v, %v", safe, list, err)
		}
		o := yolo(options(agenttest.NewModel(agenttest.Say("Here I am.")), echo{}))
		if o.Session, err = store.Load(list[0].ID); err != nil {
			t.Fatal(err)
		}
		if kept := len(o.Session.Items); kept < safe {
			t.Errorf("%d messages are kept, %d were safe", kept, safe)
		}
		o.Store = store
		if end := ended(t, agenttest.Run(t, o).Prompt("and now?")); end.Stop != agent.StopAnswer {
			t.Errorf("the conversation does not go on: %+v", end)
		}
	}
}

// converseUntilKilled starts a conversation and kills it at a random moment. It
// returns how many messages were safe.
func converseUntilKilled(t *testing.T, dir string) (safe int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledAtAnyMoment$")
	cmd.Env = append(os.Environ(), killedDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	behind := oldMessages + 1 + rand.IntN(8) // in a turn, or in the next
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the program says %q", lines.Text())
		}
		if safe = n; safe == behind {
			// No more than a save or two take, so that it hits all parts of one.
			killed = true
			time.AfterFunc(rand.N(3*time.Millisecond), func() { _ = cmd.Process.Kill() })
		}
	}
	// A signal leaves no exit code; Windows gives one that a failure has too.
	if err := cmd.Wait(); !killed || err == nil || cmd.ProcessState.ExitCode() > 0 && runtime.GOOS != "windows" {
		t.Errorf("the program ended by itself behind %d messages, %d before the kill: %v", safe, behind, err)
	}
	return safe
}
