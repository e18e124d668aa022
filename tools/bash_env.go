package tools

import (
	"runtime"
	"slices"
	"strings"

	"mm/safety"
)

// commandEnv lets commands run without a terminal and without anybody to ask:
// nothing pages, nothing prompts, nothing draws. The editors fail, since one
// that succeeds at once would let git rewrite history in silence.
var commandEnv = []string{
	"TERM=dumb", "NO_COLOR=1",
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat",
	"EDITOR=false", "VISUAL=false", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false",
	"GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never",
	"PIP_NO_INPUT=1", "DEBIAN_FRONTEND=noninteractive",
}

// withoutEnv names what would change how the shell itself starts or behaves.
var withoutEnv = []string{"BASH_ENV", "ENV", "PROMPT_COMMAND", "MM_API_KEY", "OLDPWD"}

// shellEnv is the environment of a command in dir, made of the program's own
// without credentials.
func shellEnv(environ []string, dir string) []string {
	override := append([]string{"PWD=" + dir}, commandEnv...)
	drop := slices.Clone(withoutEnv)
	for _, kv := range override {
		name, _, _ := strings.Cut(kv, "=")
		drop = append(drop, name)
	}
	var out []string
	for _, kv := range safety.ScrubEnv(environ) {
		name, _, _ := strings.Cut(kv, "=")
		exported := strings.HasPrefix(name, "BASH_FUNC_") // functions that shadow commands
		if !exported && !slices.ContainsFunc(drop, func(d string) bool { return sameVariable(d, name) }) {
			out = append(out, kv)
		}
	}
	return append(out, override...)
}

// sameVariable compares names of variables as the system does.
func sameVariable(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
