package skills

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, data string
		want       Skill
	}{
		{
			"all keys", "---\nname: greet\ndescription: says hello\nkeywords: [hi, hello]\nlicense: MIT\nmetadata:\n  version: 1\n---\n\nSay hello.\n",
			Skill{Name: "greet", Description: "says hello", Keywords: []string{"hi", "hello"}, Body: "Say hello."},
		},
		{
			"name of the file, keywords with commas", "---\ndescription: >\n  two\n  lines\nkeywords: a, b,a,\n---\nbody",
			Skill{Name: "file", Description: "two lines", Keywords: []string{"a", "b"}, Body: "body"},
		},
		{
			"keywords in metadata", "---\ndescription: d\nmetadata: {keywords: [k]}\n---\nbody",
			Skill{Name: "file", Description: "d", Keywords: []string{"k"}, Body: "body"},
		},
		{
			"CRLF and BOM", "\uFEFF---\r\ndescription: d\r\n---\r\nbody\r\nmore\r\n",
			Skill{Name: "file", Description: "d", Body: "body\nmore"},
		},
		{
			"a rule in the body", "---\ndescription: d\n---\none\n\n---\n\ntwo",
			Skill{Name: "file", Description: "d", Body: "one\n\n---\n\ntwo"},
		},
		{
			"many keywords", "---\ndescription: d\nkeywords: [1,2,3,4,5,6,7,8,9,10]\n---\nb",
			Skill{Name: "file", Description: "d", Keywords: strings.Split("12345678", ""), Body: "b"},
		},
	} {
		got, err := Parse("file", []byte(tc.data))
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", tc.name, err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"":                                       "front matter",
		"# Title\n":                              "front matter",
		"---\ndescription: d\nno end":            "no end",
		"---\nname: [\n---\nb":                   "front matter: ",
		"---\nname: a b\ndescription: d\n---\nb": "letters, digits and hyphens",
		"---\nname: ../x\ndescription: d\n---\nb": "letters, digits and hyphens",
		"---\nname: x\n---\nb":                    "no description",
		"---\n---\nb":                             "no description",
		"---\ndescription: d\n---\n \n":           "no text",
		"---\ndescription: d\n---\n\xff\n":        "not UTF-8",
	} {
		if _, err := Parse("file", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", data, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: d\nkeywords: [x]\n---\nbody"))
	f.Add([]byte("---\ndescription: &a [*a]\n---\nbody"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("file", data)
		if err != nil {
			return
		}
		if !names.MatchString(s.Name) || s.Body == "" || strings.ContainsAny(s.Description, "\r\n") ||
			len(s.Keywords) > maxKeywords {
			t.Errorf("accepted %+v", s)
		}
	})
}
