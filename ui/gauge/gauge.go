// Package gauge draws the single lines around the conversation: what goes on,
// how full the context is, how fast the model runs, who answers and where.
package gauge

import (
	"fmt"
	"math"
	"strings"
	"time"

	"mm/safety/clean"
	"mm/themes"
	"mm/ui/cells"
	"mm/ui/keys"
	"mm/ui/state"
	"mm/ui/style"
	"mm/ui/transcript"
)

// Limits of the context bar's colours, as shares of the window, used where the
// caller names no thresholds.
var defaultMarks = []float64{0.70, 0.85}

// Width of the bars in cells.
const (
	contextBar = 8
	readingBar = 12
)

// Context draws the last line. marks are the shares of the window at which the
// core acts, in rising order.
func Context(sheet *style.Sheet, s *state.State, marks []float64, w int) string {
	if len(marks) == 0 {
		marks = defaultMarks
	}
	g := s.Gauge
	parts := []string{contextPart(sheet, g, marks, w >= 30)}
	room := func() int { return w - len(help) - 1 - cells.Width(strings.Join(parts, sep)+sep) }
	add := func(part string) {
		if cells.Width(part) <= room() {
			parts = append(parts, part)
		}
	}
	if !g.Broken.IsEmpty() {
		role := themes.Error
		if g.BrokenOnPurpose {
			role = themes.Dim
		}
		if room() < len(lost) && !g.BrokenOnPurpose { // the bar says what the figures say
			parts[0] = contextPart(sheet, g, marks, false)
		}
		hint := lost
		if n := room(); n >= len(lost)+leastCause {
			hint = cells.Clip(lost+": "+g.Broken.String(), n)
		}
		add(sheet.Paint(role, hint))
	}
	if g.HasUsage && g.Prompt > 0 {
		add(sheet.Paint(themes.Dim, fmt.Sprintf("cache %d%%", g.Cached*100/g.Prompt)))
	}
	if g.GenRate > 0 {
		add(sheet.Paint(themes.Dim, rate(g.GenRate)+" tok/s"))
	}
	if g.ReadRate > 0 {
		add(sheet.Paint(themes.Dim, "reads "+rate(g.ReadRate)+" tok/s"))
	}
	return cells.Right(strings.Join(parts, sep), sheet.Paint(themes.Dim, help), w)
}

const (
	sep  = " · "
	lost = "cache lost"
)

var help = keys.Hint("help", keys.HelpTyped)

// leastCause is how many cells a cause must get to be worth reading.
const leastCause = 10

func rate(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return transcript.Count(int(v + 0.5))
}

// contextPart is the figures, behind the bar if it is wanted.
func contextPart(sheet *style.Sheet, g state.Gauge, marks []float64, withBar bool) string {
	about := "~"
	if g.Exact {
		about = ""
	}
	if g.Limit <= 0 {
		if g.Used == 0 {
			return sheet.Paint(themes.Dim, "ctx –")
		}
		return sheet.Paint(themes.Dim, "ctx "+about+transcript.Count(g.Used)+" (window unknown)")
	}
	share := float64(g.Used) / float64(g.Limit)
	role := themes.OK
	for i, m := range marks {
		if share >= m {
			role = themes.Warn
			if i == len(marks)-1 {
				role = themes.Error
			}
		}
	}
	figures := fmt.Sprintf("%d%% %s%s/%s", int(share*100+0.5), about, transcript.Count(g.Used), transcript.Count(g.Limit))
	if !withBar {
		return "ctx " + sheet.Paint(role, figures)
	}
	return "ctx " + bar(sheet, role, share, contextBar, marks) + " " + sheet.Paint(role, figures)
}

// bar draws a share of n cells with marks on the empty part.
func bar(sheet *style.Sheet, role themes.Role, share float64, n int, marks []float64) string {
	full := int(math.Round(min(max(share, 0), 1) * float64(n)))
	empty := []rune(strings.Repeat("░", n-full))
	for _, m := range marks {
		if at := int(m*float64(n)) - full; at >= 0 && at < len(empty) {
			empty[at] = '┊'
		}
	}
	return sheet.Paint(role, strings.Repeat("█", full)) + sheet.Paint(themes.Faint, string(empty))
}

