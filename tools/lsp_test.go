package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mm/safety"
	"mm/tools/lspclient"
)

// newLSP adds the lsp tool with one server to a project.
func newLSP(t *testing.T, files map[string]string, server lspclient.Server) (*project, *LSP) {
	t.Helper()
	p := newProject(t, files)
	lsp := NewLSP(LSPOptions{Files: p.files, Servers: []lspclient.Server{server}, Env: os.Environ()})
	t.Cleanup(lsp.Close)
	p.files.Check = FirstCheck(SyntaxCheck(p.dir), lsp.Check)
	box, err := NewToolbox(ToolboxOptions{}, lsp, NewReadFile(p.files), NewWriteFile(p.files), NewEditFile(p.files))
	if err != nil {
		t.Fatal(err)
	}
	p.box = box
	return p, lsp
}

// goServer is the real server of Go, where it is installed.
func goServer(t *testing.T) lspclient.Server {
	t.Helper()
	program, err := exec.LookPath("gopls")
	if err != nil {
		t.Skip("gopls is not in PATH")
	}
	if testing.Short() {
		t.Skip("gopls takes seconds")
	}
	return lspclient.Server{Language: "go", Command: []string{program}, Extensions: []string{".go"}}
}

var goProject = map[string]string{
	"go.mod":  "module example.com/p\n\ngo 1.21\n",
	"main.go": "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(/* 𝄞 */ double(2), double(3))\n}\n",
	"calc.go": "package main\n\n// double returns twice n.\nfunc double(n int) int {\n\treturn n * 2\n}\n\ntype counter struct{ n int }\n\nfunc (c *counter) add() { c.n++ }\n",
}

func TestLSPWithGopls(t *testing.T) {
	t.Parallel()
	p, _ := newLSP(t, goProject, goServer(t))
	for _, tc := range []struct{ args, want string }{
		{`{"action":"definition","path":"main.go","symbol":"double","line":6}`, "calc.go, lines 4-10 of 10:\n4|func double(n int) int {\n5|\treturn n * 2\n6|}\n"},
		{`{"action":"definition","path":"main.go","symbol":"double","line":1}`, "[\"double\" is not in line 1; it was taken from line 6]\ncalc.go, lines 4-"},
		{`{"action":"definition","path":"main.go","symbol":"fmt.Println()","line":6}`, "print.go:"},
		{`{"action":"findReferences","path":"calc.go","symbol":"double"}`, "calc.go:4: func double(n int) int {\nmain.go:6: \tfmt.Println(/* 𝄞 */ double(2), double(3))\n[2 places in 2 files]"},
		{`{"action":"hover","path":"main.go","symbol":"double","line":6}`, "func double(n int) int"},
		{`{"action":"hover","path":"main.go","symbol":"double","line":6}`, "double returns twice n."},
		{`{"action":"symbols","path":"calc.go"}`, "calc.go declares (by line):\n4: function double\n8: struct counter\n  8: field n\n10: method (*counter).add"},
		{`{"action":"diagnostics","path":"main.go"}`, "[gopls finds no problem in main.go]"},
	} {
		if res := p.call("lsp", tc.args); res.Status != OK || !strings.Contains(res.Text, tc.want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", tc.args, res.Status, res.Text, tc.want)
		}
	}
	res := p.call("lsp", `{"action":"definition","path":"main.go","symbol":"fmt.Println","line":6}`)
	if wants(t, res, OK, "(not a file of the project)"); strings.Contains(res.Text, "func Println") {
		t.Errorf("a file outside of the project was shown: %s", res.Text)
	}
	for args, want := range map[string]string{
		`{"action":"hover","path":"main.go","symbol":"absent","line":6}`: `[lsp: "absent" is not in main.go; in line 6 are: fmt, Println, double; give symbol`,
		`{"action":"hover","path":"main.go","line":6}`:                   "hover needs symbol: a name as it is written in main.go; in line 6 are: fmt, Println, double]",
		`{"action":"hover","path":"go.mod","symbol":"p"}`:                "no language server knows go.mod; there is one for files .go",
		`{"action":"symbols","path":"man.go"}`:                           "man.go does not exist",
		`{"action":"rename","path":"main.go","symbol":"double"}`:         "rename needs new_name",
		`{"action":"jump","path":"main.go"}`:                             `"action" must be one of definition, references`,
	} {
		wants(t, p.call("lsp", args), Failed, want)
	}
}

func TestLSPSeesWhatChanges(t *testing.T) {
	t.Parallel()
	p, _ := newLSP(t, goProject, goServer(t))
	wants(t, p.call("lsp", `{"action":"diagnostics","path":"main.go"}`), OK, "no problem")
	p.put("calc.go", "package main\n\nfunc triple(n int) int { return 3 * n }\n") // by another program
	wants(t, p.call("lsp", `{"action":"diagnostics","path":"main.go"}`), OK, "1 problem in main.go:\nline 6: error: undefined: double")
	p.put("more.go", "package main\n\nfunc double(n int) int { return 2 * n }\n")
	wants(t, p.call("lsp", `{"action":"diagnostics","path":"main.go"}`), OK, "no problem")
}

