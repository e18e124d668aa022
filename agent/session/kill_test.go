package session_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mm/agent/session"
	"mm/llm"
)

// killedDir tells the test binary to play the program that is killed: it saves
// a growing session in this directory without end.
const killedDir = "MM_SESSION_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		saveForEver(dir)
	}
	os.Exit(m.Run())
}

// saveForEver saves a session after each message and prints how many messages
// are safe by then.
func saveForEver(dir string) {
	s, err := session.Open(dir)
	if err != nil {
		panic(err)
	}
	sess := session.New("/work", time.Now())
	for {
		n := len(sess.Items) + 1
		sess.Items = append(sess.Items, session.Item{Message: llm.Message{Role: llm.User, Text: strings.Repeat(strconv.Itoa(n)+" ", 500)}, Turn: n})
		if err := s.Save(sess); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

// TestKilledWhileSaving kills a program at random moments of its saving: each
// time its session loads, with all that it had said to be safe, and no broken
// file is taken for one.
func TestKilledWhileSaving(t *testing.T) {
	t.Parallel()
	kills := 25
	if testing.Short() {
		kills = 5
	}
	for range kills {
		dir := filepath.Join(t.TempDir(), ".mm", "sessions")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait := 1 + rand.IntN(15) // messages after which it is killed
		safe := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			safe, _ = strconv.Atoi(lines.Text())
			if safe == wait {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		s, err := session.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.List()
		if err != nil || len(list) != 1 || list[0].Err != nil {
			t.Fatalf("after a kill at %d: %+v, %v", wait, list, err)
		}
		if list[0].Messages < safe {
			t.Errorf("%d messages are kept, %d were said to be safe", list[0].Messages, safe)
		}
	}
}
