//go:build unix

package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mm/llm"
	"mm/ui/cells"
	"mm/ui/ptytest"
)

// onScreen starts the whole program with the stand-in for a model in a folder
// that holds main.go.
func onScreen(t *testing.T, env ...string) (p *ptytest.Program, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte("package main\n\nvar greeting = \"hello\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The test's own binary is mm under that name.
	cmd := &exec.Cmd{Path: os.Args[0], Args: []string{"mm"}, Dir: dir}
	cmd.Env = []string{
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor",
		"COLORFGBG=15;0", "LANG=C.UTF-8", "MM_PROVIDER=demo",
	}
	cmd.Env = append(cmd.Env, env...)
	return ptytest.Start(t, cmd), file
}

// A session as a user has it: type, read the question and its diff, resize in
// all ways, allow, cancel a turn, quit. The terminal is as it was.
func TestScreenFromStartToQuit(t *testing.T) {
	t.Parallel()
	p, file := onScreen(t)
	p.WaitFor("demo @ demo")
	p.Write("replace hello with goodbye in main.go\r")
	p.WaitFor("Allow this?")
	p.WaitFor(`+ var greeting = "goodbye"`)
	sizes := [][2]int{{120, 40}, {40, 12}, {10, 3}, {200, 60}, {79, 23}, {100, 30}}
	resize := func(w, h int) {
		p.Resize(w, h)
		if err := p.Cmd.Process.Signal(syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		for _, size := range sizes {
			resize(size[0], size[1])
		}
	}
	for _, size := range sizes {
		w, h := size[0], size[1]
		resize(w, h)
		p.Until(fmt.Sprintf("a whole question at %dx%d", w, h), func(screen string) bool {
			rows := strings.Split(screen, "\n")
			if w < 40 {
				return strings.Contains(screen, "too small")
			}
			last := strings.TrimRight(rows[len(rows)-1], " \r")
			return len(rows) == h && cells.Width(last) == w && strings.HasSuffix(last, "? help") &&
				strings.Count(screen, "Allow this?") == 1 && strings.Contains(screen, "y allow")
		})
	}
	p.Insist("y", "Allow this?")
	p.Write("\x15") // what came late is in the input
	p.WaitFor("main.go is changed")
	p.WaitFor("+1 −1")
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), `"goodbye"`) {
		t.Errorf("the file holds %q, %v", data, err)
	}
	p.Write("/diff\r")
	p.WaitFor("Changes")
	p.Write("\x1b")
	p.Gone("Changes") // Esc and a letter at once would be Alt with it
	p.Write("tour\r")
	p.WaitFor("Esc cancels")
	p.Write("\x03")
	p.WaitFor("cancelled")
	p.Write("\x03")
	p.WaitFor("Ctrl+C again quits")
	p.Write("\x03")
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	mode := p.Mode()
	p.Drain()
	p.Restored(mode)
}

// A terminal that goes away ends the program; the conversation is kept.
func TestClosedTerminalKeepsTheConversation(t *testing.T) {
	t.Parallel()
	p, file := onScreen(t)
	p.WaitFor("demo @ demo")
	p.Write("hello\r")
	p.WaitFor("what else I understand")
	_ = p.Close()
	if code := p.Wait(); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	kept, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".mm", "sessions", "*.json"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v; want one conversation", kept, err)
	}
}

// What the doctor says of the terminal is not of the file that standard output
// is while the screen is up.
func TestDoctorOnTheScreenSeesTheTerminal(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t)
	p.WaitFor("demo @ demo")
	p.Write("/doctor\r")
	p.WaitFor("xterm-256color, true colour")
}

func TestDumbTerminalIsRefused(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t, "TERM=dumb")
	p.WaitFor("TERM=dumb")
	if code := p.Wait(); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	if text := p.Written(); strings.Contains(text, "\x1b") {
		t.Errorf("escapes on a terminal that has none: %q", text)
	}
}

// A theme that there is not is told on the screen, once it is up.
func TestUnknownThemeIsTold(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t, "MM_THEME=foo")
	p.WaitFor("there is no theme foo; there are auto, catppuccin, dark")
}

