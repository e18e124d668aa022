package agent

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mm/agent/session"
	"mm/llm"
	"mm/safety/clean"
)

// What a line of the record keeps of a text, in characters.
const (
	requestLength = 240
	findingLength = 200
	stepLength    = 120
)

// recordShare is how much of the window, the system prompt and the tools aside,
// the record of a summary may take. A summary that takes more frees too little
// where the window is small.
const recordShare = 0.15

const recordIntro = "RECORD (exact, kept by the program):"

// recorded tells what happened in items in lines that the model has no part in:
// what the user asked, what commands printed where that is short, what was
// changed. A small model's summary may leave out any of it. An earlier summary
// gives the lines that it holds; a call that was made again keeps its last
// result, and a request that was made again its first place.
func recorded(items []session.Item) []session.Noted {
	var out []session.Noted
	calls, requests := map[string]int{}, map[string]bool{} // calls have places
	add := func(n session.Noted) {
		if n.Kind == session.Request {
			if requests[n.Text] {
				return
			}
			requests[n.Text] = true
		}
		if at, again := calls[n.Call]; again && n.Call != "" {
			out[at].Text = ""
		}
		calls[n.Call] = len(out)
		out = append(out, n)
	}
	for i, item := range items {
		switch {
		case item.Summary:
			for _, n := range item.Record {
				add(n)
			}
		case item.Note, item.Unsent:
		case item.Role == llm.User:
			add(session.Noted{Turn: item.Turn, Kind: session.Request, Text: onOneLine(cmp.Or(item.Shown, item.Text), requestLength)})
		case item.Role == llm.Tool:
			add(notedCall(item))
		case item.Role == llm.Assistant && len(item.Calls) == 0 && (i == 0 || items[i-1].Role == llm.User):
			add(session.Noted{Turn: item.Turn, Kind: session.Step, Text: "answered: " + onOneLine(item.Text, stepLength)})
		}
	}
	return slices.DeleteFunc(out, func(n session.Noted) bool { return n.Text == "" })
}

// notedCall is the line of a call and its result.
func notedCall(item session.Item) session.Noted {
	title := onOneLine(item.Title, stepLength)
	n := session.Noted{Turn: item.Turn, Kind: session.Step, Call: item.Tool + " " + title}
	does := n.Call
	if item.Tool == "bash" {
		does = title // a command speaks for itself
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

// firstFindings is how many findings of the first turn outlast those of others.
const firstFindings = 3

// fitted drops lines until the rest takes no more than room tokens: first what
// can be had again (steps), then the rest, each from the oldest. What all began
// with goes last: the first findings, and then the first request.
func fitted(lines []session.Noted, est *llm.Estimator, room int) []session.Noted {
	weight := weights(lines)
	order := make([]int, len(lines)) // the least first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight[a] - weight[b] })
	takes := est.Text(recordText(lines))
	dropped := map[int]bool{}
	for _, i := range order {
		if takes <= room {
			break
		}
		dropped[i] = true
		takes -= max(0, est.Text(recordText(lines[i:i+1]))-est.Text(recordIntro)-1) // which may be rounded
	}
	if len(dropped) == len(lines) {
		return nil
	}
	var kept []session.Noted
	for i, n := range lines {
		if !dropped[i] {
			kept = append(kept, n)
		}
	}
	return kept
}

// weights says how long each line of a record is kept.
func weights(lines []session.Noted) []int {
	const (
		step = iota
		later
		firstFound
		firstAsked
	)
	out, found, asked := make([]int, len(lines)), 0, false
	for i, n := range lines {
		switch {
		case n.Kind == session.Step:
			out[i] = step
		case n.Kind == session.Request && !asked:
			out[i], asked = firstAsked, true
		case n.Kind == session.Finding && n.Turn == lines[0].Turn && found < firstFindings:
			out[i] = firstFound
			found++
		default:
			out[i] = later
		}
	}
	return out
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

// recordHead finds a record that the model wrote, copied or invented: the true
// one follows.
var recordHead = regexp.MustCompile(`(?m)^[#* ]*(?:RECORD|Record) *(?:\(exact|:? *\**:? *$|\*\* *\(exact)`)

// withoutRecord cuts a summary before it.
func withoutRecord(summary string) string {
	if at := recordHead.FindStringIndex(summary); at != nil {
		summary = summary[:at[0]]
	}
	return strings.TrimSpace(summary)
}

func onOneLine(text string, most int) string {
	return clip(clean.Line(strings.Join(strings.Fields(text), " ")).String(), most)
}
