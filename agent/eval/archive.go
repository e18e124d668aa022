package eval

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed tasks/*.txtar
var builtin embed.FS

// defaultSteps is how many calls of the model a turn may make where a task
// says nothing.
const defaultSteps = 20

// Builtin returns the tasks that come with the program, in order of their
// names.
func Builtin() ([]Task, error) {
	sub, err := fs.Sub(builtin, "tasks")
	if err != nil {
		return nil, err
	}
	return Load(sub)
}

// Load reads the *.txtar files of a folder, in order of their names.
func Load(fsys fs.FS) ([]Task, error) {
	names, err := fs.Glob(fsys, "*.txtar")
	if err != nil {
		return nil, err
	}
	var tasks []Task
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		some, err := Parse(strings.TrimSuffix(name, ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		tasks = append(tasks, some...)
	}
	return tasks, nil
}

// Parse reads one archive: a whole task, or the cases of one routing file. The
// package comment describes the form.
func Parse(name string, data []byte) ([]Task, error) {
	a := txtar.Parse(data)
	p := parser{
		task: Task{
			Name: name, Kind: Whole, Steps: defaultSteps,
			project: files{}, base: files{}, skills: files{}, want: files{}, hidden: files{},
			solution: solution{files: files{}},
		},
		bytes: map[string][]string{},
	}
	if err := p.header(string(a.Comment)); err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		if err := p.section(f.Name, f.Data); err != nil {
			return nil, fmt.Errorf("section %s: %w", f.Name, err)
		}
	}
	p.rewrite()
	if p.task.Kind == Routing {
		return p.routing()
	}
	return []Task{p.task}, p.whole()
}

// parser collects one archive.
type parser struct {
	task  Task
	bytes map[string][]string // crlf, no-newline, bom: the files concerned
	cases []string
}

func (p *parser) header(text string) error {
	for line := range contentLines(text) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("header %q: want KEY: VALUE", line)
		}
		if err := p.field(key, strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("header %s: %w", key, err)
		}
	}
	return nil
}

func (p *parser) field(key, value string) error {
	t := &p.task
	switch key {
	case "title":
		t.Title = value
	case "kind":
		t.Kind = Kind(value)
		if t.Kind != Whole && t.Kind != Routing {
			return fmt.Errorf("unknown kind %q", value)
		}
	case "difficulty":
		t.Difficulty = Difficulty(value)
		if !slices.Contains(Difficulties, t.Difficulty) {
			return fmt.Errorf("unknown difficulty %q", value)
		}
	case "language":
		t.Language = value
	case "steps":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of model calls", value)
		}
		t.Steps = n
	case "needs":
		t.Needs = strings.Fields(value)
	case "skills":
		t.Skills = strings.Fields(value)
	case "may":
		t.may = strings.Fields(value)
	case "quick":
		t.Quick = value == "yes"
	case "crlf", "no-newline", "bom":
		p.bytes[key] = strings.Fields(value)
	default:
		return fmt.Errorf("unknown key")
	}
	return nil
}

func (p *parser) section(name string, data []byte) error {
	t := &p.task
	kind, file, isFile := strings.Cut(name, "/")
	if isFile && kind != "prompt" {
		set := map[string]files{
			"project": t.project, "base": t.base, "skill": t.skills,
			"want": t.want, "hidden": t.hidden, "solved": t.solution.files,
		}[kind]
		switch {
		case set == nil:
			return fmt.Errorf("unknown section")
		case !fs.ValidPath(file):
			return fmt.Errorf("%q is no path below the project", file)
		}
		set[file] = data
		return nil
	}
	switch kind {
	case "prompt":
		t.Prompts = append(t.Prompts, strings.TrimSpace(string(data)))
		return nil
	case "check":
		return p.checks(string(data))
	case "solution":
		return p.solution(string(data))
	case "cases":
		p.cases = slices.Collect(contentLines(string(data)))
		return nil
	}
	return fmt.Errorf("unknown section")
}

func (p *parser) checks(text string) error {
	for line := range contentLines(text) {
		c, err := parseCheck(line)
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		p.task.checks = append(p.task.checks, c)
	}
	return nil
}

func (p *parser) solution(text string) error {
	s := &p.task.solution
	for line := range contentLines(text) {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "answer":
			s.answer = rest
		case "remove":
			s.remove = append(s.remove, rest)
		case "run":
			s.run = append(s.run, rest)
		default:
			return fmt.Errorf("%q: unknown verb", line)
		}
	}
	return nil
}

// rewrite gives the files that need it the bytes that an archive cannot hold.
func (p *parser) rewrite() {
	t := &p.task
	for _, set := range []files{t.project, t.base, t.want, t.hidden, t.solution.files} {
		for _, name := range p.bytes["crlf"] {
			if data, ok := set[name]; ok {
				set[name] = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
			}
		}
		for _, name := range p.bytes["no-newline"] {
			if data, ok := set[name]; ok {
				set[name] = bytes.TrimRight(data, "\r\n")
			}
		}
		for _, name := range p.bytes["bom"] {
			if data, ok := set[name]; ok {
				set[name] = append([]byte("\uFEFF"), data...)
			}
		}
	}
}

// whole checks that a task can be run and judged.
func (p *parser) whole() error {
	t := &p.task
	switch {
	case t.Title == "" || t.Language == "" || t.Difficulty == "":
		return fmt.Errorf("title, language and difficulty are required")
	case len(t.Prompts) == 0:
		return fmt.Errorf("there is no prompt")
	case len(t.checks)+len(t.want) == 0:
		return fmt.Errorf("there is no check: nothing would be judged")
	}
	for _, pattern := range t.may {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("header may: %q: %w", pattern, err)
		}
	}
	for name := range t.want {
		t.may = append(t.may, name)
	}
	if len(t.base) > 0 && !slices.Contains(t.Needs, "git") {
		t.Needs = append(t.Needs, "git")
	}
	return nil
}

// contentLines yields the lines that are neither empty nor comments.
func contentLines(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !yield(line) {
				return
			}
		}
	}
}
