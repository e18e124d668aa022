package tools

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// reports are inputs that broke other agents, as published.
//
//go:embed testdata/edit_file_reports.jsonl
var reports string

// report is one of them.
type report struct {
	ID    string
	Input struct {
		File    map[string]string
		FileB64 map[string]string `json:"file_b64"`
		Edits   []any
		Cases   []json.RawMessage
	}
}

func readReports(t *testing.T) map[string]report {
	t.Helper()
	all := make(map[string]report)
	for line := range strings.Lines(reports) {
		var r report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		for name, text := range r.Input.FileB64 {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			r.Input.File = map[string]string{name: string(b)}
		}
		all[r.ID] = r
	}
	return all
}

// name is the one file of a report.
func (r report) name() string {
	for name := range r.Input.File {
		return name
	}
	return ""
}

func TestReportedEdits(t *testing.T) {
	t.Parallel()
	all := readReports(t)
	for _, tc := range []struct {
		id     string
		status Status
		after  string // empty: as before
		texts  []string
	}{
		{
			"C01", OK, "package p\n\nfunc a() {\n\tif x {\n\t\tlog()\n\t\treturn\n\t}\n}\n",
			[]string{"1 matched ignoring whitespace"},
		},
		{"C02", OK, "one\r\n2\r\ntwo\r\nthree\r\n", []string{"1 edit applied", "+2|2"}},
		{"C04", Failed, "", []string{"not found", "3|\ty := 2"}},
		{"C06", Failed, "", []string{"lines 1-3", "1|# Default permissions for\n2|# uploaded files.\n3|MODE = None"}},
		{"C07", OK, "package p\n\nfunc a() {\n\tif y {\n\t\treturn\n\t}\n}\n", nil},
		{
			"C09", OK, "echo \"$1 $& $$ ${HOME} \\1 100%d %s\"\n",
			[]string{`+1|echo "$1 $& $$ ${HOME} \1 100%d %s"`},
		},
		{"C14", OK, "#!/bin/sh\necho b\n", nil},
	} {
		r, name := all[tc.id], all[tc.id].name()
		p := newProject(t, r.Input.File)
		if err := os.Chmod(p.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		res := p.call("edit_file", jsonOf(map[string]any{"path": name, "edits": r.Input.Edits}))
		wants(t, res, tc.status, tc.texts...)
		want := tc.after
		if want == "" {
			want = r.Input.File[name]
		}
		if got := p.get(name); got != want {
			t.Errorf("%s: written %q, want %q", tc.id, got, want)
		}
		if info, err := os.Stat(p.path(name)); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: mode %v, %v; want 0755", tc.id, info.Mode(), err)
		}
	}
}

// C02 asks for a diff of one line although two were sent.
func TestReportedDiffIsMinimal(t *testing.T) {
	t.Parallel()
	r := readReports(t)["C02"]
	p := newProject(t, r.Input.File)
	_, plan, err := p.plan("edit_file", jsonOf(map[string]any{"path": "a.txt", "edits": r.Input.Edits}))
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Preview.(DiffPreview).Files[0]; d.Added != 1 || d.Removed != 0 {
		t.Errorf("+%d -%d, want one added line", d.Added, d.Removed)
	}
}

// C07: a file whose text looks like a listing is matched as it is.
func TestReportedNumbersThatAreContent(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"f": "1: foo\n2: bar\n"})
	wants(t, p.edit("f", "1: foo", "1: baz"), OK, "1 edit applied")
	if got := p.get("f"); got != "1: baz\n2: bar\n" {
		t.Errorf("written %q", got)
	}
}

