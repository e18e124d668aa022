package tools

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Check looks at a file that a tool has just written and returns what the
// model has to know of it, in lines with brackets, or "". name is the file's
// path as the model knows it. It returns soon after ctx ends.
type Check func(ctx context.Context, name string, c Change) string

// FirstCheck asks checks in turn, but for those that are nil, until one has
// something to say: a file that does not parse is no use to a language server.
func FirstCheck(checks ...Check) Check {
	return func(ctx context.Context, name string, c Change) string {
		for _, check := range checks {
			if check == nil {
				continue
			}
			if said := check(ctx, name, c); said != "" {
				return said
			}
		}
		return ""
	}
}

// checked asks the check of files, if there is one.
func (f Files) checked(ctx context.Context, c Change) string {
	if f.Check == nil {
		return ""
	}
	said := f.Check(ctx, f.Workspace.Display(c.Path), c)
	if said == "" {
		return ""
	}
	return "\n" + said
}

const (
	// maxChecked bounds the files that are parsed, in bytes.
	maxChecked = 2 << 20

	// maxFault bounds what is repeated of a parser's message, in bytes.
	maxFault = 200
)

// syntaxFault parses a text and returns the first fault, "" when there is
// none, and false when the text could not be judged.
type syntaxFault func(ctx context.Context, text []byte) (fault string, judged bool)

// SyntaxCheck returns a check that warns of what SyntaxFaults finds.
func SyntaxCheck(dir string) Check {
	faultOf := SyntaxFaults(dir)
	return func(ctx context.Context, name string, c Change) string {
		if fault := faultOf(ctx, name, c); fault != "" {
			return "[warning: " + fault + "]"
		}
		return ""
	}
}

// SyntaxFaults returns a function that tells, in one line or "", of a file which
// parsed before a change, or did not exist, and does not parse after it. Go, JSON, YAML and
// TOML are parsed here; Python, JavaScript and shell by their interpreters,
// where these are installed outside of the project dir. No code of the project
// is run.
func SyntaxFaults(dir string) Check {
	programs := &interpreters{project: dir}
	return func(ctx context.Context, name string, c Change) string {
		faultIn := programs.parser(c)
		if faultIn == nil || len(c.After) > maxChecked || len(c.Before) > maxChecked {
			return ""
		}
		fault, judged := faultIn(ctx, c.After)
		if !judged || fault == "" {
			return ""
		}
		verb := "does not parse"
		if len(bytes.TrimSpace(c.Before)) > 0 {
			verb = "no longer parses"
			if was, judged := faultIn(ctx, c.Before); !judged || was != "" {
				return ""
			}
		}
		return fmt.Sprintf("%s %s: %s", name, verb, shortFault(fault))
	}
}

// shortFault makes one bounded line of a parser's message.
func shortFault(fault string) string {
	fault = strings.Join(strings.Fields(cleanLine(strings.ReplaceAll(fault, "\n", " "))), " ")
	return clipTo(fault, maxFault)
}

// lineFault is a message with its line, from 1, or 0 when it is not known.
func lineFault(line int, message string) string {
	if line <= 0 {
		return message
	}
	return fmt.Sprintf("line %d: %s", line, message)
}

// parser finds what parses a file, by its name or its first line, or nil.
func (in *interpreters) parser(c Change) syntaxFault {
	base := strings.ToLower(filepath.Base(c.Path))
	switch ext := filepath.Ext(base); ext {
	case ".go":
		return goFault
	case ".json":
		if commentedJSON(base) {
			return nil
		}
		return jsonSyntaxFault
	case ".yaml", ".yml":
		return yamlFault
	case ".toml":
		return tomlFault
	case ".py", ".pyi":
		return in.python
	case ".js", ".mjs", ".cjs":
		return in.javascript(ext)
	case ".sh", ".bash":
		return in.shell
	case "":
		return in.byFirstLine(c.After)
	}
	return nil
}

// byFirstLine reads the interpreter of a script without an extension.
func (in *interpreters) byFirstLine(text []byte) syntaxFault {
	line, _, _ := bytes.Cut(text[:min(len(text), maxSniffed)], []byte("\n"))
	command, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	for word := range strings.FieldsSeq(string(command)) {
		switch name := filepath.Base(word); {
		case name == "sh", name == "bash":
			return in.shell
		case strings.HasPrefix(name, "python3"):
			return in.python
		}
	}
	return nil
}

// commentedJSON tells the files named .json that may hold comments.
func commentedJSON(base string) bool {
	for _, start := range []string{"tsconfig", "jsconfig", "devcontainer", ".eslintrc", ".swcrc", "deno"} {
		if strings.HasPrefix(base, start) {
			return true
		}
	}
	return false
}
