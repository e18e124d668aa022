package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"mm/agent"
	"mm/agent/acp"
	"mm/agent/agenttest"
	"mm/agent/session"
)

// asAgent, in the environment of this test binary, makes it an agent on its
// standard streams.
const asAgent = "MM_ACP_TEST_AGENT"

func serveProcess() int {
	model := agenttest.NewModel(agenttest.Reply{Block: true})
	err := acp.Serve(context.Background(), bufio.NewReader(os.Stdin), os.Stdout, acp.Options{
		Version: "0.11.0", Log: os.Stderr,
		Open: func(_ string, s *session.Session, _ *session.Store, _ *acp.ClientFiles) (*agent.Core, error) {
			return agent.New(agent.Options{Model: model, Tools: box{}, Policy: &policy{}, Session: s}), nil
		},
	})
	if err != nil {
		return 1
	}
	return 0
}

// A real process whose client closes its stdout, and then one that closes its
// stdin, exits with 0: it is not killed by SIGPIPE.
func TestProcessEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		end  func(t *testing.T, stdin io.WriteCloser, stdout io.Closer)
	}{
		{"stdin closed", func(t *testing.T, stdin io.WriteCloser, _ io.Closer) { _ = stdin.Close() }},
		{"stdout closed", func(t *testing.T, stdin io.WriteCloser, stdout io.Closer) {
			_ = stdout.Close()
			if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":2,"method":"authenticate"}`+"\n"); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asAgent+"=1")
			var log bytes.Buffer
			cmd.Stderr = &log
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
			defer late.Stop()
			if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := stdout.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			tc.end(t, stdin, stdout)
			if err := cmd.Wait(); err != nil {
				t.Errorf("the process ends with %v; log:\n%s", err, &log)
			}
		})
	}
}
