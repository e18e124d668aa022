package eval

import (
	"regexp"
	"strconv"
	"strings"

	"mm/agent"
)

// counts are the figures of one run.
type counts struct {
	calls   int // of the model
	answers int // calls of the model that came to an end
	tools   int // calls of tools
	invalid int // calls that never reached a tool
	refused int
	loops   int // warnings of the loop detector
	fuzzy   int // edits that matched ignoring white space
	repairs map[string]int
	usage   agent.Usage
}

// loopMark begins what the loop detector adds to the result of a call.
const loopMark = "[LOOP_DETECTED"

// looseEdits finds in the report of an edit how many matches were not exact.
var looseEdits = regexp.MustCompile(`, (\d+) matched ignoring whitespace`)

// count takes an event of a turn.
func (c *counts) count(e agent.Event) {
	switch e := e.(type) {
	case agent.StepStarted:
		c.calls++
	case agent.StepEnded:
		if e.Finish != "" {
			c.answers++
		}
	case agent.CallPlanned:
		for _, note := range e.Repairs {
			c.repairs[repairKind(note)]++
		}
	case agent.CallEnded:
		c.ended(e)
	case agent.Notice:
		if e.Level == agent.Repair {
			c.repairs[string(e.Mended)]++
		}
	case agent.Retrying:
		c.repairs["retry"]++
	case agent.TurnEnded:
		c.usage.Add(e.Usage)
	}
}

func (c *counts) ended(e agent.CallEnded) {
	c.tools++
	switch e.Status {
	case agent.CallInvalid:
		c.invalid++
	case agent.CallDenied:
		c.refused++
	}
	// A mark stands at the start of a line: a file may speak of loops.
	if strings.Contains("\n"+e.Output, "\n"+loopMark) {
		c.loops++
	}
	first, _, _ := strings.Cut(e.Output, "\n")
	if strings.HasPrefix(first, "[") { // notes on repairs come first
		_, rest, _ := strings.Cut(e.Output, "\n")
		first, _, _ = strings.Cut(rest, "\n")
	}
	if m := looseEdits.FindStringSubmatch(first); m != nil && e.Status == agent.CallOK {
		n, _ := strconv.Atoi(m[1]) // the pattern lets only digits through
		c.fuzzy += n
	}
}

func (c *counts) into(res *Result) {
	res.Calls, res.Tools, res.Invalid, res.Refused = c.calls, c.tools, c.invalid, c.refused
	res.Loops, res.Fuzzy, res.Repairs = c.loops, c.fuzzy, c.repairs
	res.Read, res.Cached, res.Written = c.usage.Prompt, c.usage.Cached, c.usage.Completion
}

// repairKinds names the repairs of a call by the words of their notes, which
// the model reads; the first that matches counts.
var repairKinds = []struct {
	kind  string
	words *regexp.Regexp
}{
	{"json", regexp.MustCompile(`not valid JSON`)},
	{"shape", regexp.MustCompile(`arguments were (inside|wrapped)|one element was taken|path was taken from|^the text was taken for`)},
	{"type", regexp.MustCompile(`, taken as |is a number of seconds`)},
	{"field name", regexp.MustCompile(`^"[^"]*" was taken for "`)},
	{"tool name", regexp.MustCompile(`^"[^"]*" was taken for \w`)},
}

// repairKind classifies a note on a repair.
func repairKind(note string) string {
	for _, k := range repairKinds {
		if k.words.MatchString(note) {
			return k.kind
		}
	}
	return "other"
}
