package configs_test

import (
	"regexp"
	"strings"
	"testing"

	"mm/configs"
)

func TestTemplateSetsNothingUntilUncommented(t *testing.T) {
	t.Parallel()
	text := string(configs.Template())
	l, err := configs.Load(configs.Sources{File: write(t, t.TempDir(), "agent.yaml", text)})
	if err != nil {
		t.Fatal(err)
	}
	for key, origin := range l.Origins {
		if origin != "default" {
			t.Errorf("%s is set by the template: %s", key, origin)
		}
	}
	whole := regexp.MustCompile(`(?m)^#((?:  )?[A-Za-z_]+:)`).ReplaceAllString(text, "$1")
	file := write(t, t.TempDir(), "agent.yaml", whole)
	if l, err = configs.Load(configs.Sources{File: file}); err != nil {
		t.Fatal(err)
	}
	plain, err := configs.Load(configs.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range configs.Keys() {
		if plain.Origins[key] == "default" && !strings.HasPrefix(l.Origins[key], file) {
			t.Errorf("%s is not in the template", key)
		}
	}
}
