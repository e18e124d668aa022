package safety

import (
	"slices"
	"strings"
	"testing"
)

// actions are one of each kind that the table of modes distinguishes.
var actions = map[string]Action{
	"read":      {Tool: "read_file", Op: Read, Path: Path{Named: "a.go"}},
	"write":     {Tool: "write_file", Op: Write, Path: Path{Named: "a.go"}},
	"bash":      {Tool: "bash", Op: Execute, Command: "go test ./..."},
	"fetch":     {Tool: "fetch_content", Op: Fetch, Host: "example.com"},
	"plan":      {Tool: "plan"},
	"outside":   {Tool: "read_file", Op: Read, Path: Path{Named: "/x", Class: Outside, Reason: "outside the project"}},
	"secret":    {Tool: "read_file", Op: Read, Path: Path{Named: ".env", Class: Secret, Reason: "credentials"}},
	"protected": {Tool: "edit_file", Op: Write, Path: Path{Named: ".git/config", Class: Protected, Reason: "git"}},
	"refused":   {Tool: "read_file", Op: Read, Path: Path{Named: "/dev/sda", Class: Refused, Reason: "a device"}},
}

func TestDecideByMode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name             string
		options          Options
		allow, ask, deny string // names of actions
	}{
		{
			"zero value",
			Options{},
			"plan", "read write bash fetch outside secret protected", "refused",
		},
		{
			"ask with reads",
			Options{AutoApproveReads: true},
			"plan read", "write bash fetch outside secret protected", "refused",
		},
		{
			"accept edits",
			Options{Mode: AcceptEdits},
			"plan read write", "bash fetch outside secret protected", "refused",
		},
		{
			"read-only",
			Options{Mode: ReadOnly},
			"plan read", "fetch", "write bash outside secret protected refused",
		},
		{
			"yolo",
			Options{Mode: Yolo},
			"plan read write bash fetch", "outside secret protected", "refused",
		},
		{
			"yolo everywhere",
			Options{Mode: Yolo, YoloOutside: true},
			"plan read write bash fetch outside secret protected", "", "refused",
		},
		{
			"unknown mode",
			Options{Mode: "bogus", AutoApproveReads: true},
			"plan read", "write bash fetch outside secret protected", "refused",
		},
		{
			"editor",
			Options{Mode: Yolo, AskAll: true, AutoApproveReads: true, YoloOutside: true},
			"plan", "read write bash fetch outside secret protected", "refused",
		},
		{
			"editor that offers the modes",
			Options{Mode: AcceptEdits, AskAll: true, ModesCount: true},
			"plan read write", "bash fetch outside secret protected", "refused",
		},
		{
			"editor that offers the modes, as usual",
			Options{AskAll: true, ModesCount: true, AutoApproveReads: true},
			"plan", "read write bash fetch outside secret protected", "refused",
		},
		{
			"editor, read-only",
			Options{Mode: ReadOnly, AskAll: true},
			"plan", "read fetch", "write bash outside secret protected refused",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := NewPolicy(tc.options)
			seen := 0
			for want, names := range map[Decision]string{Allow: tc.allow, Ask: tc.ask, Deny: tc.deny} {
				for _, name := range strings.Fields(names) {
					seen++
					v := p.Decide(actions[name])
					if v.Decision != want {
						t.Errorf("%s: decision %d, want %d", name, v.Decision, want)
					}
					if v.Decision == Ask && len(v.Reasons) == 0 {
						t.Errorf("%s is asked without a reason", name)
					}
					if (v.Decision != Allow) != strings.HasPrefix(v.Refusal, "[refused: ") {
						t.Errorf("%s: decision %d with the text %q", name, v.Decision, v.Refusal)
					}
				}
			}
			if seen != len(actions) {
				t.Errorf("%d of %d actions judged", seen, len(actions))
			}
		})
	}
}

