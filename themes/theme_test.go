package themes

import (
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

func TestLoadLeavesOutBrokenThemes(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{
		"good.yaml":   {Data: []byte("appearance: light\nroles: {dim: '#112233 8'}\n")},
		"role.yaml":   {Data: []byte("appearance: dark\nroles: {hue: '#112233'}\n")},
		"colour.yaml": {Data: []byte("appearance: dark\nroles: {dim: mauve}\n")},
		"mode.yaml":   {Data: []byte("roles: {dim: '#112233'}\n")},
		"yaml.yaml":   {Data: []byte("roles: [\n")},
		"big.yaml":    {Data: []byte(strings.Repeat("#", maxFile+1))},
		"notes.txt":   {Data: []byte("not a theme")},
	}
	list, err := Load(dir)
	if len(list) != 1 || list[0].Name != "good" || !list[0].Light {
		t.Errorf("got %+v, want the one good theme", list)
	}
	for _, want := range []string{`role: unknown role "hue"`, `"mauve" is no colour`, "must be dark or light", "theme yaml", "theme big"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