func TestEditsTellWhatTheServerFinds(t *testing.T) {
	t.Parallel()
	p, _ := newLSP(t, goProject, goServer(t))
	// The server may need longer to read the project than an edit waits.
	wants(t, p.call("lsp", `{"action":"diagnostics","path":"main.go"}`), OK, "no problem")
	wants(t, p.edit("main.go", "double(3)", "tripple(3)"), OK, "[warning: gopls finds new problems in main.go:\nline 6: error: undefined: tripple]")
	res := p.edit("main.go", "double(2)", "double(4)")
	if wants(t, res, OK); strings.Contains(res.Text, "warning") {
		t.Errorf("an old problem is told as new: %s", res.Text)
	}
	res = p.edit("main.go", "double(4)", "double(4")
	if wants(t, res, OK, "no longer parses"); strings.Contains(res.Text, "gopls") {
		t.Errorf("told twice: %s", res.Text)
	}
}

func TestLSPRename(t *testing.T) {
	t.Parallel()
	p, _ := newLSP(t, goProject, goServer(t))
	tool, plan, err := p.plan("lsp", `{"action":"rename","path":"calc.go","symbol":"double","line":4,"new_name":"twice"}`)
	if err != nil {
		t.Fatal(err)
	}
	diffs := plan.Preview.(DiffPreview).Files
	if plan.Title != "rename double to twice in 2 files" || plan.Action.Op != safety.Write || plan.Action.Digest == "" || len(plan.Action.Also) != 2 || len(diffs) != 2 || len(plan.Locations) != 2 {
		t.Errorf("plan %+v", plan)
	}
	if p.get("calc.go") != goProject["calc.go"] {
		t.Fatal("the plan changed a file")
	}
	res := tool.Run(t.Context(), plan, nil)
	wants(t, res, OK, "renamed double to twice: 4 places in 2 files:\ncalc.go\nmain.go")
	for name, old := range map[string]string{"calc.go": goProject["calc.go"], "main.go": goProject["main.go"]} {
		if got := p.get(name); got != strings.ReplaceAll(old, "double", "twice") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if len(res.Changes) != 2 || string(res.Changes[1].Before) != goProject["main.go"] {
		t.Errorf("changes: %+v", res.Changes)
	}
	// What it did not read the model may not overwrite.
	wants(t, p.write("calc.go", "package main\n"), Failed, "not read it")

	tool, plan, err = p.plan("lsp", `{"action":"rename","path":"main.go","symbol":"twice","new_name":"thrice"}`)
	if err != nil {
		t.Fatal(err)
	}
	p.put("main.go", "package main\n")
	wants(t, tool.Run(t.Context(), plan, nil), Failed, "main.go changed on disk", "nothing was renamed")
	if !strings.Contains(p.get("calc.go"), "twice") {
		t.Error("a rename was made in part")
	}
	wants(t, p.call("lsp", `{"action":"rename","path":"calc.go","symbol":"add","new_name":"a b"}`), Failed, "[lsp: gopls says: ")
}

// A server that is no server, or a slow one, ends in a text and not in a wait.
func TestLSPWithoutAServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	program := filepath.Join(t.TempDir(), "broken-server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho 'cannot read the project' >&2\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, _ := newLSP(t, map[string]string{"a.go": "package a\n"}, lspclient.Server{Language: "go", Command: []string{program}, Extensions: []string{".go"}})
	for range 2 {
		wants(t, p.call("lsp", `{"action":"symbols","path":"a.go"}`), Failed,
			"[lsp: broken-server ended: exit status 7: cannot read the project; use grep and read_file instead]")
	}
	began := time.Now()
	if res := p.edit("a.go", "package a", "package b"); res.Status != OK || strings.Contains(res.Text, "server") || time.Since(began) > 20*time.Second {
		t.Errorf("an edit with a dead server: %s after %v", res.Text, time.Since(began))
	}
}

func TestLSPAsksForFilesOutside(t *testing.T) {
	t.Parallel()
	p, _ := newLSP(t, nil, lspclient.Server{Language: "go", Command: []string{"/none"}, Extensions: []string{".go"}})
	outside := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(outside, []byte("secret names\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, plan, err := p.plan("lsp", jsonOf(map[string]any{"action": "symbols", "path": outside}))
	if err != nil || plan.Action.Path.Class != safety.Outside || plan.Action.Op != safety.Read {
		t.Errorf("plan %+v, %v", plan, err)
	}
	res := p.call("lsp", jsonOf(map[string]any{"action": "hover", "path": outside, "line": 1}))
	if strings.Contains(res.Text, "secret") {
		t.Errorf("names of a file outside were told unasked: %s", res.Text)
	}
	wants(t, p.call("lsp", jsonOf(map[string]any{"action": "rename", "path": outside, "symbol": "x", "new_name": "y"})), Failed, "nothing is renamed")
}

func TestLSPWithoutRename(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.go": "package a\n"})
	tool := NewLSP(LSPOptions{Files: p.files, Servers: []lspclient.Server{{Language: "go", Command: []string{"/none"}, Extensions: []string{".go"}}}, NoRename: true})
	defer tool.Close()
	box, err := NewToolbox(ToolboxOptions{}, tool)
	if err != nil {
		t.Fatal(err)
	}
	p.box = box
	for _, action := range []string{"rename", "renameSymbol"} {
		wants(t, p.call("lsp", jsonOf(map[string]any{"action": action, "path": "a.go", "symbol": "a", "new_name": "b"})), Failed, `"action" must be one of definition, references, hover, symbols, diagnostics, not`)
	}
	if s := tool.Spec(); strings.Contains(s.Description+string(s.Schema), "rename") || strings.Contains(string(s.Schema), "new_name") {
		t.Errorf("rename is declared: %s %s", s.Description, s.Schema)
	}
}