func TestRememberCoversExactly(t *testing.T) {
	t.Parallel()
	p := NewPolicy(Options{})
	for _, name := range []string{"read", "bash", "fetch", "outside", "protected"} {
		p.Remember(actions[name])
	}
	other := func(name string, change func(*Action)) Action {
		a := actions[name]
		change(&a)
		return a
	}
	for _, tc := range []struct {
		name   string
		action Action
		want   Decision
	}{
		{"same tool, other file", other("read", func(a *Action) { a.Path.Named = "b.go" }), Allow},
		{"same line", actions["bash"], Allow},
		{"another line", other("bash", func(a *Action) { a.Command = "rm -rf ." }), Ask},
		{"same host", actions["fetch"], Allow},
		{"another host", other("fetch", func(a *Action) { a.Host = "evil.example" }), Ask},
		{"another tool", actions["write"], Ask},
		{"outside", actions["outside"], Ask},
		{"secret", actions["secret"], Ask},
		{"protected", actions["protected"], Ask},
		{"refused", actions["refused"], Deny},
	} {
		if v := p.Decide(tc.action); v.Decision != tc.want {
			t.Errorf("%s: decision %d, want %d", tc.name, v.Decision, tc.want)
		}
	}
	p.SetMode(ReadOnly)
	if v := p.Decide(actions["bash"]); v.Decision != Deny {
		t.Errorf("a remembered line in read-only mode: decision %d, want refused", v.Decision)
	}
}

// The editor protocol's "allow_always" is per tool name.
func TestRememberUnderAskAll(t *testing.T) {
	t.Parallel()
	p := NewPolicy(Options{AskAll: true})
	p.Remember(actions["bash"])
	a := actions["bash"]
	a.Command = "ls"
	if v := p.Decide(a); v.Decision != Allow {
		t.Errorf("another line of the same tool: decision %d, want allowed", v.Decision)
	}
	if v := p.Decide(actions["read"]); v.Decision != Ask {
		t.Errorf("another tool: decision %d, want asked", v.Decision)
	}
}

func TestRefusalWhereNobodyCanBeAskedNamesTheFlag(t *testing.T) {
	t.Parallel()
	p := NewPolicy(Options{})
	for name, want := range map[string]string{"bash": "-yolo", "write": "-mode accept-edits"} {
		if v := p.Decide(actions[name]); !strings.Contains(v.Refusal, want) {
			t.Errorf("%s: %q does not name %s", name, v.Refusal, want)
		}
	}
}

func TestEmptyingAFileIsAskedInAnyModeButYolo(t *testing.T) {
	t.Parallel()
	empties := actions["write"]
	empties.Empties = true
	for mode, want := range map[Mode]Decision{AskMode: Ask, AcceptEdits: Ask, Yolo: Allow, ReadOnly: Deny} {
		p := NewPolicy(Options{Mode: mode})
		p.Remember(actions["write"])
		if v := p.Decide(empties); v.Decision != want {
			t.Errorf("%s: decision %d, want %d", mode, v.Decision, want)
		}
	}
}

func bash(command string) Action { return Action{Tool: "bash", Op: Execute, Command: command} }

// judgeByName is a judge that goes by one word.
func judgeByName(command string) Judgement {
	switch {
	case strings.Contains(command, "rm"):
		return Judgement{Risk: Perilous, Reasons: []string{"removes"}}
	case strings.HasPrefix(command, "ls"):
		return Judgement{Risk: Harmless, Canonical: "canonical " + command}
	}
	return Judgement{Reasons: []string{"not known"}}
}