var spinner = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

// SpinnerStep is the time between two pictures of the spinner.
const SpinnerStep = 120 * time.Millisecond

// Spin is the spinner at a moment.
func Spin(now time.Time) string {
	return string(spinner[now.UnixMilli()/SpinnerStep.Milliseconds()%int64(len(spinner))])
}

// Activity draws what goes on at this moment, and for how long. escape says how
// to get out of it.
func Activity(sheet *style.Sheet, s *state.State, now time.Time, escape string, w int) string {
	a := s.Now
	took := now.Sub(a.Since)
	right := ""
	if s.Busy {
		right = sheet.Paint(themes.Dim, escape)
	}
	if n := len(s.Queue); n > 0 {
		right = sheet.Paint(themes.Accent, fmt.Sprintf("%d queued", n)) + sheet.Paint(themes.Dim, sep+keys.Hint("edits", keys.UnqueueLast))
	}
	if w < 50 && len(s.Queue) == 0 {
		right = ""
	}
	line := func(role themes.Role, what string, detail clean.Text) string {
		left := sheet.Paint(role, Spin(now)+" "+what)
		if took >= time.Second {
			left += sheet.Paint(themes.Dim, sep+transcript.Duration(took))
		}
		if !detail.IsEmpty() {
			left += sheet.Paint(themes.Dim, sep+detail.String())
		}
		return cells.Right(left, right, w)
	}
	switch a.Phase {
	case state.Connecting:
		return line(themes.Accent, "waiting for the server", a.Detail)
	case state.Loading:
		return line(themes.Warn, "the server loads the model", a.Detail)
	case state.ReadingPrompt:
		return reading(sheet, a, now, w, right)
	case state.Thinking:
		return line(themes.Reasoning, "thinking", a.Detail)
	case state.Answering:
		return line(themes.Accent, "answering", a.Detail)
	case state.Composing:
		return line(themes.Tool, "composing "+a.Tool.String(), clean.Line(transcript.Bytes(a.Args)))
	case state.Running:
		return line(themes.Tool, "running "+a.Tool.String(), a.Detail)
	case state.Asking:
		return cells.Right(sheet.Paint(themes.Warn, "? your answer is waited for"), right, w)
	case state.Retrying:
		return line(themes.Warn, "trying again", a.Detail)
	}
	if !s.Asked.Name.IsEmpty() {
		took = now.Sub(s.Asked.Since)
		return line(themes.Accent, "/"+s.Asked.Name.String(), clean.Text{})
	}
	left := ""
	if n := len(s.Jobs); n > 0 {
		left = sheet.Paint(themes.Dim, fmt.Sprintf("⚙ %d in the background: ", n)+s.Jobs[0].FirstLine().String())
	}
	if s.Warming {
		left = sheet.Paint(themes.Dim, "the server reads ahead, so that the next answer starts sooner")
	}
	return cells.Right(left, right, w)
}

// reading draws how far the prompt is read: a bar where the server tells, else
// only the time.
func reading(sheet *style.Sheet, a state.Activity, now time.Time, w int, right string) string {
	r := a.Read
	title := "reading the prompt"
	if w < 60 {
		title = "reading"
	}
	if !r.Known || r.Total <= 0 {
		detail := sep + transcript.Duration(max(now.Sub(a.Since), 0))
		if r.Total > 0 {
			detail = sep + "~" + transcript.Count(r.Total) + " tokens" + detail
		}
		return cells.Right(sheet.Paint(themes.Accent, Spin(now)+" "+title)+sheet.Paint(themes.Dim, detail), right, w)
	}
	figures := transcript.Count(r.Done) + "/" + transcript.Count(r.Total)
	if w >= 50 {
		figures += " tokens"
	}
	left, ok := r.Left()
	if ok && left < time.Second {
		figures += sep + "under 1 s left"
	} else if ok {
		figures += sep + transcript.Duration(left) + " left"
	}
	n := readingBar
	if w < 50 {
		n = readingBar / 2
	}
	share := float64(r.Done) / float64(r.Total)
	return cells.Right(sheet.Paint(themes.Accent, title+" ")+bar(sheet, themes.Accent, share, n, nil)+" "+sheet.Paint(themes.Dim, figures), right, w)
}
