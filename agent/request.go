package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// wish is what a message asks for, as far as that can be told from its words.
type wish struct {
	change bool   // of the project
	run    bool   // of a command
	search bool   // in the project
	read   string // a file that there is
}

// A request is a sentence that begins with its verb, behind a few words of
// politeness, or goes on with one behind "and", "then" or a comma. Everything
// here is made to be right when it speaks, and silent in doubt.
const (
	polite  = `(?:[-*•] +|(?:please|kindly|now|then|next|first|finally|also|and|so|ok|okay|hey|hi|hello|just|can you|could you|would you|will you|i (?:want|need)(?: you)? to|i'd like (?:you )?to|you (?:should|must|need to)|let's|let us|help me(?: to)?|try to|[\w./-]+\.\w+:)[, ]+)*`
	asks    = `(?i)(?:^` + polite + `|,? (?:and|then|and then) (?:please )?|, (?:please )?)`
	aFile   = `[\w./-]*\w\.[a-z]\w{0,5}\b`
	nothing = `(?:[\w-]+ ){0,3}?(?:sure|sense|up|nothing|lists?|tables?|summary|messages?|suggestions?|examples?|samples?|snippets?|descriptions?|explanations?|overviews?|plans?|poems?|story|reports?|proposals?|notes?|comparisons?|sentences?|paragraphs?|words?|statements?|questions?|guess|quer(?:y|ies)|one-liners?|diagrams?|outlines?|pseudocode|points?|regex(?:es)?|haikus?|recommendations?|estimates?|cases?)\b`

	// noun follows a verb that is none there: "commit messages", "run time".
	noun = `(?:messages?|history|ideas?|for|on|time|into|through|by|me|works?|attempts?|vs|or|order|simply|is|are|was)\b`
)

var (
	mends   = regexp.MustCompile(asks + `(?:fix|mend|rename|refactor|commit|implement)\b(.*)`)
	changes = regexp.MustCompile(asks + `(?:add|set|write|create|replace|remove|delete|update|change|move|convert|edit|insert|append|correct|bump|put|make) (.*)`)
	runs    = regexp.MustCompile(asks + `(?:run|execute) (\S.*)`)
	finds   = regexp.MustCompile(asks + `(?:look (?:it|this|that|them) up|find out|search (?:for|the|in|through)|grep)\b`)
	reads   = regexp.MustCompile(asks + `(?:read|open|show(?: me)?|look)(?: at| in| into)? (?:the |file |lines? \S+ (?:(?:to|-) \S+ )?(?:of|in) )*(` + aFile + `)`)

	// about is an object that changes nothing: "make sure", "write a summary".
	about = regexp.MustCompile(`(?i)^(?:me |us )?(?:an? |the |some |your |any )?` + nothing + `|^an e-?mail\b|^(?:me|us|down|out|in|what|this|the following)\b|\b(?:here|in the chat|for me)\b`)

	nouns = regexp.MustCompile(`(?i)^ *` + noun)

	// tells begins a sentence that says how things are.
	tells = regexp.MustCompile(`(?i)^(?:i|we|it|they|users?|the|this|that|these|those|assume|suppose|imagine|thanks|thank you)\b`)

	// able asks what the program can do: "can you edit files?"
	able = regexp.MustCompile(`(?i)^(?:can|could|will) you \w+ \w+s$`)

	// thing is what in a project is worked on.
	thing = regexp.MustCompile(`(?i)` + aFile + `|\b(?:functions?|methods?|class(?:es)?|types?|fields?|files?|folders?|tests?|options?|flags?|parameters?|arguments?|imports?|interfaces?|modules?|scripts?|propert(?:y|ies)|constants?|variables?|services?|endpoints?|comments?|docstrings?|headings?|entr(?:y|ies))\b`)

	// wants are such sentences that ask all the same.
	wants = regexp.MustCompile(`(?i)^i(?:'d| would)? (?:want|need|like) `)

	canYou = regexp.MustCompile(`(?i)^(?:can|could|would|will) you\b`)

	question = regexp.MustCompile(`(?i)^(?:(?:and|so|but|hey|ok|okay)[, ]+)*(?:how|what|why|which|who|where|when|is|are|was|were|does|do|did|should|shall|may|explain|describe|suggest|propose|plan|tell|if|when|let's (?:plan|discuss|talk|think|see)|let us (?:plan|discuss|talk|think|see))\b|\bhow (?:to|do|can|would|could|should)\b`)

	// unsure finds a condition: whether it holds, only the model can tell.
	unsure = regexp.MustCompile(`(?i)\b(?:any|if|whether|unless|in case)\b`)

	// not finds what takes a request back, or puts it off.
	not = regexp.MustCompile(`(?i)\b(?:do not|don't|dont|never|without) (?:chang|edit|writ|touch|modify|run|do|fix)\w* (?:anything|any (?:files?|thing|code)|it|them|yet|nothing)\b|\b(?:change|fix|edit|touch|write|do|run) nothing\b|\bbefore you\b|\byet\b|\b(?:next time|from now on|in (?:the )?future|always|later)\b|\b(?:only|just) (?:explain|plan|tell|show|suggest|describe|propose)\b`)

	sentences = regexp.MustCompile(`([.!?;])(?:\s+|$)`)
	code      = regexp.MustCompile("(?s)```.*?(?:```|$)")
)

// readWish tells what a message asks for. dir is the folder of relative paths.
func readWish(message, dir string) wish {
	var w wish
	if not.MatchString(message) {
		return w
	}
	for _, line := range typed(message) {
		for line != "" {
			sentence, end, rest := line, "", ""
			if m := sentences.FindStringSubmatchIndex(line); m != nil {
				sentence, end, rest = line[:m[0]], line[m[2]:m[3]], line[m[1]:]
			}
			w.hear(sentence, end == "?", dir)
			line = rest
		}
	}
	return w
}

// hear takes in one sentence.
func (w *wish) hear(sentence string, asked bool, dir string) {
	if question.MatchString(sentence) || unsure.MatchString(sentence) || asked && (!canYou.MatchString(sentence) || able.MatchString(sentence)) ||
		tells.MatchString(sentence) && !wants.MatchString(sentence) {
		return
	}
	if m := mends.FindStringSubmatch(sentence); m != nil && !nouns.MatchString(m[1]) {
		w.change = true
	}
	if m := changes.FindStringSubmatch(sentence); m != nil && !nouns.MatchString(m[1]) && !about.MatchString(m[1]) && thing.MatchString(sentence) {
		w.change = true
	}
	if m := runs.FindStringSubmatch(sentence); m != nil && !nouns.MatchString(m[1]) {
		w.run = true
	}
	w.search = w.search || finds.MatchString(sentence)
	if m := reads.FindStringSubmatch(sentence); m != nil {
		path := m[1]
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			w.read = m[1]
		}
	}
}

// typed are the lines in which a user says what is wanted: the first and the
// last one. What stands between them, in a fence, indented or in brackets was
// pasted or attached.
func typed(message string) []string {
	var lines []string
	for line := range strings.SplitSeq(code.ReplaceAllString(message, ""), "\n") {
		if line != strings.TrimLeft(line, " \t[") || strings.TrimSpace(line) == "" {
			continue
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	if len(lines) > 2 {
		lines = []string{lines[0], lines[len(lines)-1]}
	}
	return lines
}
