package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mm/safety"
	"mm/tools/proc"
)

func testBash(t *testing.T, o BashOptions) *Bash {
	t.Helper()
	r, err := proc.NewRunner()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(r.Close)
	if o.Dir == "" {
		if o.Dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	o.Runner = r
	return NewBash(o)
}

func call(t *testing.T, b *Bash, command string) Result {
	t.Helper()
	return callWith(t.Context(), t, b, map[string]any{"command": command}, nil)
}

// callWith takes a call the way of the agent: resolved, planned, run.
func callWith(ctx context.Context, t *testing.T, b *Bash, args map[string]any, out Sink) Result {
	t.Helper()
	box, err := NewToolbox(ToolboxOptions{}, b)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	tool, valid, _, err := box.Resolve("bash", string(raw))
	if err != nil {
		t.Fatal(err)
	}
	p, err := tool.Plan(ctx, valid)
	if err != nil {
		t.Fatal(err)
	}
	res := tool.Run(ctx, p, out)
	if !utf8.ValidString(res.Text) || strings.ContainsFunc(res.Text, controls) {
		t.Errorf("the result is not fit for a model: %q", res.Text)
	}
	return res
}

func TestBashResults(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{MaxOutput: func() int { return 2000 }})
	for _, tc := range []struct {
		name, command, want string
		status              Status
		code                int
	}{
		{"output in order", "echo a; echo b >&2; echo c", "a\nb\nc", OK, 0},
		{"exit code", "echo x; exit 2", "x\n[exit code: 2]", Failed, 2},
		{"nothing", "true", "[no output]", OK, 0},
		{"signal", "kill -9 $$", "[no output]\n[exit code: 137, ended by SIGKILL]", Failed, 137},
		{"a here-document is not broken", "cat <<'EOF'\nprice: $5 `x`\nEOF", "price: $5 `x`", OK, 0},
		{"colour", "printf '\\033[31mred\\033[0m end\\n'", "red end", OK, 0},
		{
			"screen control", `printf '\033[2J\033[H\033[?1049h\033[?1000h\033[31mred\033[0m\033[10A\033]0;title\007\033]52;c;SGk=\007\033[6nend\n'`,
			"redend", OK, 0,
		},
		{"progress", `for i in $(seq 1 300); do printf '\r%d%% done' $i; done; echo`, "300% done", OK, 0},
		{"CRLF is no progress", `printf 'a\r\nb\r\n'`, "a\nb", OK, 0},
		{"overprint keeps the last state", `printf 'abcdef\rXY\n'`, "XY", OK, 0},
		{"progress that ends in CR", `printf '1%%\r2%%\r'`, "2%", OK, 0},
		{"bold by backspace", `printf 'N\bNA\bA\n'`, "NA", OK, 0},
		{"NUL", `printf 'a\0b plain text\n'`, "a\uFFFDb plain text\n[binary output, 15 bytes: what is not text is shown as \uFFFD]", OK, 0},
		{"broken UTF-8", `printf '\xff\xfe\xed\xa0\xbd\n'`, "[binary output, 6 bytes: not shown; use file, strings or xxd with head]", OK, 0},
		{"Latin-1", `printf 'caf\xe9 au lait\n'`, "caf\uFFFD au lait\n[the output is not UTF-8: what is not text is shown as \uFFFD]", OK, 0},
		{"binary", `head -c 4000 /dev/urandom`, "[binary output, 4,000 bytes: not shown; use file, strings or xxd with head]", OK, 0},
		{"indentation stays", `printf '  a\n\tb\n'`, "  a\n\tb", OK, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res := call(t, b, tc.command)
			if res.Text != tc.want || res.Status != tc.status || res.ExitCode == nil || *res.ExitCode != tc.code {
				t.Errorf("got %+v\nwant %q, %s, exit %d", res, tc.want, tc.status, tc.code)
			}
		})
	}
}

// Public reports D01, D18: a silent or chatty background child must not hold
// the turn, and the result says that it goes on.
func TestBashBackground(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	for _, command := range []string{
		"sleep 60 & echo done", "sleep 60 >/dev/null & echo done", "(echo done; sleep 60) &",
	} {
		res := call(t, b, command)
		if !strings.HasPrefix(res.Text, "done\n[goes on in the background: ") || res.Status != OK {
			t.Errorf("%s: %q", command, res.Text)
		}
	}
}

