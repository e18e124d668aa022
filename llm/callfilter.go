package llm

import "strings"

// CallFilter holds back what may be a call written as text, so that its markup
// is not shown while it streams: what an editor was sent cannot be taken back.
// The zero value is ready to use.
type CallFilter struct {
	held    string // not shown yet
	plain   plainState
	holding bool // markup began: all that follows is held
}

// plainState says whether a whole answer can be a call without markup.
type plainState int

const (
	undecided plainState = iota
	notPlain
	isPlain
)

// Write takes new text and returns what can be shown.
func (f *CallFilter) Write(text string) (show string) {
	f.held += text
	if f.holding {
		return ""
	}
	if f.plain == undecided {
		if f.plain = plainCall(f.held); f.plain == undecided {
			return ""
		}
		f.holding = f.plain == isPlain
		if f.holding {
			return ""
		}
	}
	at := markupStart(f.held)
	f.holding = at < len(f.held) && isMarkup(f.held[at:])
	show, f.held = f.held[:at], f.held[at:]
	return show
}

// Holding reports whether what is held looks like a call.
func (f *CallFilter) Holding() bool { return f.holding }

// Held is what was not shown.
func (f *CallFilter) Held() string { return f.held }

// markupStart is where the markup of a call begins in s, or may begin at its
// end; len(s) when nothing does.
func markupStart(s string) int {
	at := len(s)
	for _, f := range textFormats {
		if i := strings.Index(s, f.marker); i >= 0 {
			at = min(at, i)
		}
		for n := min(len(f.marker)-1, len(s)); n > 0; n-- {
			if strings.HasSuffix(s, f.marker[:n]) {
				at = min(at, len(s)-n)
				break
			}
		}
	}
	return at
}

func isMarkup(s string) bool {
	for _, f := range textFormats {
		if strings.HasPrefix(s, f.marker) {
			return true
		}
	}
	return false
}

// plainKeys are the first keys of a call written as bare JSON.
var plainKeys = []string{`"name"`, `"function"`, `"tool"`, `"arguments"`, `"parameters"`, `"type"`}

// plainFences are the info strings of fences around a call. Longer ones are
// not waited for.
var plainFences = []string{"", "json", "tool_call", "tool_code", "xml"}

// plainCall decides from the beginning of an answer whether it is JSON, bare
// or in a fence, that begins as a call does.
func plainCall(s string) plainState {
	const fence = "```"
	s = strings.TrimLeft(s, " \t\r\n")
	if len(s) < len(fence) && strings.HasPrefix(fence, s) {
		return undecided
	}
	if rest, ok := strings.CutPrefix(s, fence); ok {
		info, body, whole := strings.Cut(rest, "\n")
		info = strings.TrimSpace(info)
		known := false
		for _, f := range plainFences {
			known = known || info == f || (!whole && strings.HasPrefix(f, info))
		}
		switch {
		case !known:
			return notPlain
		case !whole:
			return undecided
		case info == "tool_code":
			return isPlain
		}
		s = body
	}
	const required = 1
	for i, open := range []string{"[", "{", "{"} { // doubled as some templates show it
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return undecided
		}
		rest, ok := strings.CutPrefix(s, open)
		if !ok && i == required {
			return notPlain
		}
		if ok {
			s = rest
		}
	}
	s = strings.TrimLeft(s, " \t\r\n")
	for _, key := range plainKeys {
		if strings.HasPrefix(s, key) {
			return isPlain
		}
		if strings.HasPrefix(key, s) {
			return undecided
		}
	}
	return notPlain
}
