package clean

import (
	"strings"
	"testing"
)

func TestVisibleHidesNothing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ls -la":                             "ls -la",
		"a\nb":                               "a⏎\nb",
		"a\r\nb":                             "a⟨000D⟩⏎\nb",
		"\x1b[31mx":                          "⟨001B⟩[31mx",
		"x\u202ey":                           "x⟨202E⟩y",
		"x\U000e0041":                        "x⟨E0041⟩",
		"a\xffb":                             "a⟨byte FF⟩b",
		"a\u00a0b":                           "a⟨00A0⟩b",
		"ls" + strings.Repeat(" ", 400):      "ls⟨blank ×400⟩",
		"if x {\n\t\tfoo()\n}":               "if x {⏎\n\t\tfoo()⏎\n}",
		"a" + strings.Repeat("\n", 40) + "b": "a⏎\n⟨empty line ×39⟩⏎\nb",
		"a\n\n\nb":                           "a⏎\n⏎\n⏎\nb",
		"⟨202E⟩":                             "⟨27E8⟩202E⟨27E9⟩",
		"a⏎b":                                "a⟨23CE⟩b",
		"p\u0430ypal":                        "p\u0430⟨0430⟩ypal",
		"привет мир":                         "привет мир",
		"rm\u200d x":                         "rm⟨200D⟩ x",
		"👩\u200d🔬":                           "👩\u200d🔬",
		"👩\u200drm":                          "👩⟨200D⟩rm",
		"e\u0301\u0301\u0301\u0301\u0301":    "e\u0301\u0301\u0301\u0301⟨0301⟩",
		"ｌｓ":                                 "⟨FF4C⟩⟨FF53⟩",
		"\u3164":                             "⟨3164⟩",
		"été 你好":                             "été 你好",
		"x\u2800y":                           "x⟨2800⟩y",
	} {
		if got := Visible(in).String(); got != want {
			t.Errorf("Visible(%+q) = %q, want %q", in, got, want)
		}
	}
}

func TestVisibleLineIsOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/src/my app":                         "/src/my app",
		"/src/a\tb":                           "/src/a⟨0009⟩b",
		"a\nb":                                "a⟨000A⟩b",
		"a" + strings.Repeat("\n", 6):         "a" + strings.Repeat("⟨000A⟩", 6),
		"a" + strings.Repeat("\t ", 20) + "b": "a⟨blank ×40⟩b",
		"x\u202ey":                            "x⟨202E⟩y",
	} {
		if got := VisibleLine(in).String(); got != want {
			t.Errorf("VisibleLine(%+q) = %q, want %q", in, got, want)
		}
	}
}

func TestSourceKeepsLayout(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"\tx := 1":                       "\tx := 1",
		strings.Repeat(" ", 40) + "deep": strings.Repeat(" ", 40) + "deep",
		"a\nb":                           "a\nb",
		"if admin {\u2066 /* no */":      "if admin {⟨2066⟩ /* no */",
		"x\r":                            "x⟨000D⟩",
		"⟨x⟩":                            "⟨x⟩",
	} {
		if got := Source(in).String(); got != want {
			t.Errorf("Source(%+q) = %q, want %q", in, got, want)
		}
	}
}