// Public report D10, D18: the time-out is told with the output so far.
func TestBashTimeout(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	for _, timeout := range []any{1, "1", "1s", 1.0} {
		t.Run(fmt.Sprint(timeout), func(t *testing.T) {
			t.Parallel()
			res := callWith(t.Context(), t, b, map[string]any{
				"command": "echo before; nohup sleep 300 & sleep 30; cat nofile", "timeout": timeout,
			}, nil)
			if !strings.HasPrefix(res.Text, "before\n") || res.Status != Failed || res.ExitCode != nil ||
				!strings.Contains(res.Text, "\n[error: 1s timeout exceeded]\n") {
				t.Errorf("%+v", res)
			}
		})
	}
}

func TestBashCancel(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	res := callWith(ctx, t, b, map[string]any{
		"command": "bash -c 'trap \"\" TERM INT; echo up; while :; do sleep 0.05; done' & wait",
	}, func(string) { at = time.Now(); cancel() })
	if took := time.Since(at); took > 2*time.Second {
		t.Errorf("stopping took %v", took)
	}
	want := "up\n[the command and all that it started were stopped]"
	if res.Text != want || res.Status != Stopped || res.ExitCode != nil {
		t.Errorf("got %+v, want %q", res, want)
	}
}

// Public report D07.
func TestBashRunawayOutput(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{MaxOutput: func() int { return 1000 }})
	for command, want := range map[string]string{
		"yes":                          "y\ny\n",
		"cat /dev/zero | tr '\\0' 'a'": "aaaa",
		"cat /dev/urandom":             "[binary output, ",
	} {
		res := call(t, b, command)
		if !strings.HasPrefix(res.Text, want) || res.Status != Failed || len(res.Text) > 2000 ||
			!strings.Contains(res.Text, "[error: the output passed 64 MiB and the command was stopped") {
			t.Errorf("%s: %+v", command, res)
		}
	}
}

// Public report D09: one line of many megabytes.
func TestBashLongLine(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{MaxOutput: func() int { return 1000 }})
	res := call(t, b, `head -c 5000000 /dev/zero | tr '\0' 'x'; echo; echo end`)
	if !strings.HasPrefix(res.Text, "xxx") || !strings.HasSuffix(res.Text, "x\nend") || !res.Truncated {
		t.Errorf("%q", res.Text)
	}
	// 5,000,005 characters came, 898 of them fit beside the marker.
	if !strings.Contains(res.Text, " 4,999,107 characters left out") || utf8.RuneCountInString(res.Text) > 1000 {
		t.Errorf("the count is wrong: %q", res.Text)
	}
}

// Public report D06, D04: nothing waits for input or takes the terminal.
func TestBashHasNoInput(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	for command, want := range map[string]string{
		"cat":                               "[no output]",
		"read -p 'sure? ' a; echo got:$a":   "got:",
		"sh -c 'read a </dev/tty; echo $a'": "/dev/tty",
		"bash":                              "[bash: it reads its program from standard input",
		"vi x.txt </dev/tty":                "[vi: there is no screen",
		"read_file main.go":                 "[read_file is a tool, not a command: call the tool read_file]",
		"tail -f /no/such/file":             "[tail: following never ends",
		"npm init --no-such-option":         "[npm: it asks questions",
		"echo 'EOFError: EOF when reading a line'; exit 1":      "[it asks for input, and there is none",
		"./ask || echo 'the input device is not a TTY'; exit 1": "[it asks for input, and there is none",
	} {
		if res := call(t, b, command); !strings.Contains(res.Text, want) {
			t.Errorf("%s: %q, want %q", command, res.Text, want)
		}
	}
}

