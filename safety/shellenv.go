package safety

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
		Classify: func(path string) (Class, string) { return w.classifyShell(getenv, path) },
		Expand:   w.expand,
		Safe:     func(name string) bool { return w.safeName(getenv("PATH"), name) },
		Getenv:   getenv,
		GitRisk:  func() string { return gitRisk(w.dir) },
	}
}

// inProject makes a path absolute without cleaning away "..", which behind a
// link leads elsewhere than Resolve would say.
func (w *Workspace) inProject(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return w.dir + string(filepath.Separator) + path
}

// expand lists what a pattern may stand for in bash, and perhaps more: a
// bracket counts as any character.
func (w *Workspace) expand(pattern string, most int) (paths []string, looked int, ok bool) {
	if most <= 0 {
		return nil, 0, false
	}
	dir, rest := globParts(filepath.ToSlash(w.inProject(pattern)))
	paths = []string{dir}
	for part := range strings.SplitSeq(brackets.ReplaceAllString(rest, "?"), "/") {
		var next []string
		for _, dir := range paths {
			names := []string{part}
			if strings.ContainsAny(part, `*?[\`) {
				names = entryNames(dir+"/", most-looked)
				looked += len(names) + 1
			}
			for _, name := range names {
				matches, err := filepath.Match(part, name)
				if err != nil || looked > most {
					return nil, looked, false
				}
				if matches && !strings.HasPrefix(name, ".") {
					next = append(next, dir+"/"+name) // not cleaned: ".." may be behind a link
				}
			}
		}
		paths = next
	}
	return paths, looked, true
}

// entryNames lists a folder, or more than most of it.
func entryNames(dir string, most int) []string {
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(max(most, 0) + 1) // what was read before an error serves
	return names
}

// globParts cuts a path before the first component with a pattern.
func globParts(path string) (dir, rest string) {
	i := strings.IndexAny(path, "*?[")
	i = strings.LastIndexByte(path[:max(i, 0)], '/')
	return path[:max(i, 0)], path[i+1:]
}

// classifyShell judges a path as the kernel will take it.
func (w *Workspace) classifyShell(getenv func(string) string, path string) (Class, string) {
	if checkName(path, Read) != nil {
		return Refused, "not a plain name"
	}
	abs := w.inProject(path)
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
