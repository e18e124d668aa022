package acp

import (
	"encoding/json"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"mm/agent"
	"mm/safety/clean"
)

// toolKinds are the kinds of the reference. Another tool has the kind that it
// declares, and an unknown one may do anything.
var toolKinds = map[string]sdk.ToolKind{
	"bash":          sdk.ToolKindExecute,
	"read_skill":    sdk.ToolKindRead,
	"read_file":     sdk.ToolKindRead,
	"write_file":    sdk.ToolKindEdit,
	"edit_file":     sdk.ToolKindEdit,
	"fetch_content": sdk.ToolKindFetch,
	"plan":          sdk.ToolKindThink,
}

func kindOf(tool string, declared agent.ToolKind) sdk.ToolKind {
	if k, ok := toolKinds[tool]; ok {
		return k
	}
	switch k := sdk.ToolKind(declared); k {
	case sdk.ToolKindRead, sdk.ToolKindEdit, sdk.ToolKindDelete, sdk.ToolKindMove,
		sdk.ToolKindSearch, sdk.ToolKindThink, sdk.ToolKindFetch:
		return k
	}
	return sdk.ToolKindExecute
}

// subjects are the arguments that a title names.
var subjects = map[string]string{
	"bash":          "command",
	"read_file":     "path",
	"write_file":    "path",
	"edit_file":     "path",
	"read_skill":    "name",
	"fetch_content": "url",
}

// titleOf is "bash: go test ./..." on one line. Users decide by it, so that
// nothing in it may hide.
func titleOf(tool, planTitle, rawArgs string) string {
	subject := planTitle
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(rawArgs), &args) == nil {
		var s string
		if json.Unmarshal(args[subjects[tool]], &s) == nil && s != "" {
			subject = s
		}
	}
	title := tool
	if subject != "" && subject != tool {
		title += ": " + subject
	}
	return clean.Line(visibleLine(title)).String()
}

// rawInput is the arguments as JSON: as they are, or as a string when they
// are none.
func rawInput(rawArgs string) json.RawMessage {
	if json.Valid([]byte(rawArgs)) {
		return json.RawMessage(rawArgs)
	}
	return quoted(rawArgs)
}

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
