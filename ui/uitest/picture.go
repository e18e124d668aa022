package uitest

import (
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/vt"
)

// pictures is where pictures of frames are kept for the documentation, from
// the folder of the tests.
const pictures = "../../docs/images"

// The size of a cell in a picture, and the terminal's own colours.
const (
	cellW, cellH = 8.4, 18
	edge         = 12
	paper, ink   = "#1a1b26", "#c0caf5"
)

// Attributes of a cell of the emulator.
const (
	bold    = 1 << 0
	faint   = 1 << 1
	italic  = 1 << 2
	reverse = 1 << 5
)

// look is how a run of cells is drawn.
type look struct {
	fore, back   string
	attrs        uint8
	under, plain bool
}

// picture draws the frame as SVG.
func (s *Screen) picture() string {
	em := vt.NewEmulator(s.w, s.h)
	defer func() { _ = em.Close() }() // it holds nothing
	_, _ = em.WriteString("\x1b[?2027h\x1b[H" + strings.Join(s.Rows(), "\r\n"))
	var b strings.Builder
	w, h := float64(s.w)*cellW+2*edge, s.h*cellH+2*edge
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0[1]f" viewBox="0 0 %.0[1]f %[2]d" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">`+"\n", w, h)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%d" rx="8" fill="%s"/>`+"\n", w, h, paper)
	for y := range s.h {
		for x := 0; x < s.w; {
			l, text, n := runAt(em, x, y, s.w)
			drawRun(&b, l, text, x, y, n)
			x += n
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// runAt returns the cells from x on that look alike, and how many they are.
func runAt(em *vt.Emulator, x, y, w int) (l look, text string, n int) {
	for x+n < w {
		c := em.CellAt(x+n, y)
		if c == nil {
			return l, text + " ", n + 1
		}
		here := look{hex(c.Style.Fg), hex(c.Style.Bg), c.Style.Attrs, c.Style.Underline != 0, c.Width < 2}
		if n > 0 && (here != l || !l.plain) { // a wide one stands alone
			break
		}
		l = here
		if c.Content == "" {
			text += " "
		}
		text += c.Content
		n += max(c.Width, 1)
	}
	return l, text, n
}

func drawRun(b *strings.Builder, l look, text string, x, y, n int) {
	fore, back := l.fore, l.back
	if fore == "" {
		fore = ink
	}
	if l.attrs&reverse != 0 {
		if back == "" {
			back = paper
		}
		fore, back = back, fore
	}
	left, top, width := edge+float64(x)*cellW, edge+y*cellH, float64(n)*cellW
	if back != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, width, cellH, back)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	more := ""
	if l.attrs&bold != 0 {
		more += ` font-weight="bold"`
	}
	if l.attrs&italic != 0 {
		more += ` font-style="italic"`
	}
	if l.attrs&faint != 0 {
		more += ` opacity="0.6"`
	}
	if l.under {
		more += ` text-decoration="underline"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s" xml:space="preserve"%s>%s</text>`+"\n",
		left, top+cellH-5, width, fore, more, html.EscapeString(text))
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// comparePicture compares the frame with a picture of the documentation.
func (s *Screen) comparePicture(name string) {
	s.T.Helper()
	file := filepath.Join(pictures, name+".svg")
	got := s.picture()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			s.T.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		s.T.Errorf("%s is not what the screen looks like (%v); go test ./ui/uitest -update draws it", file, err)
	}
}
