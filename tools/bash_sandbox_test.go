package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mm/safety"
	"mm/safety/sandbox"
)

// sandboxedBash is a bash tool in a project with a working sandbox, and a folder
// outside.
func sandboxedBash(t *testing.T, o BashOptions) (b *Bash, dir, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, outside = filepath.Join(base, "project"), filepath.Join(base, "outside")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if r := sandbox.Probe(); !r.Works {
		t.Skip("no sandbox here: " + r.Why)
	}
	sb, err := sandbox.New(sandbox.Options{Project: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Dir, o.Sandbox = dir, sb
	return testBash(t, o), dir, outside
}

// permitted runs a command under a permit.
func permitted(t *testing.T, b *Bash, command string, permit safety.Permit) Result {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.Plan(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	p.Permit = permit
	return b.Run(t.Context(), p, nil)
}

func TestBashTellsWhatTheSandboxDenied(t *testing.T) {
	t.Parallel()
	b, _, outside := sandboxedBash(t, BashOptions{})
	const (
		r = "[sandbox: no network and no writes for this command; ask the user to allow it]"
		w = "[sandbox: no network and no writes outside the project for this command; ask the user to allow it]"
		n = "[sandbox: no writes outside the project for this command; ask the user to allow it]"
	)
	for _, tc := range []struct {
		name, command string
		tier          safety.Tier
		want          string // the line, "" for none
	}{
		{"a write where it may read", "echo x > file", safety.TierRead, r},
		{"the network where it may read", "exec 3<>/dev/tcp/127.0.0.1/9", safety.TierRead, r},
		{"a write outside", "echo x > " + outside + "/file", safety.TierWrite, w},
		{"the network", "exec 3<>/dev/tcp/127.0.0.1/9", safety.TierWrite, w},
		{"a write outside, with network", "touch " + outside + "/file", safety.TierNetwork, n},
		{"a folder outside", "mkdir " + outside + "/d", safety.TierNetwork, n},
		{"a write outside that is not the last", "touch " + outside + "/file; echo done", safety.TierNetwork, n},
		{"a write outside, cut short", "mkdir " + outside + "/d 2>&1 | tail -1", safety.TierWrite, w},
		{"what may not be read", "echo 'ls: cannot open directory /x: Permission denied'", safety.TierNetwork, ""},
		{"a text about it", "echo permission denied", safety.TierNetwork, ""},
		{"no server there", "exec 3<>/dev/tcp/127.0.0.1/9", safety.TierNetwork, ""},
		{"a write inside", "echo x > file", safety.TierWrite, ""},
		{"another failure", "cat missing", safety.TierRead, ""},
		{"not a program", "echo > prog; ./prog", safety.TierWrite, ""},
		{"said by another", "echo 'x@y: Permission denied (publickey).'; false", safety.TierNetwork, ""},
		{"outside, free", "echo x > " + outside + "/file", safety.TierNone, ""},
	} {
		res := permitted(t, b, tc.command, safety.Permit{Tier: tc.tier})
		lines := strings.Split(res.Text, "\n")
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "[sandbox: ") })
		got := ""
		if i >= 0 {
			got = lines[i]
		}
		if got != tc.want {
			t.Errorf("%s: %q, want the line %q", tc.name, res.Text, tc.want)
		}
	}
}

// A plan without a permit was not judged.
func TestBashWithoutAPermitOnlyReads(t *testing.T) {
	t.Parallel()
	b, dir, _ := sandboxedBash(t, BashOptions{})
	if res := call(t, b, "echo x > file"); res.Status != Failed {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(filepath.Join(dir, "file")); err == nil {
		t.Error("the file was written")
	}
}

func TestBashRunsTheJudgedLine(t *testing.T) {
	t.Parallel()
	b, _, _ := sandboxedBash(t, BashOptions{})
	permit := safety.Permit{Tier: safety.TierRead, Line: "echo judged"}
	if res := permitted(t, b, "echo other", permit); res.Text != "judged" {
		t.Errorf("got %q", res.Text)
	}
	permit.Tier = safety.TierNetwork
	if res := permitted(t, b, "echo other", permit); res.Text != "other" {
		t.Errorf("approved as it is: %q", res.Text)
	}
}

func TestBashEnvironmentOfTiers(t *testing.T) {
	t.Setenv("LESSOPEN", "|run %s")
	b, _, _ := sandboxedBash(t, BashOptions{})
	const command = `echo "${LESSOPEN-unset} ${TMPDIR-unset}"`
	if res := permitted(t, b, command, safety.Permit{}); !strings.HasPrefix(res.Text, "unset ") {
		t.Errorf("tier R: %q", res.Text)
	}
	res := permitted(t, b, command, safety.Permit{Tier: safety.TierNetwork})
	if !strings.HasPrefix(res.Text, "|run %s ") || strings.HasSuffix(res.Text, "unset") {
		t.Errorf("tier W+N: %q", res.Text)
	}
}

func TestUserLinesAreFree(t *testing.T) {
	t.Parallel()
	b, _, outside := sandboxedBash(t, BashOptions{})
	if res := b.RunLine(t.Context(), "echo x > "+outside+"/file", nil); res.Status != OK {
		t.Errorf("%+v", res)
	}
}

func TestBashSaysWhatOthersRunOrRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := safety.NewWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	b := testBash(t, BashOptions{Dir: dir, Watch: w.Watch})
	const line = "[changed by this command, and run or read as settings by other programs: .envrc, .git/hooks/pre-commit]"
	write := safety.Permit{Tier: safety.TierWrite}
	res := permitted(t, b, "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo x > .envrc; echo x > file", write)
	if res.Text != "[no output]\n"+line {
		t.Errorf("got %q, want %q", res.Text, line)
	}
	if res := permitted(t, b, "echo y > file", write); res.Text != "[no output]" {
		t.Errorf("an ordinary file: %q", res.Text)
	}
}
