package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// What a line of the record keeps of a text, in characters.
const (
	requestLength = 240
	findingLength = 200
	stepLength    = 120
)

// recordShare is how much of the window the record of a summary may take. A
// summary that takes more frees too little where the window is small.
const recordShare = 0.1

const recordIntro = "RECORD (exact, kept by the program):"

// recorded tells what happened in items in lines that the model has no part in:
// what the user asked, what commands printed where that is short, what was
// changed. A small model's summary may leave out any of it. An earlier summary
// gives the lines that it holds; a call that was made again keeps its last
// result.
func recorded(items []session.Item) []session.Noted {
	var out []session.Noted
	last := map[string]int{} // call → its place
	add := func(n session.Noted, call string) {
		if at, ok := last[call]; ok && call != "" {
			out[at].Text = ""
		}
		last[call] = len(out)
		out = append(out, n)
	}
	for i, item := range items {
		switch {
		case item.Summary:
			for _, n := range item.Record {
				add(n, n.Call)
			}
		case item.Note, item.Unsent:
		case item.Role == llm.User:
			add(session.Noted{Turn: item.Turn, Kind: session.Request, Text: onOneLine(cmp.Or(item.Shown, item.Text), requestLength)}, "")
		case item.Role == llm.Tool:
			n := notedCall(item)
			add(n, n.Call)
		case item.Role == llm.Assistant && len(item.Calls) == 0 && (i == 0 || items[i-1].Role == llm.User):
			add(session.Noted{Turn: item.Turn, Kind: session.Step, Text: "answered: " + onOneLine(item.Text, stepLength)}, "")
		}
	}
	return slices.DeleteFunc(out, func(n session.Noted) bool { return n.Text == "" })
}

// notedCall is the line of a call and its result.
func notedCall(item session.Item) session.Noted {
	n := session.Noted{Turn: item.Turn, Kind: session.Step, Call: item.Tool + " " + item.Title}
	does := n.Call
	if item.Tool == "bash" {
		does = item.Title // a command speaks for itself
	}
	switch {
	case item.Status == string(CallOK) && len(item.Diff) > 0:
		n.Kind, n.Text = session.Finding, does+": changed"
	case item.Status == string(CallOK) && len([]rune(item.Text)) <= findingLength:
		n.Kind, n.Text = session.Finding, does+": "+onOneLine(item.Text, findingLength)
	case item.Status == string(CallOK):
		n.Text = does + ": " + outputSize(item)
	default:
		n.Text = does + ": " + cmp.Or(item.Summed, item.Status) + ": " + onOneLine(item.Text, stepLength)
	}
	return n
}

// fitted drops lines until the rest takes no more than room tokens: first what
// can be had again (steps), then the rest, each from the oldest; the first turn
// is what all began with, and goes last.
func fitted(lines []session.Noted, est *llm.Estimator, room int) []session.Noted {
	if len(lines) == 0 {
		return nil
	}
	first := lines[0].Turn
	for _, may := range []func(session.Noted) bool{
		func(n session.Noted) bool { return n.Kind == session.Step && n.Turn != first },
		func(n session.Noted) bool { return n.Turn != first },
		func(session.Noted) bool { return true },
	} {
		for est.Text(recordText(lines)) > room {
			i := slices.IndexFunc(lines, may)
			if i < 0 {
				break
			}
			lines = slices.Delete(slices.Clone(lines), i, i+1)
		}
	}
	return lines
}

// recordText is the record as the model reads it.
func recordText(lines []session.Noted) string {
	if len(lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(recordIntro)
	for _, n := range lines {
		if n.Kind == session.Request {
			fmt.Fprintf(&b, "\n- the user asked: %s", n.Text)
		} else {
			fmt.Fprintf(&b, "\n  - %s", n.Text)
		}
	}
	return b.String()
}

func onOneLine(text string, most int) string {
	return clip(strings.Join(strings.Fields(text), " "), most)
}