// Public report D04: git must not reach an editor that waits, nor one that
// succeeds and so rewrites history.
func TestBashGitHasNoEditor(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	setup := `git init -q . && git config user.email a@b.c && git config user.name n && ` +
		`git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && echo x > f && git add f`
	if res := call(t, b, setup); res.Status != OK {
		t.Skip("no usable git here:", res.Text)
	}
	res := call(t, b, "git commit")
	if res.Status != Failed || !strings.Contains(res.Text, "[git: there is no editor: use git commit -m 'message']") {
		t.Errorf("commit: %q", res.Text)
	}
	res = call(t, b, "git rebase -i HEAD~1 --autostash")
	if res.Status != Failed || !strings.Contains(res.Text, "[git: git rebase -i needs an editor") {
		t.Errorf("rebase: %q", res.Text)
	}
	if res := call(t, b, "git log --format=%s"); res.Text != "two\none" {
		t.Errorf("the history is %q", res.Text)
	}
}

// Public report B18: a change of directory does not carry over, and is said.
func TestBashDirectoryDoesNotCarryOver(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	res := call(t, b, "mkdir -p app && cd app")
	want := "[no output]\n[the change of directory ended with this call, and the next command starts in " +
		b.o.Dir + ": write cd app && command]"
	if res.Text != want {
		t.Errorf("got  %q\nwant %q", res.Text, want)
	}
	if res := call(t, b, "pwd"); res.Text != b.o.Dir {
		t.Errorf("pwd: %q, want %q", res.Text, b.o.Dir)
	}
	if res := call(t, b, "cd app && pwd"); res.Text != b.o.Dir+"/app" {
		t.Errorf("in one call: %q", res.Text)
	}
	if res := call(t, b, "export A=1"); !strings.Contains(res.Text, "[what export changed ended with this call") {
		t.Errorf("export: %q", res.Text)
	}
}

// Public report B20: here-documents, whole, unterminated, and with CRLF.
func TestBashHeredocs(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{})
	for _, tc := range []struct{ command, file, want, said string }{
		{"cat > a.txt <<'EOF'\nprice: $5 `x`\nEOF", "a.txt", "price: $5 `x`\n", "[no output]"},
		{"cat > b.txt <<EOF\nno terminator", "b.txt", "no terminator\n", "warning: here-document"},
		{"cat > c.txt <<'EOF'\r\nline\r\nEOF\r\n", "c.txt", "line\r\n", "[the CRLF line ends of the command were taken as LF]"},
	} {
		res := call(t, b, tc.command)
		got, err := os.ReadFile(filepath.Join(b.o.Dir, tc.file))
		if err != nil || strings.TrimSuffix(string(got), "\n") != strings.TrimSuffix(tc.want, "\n") {
			t.Errorf("%s: %q, %v; want %q", tc.file, got, err, tc.want)
		}
		if !strings.Contains(res.Text, tc.said) {
			t.Errorf("%s: %q does not say %q", tc.file, res.Text, tc.said)
		}
	}
}

