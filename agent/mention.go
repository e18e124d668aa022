package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mention matches @path and @"path with spaces" at the start of a word.
var mention = regexp.MustCompile(`(?:^|[\s(\[{,;:'"])@(?:"([^"\n]+)"|([^\s"'` + "`" + `<>|]+))`)

// Mentioned lists the files and directories that a message names with @path,
// as absolute paths, once each. A path is looked up under cwd, as it stands
// when it is absolute, and under the home directory after "~/". What does not
// exist is no mention: an address, an import path.
func Mentioned(text, cwd string) []string {
	var found []string
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if name == "" {
			name = m[2]
		}
		if path, ok := existing(name, cwd); ok && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// existing finds the file that a mention means; punctuation that ends the
// sentence is not part of the name unless a file is called so.
func existing(name, cwd string) (string, bool) {
	for name != "" {
		path := name
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", false
			}
			path = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
		shorter := strings.TrimRight(name, ".,;:!?)]}")
		if shorter == name {
			return "", false
		}
		name = shorter
	}
	return "", false
}

// attach adds a line for each mentioned path: the path and not the content,
// so that the model reads the file with its tools and the user sees it read.
func attach(text, cwd string) string {
	for _, path := range Mentioned(text, cwd) {
		kind := "file"
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			kind = "directory"
		}
		text += "\n[attached " + kind + ": " + path + "]"
	}
	return text
}
