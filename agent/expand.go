package agent

import (
	"fmt"
	"strings"
)

// expand turns what the user typed into what the model reads: an explicit
// line for a skill, and a line for each mentioned file.
func (c *Core) expand(text string) string {
	return attach(c.invoke(text), c.opts.Session.Cwd)
}

// invoke rewrites "$skill words" and "/skill words" at the start of a message
// into one explicit line: the choice is made for the model.
func (c *Core) invoke(text string) string {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "$") && !strings.HasPrefix(trimmed, "/") {
		return text
	}
	name, args, _ := strings.Cut(trimmed[1:], " ")
	for _, skill := range c.opts.Skills {
		if skill.Name != name {
			continue
		}
		line := fmt.Sprintf("[skill: %s — load it with read_skill and carry out its steps now", name)
		if args = strings.TrimSpace(args); args != "" {
			line += "; parameters: " + args
		}
		return line + "]"
	}
	return text
}