func TestBashPlan(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{Dir: "/proj"})
	p, err := b.Plan(t.Context(), json.RawMessage(`{"command":"ls\npwd"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := safety.Action{Tool: "bash", Op: safety.Execute, Command: "ls\npwd", Dir: "/proj"}
	if p.Title != "ls …" || !reflect.DeepEqual(p.Action, want) || p.Preview != (CommandPreview{"ls\npwd", "/proj"}) {
		t.Errorf("%+v", p)
	}
	for _, args := range []string{`{"command":" \n"}`, `{"command":"a\u0000b"}`} {
		if _, err := b.Plan(t.Context(), json.RawMessage(args)); err == nil || !strings.HasPrefix(err.Error(), "[error: ") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestBashAsksAboutWrittenFiles(t *testing.T) {
	t.Parallel()
	refused := errors.New("[error: read main.go first]")
	b := testBash(t, BashOptions{CheckWrite: func(_ context.Context, w safety.Written) error {
		if w.Path == "main.go" {
			return refused
		}
		return nil
	}})
	_, err := b.Plan(t.Context(), json.RawMessage(`{"command":"cat > main.go <<E\nx\nE"}`))
	if !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if _, err := b.Plan(t.Context(), json.RawMessage(`{"command":"cat main.go > other.go"}`)); err != nil {
		t.Error(err)
	}
}

func TestBashNormalize(t *testing.T) {
	t.Parallel()
	box, err := NewToolbox(ToolboxOptions{}, testBash(t, BashOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{`{"command":["bash","-lc","ls | wc"]}`, `{"command":"ls | wc"}`},
		{`{"command":["ls","my dir"]}`, `{"command":"ls 'my dir'"}`},
		{`{"cmd":["ls"]}`, `{"command":"ls"}`},
		{`{"command":"ls","timeout":"2m"}`, `{"command":"ls","timeout":120}`},
		{`{"command":"ls","timeout":"1500ms"}`, `{"command":"ls","timeout":2}`},
		{`{"command":"ls","timeout_ms":5000}`, `{"command":"ls","timeout":5,"timeout_ms":5000}`},
		{`{"command":"ls","timeout_seconds":5}`, `{"command":"ls","timeout":5}`},
	} {
		_, got, _, err := box.Resolve("bash", tc.args)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: got %s, %v; want %s", tc.args, got, err, tc.want)
		}
	}
}

func TestShellEnv(t *testing.T) {
	t.Parallel()
	got := shellEnv([]string{
		"PATH=/bin", "MM_API_KEY=k", "BASH_ENV=/x", "ENV=/x", "EDITOR=vi", "GITHUB_TOKEN=t",
		"BASH_FUNC_ls%%=() { rm -rf /; }", "PWD=/old", "TERM=xterm",
	}, "/proj")
	all := "\n" + strings.Join(got, "\n") + "\n"
	for _, want := range []string{"PATH=/bin", "PWD=/proj", "EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_TERMINAL_PROMPT=0", "TERM=dumb", "NO_COLOR=1", "PAGER=cat"} {
		if strings.Count(all, "\n"+want+"\n") != 1 {
			t.Errorf("%s is not there once", want)
		}
	}
	for _, name := range []string{"MM_API_KEY", "BASH_ENV", "ENV", "GITHUB_TOKEN", "BASH_FUNC", "vi", "xterm", "/old"} {
		if strings.Contains(all, "\n"+name) || strings.Contains(all, "="+name+"\n") {
			t.Errorf("%s is still there", name)
		}
	}
}

// The declaration is sent with every request.
func TestBashSpecIsShort(t *testing.T) {
	t.Parallel()
	s := testBash(t, BashOptions{}).Spec()
	if n := len(s.Description) + len(s.Schema); n > 700 {
		t.Errorf("%d characters, want at most 700", n)
	}
}

func TestRunLineIsTheUsersOwn(t *testing.T) {
	t.Parallel()
	b := testBash(t, BashOptions{CheckWrite: func(context.Context, safety.Written) error { return errors.New("never") }})
	if res := b.RunLine(t.Context(), "echo x > f; cat f; exit 3", nil); res.Text != "x\n[exit code: 3]" {
		t.Errorf("%+v", res)
	}
}

func TestCheckWriteGuardsFilesThatWereNotRead(t *testing.T) {
	t.Parallel()
	w, err := safety.NewWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	f := Files{Workspace: w, Seen: NewSeen()}
	for _, name := range []string{"main.go", "seen.go", "sub/main.go"} {
		path := filepath.Join(w.Dir(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package main\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.Seen.Record(filepath.Join(w.Dir(), "seen.go"), []byte("package main\n"))
	b := testBash(t, BashOptions{CheckWrite: f.CheckWrite, Dir: w.Dir()})
	for command, refused := range map[string]bool{
		"cat > main.go <<'E'\npackage x\nE":                     true,
		"echo 'package x' > main.go":                            true,
		"echo 'package x' | tee main.go":                        true,
		"cat > seen.go <<'E'\npackage x\nE":                     false,
		"cat > seen.go <<'E'\n// rest of the code unchanged\nE": true,
		"echo x >> main.go":                                     false,
		"echo x > new.go":                                       false,
		"cd sub && echo x > main.go":                            true,
		"cd other && echo x > main.go":                          false,
		"cd $dir && echo x > main.go":                           false,
		"echo x > /dev/null":                                    false,
	} {
		args, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Plan(t.Context(), args)
		if (err != nil) != refused {
			t.Errorf("%q: %v, want refused: %t", command, err, refused)
		}
	}
}
