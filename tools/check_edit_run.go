package tools

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// checkTime bounds one run of an interpreter. Python and node need
	// about 0.1 s.
	checkTime = 3 * time.Second

	// checkGrace is how long a stopped interpreter may hold its output.
	checkGrace = 200 * time.Millisecond

	// maxCheckOutput bounds what is kept of an interpreter's messages, in
	// bytes.
	maxCheckOutput = 16 << 10
)

// interpreters parse files by programs that are installed outside of project.
type interpreters struct{ project string }

// find returns the path of a program, or "". One in the project is the
// project's code, such as the Python of a virtual environment.
func (in *interpreters) find(name string) string {
	program, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	// What a link in the project leads to is chosen by the project too, so
	// the name as found counts.
	rel, err := filepath.Rel(in.project, program)
	if !filepath.IsAbs(program) || err == nil && filepath.IsLocal(rel) {
		return ""
	}
	return program
}

// run gives a text to a program and returns what it says of it. ok is false
// when it could not be run to its end.
func (in *interpreters) run(ctx context.Context, text []byte, name string, args ...string) (said string, code int, ok bool) {
	program := in.find(name)
	if program == "" {
		return "", 0, false
	}
	ctx, stop := context.WithTimeout(ctx, checkTime)
	defer stop()
	var out capped
	cmd := exec.CommandContext(ctx, program, args...)
	// Nothing of the environment may steer the program into code of the
	// project, nor its working directory.
	cmd.Dir, cmd.Env = os.TempDir(), checkEnv()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &out
	cmd.WaitDelay = checkGrace
	err := cmd.Run()
	if exit, isExit := errors.AsType[*exec.ExitError](err); isExit && exit.ExitCode() > 0 {
		return out.String(), exit.ExitCode(), ctx.Err() == nil
	}
	return out.String(), 0, err == nil
}

// checkEnv is the least with which interpreters start. Version managers put
// scripts in the place of interpreters, which look for theirs under HOME.
func checkEnv() []string {
	env := []string{"LC_ALL=C", "PYTHONUTF8=1", "NO_COLOR=1"}
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "SystemRoot", "TEMP", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// capped keeps the first bytes that are written to it.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxCheckOutput - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// pythonParse compiles what it reads and does not run it.
const pythonParse = `import sys
try:
    compile(sys.stdin.buffer.read(), "file", "exec", dont_inherit=True)
except SyntaxError as e:
    print("line %d: %s" % (e.lineno or 0, e.msg))
    sys.exit(3)
except ValueError as e:
    print("line 0: %s" % e)
    sys.exit(3)
`

// foundFault is the exit code of a program that judged the text.
const foundFault = 3

var saidLine = regexp.MustCompile(`(?m)^.*?\bline (\d+): (.+)$`)

func (in *interpreters) python(ctx context.Context, text []byte) (string, bool) {
	said, code, ok := in.run(ctx, text, "python3", "-I", "-S", "-W", "ignore", "-c", pythonParse)
	if !ok || code != 0 && code != foundFault {
		return "", false
	}
	return lineOf(said, saidLine), true
}

// lineOf reads the line and the message out of what a program said.
func lineOf(said string, pattern *regexp.Regexp) string {
	m := pattern.FindStringSubmatch(said)
	if m == nil {
		return said
	}
	line, _ := strconv.Atoi(m[1]) // the pattern takes digits only
	return lineFault(line, m[2])
}

// shell parses with bash, whose -n runs nothing.
func (in *interpreters) shell(ctx context.Context, text []byte) (string, bool) {
	said, code, ok := in.run(ctx, text, "bash", "--norc", "--noprofile", "-n", "/dev/stdin")
	switch {
	case !ok:
		return "", false
	case code == 0:
		return "", true // warnings are no faults
	}
	if m := saidLine.FindString(said); m != "" {
		return lineOf(m, saidLine), true
	}
	return strings.TrimPrefix(said, "bash: "), true
}

var (
	nodeLine  = regexp.MustCompile(`(?m)^\[stdin\]:(\d+)$`)
	nodeFault = regexp.MustCompile(`(?m)^SyntaxError: (.+)$`)

	// moduleWord is what only a module has.
	moduleWord = regexp.MustCompile(`(?m)^\s*(import\s*[\w{*"']|export\s+(default|const|let|var|function|class|async|\{|\*)|export\s*\{)`)
)

// elements is what node says of markup in JavaScript, which compilers take.
const elements = "Unexpected token '<'"

// javascript parses with node. A file .js may be a script or a module: it is
// at fault when it is neither. One with markup is not judged.
func (in *interpreters) javascript(ext string) syntaxFault {
	return func(ctx context.Context, text []byte) (string, bool) {
		kinds := []string{"commonjs", "module"}
		switch {
		case ext == ".cjs":
			kinds = kinds[:1]
		case ext == ".mjs":
			kinds = kinds[1:]
		case moduleWord.Match(text):
			kinds = []string{"module", "commonjs"}
		}
		first := ""
		for _, kind := range kinds {
			said, code, ok := in.run(ctx, text, "node", "--check", "--input-type="+kind, "-")
			if ok && code == 0 {
				return "", true
			}
			fault := nodeFault.FindStringSubmatch(said)
			if !ok || fault == nil || strings.Contains(fault[1], elements) {
				return "", false
			}
			if first == "" {
				first = fault[1]
				if m := nodeLine.FindStringSubmatch(said); m != nil {
					line, _ := strconv.Atoi(m[1]) // the pattern takes digits only
					first = lineFault(line, first)
				}
			}
		}
		return first, true
	}
}
