package safety

import (
	"regexp"
	"slices"
	"strings"
)

// Names of variables whose values are credentials. Words are matched whole
// between underscores, so that MONKEY or TOKENIZERS_PARALLELISM stay.
var secretVariable = regexp.MustCompile(
	`(?i)(^|_)(TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PWD|PAT|APIKEY|KEY|` +
		`CREDENTIALS?|AUTH|COOKIE|DSN|DATABASE_URL|CONNECTION_STRING)(_[0-9]+)?$|` +
		`^(MM_API|OPENAI_API|ANTHROPIC_API)|_(SECRET|PRIVATE|ACCESS)_|` +
		`(PASSWORD|SECRET|APIKEY|ACCESSKEY|PRIVATEKEY)$`)

// Variables that match by accident.
var plainVariable = []string{"PWD", "OLDPWD"}

// ScrubEnv returns the environment without variables that look like
// credentials: a command that prints its environment would put them into the
// conversation, and so send them to the model's server.
func ScrubEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !secretVariable.MatchString(name) || slices.Contains(plainVariable, name) {
			out = append(out, kv)
		}
	}
	return out
}

// guards keep git from running other programs than itself, whatever the
// repository's settings say.
var guards = []string{
	"GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
	"GIT_CONFIG_COUNT=8",
	"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false",
	"GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null",
	"GIT_CONFIG_KEY_2=core.pager", "GIT_CONFIG_VALUE_2=cat",
	"GIT_CONFIG_KEY_3=log.showSignature", "GIT_CONFIG_VALUE_3=false",
	"GIT_CONFIG_KEY_4=core.sshCommand", "GIT_CONFIG_VALUE_4=false",
	"GIT_CONFIG_KEY_5=safe.bareRepository", "GIT_CONFIG_VALUE_5=explicit",
	"GIT_CONFIG_KEY_6=diff.ignoreSubmodules", "GIT_CONFIG_VALUE_6=all",
	"GIT_CONFIG_KEY_7=diff.autoRefreshIndex", "GIT_CONFIG_VALUE_7=false",
}

// steering matches variables by which a read-only command would run or read
// something else.
var steering = regexp.MustCompile(`^(GIT_.*|CDPATH|RIPGREP_CONFIG_PATH|GREP_OPTIONS|GREP_COLORS?|LESS.*|` +
	`JQ_.*|AWKPATH|AWKLIBPATH|POSIXLY_CORRECT|TREE_.*|FD_.*|LS_OPTIONS|TAR_OPTIONS|BASH.*|SHELLOPTS|ENV|PROMPT_COMMAND|PS4|` +
	`GLOBIGNORE|IFS|LD_.*|DYLD_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*)=`)

// GuardEnv returns the environment in which a Harmless line may run: without
// credentials, and without variables that make the commands of the read-only
// table do more.
func GuardEnv(env []string) []string {
	var out []string
	for _, kv := range ScrubEnv(env) {
		if !steering.MatchString(kv) {
			out = append(out, kv)
		}
	}
	return append(out, guards...)
}