// withTheme writes a theme into a home of its own and returns the variables
// that lead there, on macOS too.
func withTheme(t *testing.T, file, text string) []string {
	t.Helper()
	home := t.TempDir()
	config := filepath.Join(home, "Library", "Application Support")
	dir := filepath.Join(config, "mm", "themes")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + config, "MM_THEME=" + strings.TrimSuffix(file, ".yaml")}
}

func TestOwnTheme(t *testing.T) {
	t.Parallel()
	const own = "parent: dark\nroles: {dim: '#010203 13'}\n"
	for name, tc := range map[string]struct {
		env  []string
		want string // what paints secondary text
	}{
		"true colour":    {nil, "\x1b[38;2;1;2;3m"},
		"sixteen":        {[]string{"TERM=xterm", "COLORTERM="}, "\x1b[95m"},
		"without colour": {[]string{"NO_COLOR=1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := onScreen(t, append(withTheme(t, "mine.yaml", own), tc.env...)...)
			p.WaitFor("demo @ demo")
			text := p.Written()
			if !strings.Contains(text, tc.want) {
				t.Errorf("%q is not on the screen", tc.want)
			}
			for _, sgr := range []string{"38;2;1;2;3m", "\x1b[95m"} {
				if !strings.Contains(tc.want, sgr) && strings.Contains(text, sgr) {
					t.Errorf("%q is on the screen", sgr)
				}
			}
		})
	}
}

// What is wrong with a theme is told, and the screen has another one.
func TestBrokenThemeIsTold(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t, withTheme(t, "mine.yaml", "parent: dark\nroles: {accent: mauve}\n")...)
	p.WaitFor(`theme mine.yaml: roles.accent: "mauve" is no colour and no attribute`)
	p.WaitFor("demo @ demo")
}

func TestExportTakesAnAbsolutePath(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t)
	p.WaitFor("demo @ demo")
	p.Write("hello\r")
	p.WaitFor("what else I understand")
	file := filepath.Join(t.TempDir(), "talk.md")
	p.Write("/export " + file + "\r")
	p.WaitFor("wrote ")
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "hello") {
		t.Errorf("exported %q, %v", text, err)
	}
}

func TestModelIsDescribedUnderItsHeads(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model llm.ListedModel
		want  []string
	}{
		{llm.ListedModel{ID: "a"}, []string{"", "", "", "", ""}},
		{llm.ListedModel{Parameters: "1.5B", Bytes: 986062089, Quantisation: "Q4_K_M", ContextWindow: 8192, Loaded: true}, []string{"8.2k", "1.5B", "Q4_K_M", "986 MB", "loaded"}},
		{llm.ListedModel{Bytes: 18556688714, ContextWindow: 262144, WindowIsMaximum: true}, []string{"max 262.1k", "", "", "18.6 GB", ""}},
	} {
		if got := describe(tc.model); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: got %q, want %q", tc.model, got, tc.want)
		}
	}
}

// What the configuration says of the screen reaches it: the rows of a folded
// output, and where the context's thresholds are marked.
func TestScreenIsConfigured(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t, "MM_PREVIEW_LINES=3", "MM_CONTEXT_MASK_TO=0.1", "MM_CONTEXT_MASK_AT=0.25", "MM_CONTEXT_COMPACT_AT=0.5")
	p.WaitFor("demo @ demo")
	p.WaitFor("ctx ░░┊░┊░░░")
	p.Write("!seq 20\r")
	p.WaitFor("… 17 more lines above")
}

// The answer that is copied reaches the terminal's clipboard.
func TestCopyReachesTheTerminal(t *testing.T) {
	t.Parallel()
	p, _ := onScreen(t)
	p.WaitFor("demo @ demo")
	p.Write("hello\r")
	p.WaitFor("what else I understand")
	p.Write("/copy\r")
	p.Seen("\x1b]52;c;")
	p.WaitFor("copied")
	text, _, _ := strings.Cut(p.Written()[strings.LastIndex(p.Written(), "\x1b]52;c;")+len("\x1b]52;c;"):], "\a")
	got, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !strings.Contains(string(got), "what else I understand") {
		t.Errorf("the clipboard holds %q, %v; want the answer", got, err)
	}
}
