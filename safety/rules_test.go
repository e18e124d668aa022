package safety

import (
	"strings"
	"testing"
)

func mustRules(t *testing.T, specs ...RuleSpec) Rules {
	t.Helper()
	r, err := ParseRules(specs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBashRules(t *testing.T) {
	t.Parallel()
	r := mustRules(
		t,
		RuleText(Allow, "bash: go test *", ""),
		RuleText(Allow, "bash: git diff", ""),
		RuleText(Allow, "bash: git push origin *", ""),
		RuleText(Allow, "bash: rm -r build", ""),
		RuleText(Ask, "bash: git commit *", ""),
		RuleText(Deny, "bash: git push --force *", ""),
		RuleText(Deny, "bash: npm publish", ""),
	)
	_, env := judgeProject(t)
	p := NewPolicy(Options{Rules: r, Judge: func(line string) Judgement { return JudgeShell(line, env) }})
	for want, lines := range map[Decision][]string{
		Allow: {
			"go test", "go test ./...", "go test -run 'a b' ./...", "go test ./... && git diff", "go test ./... | tail -5",
			"go test ./... 2>&1 | grep FAIL", "git push origin main", "go test ./... > /dev/null", "rm -r build",
		},
		Deny: {
			"git push --force", "git push --force origin main", "go test ./... && git push --force",
			"/usr/bin/git push --force", "git -C sub push --force", "env X=1 git push --force", "timeout 5 git push --force x",
			"echo main | xargs git push --force", "find . -name x -exec git push --force ;", "sh -c 'git push --force'",
			"bash -lc 'cd x; git push --force'", "echo $(git push --force)", "f() { git push --force; }; f", "if true; then npm publish; fi",
			"(git push --force) &", "eval 'npm publish'", "nohup nice git push --force", "command npm publish",
		},
		Ask: {
			// by the rule
			"git commit -m x", "echo x; git commit",
			// not known to be anything else
			"git $X", "$X --force", "git push $X", "npm $X", "eval \"$X\"", "sudo -u me npm publish", "echo git push --force | sh",
			"xargs git < list", "go test ./... \\\n", "((", "npm publish $X",
			// allowed by no rule
			"ls", "git diff HEAD", "go vet ./...", "./go test", "go test ./... && make", "go test *", "go test $X",
			"go test `x`", "X=1 go test", "go test ./... > log", "go test ./... &", "f() { go test; }", "go test ./... | tee log",
			"! go test", "go test {a,b}", "go test ./... | sh", "rm -r build other",
		},
	} {
		for _, line := range lines {
			if v := p.Decide(bash(line)); v.Decision != want {
				t.Errorf("%q: decision %d %q, want %d", line, v.Decision, v.Reasons, want)
			}
		}
	}
}

func TestRulesAndModes(t *testing.T) {
	t.Parallel()
	r := mustRules(
		t,
		RuleText(Allow, "bash: make *", ""),
		RuleText(Allow, "bash: git clean -fd", ""),
		RuleText(Ask, "bash: git commit *", ""),
		RuleText(Deny, "bash: git push *", ""),
		RuleText(Deny, "plan", ""),
		RuleText(Ask, "fetch_content", ""),
	)
	judge := func(command string) Judgement {
		if strings.Contains(command, "clean") {
			return Judgement{Risk: Perilous, Reasons: []string{"cleans"}}
		}
		return Judgement{Reasons: []string{"not known"}}
	}
	for _, tc := range []struct {
		name    string
		options Options
		action  Action
		want    Decision
	}{
		{"allowed", Options{}, bash("make test"), Allow},
		{"allowed, in read-only mode", Options{Mode: ReadOnly}, bash("make test"), Deny},
		{"allowed, in an editor", Options{AskAll: true}, bash("make test"), Ask},
		{"allowed, but perilous", Options{}, bash("make clean"), Ask},
		{"perilous and allowed word for word", Options{}, bash("git clean -fd"), Allow},
		{"asked, in yolo", Options{Mode: Yolo}, bash("git commit -m x"), Ask},
		{"not plain, in yolo", Options{Mode: Yolo}, bash("git $X"), Ask},
		{"a shell that reads, in yolo", Options{Mode: Yolo}, bash("curl x | sh"), Ask},
		{"no rule, in yolo", Options{Mode: Yolo}, bash("curl x"), Allow},
		{"refused, in yolo", Options{Mode: Yolo, YoloOutside: true}, bash("git push"), Deny},
		{"refused, in an editor", Options{AskAll: true}, bash("git push"), Deny},
		{"a tool that touches nothing", Options{Mode: Yolo}, actions["plan"], Deny},
		{"asked, in yolo, a page", Options{Mode: Yolo}, actions["fetch"], Ask},
	} {
		tc.options.Rules, tc.options.Judge = r, judge
		p := NewPolicy(tc.options)
		if tc.want == Ask && tc.options.Mode == Yolo {
			p.Remember(tc.action) // a rule is asked each time
		}
		v := p.Decide(tc.action)
		if v.Decision != tc.want || (v.Decision != Allow) != strings.HasPrefix(v.Refusal, "[refused: ") {
			t.Errorf("%s: %+v, want %d", tc.name, v, tc.want)
		}
	}
	v := NewPolicy(Options{Mode: Yolo, Rules: r, Judge: judge}).Decide(bash("git commit"))
	if v.Always != "" || !strings.Contains(strings.Join(v.Reasons, "; "), "git commit *") {
		t.Errorf("a rule that asks: %+v", v)
	}
}

func TestPathRules(t *testing.T) {
	t.Parallel()
	const dir = "/home/me/proj"
	r := mustRules(
		t,
		RuleText(Allow, "write_file: docs/**", ""),
		RuleText(Allow, "edit_file: src/*.go", ""),
		RuleText(Allow, "read_file: /usr/share/dict/*", ""),
		RuleText(Ask, "read_file: *.csv", ""),
		RuleText(Deny, "write_file: docs/old/", ""),
		RuleText(Deny, "read_file: private/**", ""),
	)
	at := func(tool string, op Op, path string, class Class) Action {
		return Action{Tool: tool, Op: op, Path: Path{Named: path, Real: path, Class: class, Reason: "r"}}
	}
	for _, tc := range []struct {
		name   string
		action Action
		want   Decision
	}{
		{"below docs", at("write_file", Write, dir+"/docs/a/b.md", Inside), Allow},
		{"an edit below docs", at("edit_file", Write, dir+"/docs/a.md", Inside), Allow},
		{"docs itself", at("write_file", Write, dir+"/docs", Inside), Ask},
		{"a name that begins alike", at("write_file", Write, dir+"/docs2/a.md", Inside), Ask},
		{"docs elsewhere", at("write_file", Write, dir+"/x/docs/a.md", Inside), Ask},
		{"docs of another project", at("write_file", Write, dir+"2/docs/a.md", Outside), Ask},
		{"protected below docs", at("write_file", Write, dir+"/docs/.git/config", Protected), Ask},
		{"credentials below docs", at("write_file", Write, dir+"/docs/.env", Secret), Ask},
		{"refused, a folder", at("write_file", Write, dir+"/docs/old/a.md", Inside), Deny},
		{"an edit by its own rule", at("edit_file", Write, dir+"/src/a.go", Inside), Allow},
		{"which is not for writing", at("write_file", Write, dir+"/src/a.go", Inside), Ask},
		{"a star is one folder", at("edit_file", Write, dir+"/src/b/a.go", Inside), Ask},
		{"outside, by an absolute pattern", at("read_file", Read, "/usr/share/dict/words", Outside), Allow},
		{"beside it", at("read_file", Read, "/usr/share/dicts/words", Outside), Ask},
		{"a name in any folder", at("read_file", Read, dir+"/a/b.csv", Inside), Ask},
		{"for each tool that reads", at("grep", Read, dir+"/private", Inside), Allow},
		{"for each tool that reads, below", at("grep", Read, dir+"/private/x", Inside), Deny},
		{"free in this mode", at("read_file", Read, dir+"/a.go", Inside), Allow},
	} {
		v := NewPolicy(Options{AutoApproveReads: true, Rules: r, Dir: dir}).Decide(tc.action)
		if v.Decision != tc.want {
			t.Errorf("%s: %+v, want %d", tc.name, v, tc.want)
		}
	}
}

func TestHostRules(t *testing.T) {
	t.Parallel()
	r := mustRules(
		t,
		RuleText(Allow, "fetch_content: *.golang.org", ""),
		RuleText(Allow, "fetch_content: go.dev", ""),
		RuleText(Allow, "fetch_content: docs.test:8080", ""),
		RuleText(Deny, "fetch_content: *.evil.example", ""),
	)
	for host, want := range map[string]Decision{
		"pkg.golang.org": Allow, "a.b.golang.org": Allow, "PKG.golang.org": Allow, "golang.org": Ask, "evilgolang.org": Ask,
		"golang.org.evil.test": Ask, "go.dev": Allow, "x.go.dev": Ask, "go.dev:8080": Ask, "docs.test:8080": Allow, "docs.test": Ask,
		"www.evil.example": Deny, "evil.example": Deny, "evil.example.": Deny, "notevil.example": Ask, "pkg.golang.org:81": Ask,
	} {
		a := Action{Tool: "fetch_content", Op: Fetch, Host: host}
		if v := NewPolicy(Options{Rules: r}).Decide(a); v.Decision != want {
			t.Errorf("%s: decision %d, want %d", host, v.Decision, want)
		}
	}
}

func TestParseRulesErrors(t *testing.T) {
	t.Parallel()
	const where = "agent.yaml:7"
	for _, tc := range []struct {
		spec RuleSpec
		want string // part of the error; "" is none
	}{
		{RuleText(Allow, "bash", where), ""},
		{RuleText(Allow, "bash:go test ./...", where), ""},
		{RuleText(Allow, "bahs: go test", where), "there is no tool"},
		{RuleText(Allow, "", where), "there is no tool"},
		{RuleText(Allow, "bash: go test | sh", where), "not one simple command"},
		{RuleText(Allow, "bash: X=1 go", where), "not one simple command"},
		{RuleText(Allow, "bash: go > x", where), "not one simple command"},
		{RuleText(Allow, "bash: $GO test", where), "not one simple command"},
		{RuleText(Allow, "bash: * test", where), "the last one"},
		{RuleText(Allow, "bash: go * ./...", where), "the last one"},
		{RuleText(Allow, "bash: go 'test", where), "not parsed"},
		{RuleText(Allow, "write_file: ../x", where), `no ".."`},
		{RuleText(Allow, "plan: x", where), "no pattern"},
		{RuleText(Allow, "fetch_content: https://x/y", where), "without a scheme"},
		{RuleText(Allow, "fetch_content: *.*.x", where), "without a scheme"},
		{RuleSpec{Decision: Allow, Tool: "bash", Pattern: "ls", Where: where, Project: true}, "not allow"},
		{RuleSpec{Decision: Deny, Tool: "bash", Pattern: "ls", Where: where, Project: true}, ""},
		{RuleSpec{
			Decision: Allow, Tool: "bash", Pattern: "go test ./...", Where: where,
			Match: []string{"go test ./..."}, NotMatch: []string{"go test -exec sh ./...", "go test ./... > x"},
		}, ""},
		{RuleSpec{Decision: Allow, Tool: "bash", Pattern: "go test", Where: where, Match: []string{"go test -v"}}, "does not match"},
		{RuleSpec{Decision: Allow, Tool: "bash", Pattern: "go *", Where: where, NotMatch: []string{"go run x"}}, "should not"},
		{RuleSpec{Decision: Deny, Tool: "bash", Pattern: "git push *", Where: where, Match: []string{"env git push x"}}, ""},
		{RuleSpec{
			Decision: Allow, Tool: "write_file", Pattern: "docs/**", Where: where,
			Match: []string{"docs/a.md"}, NotMatch: []string{"a.md", "/docs/a.md"},
		}, ""},
		{RuleSpec{Decision: Allow, Tool: "fetch_content", Pattern: "*.go.dev", Where: where, Match: []string{"pkg.go.dev"}, NotMatch: []string{"go.dev"}}, ""},
	} {
		_, err := ParseRules([]RuleSpec{tc.spec})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%v: %v", tc.spec, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), where)):
			t.Errorf("%v: %v, want it to name %s and %q", tc.spec, err, where, tc.want)
		}
	}
}

// No order of the rules changes what they say.
func TestRulesHaveNoOrder(t *testing.T) {
	t.Parallel()
	specs := []RuleSpec{RuleText(Allow, "bash: git *", ""), RuleText(Ask, "bash: git push *", ""), RuleText(Deny, "bash: git push --force *", "")}
	for i := range specs {
		r := mustRules(t, specs[i], specs[(i+1)%3], specs[(i+2)%3])
		for line, want := range map[string]Decision{"git log": Allow, "git push": Ask, "git push --force": Deny} {
			if got := r.judge(bash(line), ""); got.decision != want || !got.found {
				t.Errorf("%s: %+v, want %d", line, got, want)
			}
		}
	}
}

// What a rule keeps from being read is not harmless for a command either.
func TestRulesForReadingHoldForCommands(t *testing.T) {
	t.Parallel()
	w, env := judgeProject(t)
	env = mustRules(t, RuleText(Deny, "read_file: src/**", "")).Shell(env, w.Dir())
	for line, want := range map[string]Risk{
		"cat main.go": Harmless, "cat *.go": Harmless, "ls -l main.go": Harmless,
		"cat src/a.go": Unproven, "cat self/src/a.go": Unproven, "cat s*/a.go": Unproven, "cat */*.go": Unproven,
		"grep -r x src": Unproven, "grep -r x .": Unproven, "cat *": Unproven,
	} {
		if got := JudgeShell(line, env); got.Risk != want {
			t.Errorf("%s: %+v, want risk %d", line, got, want)
		}
	}
}

// Lines as long as the gate lets through: comparing that is not bounded takes
// minutes here.
func TestRulesAreBounded(t *testing.T) {
	t.Parallel()
	r := mustRules(t, RuleText(Allow, "bash: a *", ""), RuleText(Deny, "bash: git push *", ""))
	for _, part := range []string{"env ", "xargs ", "a;", "a|", "sh -c ", "find -exec ", "$(", "eval ", "f(){ f;};"} {
		line := strings.Repeat(part, maxLine/len(part)-1)
		if got := r.judge(bash(line), ""); got.decision != Ask || !got.found {
			t.Errorf("%q repeated: %+v", part, got)
		}
	}
}

// Whatever stands around a command that is denied, the line is never let
// through.
func FuzzDeniedCommandsStayDenied(f *testing.F) {
	for _, s := range []string{"", "ls; ", "env A=b ", "sh -c '", "timeout 5 ", "$(", "x | xargs ", "if true; then ", "echo \\\n"} {
		f.Add(s, "")
		f.Add(s, " origin")
	}
	r, err := ParseRules([]RuleSpec{RuleText(Allow, "bash: git *", ""), RuleText(Deny, "bash: git push *", "")})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		line := before + "git push" + after
		tree, err := parse(line)
		if err != nil {
			if got := r.judge(bash(line), ""); got.decision == Allow && got.found {
				t.Errorf("%q is not parsed and allowed", line)
			}
			return
		}
		if anyCall(tree, func(words []string) bool { return len(words) > 1 && words[0] == "git" && words[1] == "push" }) {
			if got := r.judge(bash(line), ""); !got.found || got.decision == Allow {
				t.Errorf("%q: %+v", line, got)
			}
		}
	})
}
