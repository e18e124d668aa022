package sandbox

import (
	"strings"

	"mm/safety"
)

// profile writes the rules of a tier in the language of macOS's sandbox-exec.
// Later rules win. Unlike Landlock it can take a folder out of a writable one.
func profile(t safety.Tier, o Options, places []place) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	if t == safety.TierRead || t == safety.TierWrite {
		b.WriteString("(deny network*)\n")
	}
	for _, p := range places {
		kind := "literal"
		if p.folder {
			kind = "subpath"
		}
		b.WriteString("(allow file-write* (" + kind + " " + quoted(p.path) + "))\n")
	}
	if t != safety.TierRead {
		b.WriteString("(deny file-write* (subpath " + quoted(o.Project+"/.git/hooks") + "))\n")
	}
	return b.String()
}

// quoted writes a string of the profile language.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
