//go:build unix

package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mm/safety"
)

// helperVariable makes the test binary start a command in the sandbox, print
// its process and wait to be killed.
const helperVariable = "MM_SANDBOX_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		os.Exit(helper())
	}
	goleak.VerifyTestMain(m)
}

func helper() int {
	s, err := New(Options{Project: os.TempDir()})
	if err != nil {
		return 1
	}
	cmd := exec.Command("sleep", "600")
	if err := s.Start(cmd, safety.TierRead); err != nil {
		return 1
	}
	fmt.Println(cmd.Process.Pid)
	_ = cmd.Wait()
	return 0
}

// gone waits until a process has ended.
func gone(pid int) bool {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
	}
	return false
}

func TestCommandsDieWithAKilledProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell a child that its parent died")
	}
	needs(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if !gone(pid) {
		t.Errorf("process %d goes on", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// Jobs can be ended by a later command, other processes cannot.
func TestSignalsStayInTheSandbox(t *testing.T) {
	t.Parallel()
	s := newScratch(t)
	if !signalsKeptIn() {
		t.Skip("this system does not keep signals in")
	}
	out, err := s.run(t, safety.TierNetwork, "sleep 600 >/dev/null 2>&1 & echo $!")
	if err != nil {
		t.Fatal(err)
	}
	job, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := s.run(t, safety.TierNetwork, "kill "+strconv.Itoa(job)); err != nil {
		t.Errorf("a job of an earlier command: %v %s", err, out)
	}
	if !gone(job) {
		t.Error("the job goes on")
	}
	for tier := safety.TierRead; tier < safety.TierNone; tier++ {
		if out, err := s.run(t, tier, "kill -0 "+strconv.Itoa(os.Getpid())); err == nil {
			t.Errorf("tier %s signals a process outside: %s", tier, out)
		}
	}
}
