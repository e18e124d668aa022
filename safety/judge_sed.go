package safety

import (
	"regexp"
	"strings"
)

func (j *judge) sed(args []word) {
	r := rule{flags: "nErsz", values: "e", long: "quiet silent regexp-extended expression=", operands: pattern, patternBy: "e expression"}
	c, ok := j.take("sed", r, args)
	if !ok {
		return
	}
	scripts := []string{}
	for _, o := range c.options {
		if o.name == "e" || o.name == "expression" {
			scripts = append(scripts, o.value)
		}
	}
	if len(scripts) == 0 {
		if len(c.operands) == 0 || c.operands[0].glob {
			j.ask("sed without a plain script")
			return
		}
		scripts = append(scripts, c.operands[0].text)
	}
	for _, s := range scripts {
		if !sedReads(s) {
			j.ask("a script of sed that may do more than read: %s", s)
		}
	}
	j.operandRules(r, c)
}

var (
	sedNumber   = regexp.MustCompile(`^([0-9]+(~[0-9]+)?|\$)`)
	sedRelative = regexp.MustCompile(`^[+~][0-9]+`)
	sedFlags    = regexp.MustCompile(`^[gpiI0-9]*`)
)

// sedReads accepts scripts made of addresses with p, d, q, = and s/…/…/ with
// the flags g, p, i and a number. Every other command may write a file (w), run
// a program (e) or read another file (r).
func sedReads(script string) bool {
	rest := strings.TrimLeft(script, " \t\n;")
	for rest != "" {
		var ok bool
		if rest, ok = sedAddresses(rest); !ok {
			return false
		}
		rest = strings.TrimLeft(rest, " \t!")
		if rest == "" {
			return false
		}
		letter := rest[0]
		rest = rest[1:]
		switch letter {
		case 'p', 'd', '=':
		case 'q':
			rest = strings.TrimLeft(rest, " 0123456789")
		case 's':
			if rest, ok = sedSubstitution(rest); !ok {
				return false
			}
		default:
			return false
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" {
			return true
		}
		if rest[0] != ';' && rest[0] != '\n' {
			return false
		}
		rest = strings.TrimLeft(rest, " \t\n;")
	}
	return true
}

// sedAddresses takes none, one or two addresses.
func sedAddresses(s string) (string, bool) {
	rest, found, ok := sedAddress(s)
	if !ok || !found {
		return rest, ok
	}
	rest = strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(rest, ",") {
		return rest, true
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if m := sedRelative.FindString(rest); m != "" {
		return rest[len(m):], true
	}
	rest, found, ok = sedAddress(rest)
	return rest, ok && found
}

func sedAddress(s string) (rest string, found, ok bool) {
	if m := sedNumber.FindString(s); m != "" {
		return s[len(m):], true, true
	}
	if !strings.HasPrefix(s, "/") {
		return s, false, true
	}
	rest, ok = sedUntil(s[1:], '/')
	if ok {
		rest = strings.TrimPrefix(rest, "I")
	}
	return rest, true, ok
}

// sedDelimiters are what may stand around the parts of a substitution: signs
// that mean nothing to sed elsewhere.
const sedDelimiters = "/|,#:@!%~_"

// sedSubstitution takes what follows the s of a substitution.
func sedSubstitution(s string) (string, bool) {
	if s == "" || !strings.Contains(sedDelimiters, s[:1]) {
		return "", false
	}
	rest, ok := sedUntil(s[1:], s[0])
	if !ok {
		return "", false
	}
	if rest, ok = sedUntil(rest, s[0]); !ok {
		return "", false
	}
	return rest[len(sedFlags.FindString(rest)):], true
}

// sedBracket matches a bracket expression that ends at the same place for
// every sed: whether a backslash or a class counts in it makes no difference.
var sedBracket = regexp.MustCompile(`^\[\^?\]?([^][\\]|\\[^]]|\[:[a-z]+:\])*\]`)

// sedUntil skips to behind the next delimiter. One in a bracket expression
// ends the text for some seds and not for others: then the answer is no.
func sedUntil(s string, delimiter byte) (string, bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n':
			return "", false
		case '[':
			bracket := sedBracket.FindString(s[i:])
			if bracket == "" || strings.IndexByte(bracket, delimiter) >= 0 || strings.Contains(bracket, "\n") {
				return "", false
			}
			i += len(bracket) - 1
		case delimiter:
			return s[i+1:], true
		}
	}
	return "", false
}
