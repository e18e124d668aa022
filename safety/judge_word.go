package safety

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one argument, known before the command runs.
type word struct {
	text  string // patterns stand as written
	glob  bool   // bash expands it to names of files
	lead  bool   // and those may begin with any character
	canon string // how it is written in the canonical line

	pending string // text that is not yet in canon
}

// plainVariables may be expanded: their values are no secrets and are known.
var plainVariables = map[string]bool{
	"HOME": true, "PWD": true, "USER": true, "LOGNAME": true, "PATH": true, "SHELL": true,
	"LANG": true, "TERM": true, "HOSTNAME": true, "GOPATH": true, "GOROOT": true, "TMPDIR": true,
}

// brackets matches a bracket pattern that needs no quotes anywhere.
var brackets = regexp.MustCompile(`\[[!^]?[A-Za-z0-9_.-]+\]`)

// assignedHome matches a tilde that bash expands inside of a word that looks
// like an assignment.
var assignedHome = regexp.MustCompile(`[=:]~`)

// word reduces a word to text. It asks and returns false where bash would do
// more than that.
func (j *judge) word(w *syntax.Word) (word, bool) {
	var out word
	if braces(w) {
		j.ask("braces that bash expands")
		return out, false
	}
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			// Bash leaves a tilde alone before what is quoted.
			if p.Value == "~" && i == 0 && len(w.Parts) > 1 || assignedHome.MatchString(p.Value) {
				j.ask("a home folder that is not plain (%s)", p.Value)
				return out, false
			}
			if !j.literal(&out, p.Value, i == 0) {
				return out, false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				j.ask("a string with escapes ($'…')")
				return out, false
			}
			out.add(p.Value)
		case *syntax.DblQuoted:
			if !j.quoted(&out, p) {
				return out, false
			}
		case *syntax.ParamExp:
			value, ok := j.variable(p)
			if ok && strings.ContainsAny(value, " \t\n*?[\\") {
				j.ask("a variable whose value bash would split")
				ok = false
			}
			if !ok {
				return out, false
			}
			out.add(value)
		default:
			j.ask("%s", expansion(part))
			return out, false
		}
	}
	if out.flush(); out.canon == "" {
		out.canon = "''"
	}
	return out, true
}

// add appends text that stands for itself.
func (w *word) add(text string) {
	w.text += text
	w.pending += text
}

// flush writes the text that came since the last pattern as one piece, so that
// a line that is judged again stays as it is.
func (w *word) flush() {
	if w.pending != "" {
		w.canon += Quote(w.pending)
		w.pending = ""
	}
}

// pattern appends characters that bash matches with names of files.
func (w *word) pattern(text string) {
	w.lead = w.lead || w.text == ""
	w.flush()
	w.glob = true
	w.text += text
	w.canon += text
}

// literal reads unquoted text: backslashes, patterns, tilde and braces.
func (j *judge) literal(out *word, s string, first bool) bool {
	if first && strings.HasPrefix(s, "~") {
		home := j.env.Getenv("HOME")
		if rest := s[1:]; home == "" || rest != "" && rest[0] != '/' {
			j.ask("a home folder that is not plain (%s)", s)
			return false
		}
		out.add(home)
		s = s[1:]
	}
	for len(s) > 0 {
		switch s[0] {
		case '\\':
			if len(s) == 1 {
				j.ask("a backslash at the end")
				return false
			}
			out.add(s[1:2])
			s = s[2:]
		case '*', '?':
			out.pattern(s[:1])
			s = s[1:]
		case '[':
			switch at := brackets.FindStringIndex(s); {
			case at != nil && at[0] == 0:
				out.pattern(s[:at[1]])
				s = s[at[1]:]
			case s == "[":
				out.add("[")
				s = ""
			default:
				j.ask("a pattern that is not plain")
				return false
			}
		default:
			n := strings.IndexAny(s, `\*?[`)
			if n < 0 {
				n = len(s)
			}
			out.add(s[:n])
			s = s[n:]
		}
	}
	return true
}

// braces tells whether bash may expand a word as a list or a range: an unquoted
// brace with an unquoted comma or two dots behind it.
func braces(w *syntax.Word) bool {
	text := ""
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			text += lit.Value
		}
	}
	_, rest, ok := strings.Cut(text, "{")
	return ok && (strings.Contains(rest, ",") || strings.Contains(rest, ".."))
}

// quoted reads what stands between double quotes.
func (j *judge) quoted(out *word, q *syntax.DblQuoted) bool {
	if q.Dollar {
		j.ask(`a string that is translated ($"…")`)
		return false
	}
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out.add(unescape(p.Value, "$`\"\\"))
		case *syntax.ParamExp:
			value, ok := j.variable(p)
			if !ok {
				return false
			}
			out.add(value)
		default:
			j.ask("%s", expansion(part))
			return false
		}
	}
	return true
}

// variable returns the value of a plain variable in its plain form.
func (j *judge) variable(p *syntax.ParamExp) (string, bool) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	plain := !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Index == nil && p.Slice == nil &&
		p.Repl == nil && p.Names == 0 && p.Exp == nil && p.NestedParam == nil && p.Flags == nil &&
		len(p.Modifiers) == 0
	if name == "PWD" && (j.dir != "" || j.lost) {
		plain = false // a cd changed it
	}
	if !plain || !plainVariables[name] {
		j.ask("the value of $%s", name)
		return "", false
	}
	value := j.env.Getenv(name)
	if value == "" || hasHidden(value) {
		j.ask("the value of $%s, which is not plain", name)
		return "", false
	}
	return value, true
}

func hasHidden(s string) bool {
	return strings.ContainsFunc(s, hidden) || strings.Contains(s, "\n")
}

// expansion names what bash would do with a part of a word.
func expansion(p syntax.WordPart) string {
	switch p.(type) {
	case *syntax.CmdSubst:
		return "a command inside the command: $(…)"
	case *syntax.ProcSubst:
		return "a command in place of a file: <(…)"
	case *syntax.ArithmExp:
		return "a computation: $((…))"
	}
	return "an expansion"
}
