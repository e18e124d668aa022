package term

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	xterm "github.com/charmbracelet/x/term"
)

// queryTime is how long the terminal has for its answer. A start is not held
// back longer.
const queryTime = 150 * time.Millisecond

// Background is what is known of the terminal's background.
type Background struct {
	Known bool
	Light bool

	// Typed is what the user wrote while the answer was waited for, as the
	// terminal sends keys. Cut is the beginning of what came last, where
	// that was cut; NewInput takes it.
	Typed, Cut string
}

// Query finds out whether the background is light. It must be called before
// anything else reads the terminal. It asks only where an answer can be
// expected soon: not through GNU screen, not without colour. One that comes
// later is dropped by Input.
func Query(in, out *os.File, getenv func(string) string) Background {
	if bg, ok := fromEnvironment(getenv); ok {
		return bg
	}
	if !mayAsk(getenv) || !xterm.IsTerminal(in.Fd()) || !xterm.IsTerminal(out.Fd()) {
		return Background{}
	}
	state, err := xterm.MakeRaw(in.Fd())
	if err != nil {
		return Background{}
	}
	defer func() { _ = xterm.Restore(in.Fd(), state) }() // as it was a moment ago
	// Every terminal answers the second question: when its answer comes
	// first, there is none to the first.
	if _, err := out.WriteString("\x1b]11;?\x1b\\\x1b[c"); err != nil {
		return Background{}
	}
	return parseReplies(readFor(in, queryTime, answered))
}

func mayAsk(getenv func(string) string) bool {
	for _, name := range []string{"NO_COLOR", "STY", "CI"} {
		if getenv(name) != "" {
			return false
		}
	}
	t := getenv("TERM")
	screen := strings.HasPrefix(t, "screen") && getenv("TMUX") == ""
	return t != "" && t != "dumb" && t != "linux" && !screen
}

// fromEnvironment reads COLORFGBG, "15;0", as rxvt, Konsole and others set it.
func fromEnvironment(getenv func(string) string) (Background, bool) {
	v := getenv("COLORFGBG")
	i := strings.LastIndexByte(v, ';')
	n, err := strconv.Atoi(v[i+1:])
	if i < 0 || err != nil {
		return Background{}, false
	}
	return Background{Known: true, Light: n == 7 || n >= 9 && n <= 15}, true
}

var (
	colourReply = regexp.MustCompile(`\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*(?:\x07|\x1b\\)`)
	deviceReply = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)
	cutReply    = regexp.MustCompile(`\x1b(\][^\x07\x1b]*\x1b?|\[[0-?]*)?$`)
)

func answered(b []byte) bool { return deviceReply.Match(b) }

// parseReplies reads the answers, and keeps what was typed between them.
func parseReplies(b []byte) Background {
	var bg Background
	if m := colourReply.FindSubmatch(b); m != nil {
		bg.Known = true
		bg.Light = luminance(m[1], m[2], m[3]) > 0.5
	}
	rest := deviceReply.ReplaceAll(colourReply.ReplaceAll(b, nil), nil)
	if cut := cutReply.FindIndex(rest); cut != nil {
		bg.Cut, rest = string(rest[cut[0]:]), rest[:cut[0]]
	}
	bg.Typed = string(rest)
	return bg
}

// luminance is the perceived brightness of a colour, from 0 to 1.
func luminance(r, g, b []byte) float64 {
	part := func(h []byte) float64 {
		n, err := strconv.ParseUint(string(h), 16, 16)
		if err != nil {
			return 0
		}
		return float64(n) / float64(uint64(1)<<(4*len(h))-1)
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}
