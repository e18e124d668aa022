package term

import "strings"

// OnlyASCII reports whether the locale says that the terminal shows no more
// than ASCII. One that is not set says nothing.
func OnlyASCII(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}