// C12: 12 lines with a placeholder over 200 that were never read. The guards
// of the specification refuse both; a short file that was read is written with
// the loss shown.
func TestReportedLossOfAFile(t *testing.T) {
	t.Parallel()
	var c struct{ Path, Content string }
	if err := json.Unmarshal(readReports(t)["C12"].Input.Cases[0], &c); err != nil {
		t.Fatal(err)
	}
	var big strings.Builder
	for i := range 200 {
		fmt.Fprintf(&big, "var x%d int\n", i)
	}
	p := newProject(t, map[string]string{c.Path: big.String()})
	wants(t, p.write(c.Path, c.Content), Failed, "not read it in this session", "edit_file")
	p.read(c.Path)
	wants(t, p.write(c.Path, c.Content), Failed, "// ... existing code ...", "edit_file")
	complete := strings.ReplaceAll(c.Content, "// ... existing code ...\n", "")
	_, plan, err := p.plan("write_file", jsonOf(map[string]string{"path": c.Path, "content": complete}))
	if err != nil {
		t.Fatal(err)
	}
	d := plan.Preview.(DiffPreview).Files[0]
	if d.Removed < 198 || !strings.Contains(d.Warning, "drops most of the file: 200 lines become") {
		t.Errorf("-%d, warning %q", d.Removed, d.Warning)
	}
}

// C13: content counts, not times; the agent's own writing is no change.
func TestReportedChangesOnDisk(t *testing.T) {
	t.Parallel()
	p := newProject(t, map[string]string{"a.txt": "one\ntwo\n"})
	wants(t, p.read("a.txt"), OK)
	p.put("a.txt", "one\ntwo\nthree\n")
	wants(t, p.write("a.txt", "ONE\ntwo\n"), Failed, "changed on disk since you read it")
	if got := p.get("a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("the line from outside is lost: %q", got)
	}
	wants(t, p.read("a.txt"), OK)
	p.put("a.txt", "one\ntwo\nthree\n") // the time alone
	for _, e := range [][2]string{{"one", "1"}, {"two", "2"}} {
		res := p.edit("a.txt", e[0], e[1])
		wants(t, res, OK, "1 edit applied")
		if strings.Contains(res.Text, "had changed") {
			t.Errorf("a false alarm: %s", res.Text)
		}
	}
	if got := p.get("a.txt"); got != "1\n2\nthree\n" {
		t.Errorf("written %q", got)
	}
}

// C17: a byte order mark stays where it is, is not shown, and is not made.
func TestReportedByteOrderMark(t *testing.T) {
	t.Parallel()
	r := readReports(t)["C17"]
	before := r.Input.File["w.cs"]
	p := newProject(t, r.Input.File)
	wants(t, p.edit("w.cs", "class A", "class B"), OK)
	if got, want := p.get("w.cs"), strings.Replace(before, "class A", "class B", 1); got != want || !strings.HasPrefix(got, byteOrderMark) {
		t.Errorf("written %q, want %q", got, want)
	}
	wants(t, p.write("new.cs", "class N {}\n"), OK)
	if got := p.get("new.cs"); got != "class N {}\n" {
		t.Errorf("new file %q", got)
	}
	if res := p.read("w.cs"); strings.Contains(res.Text, byteOrderMark) || strings.Contains(res.Text, "\r") {
		t.Errorf("shown %q", res.Text)
	}
}

// C21: all edits are of the file as it was, and all or none.
func TestReportedSeveralEdits(t *testing.T) {
	t.Parallel()
	r := readReports(t)["C21"]
	for i, want := range []struct {
		status      Status
		text, after string
	}{
		{Failed, "Edits 1 and 2 overlap", "1\n2\n3\n4\n"},
		{OK, "2 edits applied", "2\n1\n3\n4\n"},
		{Failed, "edit 2: old was not found", "1\n2\n3\n4\n"},
	} {
		p := newProject(t, r.Input.File)
		res := p.call("edit_file", fmt.Sprintf(`{"path":"n.txt","edits":%s}`, r.Input.Cases[i]))
		wants(t, res, want.status, want.text)
		if got := p.get("n.txt"); got != want.after {
			t.Errorf("case %d: written %q, want %q", i+1, got, want.after)
		}
	}
}
