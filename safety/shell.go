package safety

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is given to the parser. It recurses: 20 KB of "(" take it 5
// seconds, and 254 KB of "((" end the process.
const (
	maxLine   = 8 << 10 // bytes
	maxOpened = 200     // opening brackets and backquotes
)

// gate says why a command line must not be given to the parser, or nil. Some
// of it the parser reads otherwise than bash does: a backslash before a line
// end or a carriage return, carriage returns and NUL.
func gate(line string) error {
	switch {
	case len(line) > maxLine:
		return fmt.Errorf("not parsed: longer than %d bytes", maxLine)
	case !utf8.ValidString(line):
		return errors.New("not parsed: not valid UTF-8")
	case strings.Contains(line, "\\\n"):
		return errors.New("not parsed: a backslash at the end of a line")
	}
	opened := 0
	for _, r := range line {
		switch r {
		case '(', '{', '[', '`':
			opened++
		}
		if opened > maxOpened {
			return fmt.Errorf("not parsed: more than %d brackets", maxOpened)
		}
		if hidden(r) {
			return fmt.Errorf("not parsed: it holds the character U+%04X", r)
		}
	}
	return nil
}

// hidden tells whether a rune does not show on the screen as what it is.
func hidden(r rune) bool {
	switch r {
	case '\t', '\n', ' ':
		return false
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0', '\u034f': // look blank
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) ||
		unicode.Is(unicode.Variation_Selector, r)
}

// parse reads a command line as bash would.
func parse(line string) (*syntax.File, error) {
	if err := gate(line); err != nil {
		return nil, err
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, fmt.Errorf("not parsed: %w", err)
	}
	return f, nil
}

// static returns the text of a word that no expansion changes. Patterns and
// braces are given as they stand.
func static(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", false
				}
				b.WriteString(unescape(lit.Value, "$`\"\\"))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape takes away the backslashes before the runes of only, or before any
// rune when only is empty.
func unescape(s, only string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (only == "" || strings.IndexByte(only, s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Commands lists the words of each simple command in a line, at any depth, in
// order. A word that is not plain text is "". What cannot be parsed has none.
// It is meant for advice, not for judging.
func Commands(line string) [][]string {
	f, err := parse(line)
	if err != nil {
		return nil
	}
	var out [][]string
	syntax.Walk(f, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			out = append(out, staticWords(call.Args))
		}
		return true
	})
	return out
}

// LastChange returns the words of a command line's last command when it only
// changes the shell that runs it: cd, export, source and their like, or an
// assignment. Such a change ends with the line.
func LastChange(line string) []string {
	f, err := parse(line)
	if err != nil || len(f.Stmts) == 0 {
		return nil
	}
	stmt := f.Stmts[len(f.Stmts)-1]
	for {
		b, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt && b.Op != syntax.OrStmt {
			break
		}
		stmt = b.Y
	}
	if stmt.Background || stmt.Cmd == nil {
		return nil
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.DeclClause:
		return []string{c.Variant.Value}
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return []string{c.Assigns[0].Name.Value + "="}
		}
		words := staticWords(c.Args)
		switch words[0] {
		case "cd", "pushd", "popd", "source", ".", "alias", "unset", "set", "shopt", "umask":
			return words
		}
	}
	return nil
}
