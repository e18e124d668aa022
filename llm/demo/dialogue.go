package demo

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// maxCalls is how many calls an answer may hold. It is beyond the longest one:
// a history that does not give the calls back as they were made cannot keep
// the stand-in calling for ever.
const maxCalls = 20

// dialogue finds the reply to a request by going through the whole answer from
// its beginning: a step whose result the history holds gives that result at
// once, and the first step without a result is the reply.
type dialogue struct {
	*chat
	intent
	past    []exchange // calls since the user's message that no step has met
	started bool       // something was said before in this answer
	stuck   bool       // too many calls were made
	reply   reply
}

// phrase is a text in both languages. Its verbs are those of package fmt.
type phrase struct{ en, fr string }

func (d *dialogue) in(p phrase, args ...any) string {
	text := p.en
	if d.french {
		text = p.fr
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// step is one call with the words before it.
type step struct {
	think, say string
	tool       string
	args       any // marshals to the arguments
}

// The arguments of the tools.
type (
	bashArgs struct {
		Command string `json:"command"`
	}
	pathArgs struct {
		Path string `json:"path"`
	}
	writeArgs struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	editArgs struct {
		Path  string `json:"path"`
		Edits []edit `json:"edits"`
	}
	edit struct {
		Old string `json:"old"`
		New string `json:"new"`
	}
	skillArgs struct {
		Name string `json:"name"`
	}
)

// do takes a step. taken is true when it was taken before, and out is what
// came of it; otherwise the step is the reply, and the caller returns.
func (d *dialogue) do(s step) (out outcome, taken bool) {
	args := encode(s.args)
	for i, e := range d.past {
		if e.tool == s.tool && sameJSON(e.args, args) {
			d.past = d.past[i+1:]
			d.started = true
			return outcome{tool: s.tool, text: e.result}, true
		}
	}
	if d.stuck {
		d.end(stuckText)
		return outcome{}, false
	}
	d.reply = reply{think: s.think, say: d.led(s.say), tool: s.tool, args: args}
	return outcome{}, false
}

// end is the last step: words alone.
func (d *dialogue) end(p phrase, args ...any) { d.endWith(d.in(p, args...)) }

func (d *dialogue) endWith(text string) { d.reply = reply{say: d.led(text)} }

// led puts the admission that all is scripted before the first words.
func (d *dialogue) led(text string) string {
	if d.started {
		return text
	}
	return d.in(leadText) + text
}

func sameJSON(a, b string) bool {
	var va, vb any
	return json.Unmarshal([]byte(a), &va) == nil && json.Unmarshal([]byte(b), &vb) == nil && reflect.DeepEqual(va, vb)
}

// outcome is the result of a call.
type outcome struct{ tool, text string }

var (
	applied  = regexp.MustCompile(`\d edits? applied`)
	exitCode = regexp.MustCompile(`(?m)^\[exit code: (\d+)`)
	broken   = regexp.MustCompile(`(?m)^\[error: `)
	bracket  = regexp.MustCompile(`^\[(?:error: |refused: )?`)
)

// rejected tells that the user said no.
func (o outcome) rejected() bool { return strings.Contains(o.text, "rejected by the user]") }

// unread tells that a file was not overwritten because it was not read.
func (o outcome) unread() bool {
	return strings.HasPrefix(o.text, "[refused") && strings.Contains(o.text, "read_file")
}

// refused tells that the policy said no, or that nobody could be asked.
func (o outcome) refused() bool { return strings.HasPrefix(o.text, "[refused") && !o.unread() }

// ok tells that the call did what it was made for. A command that ran is ok,
// whatever its exit code.
func (o outcome) ok() bool {
	switch {
	case o.rejected() || strings.HasPrefix(o.text, "[refused") || strings.HasPrefix(o.text, "[error"):
		return false
	case o.tool == "edit_file":
		return applied.MatchString(o.text)
	case o.tool == "bash":
		return !broken.MatchString(o.text)
	}
	return true
}

// exit returns the exit code of a command, "0" when none is told.
func (o outcome) exit() string {
	if m := exitCode.FindStringSubmatch(o.text); m != nil {
		return m[1]
	}
	return "0"
}

// line is the first line of the result, to quote, without its bracket.
func (o outcome) line() string {
	const most = 240
	first, _, _ := strings.Cut(strings.TrimSpace(o.text), "\n")
	first = bracket.ReplaceAllString(strings.TrimSuffix(first, "]"), "")
	if r := []rune(first); len(r) > most {
		return string(r[:most]) + "…"
	}
	return first
}
