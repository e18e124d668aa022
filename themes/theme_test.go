package themes

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestBuiltinThemes(t *testing.T) {
	t.Parallel()
	var names []string
	for _, th := range Builtin() {
		names = append(names, th.Name)
		if th.Title == "" {
			t.Errorf("%s has no title", th.Name)
		}
		for _, r := range Roles {
			ink := th.Ink(r)
			if (ink.Fore.Hex == "") != (ink.Fore.ANSI == "") && r != Text {
				t.Errorf("%s: %s names a colour for one kind of terminal only", th.Name, r)
			}
			coloured := ink.Fore != Colour{} || ink.Back != Colour{}
			if th.Name == NoneName && coloured {
				t.Errorf("none colours %s", r)
			}
		}
	}
	want := []string{"catppuccin", "dark", "gruvbox", "high-contrast", "light", "none"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestParseInk(t *testing.T) {
	t.Parallel()
	got, err := parseInk("#7aa2f7 12 bold on #000000 0 italic")
	want := Ink{Fore: Colour{"#7aa2f7", "12"}, Back: Colour{"#000000", "0"}, Bold: true, Italic: true}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// folder is a folder of theme files, with more that only an fs.FS can play.
func folder(files map[string]string) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

// own loads a folder beside the built-in themes and returns what it adds.
func own(t *testing.T, dir fs.FS) ([]Theme, []Fault) {
	t.Helper()
	list, faults := All(dir)
	n := len(Builtin())
	for i, th := range Builtin() {
		if list[i].Name != th.Name || list[i].Ink(Accent) != th.Ink(Accent) {
			t.Errorf("the built-in theme %s is another", th.Name)
		}
	}
	return list[n:], faults
}

func TestNoUserThemes(t *testing.T) {
	t.Parallel()
	for _, dir := range []fs.FS{nil, fstest.MapFS{}, folder(map[string]string{"notes.txt": "not a theme", "old.yaml.bak": "["})} {
		if list, faults := own(t, dir); len(list) != 0 || len(faults) != 0 {
			t.Errorf("got %v, %v, want the built-in ones", list, faults)
		}
	}
}

func TestThemeOfItsOwn(t *testing.T) {
	t.Parallel()
	list, faults := own(t, folder(map[string]string{"mine.yaml": "title: Mine\nappearance: light\nroles: {dim: '#112233 8', text: }\n"}))
	if len(list) != 1 || len(faults) != 0 {
		t.Fatalf("got %v, %v", list, faults)
	}
	th := list[0]
	if th.Name != "mine" || th.Title != "Mine" || !th.Light || th.Ink(Dim).Fore != (Colour{"#112233", "8"}) || th.Ink(Accent) != (Ink{}) {
		t.Errorf("got %+v", th)
	}
}

// A theme has its parent's inks but for those that it names, of a built-in
// parent or of another file, through more than one generation.
func TestParent(t *testing.T) {
	t.Parallel()
	list, faults := own(t, folder(map[string]string{
		"a-child.yaml": "parent: mine\nroles: {dim: '#000001 1'}\n",
		"mine.yaml":    "parent: light\nroles: {accent: '#0000ff 12', dim: }\n",
		"night.yaml":   "parent: light\nappearance: dark\n",
	}))
	if len(list) != 3 || len(faults) != 0 {
		t.Fatalf("got %v, %v", list, faults)
	}
	child, mine, night := list[0], list[1], list[2]
	light, _ := Find(Builtin(), LightName)
	for _, r := range Roles {
		want := light.Ink(r)
		if night.Ink(r) != want {
			t.Errorf("night: %s is %+v, want %+v", r, night.Ink(r), want)
		}
		if r == Accent {
			want = Ink{Fore: Colour{"#0000ff", "12"}}
		}
		if r == Dim {
			want = Ink{}
		}
		if mine.Ink(r) != want {
			t.Errorf("mine: %s is %+v, want %+v", r, mine.Ink(r), want)
		}
		if r == Dim {
			want = Ink{Fore: Colour{"#000001", "1"}}
		}
		if child.Ink(r) != want {
			t.Errorf("a-child: %s is %+v, want %+v", r, child.Ink(r), want)
		}
	}
	if !mine.Light || !child.Light || night.Light {
		t.Errorf("light: mine %v, a-child %v, night %v", mine.Light, child.Light, night.Light)
	}
}

// closed is a folder in which one file cannot be read.
type closed struct{ fstest.MapFS }

func (c closed) Open(name string) (fs.File, error) {
	if name == "mine.yaml" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return c.MapFS.Open(name)
}

// What is wrong is said in one line that names the file and the key; the other
// files are themes all the same.
func TestBrokenThemes(t *testing.T) {
	t.Parallel()
	mine := func(text string) fs.FS { return folder(map[string]string{"mine.yaml": text}) }
	for _, tc := range []struct {
		name string
		dir  fs.FS
		want []string
	}{
		{"colour", mine("appearance: dark\nroles: {dim: mauve}\n"), []string{`theme mine.yaml: roles.dim: "mauve" is no colour and no attribute`}},
		{"colour beyond the sixteen", mine("appearance: dark\nroles: {dim: '#112233 16'}\n"), []string{`theme mine.yaml: roles.dim: "16" is no colour and no attribute`}},
		{"short colour", mine("parent: dark\nroles: {dim: '#123'}\n"), []string{`theme mine.yaml: roles.dim: "#123" is no colour and no attribute`}},
		{"ink of another shape", mine("parent: dark\nroles: {dim: {fore: red}}\n"), []string{"theme mine.yaml: roles.dim: must be one line of text"}},
		{"role", mine("appearance: dark\nroles: {hue: '#112233'}\n"), []string{"theme mine.yaml: roles.hue: there is no such role"}},
		{"role twice", mine("parent: dark\nroles: {dim: bold, dim: italic}\n"), []string{"theme mine.yaml: roles.dim: is there twice"}},
		{"roles of another shape", mine("parent: dark\nroles: [dim]\n"), []string{"theme mine.yaml: roles: must be a list of keys with their values"}},
		{"key", mine("parent: dark\ncolours: {dim: bold}\n"), []string{"theme mine.yaml: colours: there is no such key; there are title, appearance, parent and roles"}},
		{"appearance", mine("appearance: dim\nparent: dark\n"), []string{`theme mine.yaml: appearance: "dim" is neither dark nor light`}},
		{"no appearance", mine("roles: {dim: '#112233'}\n"), []string{`theme mine.yaml: appearance: "" is neither dark nor light`}},
		{"empty", mine(""), []string{`theme mine.yaml: appearance: "" is neither dark nor light`}},
		{"no mapping", mine("- dark\n"), []string{"theme mine.yaml: must be a list of keys with their values"}},
		{"no YAML", mine("roles: [\n"), []string{"theme mine.yaml: line "}},
		{"parent", mine("parent: durk\n"), []string{`theme mine.yaml: parent: there is no sound theme "durk"`}},
		{
			"broken parent", folder(map[string]string{"base.yaml": "roles:\n", "mine.yaml": "parent: base\n"}),
			[]string{`theme base.yaml: appearance: "" is neither dark nor light`, `theme mine.yaml: parent: there is no sound theme "base"`},
		},
		{"own parent", mine("parent: mine\n"), []string{"theme mine.yaml: parent: mine leads back to itself"}},
		{
			"cycle", folder(map[string]string{"a.yaml": "parent: b\n", "b.yaml": "parent: a\n"}),
			[]string{"theme a.yaml: parent: a leads back to itself", "theme b.yaml: parent: b leads back to itself"},
		},
		{"folder", fstest.MapFS{"mine.yaml": {Mode: fs.ModeDir}}, []string{"theme mine.yaml: is no file of 64 KiB at most"}},
		{"pipe", fstest.MapFS{"mine.yaml": {Mode: fs.ModeNamedPipe}}, []string{"theme mine.yaml: is no file of 64 KiB at most"}},
		{"unreadable", closed{folder(map[string]string{"mine.yaml": "parent: dark\n"})}, []string{"theme mine.yaml: permission denied"}},
		{"10 MB", mine("# " + strings.Repeat("x", 10_000_000)), []string{"theme mine.yaml: is no file of 64 KiB at most"}},
		{"name of a built-in theme", folder(map[string]string{"dark.yaml": "parent: light\n"}), []string{"theme dark.yaml: a theme of this name comes with mm; give the file another one"}},
		{"name of the choice by the terminal", folder(map[string]string{"auto.yaml": "parent: light\n"}), []string{"theme auto.yaml: a theme of this name comes with mm; give the file another one"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			list, faults := own(t, both{tc.dir, folder(map[string]string{"good.yaml": "appearance: light\n"})})
			if len(list) != 1 || list[0].Name != "good" {
				t.Errorf("got %+v, want the one good theme", list)
			}
			if len(faults) != len(tc.want) {
				t.Fatalf("got %v, want %q", faults, tc.want)
			}
			for i, f := range faults {
				if text := f.Error(); !strings.HasPrefix(text, tc.want[i]) || strings.Contains(text, "\n") {
					t.Errorf("got %q, want %q", text, tc.want[i])
				}
			}
		})
	}
}

// both is two folders in one.
type both struct {
	fs.FS
	more fstest.MapFS
}

func (b both) Open(name string) (fs.File, error) {
	if _, ok := b.more[name]; ok {
		return b.more.Open(name)
	}
	return b.FS.Open(name)
}

func (b both) ReadDir(name string) ([]fs.DirEntry, error) {
	first, err := fs.ReadDir(b.FS, name)
	second, more := b.more.ReadDir(name)
	return append(first, second...), errors.Join(err, more)
}

// A folder that cannot be read is told, and leaves the built-in themes.
func TestFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	list, faults := own(t, fstest.MapFS{".": {Data: []byte("a file")}})
	if len(list) != 0 || len(faults) != 1 {
		t.Errorf("got %v, %v", list, faults)
	}
}
