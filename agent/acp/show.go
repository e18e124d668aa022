package acp

import (
	"strings"

	"mm/agent"
	"mm/safety/clean"
)

// visibleLine writes foreign text out on one line, with nothing hidden in it:
// a line break is "⏎".
func visibleLine(s string) string {
	return strings.ReplaceAll(clean.Visible(s).String(), "⏎\n", "⏎")
}

// reasons say what a diff or a title does not, in a line each: where a path
// really leads, what is lost, what is dangerous. Ordinary calls have none, as
// the question is plain enough.
func reasons(q agent.ApprovalAsked) string {
	var lines []string
	if d, ok := q.Preview.(agent.DiffPreview); ok {
		for _, f := range d.Files {
			if f.Warning != "" {
				lines = append(lines, "warning: "+visibleLine(f.Warning))
			}
		}
	}
	if q.Target != "" {
		lines = append(lines, "really at: "+visibleLine(q.Target))
	}
	if q.Target != "" || q.Dangerous {
		for _, r := range q.Reasons {
			lines = append(lines, "why this is asked: "+visibleLine(r))
		}
	}
	return strings.Join(lines, "\n")
}