func TestCommandsAreJudged(t *testing.T) {
	t.Parallel()
	const free, net = "no sandbox: it runs with all your rights", "sandbox W+N: it may write in the project and use the network"
	const way = `; with "nosandbox" in front of it, it runs without`
	const reads = "only reads, as far as can be told"
	for _, tc := range []struct {
		name      string
		options   Options
		command   string
		want      Decision
		tier      Tier
		dangerous bool
		reason    string
	}{
		{"harmless is asked without a sandbox", Options{AutoApproveReads: true}, "ls", Ask, TierNone, false, reads + "; " + free},
		{"harmless among edits, without", Options{Mode: AcceptEdits}, "ls", Ask, TierNone, false, reads + "; " + free},
		{"harmless in read-only, without", Options{Mode: ReadOnly}, "ls", Deny, TierNone, false, ""},
		{"unknown", Options{}, "make", Ask, TierNone, false, "not known; " + free},
		{"perilous", Options{}, "rm -rf x", Ask, TierNone, true, "removes; " + free},
		{"perilous among edits", Options{Mode: AcceptEdits}, "rm -rf x", Ask, TierNone, true, "removes; " + free},
		{"perilous in an editor", Options{AskAll: true}, "rm -rf x", Ask, TierNone, true, "removes; " + free},
		{"perilous in yolo", Options{Mode: Yolo}, "rm -rf x", Allow, TierNone, false, ""},
		{"perilous in read-only", Options{Mode: ReadOnly}, "rm -rf x", Deny, TierNone, false, "removes"},

		{"harmless", Options{Sandbox: true, AutoApproveReads: true}, "ls", Allow, TierRead, false, ""},
		{"harmless, reads are asked", Options{Sandbox: true}, "ls", Ask, TierRead, false, reads + "; sandbox R: it may read, not write, and has no network"},
		{"harmless among edits", Options{Sandbox: true, Mode: AcceptEdits}, "ls", Allow, TierRead, false, ""},
		{"harmless in yolo", Options{Sandbox: true, Mode: Yolo}, "ls", Allow, TierRead, false, ""},
		{"harmless in read-only", Options{Sandbox: true, Mode: ReadOnly}, "ls", Allow, TierRead, false, ""},
		{"harmless in an editor", Options{Sandbox: true, AutoApproveReads: true, AskAll: true}, "ls", Ask, TierRead, false, reads + "; sandbox R: it may read, not write, and has no network"},
		{"harmless in a read-only editor", Options{Sandbox: true, Mode: ReadOnly, AskAll: true}, "ls", Ask, TierRead, false, reads + "; sandbox R: it may read, not write, and has no network"},
		{"unknown, confined", Options{Sandbox: true, AutoApproveReads: true}, "make", Ask, TierNetwork, false, "not known; " + net + way},
		{"unknown, offline", Options{Sandbox: true, Offline: true}, "make", Ask, TierWrite, false, "not known; sandbox W: it may write in the project, and has no network" + way},
		{"unknown, in an editor", Options{Sandbox: true, AskAll: true}, "make", Ask, TierNetwork, false, "not known; " + net},
		{"unknown in read-only", Options{Sandbox: true, Mode: ReadOnly}, "make", Deny, TierNetwork, false, "not known"},
		{"unknown in yolo", Options{Sandbox: true, Mode: Yolo}, "make", Allow, TierNetwork, false, ""},
		{"perilous, confined", Options{Sandbox: true}, "rm -rf x", Ask, TierNetwork, true, "removes; " + net + way},
	} {
		tc.options.Judge = judgeByName
		v := NewPolicy(tc.options).Decide(bash(tc.command))
		reason := strings.Join(v.Reasons, "; ")
		if v.Decision != tc.want || v.Dangerous != tc.dangerous || reason != tc.reason || v.Permit.Tier != tc.tier {
			t.Errorf("%s: %+v, want %d, tier %s, dangerous %t, %q", tc.name, v, tc.want, tc.tier, tc.dangerous, tc.reason)
		}
		if canonical := "canonical " + tc.command; (v.Permit.Line == canonical) != (tc.tier == TierRead) {
			t.Errorf("%s: runs %q in tier %s", tc.name, v.Permit.Line, v.Permit.Tier)
		}
	}
}

