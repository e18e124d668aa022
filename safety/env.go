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
// conversation, and so send them to the model's server. keep names variables
// that stay all the same.
func ScrubEnv(env []string, keep ...string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if secretVariable.MatchString(name) &&
			!slices.Contains(plainVariable, name) && !slices.Contains(keep, name) {
			continue
		}
		out = append(out, kv)
	}
	return out
}
