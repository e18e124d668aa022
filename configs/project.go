package configs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

// Project is a project's own configuration file. It came with the project, so
// it is data of strangers until the user trusts this very text at this very
// place.
type Project struct {
	Text // its path is the real one of the project's folder, and the file's name

	// Wishes are the settings of the file, judged against the layers below.
	Wishes []Wish

	file     *file
	warnings []string
}

// Wish is one setting of a project's file.
type Wish struct {
	Key    string
	Where  string // file and line
	Value  string
	Before string // the value without the file
	Verdict
}

// Verdict says when a project's setting is honoured.
type Verdict int

// The verdicts.
const (
	AtOnce     Verdict = iota // it takes nothing away from the user
	AfterTrust                // it names programs, turns on tools, raises limits, turns off checks
	Never                     // it would choose the server, widen permissions, or leave the project
)

// Pending tells whether trust would change anything.
func (p *Project) Pending() bool {
	if p == nil || p.Trusted {
		return false
	}
	for _, w := range p.Wishes {
		if w.Verdict == AfterTrust {
			return true
		}
	}
	return false
}

// readProject reads a project's file. One that cannot be read for reasons of
// its own is left out with a warning: the project is not the user's fault.
func readProject(dir, trustFile string) (*Project, error) {
	name := filepath.Join(dir, ProjectFile)
	data, err := readBounded(name, writable)
	if exposure, ok := errors.AsType[*exposedError](err); ok {
		return &Project{Text: Text{Path: name}, warnings: []string{exposure.Error()}}, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	path, err := projectPath(dir)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	p := &Project{file: &file{name: name, data: data}}
	if p.Text, err = Examine(trustFile, path, data); err != nil {
		p.warnings = append(p.warnings, err.Error())
	}
	return p, p.file.parse()
}

// projectPath is the real path of a folder, and the file's name. Were the file
// itself followed, a link in another project would inherit its trust.
func projectPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	return filepath.Join(dir, ProjectFile), err
}

// layer is the project's file with each value judged against what lies below.
func (p *Project) layer(l *Loaded) layer {
	if p == nil || p.file == nil {
		return layer{}
	}
	y := p.file.layer()
	y.refuse = func(where, key string, value any) string {
		before := l.values.Get(key)
		verdict, why := judge(key, value, before)
		p.Wishes = append(p.Wishes, Wish{Key: key, Where: where, Value: show(key, value), Before: show(key, before), Verdict: verdict})
		switch {
		case verdict == Never:
			return why
		case verdict == AfterTrust && !p.Trusted:
			if p.Changed {
				why += " (the file changed since you trusted it)"
			}
			return why + `; "mm trust" shows the file's wishes and asks`
		}
		return ""
	}
	return y
}

// outside says that a folder does not lie in the project.
func outside(value any) bool {
	s, ok := value.(string)
	return ok && s != "" && !filepath.IsLocal(s)
}

const widens = "a project does not widen permissions; set it in your own file"

// judge says when a project's value is honoured, and if not at once, why. A
// repository may shape the work; it may not widen what the agent is allowed,
// send the conversation elsewhere, or name programs unseen.
func judge(key string, value, before any) (Verdict, string) {
	switch key {
	case "provider", "baseURL", "apiKey":
		return Never, "a project does not choose the server; set it in your own file"
	case "permissions.mode", "permissions.allow", "sandbox", "sandboxWrite", "fetch.allowHosts":
		return Never, widens
	case "permissions.rules":
		if slices.ContainsFunc(value.([]Rule), func(r Rule) bool { return r.Allow != nil }) {
			return Never, "a project's rules ask and deny, they do not allow; set it in your own file"
		}
	case "permissions.autoApproveReads", "sandboxNetwork":
		if value == true && before == false {
			return Never, widens
		}
	case "sessions.dir", "skillsDir", "systemPromptFile":
		if outside(value) {
			return Never, "a project's folders lie inside it"
		}
	case "lsp":
		return AfterTrust, "it names programs"
	case "contextWindow":
		return AfterTrust, "it overrides what the server tells"
	case "bashTool", "editTools", "planTool", "searchTools", "fetchContentTool", "sessions.enabled", "acp.clientFiles", "acp.extended":
		if value == true && before == false {
			return AfterTrust, "it turns on what you have turned off"
		}
	case "checkEdits", "grounding", "checkWork", "context.enabled":
		if value == false && before == true {
			return AfterTrust, "it turns off a guard"
		}
	case "maxTurns", "maxOutput", "salvageCalls", "sampling.max_tokens", "bashTimeout", "firstTokenTimeout", "watchdogTimeout":
		if raises(value, before) {
			return AfterTrust, "it raises a limit"
		}
	}
	return AtOnce, ""
}

// raises tells whether a limit goes up. Durations and numbers compare alike;
// a limit of 0 asks for the built-in rule, which is not a raise.
func raises(value, before any) bool {
	switch v := value.(type) {
	case int:
		b, _ := before.(int)
		return cmp.Compare(v, b) > 0
	case time.Duration:
		b, _ := before.(time.Duration)
		return v > b
	}
	return false
}
