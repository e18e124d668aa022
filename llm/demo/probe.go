package demo

import (
	"encoding/json"
	"strings"
)

// known are the tools whose meaning the stand-in knows.
var known = []string{"bash", "read_file", "write_file", "edit_file", "read_skill"}

// isProbe tells a request that declares only tools unknown here and has no
// call yet: a check whether calls work at all.
func (c *chat) isProbe() bool {
	for _, name := range known {
		if c.Declares(name) {
			return false
		}
	}
	return len(c.since(0)) == 0
}

// probe calls the first tool with the least that its schema asks for.
func (c *chat) probe() reply {
	t := c.Declared()[0]
	args := map[string]any{}
	for _, name := range t.Parameters.Required {
		p := t.Parameters.Properties[name]
		switch {
		case len(p.Enum) > 0:
			args[name] = p.Enum[0]
		case p.Type == "integer" || p.Type == "number":
			args[name] = 1
		case p.Type == "boolean":
			args[name] = true
		case p.Type == "array":
			args[name] = []any{}
		case p.Type == "object":
			args[name] = map[string]any{}
		default:
			args[name] = "demo"
		}
	}
	return reply{tool: t.Name, args: encode(args)}
}

// about is what a call concerns, in one line: its path, command or name.
func (e exchange) about() string {
	var args struct{ Path, Command, Name string }
	// Arguments of another shape concern nothing that is known here.
	_ = json.Unmarshal([]byte(e.args), &args)
	return firstRunes(args.Path + args.Command + args.Name)
}

// firstRunes shortens a text to one line of a summary.
func firstRunes(s string) string {
	const most = 200
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
