package safety

import (
	"fmt"
	"strings"
)

// readOnly refuses what read-only mode never does with files. Reading in the
// project and fetching go on to be judged.
func readOnly(a Action) (Verdict, bool) {
	text := ""
	switch a.Op {
	case Write:
		text = "[refused: this session is read-only: no file was changed; " +
			"describe the change, and let the user leave the read-only mode]"
	case Read:
		if a.Path.Class == Inside {
			return Verdict{}, false
		}
		text = fmt.Sprintf("[refused: %s: %s; in a read-only session only "+
			"ordinary files of the project are read]", a.Path.Named, a.Path.Reason)
	default:
		return Verdict{}, false
	}
	return Verdict{Decision: Deny, Reasons: reasons(a), Refusal: text}, true
}

// readOnlyCommand is the refusal of a command in read-only mode.
func (p *Policy) readOnlyCommand(j Judgement) string {
	if !p.options.Sandbox {
		return "[refused: this session is read-only and runs no commands; " +
			"use the reading tools, and describe what you would run]"
	}
	return fmt.Sprintf("[refused: this session is read-only and runs only commands that read "+
		"files of the project (%s); describe what you would run]", strings.Join(j.Reasons, "; "))
}

// reasons say in words for the user why an action is asked.
func reasons(a Action) []string {
	switch a.Op {
	case Read:
		if a.Path.Class == Inside {
			return []string{"reads a file of the project"}
		}
		return []string{"reads: " + a.Path.Reason}
	case Write:
		if a.Path.Class == Inside {
			return []string{"changes a file of the project"}
		}
		return []string{"writes: " + a.Path.Reason}
	case Fetch:
		return []string{"network: " + a.Host}
	}
	return nil
}

// unattended is the refusal where nobody can be asked.
func (p *Policy) unattended(a Action) string {
	flag, more := "-yolo", ""
	switch {
	case (a.Op == Read || a.Op == Write) && a.Path.Class != Inside:
		return fmt.Sprintf("[refused: %s: %s; this needs the user's permission "+
			"and nobody can be asked in this run]", a.Path.Named, a.Path.Reason)
	case a.Op == Read || a.Op == Write:
		flag = "-mode accept-edits (or -yolo)"
	case a.Op == Execute && p.options.Sandbox && p.options.AutoApproveReads && !p.options.AskAll:
		more = "; commands that only read files of the project run without"
	}
	return fmt.Sprintf("[refused: %s needs the user's permission and nobody can "+
		"be asked in this run%s; tell the user to start mm with %s]", a.Tool, more, flag)
}