func TestEditedCommands(t *testing.T) {
	t.Parallel()
	confined := NewPolicy(Options{Sandbox: true, Judge: judgeByName})
	free := NewPolicy(Options{Judge: judgeByName})
	for _, tc := range []struct {
		name         string
		policy       *Policy
		asked, typed string
		command      string
		tier         Tier
	}{
		{"as it was asked", confined, "make", "make test", "make test", TierNetwork},
		{"of a line that only reads", confined, "ls", "touch x", "touch x", TierNetwork},
		{"out of the sandbox", confined, "make", "nosandbox make", "make", TierNone},
		{"a program of that name", confined, "make", "./nosandbox make", "./nosandbox make", TierNetwork},
		{"without a sandbox", free, "make", "make test", "make test", TierNone},
	} {
		command, permit := tc.policy.Decide(bash(tc.asked)).Edited(tc.typed)
		if command != tc.command || permit != (Permit{Tier: tc.tier}) {
			t.Errorf("%s: %q, %+v, want %q in tier %s", tc.name, command, permit, tc.command, tc.tier)
		}
	}
	// A model's own word does not have that meaning.
	if v := confined.Decide(bash("nosandbox make")); v.Decision != Ask || v.Permit.Tier != TierNetwork {
		t.Errorf("written by a model: %+v", v)
	}
}

func TestAlwaysForCommands(t *testing.T) {
	t.Parallel()
	p := NewPolicy(Options{Judge: judgeByName})
	for _, tc := range []struct {
		action Action
		want   string
	}{
		{bash("go test ./..."), "go test …"},
		{bash("make"), "this exact command"},
		{bash("rm -rf x"), ""},
		{actions["write"], "write_file"},
		{actions["fetch"], "example.com"},
		{actions["outside"], ""},
	} {
		if got := p.Decide(tc.action).Always; got != tc.want {
			t.Errorf("%+v: got %q, want %q", tc.action, got, tc.want)
		}
	}
	if got := NewPolicy(Options{AskAll: true, Judge: judgeByName}).Decide(bash("rm x")).Always; got != "bash" {
		t.Errorf("editor: got %q, want the tool", got)
	}
	p.Remember(bash("go test ./..."))
	p.Remember(bash("rm -rf x")) // a front end may not have looked
	for command, want := range map[string]Decision{
		"go test -v ./a | tail -3":    Allow,
		"go test ./a && go test ./b":  Allow,
		"go test ./a && go build":     Ask,
		"go test -exec sh ./a":        Ask,
		"go test ./a; make":           Ask,
		"rm -rf x":                    Ask,
		"go test ./a > go.mod":        Ask,
		"go test ./a | tee ~/.bashrc": Ask,
		"go testing":                  Ask,
	} {
		if v := p.Decide(bash(command)); v.Decision != want {
			t.Errorf("%s: decision %d, want %d", command, v.Decision, want)
		}
	}
}

// What is saved as rules allows what was allowed, and nothing dangerous.
func TestGrantedAsRules(t *testing.T) {
	t.Parallel()
	p := NewPolicy(Options{Judge: judgeByName})
	bash := func(command string) Action { return Action{Tool: "bash", Op: Execute, Command: command} }
	for _, a := range []Action{bash("go test ./..."), bash("make deploy"), bash("a | b"), bash("rm -rf x"), actions["fetch"], actions["read"]} {
		p.Remember(a)
	}
	rules, left := p.Granted()
	var texts []string
	for _, r := range rules {
		if back := RuleText(Allow, r.Text(), ""); back.String() != r.String() {
			t.Errorf("%q is read back as %q", r, back)
		}
		texts = append(texts, r.Text())
	}
	want := []string{"bash: go test *", "bash: make deploy", actions["fetch"].Tool + ": " + actions["fetch"].Host, actions["read"].Tool}
	slices.Sort(want)
	if !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
	if !slices.Equal(left, []string{"a | b", "rm -rf x"}) {
		t.Errorf("left %q", left)
	}
	saved, err := ParseRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	next := NewPolicy(Options{Judge: judgeByName, Rules: saved})
	for command, want := range map[string]Decision{"go test ./a": Allow, "make deploy": Allow, "make undeploy": Ask, "rm -rf x": Ask} {
		if got := next.Decide(bash(command)).Decision; got != want {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
}
