package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"mm/agent"
	"mm/agent/eval"
)

// onDemo is the program in a folder of its own, on the built-in stand-in.
func onDemo(t *testing.T) *app {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, dir)
	}
	t.Chdir(dir)
	p := program{env: os.Environ(), out: os.Stdout, err: os.Stderr}
	o := options{values: map[string]string{"provider": "demo"}}
	cwd, cfg, code := p.load(o)
	if code != exitOK {
		t.Fatalf("the configuration: exit code %d", code)
	}
	a, err := newApp(p, o, cwd, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	if _, err := a.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// declared are the tools of the agent of a task.
func declared(t *testing.T, a *app, v eval.Variant) []string {
	t.Helper()
	core, release, err := a.evalCore(t.Context(), eval.Setup{Dir: t.TempDir(), MaxTurns: 1, Variant: v})
	if err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	defer release()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- core.Run(ctx) }()
	var names []string
	for batch := range core.Events() {
		for _, e := range batch {
			if e, ok := e.(agent.SessionReady); ok {
				names = e.Tools
				stop()
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("%s: %v", v, err)
	}
	return names
}

// Each variant that -tune tries is a setting of the agent, and takes effect.
func TestVariantsReachTheAgent(t *testing.T) {
	a := onDemo(t)
	for _, v := range eval.Variants() {
		names := declared(t, a, v)
		for key, tool := range map[string]string{eval.KeyPlanTool: "plan", eval.KeySearchTools: "grep"} {
			if value, ok := v[key]; ok && slices.Contains(names, tool) != (value == "true") {
				t.Errorf("%s: the tools are %q", v, names)
			}
		}
		if !slices.Contains(names, "bash") {
			t.Errorf("%s: the tools are %q", v, names)
		}
	}
	for key, want := range map[string]string{"baseURL": "no setting of an evaluation", eval.KeyMaxOutput: "maxOutput"} {
		_, _, err := a.evalCore(t.Context(), eval.Setup{Dir: t.TempDir(), Variant: eval.Variant{key: "many"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a refusal", key, err)
		}
	}
}

// What a report says of the configuration are settings that there are.
func TestEvalKeysAreSettings(t *testing.T) {
	a := onDemo(t)
	for name, key := range evalKeys {
		if a.cfg.Value(key) == nil {
			t.Errorf("%s: there is no setting %s", name, key)
		}
	}
}
