package lspclient

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// known are servers by language, the first that is installed first.
var known = map[string]struct {
	commands   []string // of words
	extensions string
}{
	"go":         {[]string{"gopls"}, ".go"},
	"python":     {[]string{"basedpyright-langserver --stdio", "pyright-langserver --stdio"}, ".py .pyi"},
	"typescript": {[]string{"typescript-language-server --stdio"}, ".ts .tsx .mts .cts .js .jsx .mjs .cjs"},
	"rust":       {[]string{"rust-analyzer"}, ".rs"},
	"c":          {[]string{"clangd --background-index=false"}, ".c .h .cc .cpp .cxx .hh .hpp .hxx"},
}

// otherNames are names of languages that mean one of the known.
var otherNames = map[string]string{
	"golang": "go", "py": "python", "ts": "typescript", "javascript": "typescript", "js": "typescript",
	"rs": "rust", "cpp": "c", "c++": "c", "clang": "c",
}

// languageIDs are the names that the protocol has for kinds of files.
var languageIDs = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python", ".rs": "rust",
	".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
	".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp",
	".java": "java", ".rb": "ruby", ".php": "php", ".cs": "csharp", ".lua": "lua", ".zig": "zig", ".swift": "swift", ".kt": "kotlin",
}

// Find returns the servers that are configured and installed, sorted by
// language, and says which are missing. A configuration may leave out the
// command or the extensions of a known language. look finds a program in
// PATH; one that lies in the project dir is the project's code and does not
// count.
func Find(configured map[string]Server, dir string, look func(string) (string, error)) (found []Server, missing []string) {
	for _, language := range slices.Sorted(maps.Keys(configured)) {
		want := configured[language]
		k := known[cmp.Or(otherNames[strings.ToLower(language)], strings.ToLower(language))]
		commands := [][]string{want.Command}
		if len(want.Command) == 0 {
			commands = nil
			for _, line := range k.commands {
				commands = append(commands, strings.Fields(line))
			}
		}
		if len(want.Extensions) == 0 {
			want.Extensions = strings.Fields(k.extensions)
		}
		switch {
		case len(commands) == 0:
			missing = append(missing, fmt.Sprintf("lsp %s: no server is known for it; set its command", language))
			continue
		case len(want.Extensions) == 0:
			missing = append(missing, fmt.Sprintf("lsp %s: set the extensions of its files", language))
			continue
		}
		server := Server{Language: language, Extensions: dotted(want.Extensions)}
		for _, words := range commands {
			if program, err := look(words[0]); err == nil && outside(dir, program) {
				server.Command = append([]string{program}, words[1:]...)
				break
			}
		}
		if server.Command == nil {
			missing = append(missing, fmt.Sprintf("lsp %s: %s was not found in PATH", language, programs(commands)))
			continue
		}
		found = append(found, server)
	}
	return found, missing
}

func programs(commands [][]string) string {
	var names []string
	for _, words := range commands {
		names = append(names, words[0])
	}
	return strings.Join(names, " or ")
}

func dotted(extensions []string) []string {
	out := make([]string, len(extensions))
	for i, e := range extensions {
		out[i] = "." + strings.TrimPrefix(strings.ToLower(e), ".")
	}
	return out
}

// outside tells whether a program lies outside of the project.
func outside(dir, program string) bool {
	if !filepath.IsAbs(program) {
		return false
	}
	rel, err := filepath.Rel(dir, program)
	return err != nil || !filepath.IsLocal(rel)
}
