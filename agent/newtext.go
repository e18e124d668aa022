package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"mm/safety"
)

// maxTold is how much of a text that the user wrote the model is told, in
// bytes. It can read the file for the rest.
const maxTold = 2000

// newText is what a call would write, where the user may write another text in
// its place: the content of a file, or what the only edit of a call puts in.
func newText(args json.RawMessage) (string, bool) {
	text, _, err := replaceText(args, "")
	return text, err == nil
}

// replaceText puts another text into the arguments of a call that writes one,
// and returns the old one beside them.
func replaceText(args json.RawMessage, text string) (old string, changed json.RawMessage, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(args, &fields); err != nil {
		return "", nil, err
	}
	put, err := json.Marshal(text)
	if err != nil {
		return "", nil, err
	}
	var edits []map[string]json.RawMessage
	switch {
	case json.Unmarshal(fields["content"], &old) == nil:
		fields["content"] = put
	case json.Unmarshal(fields["edits"], &edits) == nil && len(edits) == 1 && json.Unmarshal(edits[0]["new"], &old) == nil:
		edits[0]["new"] = put
		if fields["edits"], err = json.Marshal(edits); err != nil {
			return "", nil, err
		}
	default:
		return "", nil, errors.New("the call writes no text of its own")
	}
	changed, err = json.Marshal(fields)
	return old, changed, err
}

// rewritten plans the call with the text that the user wrote.
func (t *turn) rewritten(ctx context.Context, c *call, text string) (CallEnded, bool) {
	_, args, err := replaceText(c.args, text)
	if err == nil {
		c.args = args
		err = t.planArgs(ctx, c)
	}
	if err != nil {
		return CallEnded{ID: c.id, Status: CallFailed, Summary: "not possible", Output: err.Error()}, false
	}
	v := t.opts.Policy.Decide(c.plan.Action)
	if v.Decision == safety.Deny {
		return CallEnded{ID: c.id, Status: CallDenied, Summary: "refused", Output: v.Refusal}, false
	}
	c.plan.Permit = v.Permit
	told := text
	if len(told) > maxTold {
		told = strings.ToValidUTF8(told[:maxTold], "") + "\n... (read the file for the rest)"
	}
	c.notes = append(c.notes, "the user changed the new text before it was written, to:\n"+told)
	return CallEnded{}, true
}
