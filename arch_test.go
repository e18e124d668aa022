package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forbidden lists the imports that a package and those below it must not have,
// directly or through others. The first entry that matches a package counts.
var forbidden = []struct {
	pkg  string
	deps []string
	why  string
}{
	{"mm/llm/llmtest", []string{"mm/agent", "mm/tools", "mm/ui"}, "the scripted server knows the wire only"},
	{"mm/llm", []string{"mm/agent", "mm/tools", "mm/safety", "mm/fileedit", "mm/skills", "mm/ui", "mm/configs", "mm/themes"}, "llm knows models only"},
	{"mm/fileedit", []string{"mm/"}, "fileedit is text in, text out"},
	{"mm/safety", []string{"mm/"}, "safety knows no tools"},
	{"mm/skills", []string{"mm/"}, "skills are data"},
	{"mm/themes", []string{"mm/"}, "themes are data"},
	{"mm/configs", []string{"mm/"}, "configuration is turned into options in wire.go"},
	{"mm/tools", []string{"mm/llm", "mm/agent", "mm/ui", "mm/configs"}, "tools know neither models nor the agent"},
	{"mm/agent/acp", []string{"mm/ui", "mm/configs", "mm/llm/openai", "github.com/charmbracelet/bubbletea"}, "the editor's surface is a front end beside the screen"},
	{"mm/agent", []string{"mm/ui", "mm/configs", "mm/llm/openai", "github.com/charmbracelet/", "github.com/coder/acp-go-sdk"}, "the core knows no front end and no wire"},
	{"mm/ui", []string{"mm/configs", "mm/llm/openai", "github.com/openai/", "github.com/coder/acp-go-sdk"}, "the screen knows events and commands only"},
}

// onlyHere lists packages that one package alone may import directly.
var onlyHere = map[string]string{
	"github.com/openai/openai-go/v3": "mm/llm/openai",
	"github.com/coder/acp-go-sdk":    "mm/agent/acp",
	"github.com/knadh/koanf/v2":      "mm/configs",
}

// eventsOnly lists what the screen must not import itself, though the core's
// events bring it along: their types are package agent's. What a text may do
// on a terminal is in one place, mm/safety/clean.
var eventsOnly = []string{"mm/llm", "mm/tools", "mm/safety"}

// maxFileLines is where a file has too many seams unseen; tables and tests are
// not counted.
const maxFileLines = 800

type listed struct {
	path          string
	imports, deps []string
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}|{{join .Imports " "}}|{{join .Deps " "}}`, "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var pkgs []listed
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		pkgs = append(pkgs, listed{path: parts[0], imports: strings.Fields(parts[1]), deps: strings.Fields(parts[2])})
	}
	return pkgs
}

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, rule := range forbidden {
			if p.path != rule.pkg && !strings.HasPrefix(p.path, rule.pkg+"/") {
				continue
			}
			for _, dep := range p.deps {
				own := dep == rule.pkg || strings.HasPrefix(dep, rule.pkg+"/")
				if !own && slices.ContainsFunc(rule.deps, func(d string) bool { return strings.HasPrefix(dep, d) }) {
					t.Errorf("%s depends on %s: %s", p.path, dep, rule.why)
				}
			}
			break
		}
		for _, imported := range p.imports {
			if strings.HasPrefix(p.path+"/", "mm/ui/") && imported != "mm/safety/clean" &&
				slices.ContainsFunc(eventsOnly, func(d string) bool { return imported == d || strings.HasPrefix(imported, d+"/") }) {
				t.Errorf("%s imports %s: the screen knows events and commands only", p.path, imported)
			}
			if home := onlyHere[imported]; home != "" && p.path != home {
				t.Errorf("%s imports %s, which only %s may", p.path, imported, home)
			}
		}
	}
}

func TestFilesStaySmall(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		lines := 0
		for s := bufio.NewScanner(f); s.Scan(); lines++ {
		}
		if lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", path, lines, maxFileLines)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The table of events in the documentation names each event, and no other.
func TestEveryEventIsInTheTable(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "\n## Events\n")
	table, _, _ = strings.Cut(table, "\nA stored session")
	table = table[strings.Index(table, "| About"):]
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(table, -1) {
		told[m[1]] = true
	}
	files, err := filepath.Glob(filepath.Join("agent", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func \((\w+)\) Kind\(\) string`).FindAllStringSubmatch(string(code), -1) {
			if !told[m[1]] {
				t.Errorf("%s is not in the table", m[1])
			}
			delete(told, m[1])
		}
	}
	for name := range told {
		t.Errorf("there is no event %s", name)
	}
}
