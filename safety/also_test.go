package safety

import (
	"slices"
	"testing"
)

func TestWhatACallDoesBesidesIsJudgedToo(t *testing.T) {
	t.Parallel()
	inside := Path{Named: "a.md", Real: "/p/a.md"}
	git := Path{Named: ".git/config", Real: "/p/.git/config", Class: Protected, Reason: "part of git's own data"}
	fetch := func(also ...Path) Action {
		a := Action{Tool: "fetch_content", Op: Fetch, Host: "example.com"}
		for _, p := range also {
			a.Also = append(a.Also, Action{Tool: "write_file", Op: Write, Path: p})
		}
		return a
	}
	rename := Action{Tool: "lsp", Op: Write, Path: inside, Also: []Action{{Tool: "edit_file", Op: Write, Path: Path{Named: "gen/b.go", Real: "/p/gen/b.go"}}}}
	rules, err := ParseRules([]RuleSpec{{Decision: Deny, Tool: "edit_file", Pattern: "gen/**"}, {Decision: Allow, Tool: "fetch_content", Pattern: "*.golang.org"}})
	if err != nil {
		t.Fatal(err)
	}
	golang := fetch(inside)
	golang.Host = "pkg.golang.org"
	for _, tc := range []struct {
		name   string
		mode   Mode
		action Action
		want   Decision
		always string
	}{
		{"fetch", AskMode, fetch(), Ask, "example.com"},
		{"fetch and save", AskMode, fetch(inside), Ask, "example.com"},
		{"an allowed host does not allow to save", AskMode, golang, Ask, ""},
		{"edits are accepted, the host is not", AcceptEdits, fetch(inside), Ask, "example.com"},
		{"both are accepted", AcceptEdits, golang, Allow, ""},
		{"yolo", Yolo, fetch(inside), Allow, ""},
		{"yolo and a protected file", Yolo, fetch(inside, git), Ask, ""},
		{"nothing is saved in read-only mode", ReadOnly, fetch(inside), Deny, ""},
		{"a file that a rule forbids", Yolo, rename, Deny, ""},
	} {
		v := NewPolicy(Options{Mode: tc.mode, Rules: rules, Dir: "/p"}).Decide(tc.action)
		if v.Decision != tc.want || v.Always != tc.always || v.Decision != Allow && v.Refusal == "" {
			t.Errorf("%s: got %+v", tc.name, v)
		}
	}
	v := NewPolicy(Options{Dir: "/p"}).Decide(fetch(inside))
	if !slices.Equal(v.Reasons, []string{"network: example.com", "changes a file of the project"}) {
		t.Errorf("reasons %q", v.Reasons)
	}
}
