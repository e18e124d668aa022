package configs

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"go.yaml.in/yaml/v3"
)

//go:embed default.yaml
var defaults []byte

// ProjectFile is the name of a project's configuration.
const ProjectFile = "agent.yaml"

// Sources says where to load from. Nothing else is read.
type Sources struct {
	// UserFile is the user's own file; it need not exist.
	UserFile string

	// File was named by the user with -config: it must exist, it is trusted,
	// and it stands in place of the project's.
	File string

	// Dir is the project's directory, searched for ProjectFile.
	Dir string

	// TrustFile holds the project files that the user trusts; it need not
	// exist.
	TrustFile string

	// Env is the environment, as os.Environ gives it.
	Env []string

	// Flags are values given on the command line, by dotted key.
	Flags map[string]string
}

// Loaded is a configuration with the origin of each value.
type Loaded struct {
	Config
	Origins  map[string]string // dotted key → "default", "profile qwen3", "agent.yaml:3", "MM_MODEL", "-model"
	Warnings []string          // one line each, for the user

	// Family is what is known of the model, once its name is: by the
	// configuration, or by WithProfile.
	Family Family

	// Project is the project's file, or nil.
	Project *Project

	values *koanf.Koanf
	in     inputs
}

// inputs are what Load has read, kept so that WithProfile builds on the very
// same texts.
type inputs struct {
	user, named *file
	project     *Project
	env         []string
	flags       map[string]string
}

// Value returns the value of a dotted key.
func (l *Loaded) Value(path string) any { return l.values.Get(path) }

// userFolder is where the user's files of mm lie, or "" when the system does
// not say.
func userFolder() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "mm")
}

// UserFile is where the user's configuration lies, or "" when the system does
// not say.
func UserFile() string { return inUserFolder("agent.yaml") }

// TrustFile is where the trusted project files are noted, or "" when the
// system does not say.
func TrustFile() string { return inUserFolder("trust.json") }

func inUserFolder(name string) string {
	if dir := userFolder(); dir != "" {
		return filepath.Join(dir, name)
	}
	return ""
}

// Load reads all layers, from weak to strong: defaults, the model's profile,
// the user's file, the project's, the environment, flags. The profile is there
// if the configuration names it or the model; else WithProfile adds it.
func Load(src Sources) (*Loaded, error) {
	in := inputs{env: src.Env, flags: src.Flags}
	var err error
	if in.user, err = readFile(src.UserFile, optional); err != nil {
		return nil, err
	}
	switch {
	case src.File != "":
		in.named, err = readFile(src.File, required)
	case src.Dir != "":
		in.project, err = readProject(src.Dir, src.TrustFile)
	}
	if err != nil {
		return nil, err
	}
	return in.build("")
}

// WithProfile returns the configuration for the model that the server named:
// the same layers, with the profile of that model under the user's file. A
// profile that the configuration names stays.
func (l *Loaded) WithProfile(model string) (*Loaded, error) { return l.in.build(model) }

// build makes the configuration for a model, which may be unknown.
func (in inputs) build(model string) (*Loaded, error) {
	l, err := in.assemble(nil, Family{})
	if err != nil {
		return nil, err
	}
	model = cmp.Or(model, l.Model)
	if l.Config.Profile == noProfile || l.Config.Profile == autoProfile && model == "" {
		return l, nil
	}
	p := findProfile(l.Config.Profile, model)
	return in.assemble(p, p.family(model))
}

// assemble lays the layers one over the other.
func (in inputs) assemble(p *profile, f Family) (*Loaded, error) {
	l := &Loaded{Origins: map[string]string{}, Family: f, values: koanf.New("."), in: in}
	if in.project != nil {
		project := *in.project
		l.Project, l.Warnings = &project, slices.Clone(project.warnings)
	}
	layers := []layer{builtin("default", defaultsNode())}
	if p != nil {
		layers = append(layers, builtin("profile "+p.name, &p.Config))
	}
	_, classes := profiles()
	if i := slices.IndexFunc(classes, func(c sizeClass) bool { return c.holds(f.Size) }); i >= 0 {
		layers = append(layers, builtin("profile for "+classes[i].String(), &classes[i].Config))
	}
	layers = append(layers, in.user.layer(), in.named.layer(), l.Project.layer(l))
	for _, layer := range layers {
		if err := l.lay(layer); err != nil {
			return nil, err
		}
	}
	if err := l.env(in.env); err != nil {
		return nil, err
	}
	for name, value := range in.flags {
		if err := l.text("-"+flagName(name), name, value); err != nil {
			return nil, err
		}
	}
	if err := l.values.Unmarshal("", &l.Config); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	l.warnReserve()
	return l, l.check()
}

