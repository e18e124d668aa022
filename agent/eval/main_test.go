package eval

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mm/agent/agenttest"
)

// command runs Main on a folder with the sample task.
func command(t *testing.T, ctx context.Context, build NewFunc, args ...string) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sample.txtar"), []byte(sample[1:]), 0o600); err != nil {
		t.Fatal(err)
	}
	var o, e strings.Builder
	code = Main(ctx, append([]string{"-tasks", dir}, args...), Env{Out: &o, Err: &e, New: build, Program: "0.1"})
	return code, o.String(), e.String()
}

func TestMainWritesAReport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.json")
	build := scripted(t, agenttest.Call("edit_file", rightEdit), agenttest.Say("Done."))
	code, out, errs := command(t, t.Context(), build, "-repeat", "2", "-json", file)
	if code != 0 || errs != "" || !strings.Contains(out, "sample #2") || !strings.Contains(out, "2/2") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Decode(data)
	if err != nil || r.Total.Solved != 2 || r.Program != "0.1" || r.Repeat != 2 {
		t.Errorf("%v: %+v", err, r)
	}
	var o, e strings.Builder
	if code := Main(t.Context(), []string{"compare", file, file}, Env{Out: &o, Err: &e}); code != 0 || !strings.Contains(o.String(), "No difference.") {
		t.Errorf("compare: exit %d\n%s%s", code, o.String(), e.String())
	}
}

func TestMainLists(t *testing.T) {
	t.Parallel()
	var o, e strings.Builder
	if code := Main(t.Context(), []string{"-list", "-difficulty", "easy,hard", "-task", "^go-"}, Env{Out: &o, Err: &e}); code != 0 {
		t.Fatalf("exit %d: %s", code, e.String())
	}
	if out := o.String(); !strings.Contains(out, "go-failing-test ") || !strings.Contains(out, "go-interface ") ||
		strings.Contains(out, "go-rename-function") || strings.Contains(out, "py-") {
		t.Errorf("wrong tasks:\n%s", out)
	}
}

func TestMainRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"flag":         {[]string{"-x"}, 2, "-x"},
		"word":         {[]string{"compile"}, 2, `"compile"`},
		"repeat":       {[]string{"-repeat", "0"}, 2, "-repeat"},
		"timeout":      {[]string{"-timeout", "0s"}, 2, "-timeout"},
		"no task":      {[]string{"-task", "nothing-is-called-so"}, 1, "-list"},
		"pattern":      {[]string{"-task", "("}, 1, "pattern"},
		"one report":   {[]string{"compare", "a.json"}, 2, "two files"},
		"no report":    {[]string{"compare", "nowhere.json", "b.json"}, 1, "nowhere.json"},
		"unwritable":   {[]string{"-json", "no/such/folder/a.json"}, 1, "no/such/folder"},
		"no such dir":  {[]string{"-tasks", "no/such/folder"}, 1, "no task"},
		"tune, nowhat": {[]string{"-tune", "-tasks", "no/such/folder"}, 1, "no task"},
	} {
		var o, e strings.Builder
		if code := Main(t.Context(), tc.args, Env{Out: &o, Err: &e, New: scripted(t)}); code != tc.code || !strings.Contains(e.String(), tc.want) {
			t.Errorf("%s: exit %d, want %d; %q, want %q in it", name, code, tc.code, e.String(), tc.want)
		}
	}
}

func TestMainHelps(t *testing.T) {
	t.Parallel()
	var o, e strings.Builder
	if code := Main(t.Context(), []string{"-help"}, Env{Out: &o, Err: &e}); code != 0 || !strings.Contains(o.String(), "-repeat N") {
		t.Errorf("exit %d: %s%s", code, o.String(), e.String())
	}
}

func TestMainIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, errs := command(t, ctx, scripted(t)); code != exitCancelled || !strings.Contains(errs, "cancelled") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
