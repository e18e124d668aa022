// Package doctor examines a model server: whether it answers, which model and
// window it has, whether tool calls come back as calls, what it tells of its
// reasoning, tokens and progress, whether its cache holds a common prefix, and
// how fast it is. It knows nothing of agents, of files or of a screen.
package doctor

import (
	"strings"
)

// Status says whether something works.
type Status string

// The statuses. Broken means that mm cannot work; Warning that it works less
// well than it could.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Broken  Status = "broken"
)

// Finding is one line of a report. Its texts hold names and messages of the
// server, which are to be cleaned before a terminal sees them. It holds no
// secrets.
type Finding struct {
	Area    string             `json:"area"` // "server", "tool calls", ...
	Status  Status             `json:"status"`
	Text    string             `json:"text"`
	Advice  string             `json:"advice,omitempty"` // what to do
	Figures map[string]float64 `json:"figures,omitempty"`
}

// Report is what was found, in the order in which it was looked at.
type Report struct {
	Findings []Finding `json:"findings"`
}

// Broken reports whether something is broken.
func (r Report) Broken() bool {
	for _, f := range r.Findings {
		if f.Status == Broken {
			return true
		}
	}
	return false
}

// Text writes the report for a person, one finding a line, advice below it.
func (r Report) Text() string {
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(f.Line())
	}
	return b.String()
}

// areaWidth is that of the longest area.
const areaWidth = len("tool calls")

// Line is the finding as it stands in a report.
func (f Finding) Line() string {
	var b strings.Builder
	b.WriteString(pad(string(f.Status), len(Warning)) + "  " + pad(f.Area, areaWidth) + "  " + f.Text + "\n")
	if f.Advice != "" {
		b.WriteString(strings.Repeat(" ", len(Warning)+areaWidth+4) + "→ " + f.Advice + "\n")
	}
	return b.String()
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-len(s)))
}
