package safety

import (
	"regexp"
	"strings"
	"unicode"
)

// Names whose files decide what other programs run, or what this program may
// do. They are compared folded, anywhere in a path.
var protectedNames = map[string]string{
	".git":           "part of git's own data",
	".gitmodules":    "git settings",
	".gitattributes": "git settings",
	".gitconfig":     "git settings",
	".envrc":         "run by direnv",
	".vscode":        "editor settings",
	".idea":          "editor settings",
	".husky":         "git hooks",
	".mm":            "this program's own settings and sessions",
	".agents":        "instructions for agents",
	"agent.yaml":     "this program's own settings",

	".bashrc": shellStart, ".bash_profile": shellStart, ".bash_login": shellStart,
	".bash_logout": shellStart, ".profile": shellStart, ".zshrc": shellStart,
	".zshenv": shellStart, ".zprofile": shellStart, ".zlogin": shellStart,
}

const shellStart = "run by the shell at start"

// Folders that hold credentials, whatever their files are called.
var secretFolders = map[string]bool{
	".ssh": true, ".gnupg": true, ".aws": true, ".azure": true, ".kube": true,
	".password-store": true, "keychains": true, "keyrings": true,
}

// Files that hold credentials.
var secretFiles = map[string]bool{
	".netrc": true, "_netrc": true, ".npmrc": true, ".pypirc": true,
	".pgpass": true, ".my.cnf": true, ".htpasswd": true, ".vault-token": true,
	".git-credentials": true, ".terraformrc": true, "credentials": true,
	"credentials.json": true, "credentials.yml": true, "credentials.yaml": true,
	"secrets.json": true, "secrets.yml": true, "secrets.yaml": true,
	"secrets.toml": true, "service-account.json": true,
	"shadow": true, "gshadow": true, "master.passwd": true,
	".bash_history": true, ".zsh_history": true, ".python_history": true,
}

// Pairs of folder and entry where the entry's name alone says little.
var secretPairs = map[string]bool{
	".docker/config.json": true, ".config/gcloud": true, ".config/gh": true,
	".cargo/credentials.toml": true, ".m2/settings.xml": true,
}

var (
	secretPattern = regexp.MustCompile(
		`^(\.env(\..*)?|.*\.env|id_(rsa|dsa|ecdsa|ed25519)(_sk)?(\..*)?|ssh_host_.*_key|` +
			`.*\.(pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk))$`)

	// harmlessPattern takes out what the pattern above catches wrongly:
	// public halves of keys and templates.
	harmlessPattern = regexp.MustCompile(
		`(\.pub|\.(example|sample|template|dist|tmpl|schema))$`)
)

// secretName says why a path looks as if it held credentials, or "".
func secretName(p string) string {
	names := parts(p)
	before := ""
	for i, name := range names {
		n := fold(name)
		secret := secretFolders[n] || secretPairs[before+"/"+n]
		if i == len(names)-1 {
			secret = secret || secretFiles[n] ||
				secretPattern.MatchString(n) && !harmlessPattern.MatchString(n)
		}
		if secret {
			return name + " usually holds credentials"
		}
		before = n
	}
	return ""
}

// protectedName says why a path belongs to a tool that runs what it holds, or
// "".
func protectedName(p string) string {
	for _, name := range parts(p) {
		n := fold(name)
		if why, ok := protectedNames[n]; ok {
			return name + ": " + why
		}
		if long := longName(n); long != "" {
			return name + ": " + protectedNames[long]
		}
	}
	return ""
}

// fold brings a name to the form under which a file system may find the same
// file: letter case, trailing dots and blanks and stream names are dropped by
// Windows, ignorable characters by macOS.
func fold(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
			r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' {
			return -1
		}
		return r
	}, name)
	// Upper then lower also joins letters such as the Kelvin sign to k.
	return strings.ToLower(strings.ToUpper(strings.TrimRight(name, ". ")))
}

var shortName = regexp.MustCompile(`^([^~]{1,6})~[0-9]$`)

// longName returns the protected name for which a folded name may be the short
// form of DOS: .git is also GIT~1, .gitmodules GITMOD~1.
func longName(folded string) string {
	m := shortName.FindStringSubmatch(folded)
	if m == nil {
		return ""
	}
	for long := range protectedNames {
		bare := strings.TrimPrefix(long, ".")
		if bare != long && m[1] == bare[:min(6, len(bare))] {
			return long
		}
	}
	return ""
}