// flagName is the command-line name of a key that has a flag.
func flagName(path string) string {
	switch path {
	case "baseURL":
		return "base-url"
	case "permissions.mode":
		return "mode"
	}
	return path
}

// layer is a mapping of keys, and how its values are named and judged.
type layer struct {
	root   *yaml.Node
	origin func(line int) string

	// refuse, when not nil, says why a value is not honoured there; such a
	// value is left out with a warning.
	refuse func(where, key string, value any) (why string)
}

// builtin is a layer that is part of the program.
func builtin(name string, root *yaml.Node) layer {
	return layer{root: root, origin: func(int) string { return name }}
}

// defaultsNode is the parsed file of defaults, which nobody changes.
var defaultsNode = sync.OnceValue(func() *yaml.Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(defaults, &doc); err != nil {
		panic(err) // part of the program
	}
	return doc.Content[0]
})

// lay puts a layer over what is there.
func (l *Loaded) lay(y layer) error {
	if y.root == nil || y.root.Kind == 0 {
		return nil
	}
	values := map[string]any{}
	if err := l.section(y, "", y.root, values); err != nil {
		return err
	}
	return l.values.Load(confmap.Provider(values, "."), nil)
}

// section reads a mapping, checks its keys and notes their origins.
func (l *Loaded) section(y layer, prefix string, node *yaml.Node, values map[string]any) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%s: expected keys and values here", y.origin(node.Line))
	}
	first := map[string]int{} // line by key
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		path, where := prefix+name.Value, y.origin(name.Line)
		if line, twice := first[path]; twice {
			return fmt.Errorf("%s: %s stands there twice; the first is in line %d", where, path, line)
		}
		first[path] = name.Line
		if isSection(path) {
			if err := l.section(y, path+".", value, values); err != nil {
				return err
			}
			continue
		}
		k, ok := find(path)
		if !ok {
			return unknownKey(where, path)
		}
		v, err := decode(value, k.typ)
		if err != nil {
			return fmt.Errorf("%s: %s %w", where, path, err)
		}
		if y.refuse != nil {
			if why := y.refuse(where, path, v); why != "" {
				l.Warnings = append(l.Warnings, fmt.Sprintf("%s: %s is ignored: %s", where, path, why))
				continue
			}
		}
		values[path] = l.stated(y, path, value, v)
		l.Origins[path] = where
	}
	return nil
}

// stated is the value of a key as a layer states it. Rules learn their place.
// Those of a project add to the user's: what the user refuses stays refused.
func (l *Loaded) stated(y layer, path string, node *yaml.Node, value any) any {
	ofProject := y.refuse != nil
	switch v := value.(type) {
	case []Rule:
		for i := range v {
			v[i].Where, v[i].Project = y.origin(node.Content[i].Line), ofProject
		}
		if ofProject {
			before, _ := l.values.Get(path).([]Rule)
			return slices.Concat(before, v)
		}
	case []string:
		if ofProject && (path == "permissions.ask" || path == "permissions.deny") {
			before, _ := l.values.Get(path).([]string)
			return slices.Concat(before, v)
		}
	}
	return value
}

// answerRoom is what an answer needs beside the reasoning, in tokens: a file of
// some two hundred lines.
const answerRoom = 2048

// warnReserve warns when the model's reasoning may use up an answer.
func (l *Loaded) warnReserve() {
	least := l.Family.Reserve + answerRoom
	if l.Family.Reasons && l.Sampling.MaxTokens < least {
		l.Warnings = append(l.Warnings, fmt.Sprintf("%s: sampling.max_tokens is %d, and this model (profile %s) thinks before it answers: it may be cut before its first word; %d or more is advised",
			l.Origins["sampling.max_tokens"], l.Sampling.MaxTokens, l.Family.Name, least))
	}
}
