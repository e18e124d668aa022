package safety

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// maxMatches is how many files a pattern may stand for to be looked at
	// one by one.
	maxMatches = 1000

	// maxLevels is in how many components of a path a pattern may be: with
	// links to folders above, each level multiplies the matches.
	maxLevels = 3
)

// readableOutside are places outside of every project that commands may read:
// they hold nothing of the user.
var readableOutside = []string{
	"/usr/include", "/usr/share/doc", "/usr/share/man", "/usr/lib/go", "/usr/local/go", "/etc/os-release",
	"/usr/lib/os-release", "/etc/debian_version", "/etc/alpine-release",
}

// ShellEnv describes the machine for JudgeShell, with the project as the
// working directory. getenv is the environment that commands get.
func (w *Workspace) ShellEnv(getenv func(string) string) ShellEnv {
	return ShellEnv{
		Classify: func(path string, pattern bool) (Class, string) { return w.classifyShell(getenv, path, pattern) },
		Safe:     func(name string) bool { return w.safeName(getenv("PATH"), name) },
		Getenv:   getenv,
		GitRisk:  func() string { return gitRisk(w.dir) },
	}
}

// classifyShell judges a path as the kernel will take it: unlike Resolve it
// does not clean away "..", which behind a link leads elsewhere.
func (w *Workspace) classifyShell(getenv func(string) string, path string, pattern bool) (Class, string) {
	if checkName(path, Read) != nil {
		return Refused, "not a plain name"
	}
	abs := path
	if !filepath.IsAbs(path) {
		abs = w.dir + string(filepath.Separator) + path
	}
	if !pattern {
		return w.classifyReal(getenv, abs)
	}
	dir, rest := globParts(abs)
	if strings.Contains(rest, "..") {
		return Outside, "a pattern with .."
	}
	if class, why := w.classifyReal(getenv, dir); class != Inside {
		return class, why
	}
	if strings.HasPrefix(filepath.Base(rest), ".") || secretName(rest) != "" {
		return Secret, "a pattern that may stand for credentials"
	}
	levels := 0
	for part := range strings.SplitSeq(rest, string(filepath.Separator)) {
		if strings.ContainsAny(part, "*?[") {
			levels++
		}
	}
	if levels > maxLevels {
		return Outside, "a pattern that stands for too much"
	}
	matches, err := filepath.Glob(abs)
	if err != nil || len(matches) > maxMatches {
		return Outside, "a pattern that stands for too much"
	}
	for _, m := range matches {
		if strings.HasPrefix(filepath.Base(m), ".") {
			continue // bash leaves these out
		}
		if class, why := w.classifyReal(getenv, m); class != Inside {
			return class, why
		}
	}
	return Inside, ""
}

// globParts cuts a path before the first component with a pattern.
func globParts(path string) (dir, rest string) {
	i := strings.IndexAny(path, "*?[")
	i = strings.LastIndexByte(path[:max(i, 0)], filepath.Separator)
	return path[:max(i, 0)], path[i+1:]
}

func (w *Workspace) classifyReal(getenv func(string) string, abs string) (Class, string) {
	t, err := follow(abs)
	if err != nil {
		return Refused, err.Error()
	}
	p := Path{Named: abs, Real: t.real}
	w.classify(&p, filepath.Clean(abs), t, Read)
	if p.Class == Outside && p.Reason == "outside the project" {
		for _, place := range append(goFolders(getenv), readableOutside...) {
			if _, ok := below(place, t.real); ok {
				return Inside, ""
			}
		}
	}
	return p.Class, p.Reason
}

// goFolders are where Go's own sources and those of modules are.
func goFolders(getenv func(string) string) []string {
	var out []string
	if root := getenv("GOROOT"); root != "" {
		out = append(out, root)
	}
	cache := getenv("GOMODCACHE")
	if path := getenv("GOPATH"); cache == "" && path != "" {
		cache = filepath.Join(filepath.SplitList(path)[0], "pkg", "mod")
	} else if home := getenv("HOME"); cache == "" && home != "" {
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	if cache != "" {
		out = append(out, cache)
	}
	return out
}

// safeName tells whether a command on PATH, or none, is run by a name: nobody
// but the owner of the system can put another one there. Where there is none,
// that is asked of all the folders that a shell looks into.
func (w *Workspace) safeName(path, name string) bool {
	safe := path != "" // else bash looks in the working directory
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			return false // bash would look there first
		}
		file := filepath.Join(dir, name)
		fi, err := os.Stat(file)
		if err != nil || fi.IsDir() || runtime.GOOS != "windows" && fi.Mode()&0o111 == 0 {
			safe = safe && w.closed(dir)
			continue
		}
		return w.trusted(dir) && w.trusted(file)
	}
	return safe
}

// closed tells whether nobody else can make a file in a folder, or make the
// folder itself.
func (w *Workspace) closed(dir string) bool {
	fi, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		return w.closed(filepath.Dir(dir))
	}
	return err == nil && w.trusted(dir) && (runtime.GOOS == "windows" || fi.Mode()&0o002 == 0)
}

// trusted tells whether a file or folder is outside of the project and can be
// changed by its owner only.
func (w *Workspace) trusted(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if _, ok := below(w.dir, real); ok {
		return false
	}
	fi, err := os.Stat(real)
	return err == nil && (runtime.GOOS == "windows" || fi.Mode()&0o002 == 0 || fi.Mode()&fs.ModeSticky != 0)
}
