package safety

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxGitConfig bounds what is read of a repository's settings, in bytes.
const maxGitConfig = 256 << 10

// harmlessSettings are the settings of a repository that run nothing, with a *
// for any name. All others are a risk: filters, drivers, hooks, monitors,
// pagers, helpers and includes among them, and what later versions add.
var harmlessSettings = regexp.MustCompile(`^(` +
	`core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|autocrlf|eol|` +
	`symlinks|safecrlf|quotepath|longpaths|compression|abbrev|untrackedcache|preloadindex)|` +
	`remote\..*\.(url|pushurl|fetch|tagopt|prune)|` +
	`branch\..*\.(remote|merge|rebase|pushremote|description|vscode-merge-base|github-pr-owner-number|gk-.*)|` +
	`user\.(name|email)|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.prune|` +
	`init\.defaultbranch|gc\.(auto|.*expire)|merge\.(ff|conflictstyle)|rerere\.(enabled|autoupdate)|` +
	`submodule\..*\.url|submodule\.active|lfs\.repositoryformatversion|extensions\.objectformat|` +
	`color\..*|advice\..*|commit\.(verbose|template)|rebase\.(autostash|autosquash))$`)

var settingHeader = regexp.MustCompile(`^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$`)

// gitRisk says why git may run other programs in a project, judged by the
// settings of the repository that the project is in; "" when it may not.
func gitRisk(dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		fi, err := os.Lstat(git)
		switch {
		case err == nil && fi.IsDir():
			return repositoryRisk(git)
		case err == nil:
			return ".git is not a folder"
		case isBare(dir):
			return "a bare repository"
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// isBare tells whether git would take a folder for a repository by itself.
func isBare(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

func repositoryRisk(git string) string {
	for _, name := range []string{"config.worktree", "commondir", "modules"} {
		if _, err := os.Lstat(filepath.Join(git, name)); err == nil {
			return "it has " + name
		}
	}
	path := filepath.Join(git, "config")
	fi, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxGitConfig {
		return "its settings cannot be read"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "its settings cannot be read"
	}
	return settingsRisk(data)
}

// settingsRisk names the first setting that is not harmless. Lines that are not
// understood count as such.
func settingsRisk(data []byte) string {
	section := ""
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxGitConfig)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if m := settingHeader.FindStringSubmatch(line); m != nil {
			section = strings.ToLower(m[1])
			if m[2] != "" {
				section += "." + m[2]
			}
			line = m[3]
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		name := section + "." + strings.ToLower(strings.TrimSpace(key))
		if strings.HasSuffix(line, `\`) {
			return fmt.Sprintf("its setting %s goes on over several lines", name)
		}
		if !harmlessSettings.MatchString(name) {
			return "its setting " + name
		}
		if strings.Contains(value, "::") {
			return fmt.Sprintf("its setting %s names a helper", name)
		}
	}
	if lines.Err() != nil {
		return "its settings cannot be read"
	}
	return ""
}
