package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// stand are the signs of the screen and what stands for them in ASCII, as wide
// as they are.
var stand = strings.NewReplacer(
	"─", "-", "│", "|", "┌", "+", "┐", "+", "└", "+", "┘", "+", "├", "+", "┤", "+", "┬", "+", "┴", "+", "┼", "+",
	"╭", "+", "╮", "+", "╰", "+", "╯", "+", "┊", ":", "▌", "|", "▐", "|", "█", "#", "▓", "#", "░", ".",
	"◆", "*", "•", "*", "◦", "o", "▪", "-", "·", "-", "…", "~", "–", "-", "−", "-", "×", "x", "›", ">", "▸", ">",
	"✓", "+", "✗", "x", "⊘", "/", "■", "#", "⚙", "%", "✎", "~", "↻", "@", "⋯", "~", "☑", "x", "☐", "o",
	"↑", "^", "↓", "v", "←", "<", "→", ">", "⏎", "$", "␍", "$", "⟨", "<", "⟩", ">", "●", "*", "💭", "()",
	"⠋", "|", "⠙", "/", "⠹", "-", "⠸", "\\", "⠼", "|", "⠴", "/", "⠦", "-", "⠧", "\\", "⠇", "|", "⠏", "/",
)

// ASCII writes a frame for a terminal that shows no other characters. What has
// no stand-in becomes a question mark for each cell.
func ASCII(frame string) string {
	frame = stand.Replace(frame)
	var b strings.Builder
	for len(frame) > 0 {
		i := 0
		for i < len(frame) && frame[i] < 0x80 {
			i++
		}
		b.WriteString(frame[:i])
		if frame = frame[i:]; frame == "" {
			break
		}
		cluster, width := ansi.FirstGraphemeCluster(frame, ansi.GraphemeWidth)
		b.WriteString(strings.Repeat("?", max(width, 0)))
		frame = frame[max(len(cluster), 1):]
	}
	return b.String()
}
