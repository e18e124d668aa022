package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed profiles/*.yaml
var profileFiles embed.FS

//go:embed sizes.yaml
var sizesFile []byte

// Family is what is known of a model by its name.
type Family struct {
	// Name is the profile's name, or empty when no profile is for this model.
	Name string

	// Size is in billions of parameters, 0 when unknown.
	Size float64

	// Reasons says that the model thinks before it answers unless it is told
	// not to. Reserve is how many tokens of an answer that may take.
	Reasons bool
	Reserve int

	// SystemInUser says that the system prompt belongs into the first user
	// message.
	SystemInUser bool

	// Alternates says that the template wants an answer between a tool's
	// result and the user's next message.
	Alternates bool

	// TextCalls are the forms in which the model writes calls as text.
	TextCalls []string
}

// TextForms are the names that a profile's textCalls may have.
var TextForms = []string{"hermes", "function", "json", "mistral", "python_tag", "tool_code", "harmony", "deepseek", "granite", "gemma", "glm"}

// profile is one file of profiles.
type profile struct {
	name string

	Match      []string           `yaml:"match"`
	Size       float64            `yaml:"size"`  // where the name has none
	Sizes      map[string]float64 `yaml:"sizes"` // by a word of the name
	Reasons    bool               `yaml:"reasons"`
	Reserve    int                `yaml:"reserve"`
	SystemRole string             `yaml:"systemRole"`
	Alternates bool               `yaml:"alternates"`
	TextCalls  []string           `yaml:"textCalls"`
	Config     yaml.Node          `yaml:"config"`
}

// sizeClass is what follows from a model's size.
type sizeClass struct {
	From   float64   `yaml:"from"`
	UpTo   float64   `yaml:"upTo"`
	Config yaml.Node `yaml:"config"`
}

func (c sizeClass) holds(size float64) bool {
	return size > 0 && size >= c.From && (c.UpTo == 0 || size <= c.UpTo)
}

func (c sizeClass) String() string {
	if c.UpTo > 0 {
		return fmt.Sprintf("models up to %vB", c.UpTo)
	}
	return fmt.Sprintf("models from %vB", c.From)
}

// profiles are read once, when a model's name is first known. They are part of
// the program: a fault in one is a fault of the program.
var profiles = sync.OnceValues(func() ([]profile, []sizeClass) {
	var list []profile
	entries, err := fs.ReadDir(profileFiles, "profiles")
	for _, e := range entries {
		data, readErr := profileFiles.ReadFile("profiles/" + e.Name())
		p := profile{name: strings.TrimSuffix(e.Name(), path.Ext(e.Name()))}
		err = errors.Join(err, readErr, strictYAML(data, &p))
		list = append(list, p)
	}
	var classes []sizeClass
	if err = errors.Join(err, strictYAML(sizesFile, &classes)); err != nil {
		panic(fmt.Sprintf("configs: built-in profiles: %v", err))
	}
	return list, classes
})

func strictYAML(data []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Profiles lists the names of the built-in profiles.
func Profiles() []string {
	list, _ := profiles()
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.name
	}
	return names
}

// noProfile and autoProfile are the values of the key profile that name none.
const (
	autoProfile = "auto"
	noProfile   = "none"
)

// findProfile returns the profile of that name, or for auto the one with the
// longest pattern that fits the model, or nil.
func findProfile(name, model string) *profile {
	list, _ := profiles()
	if name != autoProfile {
		i := slices.IndexFunc(list, func(p profile) bool { return p.name == name })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	var best *profile
	longest := 0
	for i := range list {
		for _, pattern := range list[i].Match {
			if n := len(pattern); n > longest && fits(words(model), pattern) {
				best, longest = &list[i], n
			}
		}
	}
	return best
}

// separators part the words of a model's name.
var separators = strings.NewReplacer("_", "-", ":", "-", " ", "-", "@", "-")

// words brings a model's name into the form of the patterns: the last part of
// its path, in lower case, words parted by hyphens. "ai/Qwen3:8B-Q4_K_M" is
// "qwen3-8b-q4-k-m".
func words(model string) string {
	model = strings.TrimRight(strings.ReplaceAll(model, `\`, "/"), "/")
	return separators.Replace(strings.ToLower(path.Base(model)))
}

// fits reports whether a pattern occurs in a name, from the start of a word on.
// What follows a "*" in the pattern are whole words that come later.
func fits(name, pattern string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := afterWord(name, parts[0], false)
	for _, part := range parts[1:] {
		if !ok {
			return false
		}
		rest, ok = afterWord(rest, part, true)
	}
	return ok
}

// afterWord cuts a name behind the first place where a word starts with part,
// or is part.
func afterWord(name, part string, whole bool) (rest string, ok bool) {
	for from := 0; from <= len(name); {
		i := strings.Index(name[from:], part)
		if i < 0 {
			return "", false
		}
		start, end := from+i, from+i+len(part)
		starts := start == 0 || name[start-1] == '-'
		ends := end == len(name) || name[end] == '-' || name[end] == '.'
		if starts && (ends || !whole) {
			return name[end:], true
		}
		from = start + 1
	}
	return "", false
}

// sizeInName finds 8b, 0.6b, 270m, e4b, 8x7b, but not the a3b of active
// parameters.
var sizeInName = regexp.MustCompile(`(?:^|-)e?(?:(\d+)x)?(\d+(?:\.\d+)?)([bm])(?:-|\.|$)`)

// sizeOf is the number of parameters that a name tells, in billions, or 0.
func sizeOf(name string) float64 {
	m := sizeInName.FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	// The pattern holds numbers only; an absent count of experts is 0.
	experts, _ := strconv.ParseFloat(m[1], 64)
	size, _ := strconv.ParseFloat(m[2], 64)
	if m[3] == "m" {
		size /= 1000
	}
	return size * max(1, experts)
}

// family is what a profile and the name say of a model.
func (p *profile) family(model string) Family {
	name := words(model)
	f := Family{Size: sizeOf(name)}
	if p == nil {
		return f
	}
	f.Name, f.Reasons, f.Reserve, f.TextCalls = p.name, p.Reasons, p.Reserve, p.TextCalls
	f.SystemInUser, f.Alternates = p.SystemRole == "user", p.Alternates
	if f.Size == 0 {
		f.Size = p.Size
		for _, word := range slices.Sorted(maps.Keys(p.Sizes)) {
			if _, ok := afterWord(name, word, true); ok {
				f.Size = p.Sizes[word]
			}
		}
	}
	return f
}
