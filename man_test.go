package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mm/ui/oneshot"
)

// The page is made anew by: go test . -run ManPage -update
var update = flag.Bool("update", false, "write the files that are made from the code")

// manFile is the manual page. It names no version: the package does.
const manFile = "docs/mm.1"

// roff escapes a text for a manual page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// manPage is the whole page.
func manPage() string {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	text := func(s string) { fmt.Fprintln(&b, roff(s)) }
	item := func(head, about string) { fmt.Fprintf(&b, ".TP\n%s\n%s\n", head, roff(about)) }

	fmt.Fprintln(&b, `.\" Made from the code: go test . -run ManPage -update`)
	fmt.Fprintln(&b, `.TH MM 1 "" "mm" "User Commands"`)
	section("NAME")
	text("mm - terminal coding agent for small local models")
	section("SYNOPSIS")
	fmt.Fprintln(&b, ".B mm\n.RI [ flags ]\n.br\n.B mm \\-p\n.I prompt\n.RI [ flags ]\n.br\n.B mm \\-acp\n.RI [ flags ]")
	for _, c := range commands {
		fmt.Fprintf(&b, ".br\n.B mm %s\n", c.name)
		if c.args != "" {
			fmt.Fprintln(&b, roff(c.args))
		}
	}
	section("DESCRIPTION")
	text("mm works on the files of the current directory with a language model that runs on this machine or in this network: llama-server, Docker Model Runner, Ollama, LM Studio, vLLM, or any other server of the OpenAI API. Without arguments it is a full-screen program; with -p it answers one prompt on standard output; with -acp it is an agent for editors that speak the Agent Client Protocol.")
	section("OPTIONS")
	text("One dash or two, before or behind a command.")
	for _, f := range completables() {
		head := `.B \-` + roff(f.Name)
		if f.Takes != "" {
			head = `.BI \-` + roff(f.Name) + ` " ` + f.Takes + `"`
		}
		item(head, f.About)
	}
	section("COMMANDS")
	for _, c := range commands {
		item(strings.TrimSpace(`.B `+c.name)+" "+roff(c.args), c.about)
	}
	section("FILES")
	item(".I ~/.config/mm/agent.yaml", "your configuration ($XDG_CONFIG_HOME/mm; on macOS ~/Library/Application Support/mm, on Windows %AppData%\\mm)")
	item(".I ~/.config/mm/themes/NAME.yaml", "themes of your own (docs/screen.md)")
	item(".I ~/.config/mm/trust.json", "the project files that you trust")
	item(".I agent.yaml", "the project's configuration, in the current directory")
	item(".I .mm/sessions", "the conversations kept for this directory")
	section("ENVIRONMENT")
	item(".B MM_API_KEY", "the key of the model server")
	item(".B MM_*", "any other key of the configuration, as MM_SAMPLING_MAX_TOKENS")
	item(".B MM_DEMO_SCRIPT", "a script that the built-in stand-in replays")
	item(".B OLLAMA_HOST, OPENAI_BASE_URL, OPENAI_API_KEY", "servers that are looked for too when none is named")
	item(".B NO_COLOR", "no colours")
	section("EXIT STATUS")
	item(fmt.Sprintf(".B %d", oneshot.ExitAnswer), "answered; nothing is broken")
	item(fmt.Sprintf(".B %d", oneshot.ExitError), "an error; with doctor, something is broken")
	item(fmt.Sprintf(".B %d", exitUsage), "a wrong flag, key or value")
	item(fmt.Sprintf(".B %d", oneshot.ExitStopped), "the turn ended early: refused, stuck, too many steps, cut off")
	item(fmt.Sprintf(".B %d", oneshot.ExitCancelled), "interrupted")
	section("EXAMPLES")
	for _, example := range []string{`mm -demo`, `mm -p "what does main.go do?"`, `git diff | mm -p -`, `mm doctor`} {
		fmt.Fprintf(&b, ".PP\n.B %s\n", roff(example))
	}
	return b.String()
}

func TestManPageIsUpToDate(t *testing.T) {
	t.Parallel()
	want := manPage()
	if *update {
		if err := os.WriteFile(manFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(manFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; go test . -run ManPage -update writes it anew", manFile)
	}
}

// TestManPageIsSound has groff read the page, where there is one.
func TestManPageIsSound(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("no groff")
	}
	out, err := exec.Command("groff", "-man", "-Tutf8", "-ww", "-z", manFile).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
