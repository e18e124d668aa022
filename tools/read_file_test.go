package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mm/safety"
)

// project is a folder with the three tools on files.
type project struct {
	t     *testing.T
	dir   string
	files Files
	box   *Toolbox
}

// newProject makes a project of files, named by their paths.
func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	for name, content := range files {
		p.put(name, content)
	}
	ws, err := safety.NewWorkspace(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	p.files = Files{Workspace: ws, Seen: NewSeen()}
	p.box, err = NewToolbox(ToolboxOptions{}, NewReadFile(p.files), NewWriteFile(p.files), NewEditFile(p.files))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) put(name, content string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(content), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) get(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

// plan takes a call as far as the permission.
func (p *project) plan(name, args string) (Tool, Plan, error) {
	tool, valid, _, err := p.box.Resolve(name, args)
	if err != nil {
		return nil, Plan{}, err
	}
	plan, err := tool.Plan(p.t.Context(), valid)
	return tool, plan, err
}

// call runs a call as if it was permitted. What cannot be planned is a failed
// result.
func (p *project) call(name, args string) Result {
	p.t.Helper()
	tool, plan, err := p.plan(name, args)
	if err != nil {
		return Result{Text: err.Error(), Status: Failed}
	}
	return tool.Run(p.t.Context(), plan, nil)
}

func (p *project) read(path string) Result {
	p.t.Helper()
	return p.call("read_file", jsonOf(map[string]any{"path": path}))
}

func (p *project) write(path, content string) Result {
	p.t.Helper()
	return p.call("write_file", jsonOf(map[string]any{"path": path, "content": content}))
}

func (p *project) edit(path, old, fresh string) Result {
	p.t.Helper()
	return p.call("edit_file", jsonOf(map[string]any{"path": path, "edits": []any{map[string]any{"old": old, "new": fresh}}}))
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// wants checks the status of a result and texts that it holds.
func wants(t *testing.T, res Result, status Status, texts ...string) {
	t.Helper()
	if res.Status != status {
		t.Errorf("status %s, want %s: %s", res.Status, status, res.Text)
	}
	for _, text := range texts {
		if !strings.Contains(res.Text, text) {
			t.Errorf("%q lacks %q", res.Text, text)
		}
	}
}

func TestReadFileShows(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"main.go": "package main\n\nfunc main() {\n\trun()\n}\n",
		"crlf":    "\uFEFFone\r\ntwo\r\n",
		"open":    "no newline",
		"empty":   "",
		"latin":   "caf\xe9\n",
	})
	for _, tc := range []struct{ args, want string }{
		{`{"path":"main.go"}`, "main.go, lines 1-5 of 5:\n1|package main\n2|\n3|func main() {\n4|\trun()\n5|}"},
		{`{"path":"./main.go","start":3,"end":4}`, "main.go, lines 3-4 of 5:\n3|func main() {\n4|\trun()"},
		{`{"path":"main.go","start":4}`, "main.go, lines 4-5 of 5:\n4|\trun()\n5|}"},
		{`{"path":"main.go","start":5,"end":99}`, "main.go, lines 5-5 of 5:\n5|}"},
		{`{"file_path":"main.go","start_line":"5","end_line":-1}`, "main.go, lines 5-5 of 5:\n5|}"},
		{`{"path":"main.go","start":0,"end":1}`, "main.go, lines 1-1 of 5:\n1|package main"},
		{`{"path":"crlf"}`, "crlf, lines 1-2 of 2:\n1|one\n2|two"},
		{`{"path":"open"}`, "open, lines 1-1 of 1:\n1|no newline"},
		{`{"path":"empty"}`, "empty is empty (0 lines)"},
		{`{"path":"latin"}`, "latin, lines 1-1 of 1 (not UTF-8: bytes that cannot be read are shown as \uFFFD):\n1|caf\uFFFD"},
	} {
		if res := p.call("read_file", tc.args); res.Text != tc.want || res.Status != OK || res.Truncated {
			t.Errorf("%s:\n%q (%s)\nwant\n%q", tc.args, res.Text, res.Status, tc.want)
		}
	}
}

func TestReadFileFailsInText(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{
		"main.go":          "package main\n",
		"internal/auth.go": "package internal\n",
		"README.md":        "# x\n",
		"data.bin":         "a\x00b",
		"a.png":            "\x89PNG\r\n\x1a\n0000",
		"a.pdf":            "%PDF-1.7\n",
		"wide.txt":         "\xff\xfea\x00b\x00",
	})
	for _, tc := range []struct{ args, want string }{
		{`{"path":"main.g"}`, "main.g does not exist. List a folder with read_file to see what there is; near are: main.go"},
		{`{"path":"main.py"}`, "near are: main.go"},
		{`{"path":"readme.md"}`, "near are: README.md"},
		{`{"path":"auth.go"}`, "near are: internal/auth.go"},
		{`{"path":"intrenal/auth.go"}`, "near are: internal/auth.go, internal/"},
		{`{"path":"zzzzzzzz"}`, "List a folder"},
		{`{"path":"/main.go"}`, `use "main.go"`},
		{`{"path":"main.go","start":7}`, "has 1 lines; start 7 is behind its end"},
		{`{"path":"main.go","start":7,"end":2}`, "start 7 is behind end 2"},
		{`{"path":""}`, "path is empty"},
		{`{"path":"a\nb"}`, "control characters"},
		{`{"path":"data.bin"}`, "data.bin is not text: binary data, 3 bytes"},
		{`{"path":"a.png"}`, "an image (image/png), 12 bytes"},
		{`{"path":"a.pdf"}`, "a PDF, 9 bytes"},
		{`{"path":"wide.txt"}`, "UTF-16"},
		{`{}`, `"path" is missing`},
	} {
		wants(t, p.call("read_file", tc.args), Failed, tc.want)
	}
}

func TestReadFileGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&content, "this is line %d of the file\n", i+1)
	}
	p := newProject(t, map[string]string{"big": content.String()})
	p.files.MaxOutput = func() int { return 2000 }
	p.box, _ = NewToolbox(ToolboxOptions{}, NewReadFile(p.files))
	var got strings.Builder
	next, calls := 1, 0
	for ; next <= 1000; calls++ {
		res := p.call("read_file", fmt.Sprintf(`{"path":"big","start":%d}`, next))
		if len(res.Text) > 2200 {
			t.Fatalf("a result of %d characters", len(res.Text))
		}
		var last int
		if _, err := fmt.Sscanf(res.Text, fmt.Sprintf("big, lines %d-%%d of 1000", next), &last); err != nil {
			t.Fatalf("%v: %q", err, res.Text[:60])
		}
		rows := strings.Split(res.Text, "\n")[1 : last-next+2]
		for i, row := range rows {
			_, text, _ := strings.Cut(row, "|")
			if !strings.HasPrefix(row, fmt.Sprintf("%d|", next+i)) {
				t.Fatalf("row %q, want number %d", row, next+i)
			}
			got.WriteString(text + "\n")
		}
		more := strings.HasSuffix(res.Text, fmt.Sprintf("[not all is shown; go on with read_file start=%d]", last+1))
		if more != (last < 1000) || more != res.Truncated {
			t.Fatalf("lines to %d: more=%v, truncated=%v", last, more, res.Truncated)
		}
		next = last + 1
	}
	if got.String() != content.String() || calls < 10 {
		t.Errorf("the parts of %d calls are not the file", calls)
	}
}

func TestReadFileBoundsLines(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"min.js": strings.Repeat("é", 100_000)})
	res := p.read("min.js")
	wants(t, res, OK, "1|é", "[198,000 more bytes in this line]")
	if len(res.Text) > 3*maxRow {
		t.Errorf("%d bytes", len(res.Text))
	}
}

func TestReadFileListsFolders(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"b.go": "package b\n", "a/x": "", "c/d/e": "", "new\nline": ""})
	if err := os.Symlink("b.go", p.path("link")); err != nil {
		t.Skip(err)
	}
	want := ". is a folder with 5 entries:\na/\nc/\nb.go (10 bytes)\nlink (link)\n\"new\\nline (0 bytes)\""
	if res := p.read("."); res.Text != want {
		t.Errorf("got %q\nwant %q", res.Text, want)
	}
	for i := range 400 {
		p.put(fmt.Sprintf("many/f%03d", i), "")
	}
	res := p.read("many/")
	wants(t, res, OK, "many is a folder with 400 entries", "f299", "[100 more entries")
	if strings.Contains(res.Text, "f300") || !res.Truncated {
		t.Error("more entries are listed than is said")
	}
}

func TestReadFileHangsOnNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	if err := mkfifo(p.path("pipe")); err != nil {
		t.Skip(err)
	}
	_, plan, err := p.plan("read_file", `{"path":"pipe"}`)
	if err != nil || plan.Action.Path.Class != safety.Refused {
		t.Errorf("plan: %v, class %v; want a refused path", err, plan.Action.Path.Class)
	}
	wants(t, p.read("pipe"), Failed, "not a regular file")
	wants(t, p.read("/dev/zero"), Failed, "not a regular file")
}

func TestReadFilePlanLooksAtNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t, nil)
	tool, plan, err := p.plan("read_file", `{"path":"later.txt","start":2,"end":3}`)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Title != "later.txt:2-3" || plan.Action.Op != safety.Read || plan.Locations[0].Line != 2 {
		t.Errorf("plan %+v", plan)
	}
	p.put("later.txt", "1\n2\n3\n")
	if got := tool.Run(t.Context(), plan, nil).Text; got != "later.txt, lines 2-3 of 3:\n2|2\n3|3" {
		t.Errorf("got %q", got)
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	s := NewSeen()
	if got := s.Of("f", nil); got != Unread {
		t.Errorf("at first: %v", got)
	}
	s.Record("f", []byte("a"))
	if s.Of("f", []byte("a")) != Current || s.Of("f", []byte("b")) != Stale {
		t.Error("a recorded content is not told from another")
	}
	s.Reset()
	if got := s.Of("f", []byte("a")); got != Unread {
		t.Errorf("after Reset: %v", got)
	}
}

// The three tools have their share of what one request may cost.
func TestFileToolsAreSmall(t *testing.T) {
	t.Parallel()
	total := 0
	for _, s := range newProject(t, nil).box.Specs() {
		total += len(jsonOf(map[string]any{"type": "function", "function": map[string]any{
			"name": s.Name, "description": s.Description, "parameters": s.Schema,
		}}))
		if strings.Contains(s.Description, "{{") || !bytes.HasPrefix(s.Schema, []byte(`{"type":"object"`)) {
			t.Errorf("%s is not filled in: %s %s", s.Name, s.Description, s.Schema)
		}
	}
	const most = 2100 // of the 7,000 that all tools and the system prompt have
	if total > most {
		t.Errorf("%d characters, want at most %d", total, most)
	}
}
