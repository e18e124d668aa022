package safety

import (
	"slices"
	"strings"
	"testing"
)

func TestGateStopsWhatTheParserMisreads(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"echo \"$\\\n(touch x)\"", "ls #\\\ntouch x", "ls \\\r\ntouch x", "ls\rtouch x",
		"ls\x00x", "ls\x1b[2J", "ls \u202e", "ls \u200b", "ls \u00a0x", "ls \u3164", "ls \ufe0f",
		"ls \ue000", "ls \xff", strings.Repeat("(", 20_000), strings.Repeat("((", 120_000),
		strings.Repeat("`", maxOpened+1), "echo " + strings.Repeat("x", maxLine),
	} {
		if err := gate(line); err == nil {
			t.Errorf("%.40q passed", line)
		}
	}
	for _, line := range []string{"ls -l", "echo 'é ü 漢字 🙂'", "a &&\n\tb", "echo \\\\"} {
		if err := gate(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	got := Commands(`cd "my dir" && FOO=1 go test ./... | grep -v 'a b' > $out; (sh -c "x" $y) &`)
	want := [][]string{
		{"cd", "my dir"}, {"go", "test", "./..."}, {"grep", "-v", "a b"}, {"sh", "-c", "x", ""},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Commands("if then ("); got != nil {
		t.Errorf("a broken line has commands: %q", got)
	}
}

func TestLastChange(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cd app":                   "cd app",
		"mkdir -p app && cd app":   "cd app",
		"cd a; cd 'b c'":           "cd b c",
		"export A=1":               "export",
		"source venv/bin/activate": "source venv/bin/activate",
		"A=1":                      "A=",
		"cd app && ls":             "",
		"(cd app)":                 "",
		"cd app &":                 "",
		"cd app | cat":             "",
		"ls":                       "",
		"":                         "",
		"cd (":                     "",
	} {
		if got := strings.Join(LastChange(line), " "); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestUnixLines(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ls\r\npwd\r\n": "ls\npwd\n",
		"cat > c.txt <<'EOF'\r\nline\r\nEOF\r\nls\r\n":  "cat > c.txt <<'EOF'\nline\r\nEOF\nls\n",
		"cat <<-X\r\n\ta\r\n\tX\r\nls\r\n":              "cat <<-X\n\ta\r\n\tX\nls\n",
		"cat <<A <<\"B\"\r\na\r\nA\r\nb\r\nB\r\nls\r\n": "cat <<A <<\"B\"\na\r\nA\nb\r\nB\nls\n",
		"grep x <<<word\r\nls\r\n":                      "grep x <<<word\nls\n",
		"printf 'a\\r\\n'":                              "printf 'a\\r\\n'",
		"echo a\rb":                                     "echo a\rb",
		"cat <<EOF\r\nnever ended\r\n":                  "cat <<EOF\nnever ended\r\n",
	} {
		if got := UnixLines(in); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]Written{
		"cat > a.txt <<'EOF'\nprice: $5 `x` (((\nEOF": {{"a.txt", false, "price: $5 `x` (((\n", true}},
		"cat <<EOF >> b\n1\nEOF\necho x > c":          {{"b", true, "1\n", true}, {"c", false, "", false}},
		"cat <<A >a <<B\n1\nA\n2\nB\ncat >b <<C\n3\nC": {
			{"a", false, "2\n", true}, {"b", false, "3\n", true}, // the last one is the input
		},
		"tee a b <<EOF\nx\nEOF":         {{"a", false, "x\n", true}, {"b", false, "x\n", true}},
		"make | tee -a log":             {{"log", true, "", false}},
		"printf '%s' x >| 'my file'":    {{"my file", false, "", false}},
		"if true; then echo x > in; fi": {{"in", false, "", false}},
		"cat a b > c":                   {{"c", false, "", false}},
		"> a":                           {{"a", false, "", true}},
		"ls && : > a":                   {{"a", false, "", true}},
		"true >> a":                     {{"a", true, "", true}},
		"cat > big <<EOF\n" + strings.Repeat("((((\n", 4000) + "EOF": {
			{"big", false, strings.Repeat("((((\n", 4000), true},
		},
		"go test > out.txt":  nil,
		"echo x > /dev/null": nil,
		"echo x 2> err":      nil,
		"echo x > $out":      nil,
		"ls":                 nil,
		"echo (":             nil,
	} {
		if got := Writes(line); !slices.Equal(got, want) {
			t.Errorf("%.60q:\ngot  %+v\nwant %+v", line, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a/b.go": "a/b.go", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "=ls": "'=ls'", "~": "'~'",
	} {
		if got := Quote(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
