package configs

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"go.yaml.in/yaml/v3"
)

//go:embed default.yaml
var defaults []byte

// Default is the commented file of defaults.
func Default() []byte { return defaults }

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

	// Env is the environment, as os.Environ gives it.
	Env []string

	// Flags are values given on the command line, by dotted key.
	Flags map[string]string
}

// Loaded is a configuration with the origin of each value.
type Loaded struct {
	Config
	Origins  map[string]string // dotted key → "default", "agent.yaml:3", "MM_MODEL", "-model"
	Warnings []string          // one line each, for the user

	values *koanf.Koanf
}

// Value returns the value of a dotted key.
func (l *Loaded) Value(path string) any { return l.values.Get(path) }

// UserFile is where the user's configuration lies, or "" when the system does
// not say.
func UserFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "mm", "agent.yaml")
}

// Load reads all layers, from weak to strong: defaults, the user's file, the
// project's, the environment, flags.
func Load(src Sources) (*Loaded, error) {
	l := &Loaded{Origins: map[string]string{}, values: koanf.New(".")}
	if err := l.file("default", defaults, nil); err != nil {
		return nil, err
	}
	if err := l.path(src.UserFile, false, nil); err != nil {
		return nil, err
	}
	if src.File != "" {
		if err := l.path(src.File, true, nil); err != nil {
			return nil, err
		}
	} else if src.Dir != "" {
		if err := l.path(filepath.Join(src.Dir, ProjectFile), false, untrusted); err != nil {
			return nil, err
		}
	}
	if err := l.env(src.Env); err != nil {
		return nil, err
	}
	for name, value := range src.Flags {
		if err := l.text("-"+flagName(name), name, value); err != nil {
			return nil, err
		}
	}
	if err := l.values.Unmarshal("", &l.Config); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
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

// path loads a file. One that is not there is an error only if it must be.
func (l *Loaded) path(name string, must bool, refuse func(key string, value any) string) error {
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil
	}
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return l.file(name, data, refuse)
}

// file loads one YAML text. refuse, when not nil, says why a value is not
// honoured there; such a value is left out with a warning.
func (l *Loaded) file(name string, data []byte, refuse func(string, any) string) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil
	}
	values := map[string]any{}
	if err := l.section(name, "", doc.Content[0], refuse, values); err != nil {
		return err
	}
	return l.values.Load(confmap.Provider(values, "."), nil)
}

// section reads a mapping, checks its keys and notes their origins.
func (l *Loaded) section(file, prefix string, node *yaml.Node, refuse func(string, any) string, values map[string]any) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: expected keys and values here", file, node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		path, where := prefix+name.Value, fmt.Sprintf("%s:%d", file, name.Line)
		if isSection(path) {
			if err := l.section(file, path+".", value, refuse, values); err != nil {
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
		if refuse != nil {
			if why := refuse(path, v); why != "" {
				l.Warnings = append(l.Warnings, fmt.Sprintf("%s: %s is ignored here: %s", where, path, why))
				continue
			}
		}
		values[path] = v
		l.Origins[path] = where
		if file == "default" {
			l.Origins[path] = "default"
		}
	}
	return nil
}

// text sets a value given as text.
func (l *Loaded) text(origin, path, value string) error {
	k, ok := find(path)
	if !ok {
		return unknownKey(origin, path)
	}
	var doc yaml.Node
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	if k.typ.Kind().String() != "string" && yaml.Unmarshal([]byte(value), &doc) == nil && len(doc.Content) == 1 {
		node = doc.Content[0]
	}
	v, err := decode(node, k.typ)
	if err != nil {
		return fmt.Errorf("%s: %q %w", origin, value, err)
	}
	l.Origins[path] = origin
	return l.values.Load(confmap.Provider(map[string]any{path: v}, "."), nil)
}

// otherVariables start with MM_ and are no keys.
var otherVariables = []string{"MM_DEMO_SCRIPT"}

// env loads the variables that start with MM_. Two underscores between the
// parts of a key mean the same as one.
func (l *Loaded) env(environ []string) error {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "MM_") || slices.Contains(otherVariables, name) {
			continue
		}
		i := slices.IndexFunc(keys, func(k key) bool { return envName(k.path) == strings.ReplaceAll(name, "__", "_") })
		if i < 0 {
			l.Warnings = append(l.Warnings, "environment: "+name+" is not a setting of mm")
			continue
		}
		if err := l.text(name, keys[i].path, value); err != nil {
			return err
		}
	}
	return nil
}
