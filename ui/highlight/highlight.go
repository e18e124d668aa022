// Package highlight colours source code, line by line, with the inks of the
// screen's theme. It knows lexers and roles, nothing of Markdown or diffs.
package highlight

import (
	"path"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"mm/themes"
)

// MaxSource is the size in bytes above which code stays plain: a lexer reads
// about 500 KiB in a second, and nobody reads so much on a screen.
const MaxSource = 256 << 10

// Span is a piece of one line in one ink.
type Span struct {
	Role themes.Role
	Text string
}

// Language returns the lexer's name for the info string of a fence, or empty
// when there is none: guessing costs more than the colours are worth.
func Language(info string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	name = strings.ToLower(strings.Trim(name, "{}."))
	if name == "" || name == "text" {
		return ""
	}
	if alias, ok := aliases[name]; ok {
		name = alias
	}
	if lexers.GlobalLexerRegistry.Get(name) == nil {
		return ""
	}
	return name
}

// aliases are info strings that models write and lexers do not know.
var aliases = map[string]string{
	"sh-session": "console",
	"terminal":   "bash",
	"golang":     "go",
	"jsonc":      "json",
	"json5":      "json",
	"node":       "javascript",
	"mjs":        "javascript",
	"cjs":        "javascript",
	"py3":        "python",
	"patch":      "diff",
}

// ForFile returns the language of a file by its name, or empty.
func ForFile(name string) string {
	l := lexers.Match(path.Base(strings.ReplaceAll(name, "\\", "/")))
	if l == nil {
		return ""
	}
	return l.Config().Name
}

// Lines colours code. It returns one slice of spans for each line; a final
// newline ends the last line and begins no other. Code without a language is
// returned in the plain ink.
func Lines(code, language string) [][]Span {
	code = strings.TrimSuffix(code, "\n")
	lexer := chroma.Lexer(nil)
	if language != "" && len(code) <= MaxSource {
		lexer = lexers.Get(language)
	}
	if lexer == nil {
		return plain(code)
	}
	it, err := chroma.Coalesce(lexer).Tokenise(nil, code+"\n")
	if err != nil {
		return plain(code)
	}
	var lines [][]Span
	var line []Span
	for tok := it(); tok != chroma.EOF; tok = it() {
		role := roleOf(tok.Type)
		for i, part := range strings.Split(tok.Value, "\n") {
			if i > 0 {
				lines, line = append(lines, line), nil
			}
			if part != "" {
				line = append(line, Span{role, part})
			}
		}
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	// A lexer may add a newline of its own or swallow one; the source rules.
	want := strings.Count(code, "\n") + 1
	if len(lines) < want {
		return plain(code)
	}
	return lines[:want]
}

func plain(code string) [][]Span {
	var lines [][]Span
	for l := range strings.SplitSeq(code, "\n") {
		var line []Span
		if l != "" {
			line = []Span{{themes.Text, l}}
		}
		lines = append(lines, line)
	}
	return lines
}

// roleOf maps chroma's token types to inks, from the particular to the
// general.
func roleOf(t chroma.TokenType) themes.Role {
	switch {
	case t.InCategory(chroma.Comment):
		return themes.Comment
	case t == chroma.KeywordType, t == chroma.NameClass, t == chroma.NameBuiltin, t == chroma.NameTag:
		return themes.Type
	case t == chroma.KeywordConstant, t == chroma.NameConstant, t == chroma.NameAttribute:
		return themes.Constant
	case t.InCategory(chroma.Keyword):
		return themes.Keyword
	case t == chroma.NameFunction, t == chroma.NameFunctionMagic, t == chroma.NameDecorator:
		return themes.Function
	case t.InSubCategory(chroma.LiteralString):
		return themes.String
	case t.InSubCategory(chroma.LiteralNumber):
		return themes.Number
	case t.InCategory(chroma.Operator):
		return themes.Operator
	case t == chroma.GenericInserted:
		return themes.Added
	case t == chroma.GenericDeleted:
		return themes.Removed
	case t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return themes.Heading
	case t == chroma.GenericPrompt:
		return themes.Dim
	}
	return themes.Text
}
