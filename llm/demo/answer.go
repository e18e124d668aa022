package demo

import (
	"fmt"
	"regexp"
	"strings"
)

// answer finds the reply to a request.
func answer(c *chat) reply {
	d := &dialogue{chat: c}
	switch {
	case !c.mayCall():
		d.withoutTools()
		return d.reply
	case c.isProbe():
		return c.probe()
	}
	at := d.listen()
	d.past = c.since(at)
	d.stuck = len(d.past) >= maxCalls
	switch d.kind {
	case tour, resume:
		d.tour()
	case list:
		d.list()
	case read:
		d.simple(readText, doneReadText, step{tool: "read_file", args: pathArgs{d.file}})
	case create:
		d.simple(createText, createdText, step{tool: "write_file", args: writeArgs{d.file, withNewline(d.new)}})
	case replace:
		d.replace()
	case run:
		d.run()
	case skill:
		d.simple(skillText, doneSkillText, step{tool: "read_skill", args: skillArgs{d.file}})
	case hello:
		d.end(helloText)
	case help:
		d.end(helpText)
	default:
		d.end(unclearText)
	}
	return d.reply
}

// listen understands the user's last message and returns its index. "Go on"
// stands for the last tour, from its beginning.
func (d *dialogue) listen() int {
	users := d.users()
	if len(users) == 0 {
		return 0
	}
	last := users[len(users)-1]
	d.intent = understand(d.Messages[last].Text())
	if d.kind != resume {
		return last
	}
	for i := len(users) - 2; i >= 0; i-- {
		if earlier := understand(d.Messages[users[i]].Text()); earlier.kind == tour {
			d.intent = earlier
			return users[i]
		}
	}
	d.kind = unclear
	return last
}

// simple carries out a request that is one call.
func (d *dialogue) simple(before, after phrase, s step) {
	if !d.can(s.tool) {
		return
	}
	s.say = d.in(before, d.file)
	if out, taken := d.do(s); taken && d.went(out) {
		d.end(after, d.file)
	}
}

// can tells whether a tool is declared, and says so if it is not.
func (d *dialogue) can(tool string) bool {
	if !d.Declares(tool) {
		d.end(noToolText, tool)
		return false
	}
	return true
}

// went tells whether a call succeeded. If not, it says what came of it.
func (d *dialogue) went(out outcome) bool {
	switch {
	case out.ok():
		return true
	case out.rejected():
		d.end(rejectedText)
	case out.unread():
		d.end(existsText, d.file)
	case out.refused():
		d.end(refusedText, out.line())
	default:
		d.end(failedText, out.line())
	}
	return false
}

// list shows a folder by ls, or by read_file where commands are turned off or
// refused.
func (d *dialogue) list() {
	if d.file == "" || here.MatchString(d.file) {
		d.file = "."
	}
	if d.Declares("bash") {
		s := step{say: d.in(listText, d.file), tool: "bash", args: bashArgs{"ls -la " + shellWord(d.file)}}
		out, taken := d.do(s)
		if !taken {
			return
		}
		if !out.refused() || !d.Declares("read_file") {
			if d.went(out) {
				d.end(doneListText, d.file)
			}
			return
		}
	}
	d.simple(listText, doneListText, step{tool: "read_file", args: pathArgs{d.file}})
}

// here matches words for the current folder.
var here = regexp.MustCompile(`(?i)^(?:here|ici|(?:this|the current|current|ce|le) (?:folder|directory|dossier|projet|project)|project|projet)$`)

// shellWord quotes a file name for a shell where that is needed.
func shellWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./,+@%=:-]+$`)

func (d *dialogue) run() {
	if !d.can("bash") {
		return
	}
	out, taken := d.do(step{say: d.in(runText), tool: "bash", args: bashArgs{d.command}})
	switch {
	case !taken || !d.went(out):
	case out.exit() == "0":
		d.end(ranText)
	default:
		d.end(ranBadlyText, out.exit())
	}
}

// replace reads the file, since an edit needs its exact text, and edits it. A
// text that stands at several places is replaced line by line.
func (d *dialogue) replace() {
	if !d.can("read_file") || !d.can("edit_file") {
		return
	}
	content, taken := d.do(step{say: d.in(replaceText, d.file), tool: "read_file", args: pathArgs{d.file}})
	if !taken || !d.went(content) {
		return
	}
	first := []edit{{d.old, d.new}}
	out, taken := d.do(step{say: d.in(editText), tool: "edit_file", args: editArgs{d.file, first}})
	if !taken {
		return
	}
	if edits := d.lineEdits(content.text); !out.ok() && !out.rejected() && !out.refused() && len(edits) > 0 {
		out, taken = d.do(step{say: d.in(linesText), tool: "edit_file", args: editArgs{d.file, edits}})
		if !taken {
			return
		}
	}
	if d.went(out) {
		d.end(replacedText, d.file)
	}
}

// numberedLine matches a line of a file as read_file shows it.
var numberedLine = regexp.MustCompile(`^\d+\|(.*)$`)

// lineEdits replaces the text in each line that holds it. It returns nothing
// unless there are several such lines, all different.
func (d *dialogue) lineEdits(shown string) []edit {
	var edits []edit
	seen := map[string]bool{}
	for line := range strings.Lines(shown) {
		m := numberedLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || !strings.Contains(m[1], d.old) {
			continue
		}
		if seen[m[1]] {
			return nil
		}
		seen[m[1]] = true
		edits = append(edits, edit{m[1], strings.ReplaceAll(m[1], d.old, d.new)})
	}
	return edits
}

// withNewline ends a file's text as text files end.
func withNewline(text string) string {
	if m := fence.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = unquote(text)
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// fence matches a text that is one fenced block.
var fence = regexp.MustCompile("(?s)^```[^\n`]*\n(.*?)\n?```$")

// withoutTools answers a request that may call nothing: a summary where one is
// asked for.
func (d *dialogue) withoutTools() {
	users := d.users()
	if len(users) == 0 {
		d.end(unclearText)
		return
	}
	last := d.Messages[users[len(users)-1]].Text()
	if summarise.MatchString(last) {
		d.reply = reply{say: d.summary(users)}
		return
	}
	switch d.intent = understand(last); d.kind {
	case hello:
		d.end(helloText)
	case help:
		d.end(helpText)
	default:
		d.end(noToolsText)
	}
}

var summarise = regexp.MustCompile(`(?i)summari[sz]e|résume`)

// summary tells what the history holds, under the headings that a compaction
// asks for.
func (d *dialogue) summary(users []int) string {
	const mostDone = 12
	goal := ""
	for _, i := range users {
		if words := ownWords(d.Messages[i].Text()); words != "" && !summarise.MatchString(words) {
			goal = words
		}
	}
	var done, touched []string
	for _, e := range d.since(0) {
		what := e.about()
		done = append(done, e.tool+" "+what)
		if (e.tool == "write_file" || e.tool == "edit_file") && (outcome{e.tool, e.result}).ok() {
			touched = appendNew(touched, what)
		}
	}
	if n := len(done) - mostDone; n > 0 {
		done = append([]string{fmt.Sprintf("%d earlier calls", n)}, done[n:]...)
	}
	return fmt.Sprintf("GOAL: %s\nDONE: %s\nFILES TOUCHED: %s\nFACTS FOUND: none (a script wrote this summary)\nREMAINING: whatever the user asks next",
		orNone(firstRunes(goal)), orNone(strings.Join(done, "; ")), orNone(strings.Join(touched, ", ")))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
