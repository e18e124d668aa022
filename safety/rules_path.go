package safety

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// pathPattern is a rule's pattern for files: * is any part of a name, ** any
// folders. It is relative to the project, or absolute, or begins with ~. One
// without a slash is for files of that name in any folder.
type pathPattern struct {
	re       *regexp.Regexp
	absolute bool
	fixed    string // the folder before its first *
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || filepath.IsAbs(p) }

// expandHome writes a leading ~ as the user's home folder.
func expandHome(p string) string {
	rest, ok := strings.CutPrefix(p, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return p
	}
	return filepath.ToSlash(home) + "/" + rest
}

func newPathPattern(pattern string) (pathPattern, error) {
	p := filepath.ToSlash(expandHome(pattern))
	for _, part := range strings.Split(p, "/") {
		if part == ".." || part == "." {
			return pathPattern{}, fmt.Errorf("a pattern has no %q", part)
		}
	}
	switch {
	case strings.HasSuffix(p, "/"):
		p += "**"
	case !strings.Contains(p, "/"):
		p = "**/" + p
	}
	whole, expr := p, "^"
	fixed, _ := globParts(whole + "*")
	for p != "" {
		switch {
		case strings.HasPrefix(p, "**/"):
			expr, p = expr+`(.*/)?`, p[3:]
		case strings.HasPrefix(p, "**"):
			expr, p = expr+`.*`, p[2:]
		case p[0] == '*':
			expr, p = expr+`[^/]*`, p[1:]
		case p[0] == '?':
			expr, p = expr+`[^/]`, p[1:]
		default:
			n := strings.IndexAny(p[1:], "*?") + 1
			if n == 0 {
				n = len(p)
			}
			expr, p = expr+regexp.QuoteMeta(p[:n]), p[n:]
		}
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		expr = "(?i)" + expr // as file names are compared there
	}
	re, err := regexp.Compile(expr + "$")
	return pathPattern{re, isAbsolute(whole), filepath.FromSlash(fixed)}, err
}

// matches compares a real path.
func (p pathPattern) matches(real, dir string) bool {
	if p.absolute {
		return p.re.MatchString(filepath.ToSlash(real))
	}
	rel, inside := below(dir, real)
	return inside && p.re.MatchString(filepath.ToSlash(rel))
}

// checkHostPattern accepts a host, with or without a port, "*.host" and "*".
func checkHostPattern(p string) error {
	name := strings.TrimPrefix(p, "*.")
	if p == "*" {
		return nil
	}
	if name == "" || strings.ContainsAny(name, "*/ @") {
		return errors.New(`a host is written as "go.dev", "*.go.dev" or "go.dev:8080", without a scheme or path`)
	}
	return nil
}

// hostMatches compares a host, with its port when that is not the usual one,
// label by label. A pattern without a port is for the usual ones.
func hostMatches(pattern, host string) bool {
	pattern, host = strings.ToLower(pattern), strings.ToLower(strings.TrimSuffix(host, "."))
	if pattern == "*" {
		_, _, err := net.SplitHostPort(host)
		return err != nil
	}
	if under, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+under)
	}
	return host == pattern
}

// Shell returns an environment for JudgeShell in which files that a rule keeps
// from being read are no harmless ones for commands either.
func (r Rules) Shell(env ShellEnv, dir string) ShellEnv {
	classify := env.Classify
	env.Classify = func(path string) (Class, string) {
		class, why := classify(path)
		if class != Inside {
			return class, why
		}
		real := path
		if !filepath.IsAbs(path) {
			real = filepath.Join(dir, path)
		}
		if t, err := follow(real); err == nil {
			real = t.real
		}
		for _, c := range slices.Concat(r.deny, r.ask) {
			a := Action{Tool: "read_file", Op: Read, Path: Path{Real: real}}
			if c.concerns(a, dir) == yes || c.tool(a) && c.path.below(real, dir) {
				return Protected, c.why()
			}
		}
		return class, why
	}
	return env
}

// below tells whether a folder may hold files that the pattern is for.
func (p pathPattern) below(folder, dir string) bool {
	fi, err := os.Stat(folder)
	if err != nil || !fi.IsDir() {
		return false
	}
	_, holds := below(folder, filepath.Join(dir, p.fixed))
	if p.absolute {
		_, holds = below(folder, p.fixed)
	}
	return holds
}
