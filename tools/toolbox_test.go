package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// fake is a tool of which only the declaration matters.
type fake struct{ spec Spec }

func (f fake) Spec() Spec { return f.spec }

func (f fake) Plan(context.Context, json.RawMessage) (Plan, error) { return Plan{}, nil }

func (f fake) Run(context.Context, Plan, Sink) Result { return Result{} }

func testBox(t *testing.T, o ToolboxOptions) *Toolbox {
	t.Helper()
	b, err := NewToolbox(
		o,
		fake{Spec{Name: "read_file", Schema: Schema(
			Field{Name: "path", Type: "string"},
			Field{Name: "start", Type: "integer", Optional: true},
		), Synonyms: map[string]string{"path": "file file_path"}}},
		fake{Spec{Name: "bash", Schema: Schema(
			Field{Name: "command", Type: "string"},
			Field{Name: "timeout", Type: "integer", Optional: true},
		), Synonyms: map[string]string{"command": "cmd"}}},
		fake{Spec{Name: "edit_file", Schema: Schema(
			Field{Name: "path", Type: "string"},
			Field{Name: "edits", Type: "array", Items: []Field{
				{Name: "old", Type: "string"}, {Name: "new", Type: "string"},
			}},
			Field{Name: "dry_run", Type: "boolean", Optional: true},
		), Synonyms: map[string]string{"path": "file", "old": "old_string", "new": "new_string"}}},
		fake{Spec{Name: "plan", Schema: Schema(
			Field{Name: "steps", Type: "array", Items: []Field{
				{Name: "text", Type: "string"},
				{Name: "status", Type: "string", Enum: []string{"pending", "in_progress", "done"}},
			}},
		)}},
		fake{Spec{Name: "status", Schema: Schema(
			Field{Name: "verbose", Type: "boolean", Optional: true},
			Field{Name: "ratio", Type: "number", Optional: true},
		)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSpecsAreSorted(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range testBox(t, ToolboxOptions{}).Specs() {
		names = append(names, s.Name)
	}
	if want := []string{"bash", "edit_file", "plan", "read_file", "status"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestResolveNames(t *testing.T) {
	t.Parallel()
	b := testBox(t, ToolboxOptions{})
	const command, path = `{"command":"ls"}`, `{"path":"a"}`
	for _, tc := range []struct{ name, args, want string }{
		{"bash", command, "bash"},
		{"Bash", command, "bash"},
		{"functions.bash", command, "bash"},
		{"functions.bash:0", command, "bash"},
		{"default_api:bash", command, "bash"},
		{"mcp__mm__bash", command, "bash"},
		{"bash<|channel|>commentary", command, "bash"},
		{" bash() ", command, "bash"},
		{"BashTool", command, "bash"},
		{"readFile", path, "read_file"},
		{"read-file", path, "read_file"},
		{"READ_FILE", path, "read_file"},
		{"shell", command, "bash"},
		{"container.exec", command, "bash"},
		{"run_terminal_cmd", command, "bash"},
		{"terminal", command, "bash"},
		{"cat", path, "read_file"},
		{"open", `{"file":"a"}`, "read_file"},
		{"list_directory", `{"path":"."}`, "read_file"},
		{"str_replace", `{"path":"a","old_string":"x","new_string":"y"}`, "edit_file"},

		{"shell", `{"script":"ls"}`, ""}, // does not fit
		{"cat", command, ""},
		{"create_file", `{"path":"a","content":"b"}`, ""}, // write_file is not declared
		{"python", `{"code":"print(1)"}`, ""},
		{"search_files", `{"pattern":"*.go"}`, ""},
		{"", command, ""},
		{"🙂", command, ""},
	} {
		tool, _, notes, err := b.Resolve(tc.name, tc.args)
		got := ""
		if tool != nil {
			got = tool.Spec().Name
		}
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%q %s: got %q, %v; want %q", tc.name, tc.args, got, err, tc.want)
		}
		if mended := tc.want != "" && tc.name != tc.want; mended != (len(notes) > 0) {
			t.Errorf("%q: notes %q", tc.name, notes)
		}
	}
}

func TestUnknownToolListsTheTools(t *testing.T) {
	t.Parallel()
	b := testBox(t, ToolboxOptions{})
	const tail = `; your tools are: bash, edit_file, plan, read_file, status]`
	for name, want := range map[string]string{
		"python":                  `[error: there is no tool named "python"` + tail,
		"a\x1b[2Jb":               `[error: there is no tool named "a\x1b[2Jb"` + tail,
		strings.Repeat("xé", 100): `[error: there is no tool named "` + strings.Repeat("xé", 20) + `…"` + tail,
	} {
		_, _, _, err := b.Resolve(name, `{"command":"ls"}`)
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", name, err, want)
		}
	}
}

func TestResolveArguments(t *testing.T) {
	t.Parallel()
	b := testBox(t, ToolboxOptions{Repair: func(raw string) (string, bool) {
		return raw + "}", strings.HasPrefix(raw, "{")
	}})
	for _, tc := range []struct {
		name, tool, args, want string
		mended                 bool
	}{
		{"as declared", "bash", `{"command":"ls <a & b>","timeout":5}`, `{"command":"ls <a & b>","timeout":5}`, false},
		{"undeclared fields stay", "bash", `{"command":"ls","why":1}`, `{"command":"ls","why":1}`, false},
		{"nothing needed", "status", ``, `{}`, false},
		{"null arguments", "status", `null`, `{}`, false},
		{"null field", "bash", `{"command":"ls","timeout":null}`, `{"command":"ls"}`, false},
		{"synonym", "bash", `{"cmd":"ls"}`, `{"command":"ls"}`, true},
		{"other case", "bash", `{"Command":"ls"}`, `{"command":"ls"}`, true},
		{"synonym, other separator", "read_file", `{"filePath":"a"}`, `{"path":"a"}`, true},
		{"synonym beside the field", "bash", `{"cmd":"x","command":"ls"}`, `{"cmd":"x","command":"ls"}`, false},
		{"number in a string", "bash", `{"command":"ls","timeout":"5"}`, `{"command":"ls","timeout":5}`, true},
		{"integral float", "bash", `{"command":"ls","timeout":5.0}`, `{"command":"ls","timeout":5}`, false},
		{"number for text", "bash", `{"command":42}`, `{"command":"42"}`, true},
		{"object for text", "bash", `{"command":{"a": [1]}}`, `{"command":"{\"a\": [1]}"}`, true},
		{"boolean in a string", "status", `{"verbose":"True"}`, `{"verbose":true}`, true},
		{"float in a string", "status", `{"ratio":"0.5"}`, `{"ratio":0.5}`, true},
		{"bare text", "bash", `"ls -l"`, `{"command":"ls -l"}`, true},
		{"JSON in a string", "bash", `"{\"command\":\"ls\"}"`, `{"command":"ls"}`, true},
		{"list of one", "bash", `[{"command":"ls"}]`, `{"command":"ls"}`, true},
		{"call in the call", "bash", `{"name":"bash","arguments":{"command":"ls"}}`, `{"command":"ls"}`, true},
		{"call in the call, as text", "bash", `{"parameters":"{\"cmd\":\"ls\"}"}`, `{"command":"ls"}`, true},
		{"repaired", "bash", `{"command":"ls"`, `{"command":"ls"}`, true},
		{"list as a string", "edit_file", `{"path":"a","edits":"[{\"old\":\"x\",\"new\":\"y\"}]"}`, `{"edits":[{"new":"y","old":"x"}],"path":"a"}`, true},
		{"one object for a list", "edit_file", `{"path":"a","edits":{"old":"x","new":"y"}}`, `{"edits":[{"new":"y","old":"x"}],"path":"a"}`, true},
		{"object as a string in a list", "edit_file", `{"path":"a","edits":["{\"old\":\"x\",\"new\":\"y\"}"]}`, `{"edits":[{"new":"y","old":"x"}],"path":"a"}`, true},
		{"synonyms in a list", "edit_file", `{"file":"a","edits":[{"old_string":"x","new_string":"y"}]}`, `{"edits":[{"new":"y","old":"x"}],"path":"a"}`, true},
		{"element beside the path", "edit_file", `{"path":"a","old_string":"x","new_string":"y"}`, `{"edits":[{"new":"y","old":"x"}],"path":"a"}`, true},
		{"enumerated, other form", "plan", `{"steps":[{"text":"a","status":"In Progress"}]}`, `{"steps":[{"status":"in_progress","text":"a"}]}`, false},
	} {
		_, got, notes, err := b.Resolve(tc.tool, tc.args)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: got %s, %v; want %s", tc.name, got, err, tc.want)
		}
		if (len(notes) > 0) != tc.mended {
			t.Errorf("%s: notes %q, want some: %t", tc.name, notes, tc.mended)
		}
	}
}

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	b := testBox(t, ToolboxOptions{})
	for _, tc := range []struct{ tool, args, want string }{
		{"edit_file", `{"path":"a"}`, `"edits" is missing; expected {path, edits:[{old,new}]}`},
		{"edit_file", `{}`, `"path" is missing; "edits" is missing; expected {path, edits:[{old,new}]}`},
		{"edit_file", `{"path":"a","edits":[{"old":"x"}]}`, `"edits[0].new" is missing; expected {path, edits:[{old,new}]}`},
		{"edit_file", `{"path":"a","edits":"all"}`, `"edits" must be a list, not "all"; expected {path, edits:[{old,new}]}`},
		{"bash", `{"command":""`, `not valid JSON (it ends too early); expected {command}`},
		{"bash", `{"command":"ls"} and`, `not valid JSON (more text after the JSON value); expected {command}`},
		{"bash", `{"command":["ls"]}`, `"command" must be a string, not ["ls"]; expected {command}`},
		{"bash", `{"command":null}`, `"command" is missing; expected {command}`},
		{"bash", `{"command":"ls","timeout":"soon"}`, `"timeout" must be an integer, not "soon"; expected {command}`},
		{"bash", `{"command":"ls","timeout":1e99}`, `"timeout" must be an integer, not 1e99; expected {command}`},
		{"bash", `[1,2]`, `[1,2] is not a JSON object; expected {command}`},
		{"status", `{"verbose":"maybe"}`, `"verbose" must be a boolean, not "maybe"; expected {ratio?, verbose?}`},
		{"plan", `{"steps":[{"text":"a","status":"lost"}]}`, `"steps[0].status" must be one of pending, in_progress, done, not "lost"; expected {steps:[{text,status}]}`},
	} {
		_, _, _, err := b.Resolve(tc.tool, tc.args)
		want := "[error: invalid arguments for " + tc.tool + ": " + tc.want + "]"
		if err == nil || err.Error() != want {
			t.Errorf("%s %s:\ngot  %v\nwant %s", tc.tool, tc.args, err, want)
		}
	}
}

func TestNewToolboxRefusesTwins(t *testing.T) {
	t.Parallel()
	twin := fake{Spec{Name: "x", Schema: Schema()}}
	if _, err := NewToolbox(ToolboxOptions{}, twin, twin); err == nil {
		t.Error("two tools of one name were taken")
	}
	if _, err := NewToolbox(ToolboxOptions{}, fake{Spec{Name: "x", Schema: json.RawMessage("{")}}); err == nil {
		t.Error("a broken schema was taken")
	}
}

func TestSchemaIsCompactAndOrdered(t *testing.T) {
	t.Parallel()
	got := string(Schema(
		Field{Name: "path", Type: "string", Description: "a <file>"},
		Field{Name: "edits", Type: "array", Items: []Field{{Name: "old", Type: "string"}}},
		Field{Name: "mode", Type: "string", Optional: true, Enum: []string{"b", "a"}},
	))
	want := `{"type":"object","properties":{"path":{"type":"string","description":"a <file>"},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"}},"required":["old"]}},` +
		`"mode":{"type":"string","enum":["b","a"]}},"required":["path","edits"]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What Resolve accepts is a JSON object that has the required fields; what it
// refuses is told in one line.
func FuzzResolveCall(f *testing.F) {
	for _, s := range []string{
		`{"command":"ls"}`, `"{\"command\":1}"`, `[{"cmd":null}]`, `{"path":"a","edits":"[]"}`, `{`, `{"args":"\"x\""}`,
	} {
		f.Add("bash", s)
		f.Add("edit_file", s)
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		tool, valid, _, err := testBox(t, ToolboxOptions{}).Resolve(name, args)
		if err != nil {
			if text := err.Error(); strings.ContainsAny(text[:1], " \n") || !strings.HasPrefix(text, "[error: ") {
				t.Errorf("unclear error %q", text)
			}
			return
		}
		s, _ := parseSchema(tool.Spec().Schema)
		obj := map[string]any{}
		if err := json.Unmarshal(valid, &obj); err != nil {
			t.Fatalf("accepted %s: %v", valid, err)
		}
		for _, r := range s.Required {
			if _, ok := obj[r]; !ok {
				t.Errorf("accepted %s without %s", valid, r)
			}
		}
	})
}
