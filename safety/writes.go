package safety

import (
	"path/filepath"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Written is a file that a command line visibly writes.
type Written struct {
	Path   string
	Append bool

	// Content is what it writes, when Known: the body of a here-document
	// that cat or tee copies.
	Content string
	Known   bool
}

// Writes lists the files that a command line writes by cat, echo, printf or
// tee, or empties: what models fall back to when a tool refuses a change. It sees plain
// file names only, and is meant for advice, not for judging.
func Writes(command string) []Written {
	script, bodies := cutBodies(command)
	f, err := parse(script)
	if err != nil {
		return nil
	}
	var out []Written
	dir, known := "", true
	syntax.Walk(f, func(n syntax.Node) bool {
		stmt, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		if to, ok := changesTo(stmt); ok {
			known = known && to != "" && to != "-"
			if dir = filepath.Join(dir, to); filepath.IsAbs(to) {
				dir = to
			}
		}
		body, found := "", false
		for _, r := range stmt.Redirs {
			if (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && len(bodies) > 0 {
				body, found, bodies = bodies[0], true, bodies[1:]
			}
		}
		if !known {
			return true
		}
		for _, w := range stmtWrites(stmt, body, found) {
			if !filepath.IsAbs(w.Path) && !strings.HasPrefix(w.Path, "~") {
				w.Path = filepath.Join(dir, w.Path)
			}
			out = append(out, w)
		}
		return true
	})
	return out
}

// changesTo returns where a cd leads, "" when that is not plain text.
func changesTo(stmt *syntax.Stmt) (dir string, ok bool) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	if name, _ := static(call.Args[0]); name != "cd" && name != "pushd" {
		return "", false
	}
	if len(call.Args) > 1 {
		dir, _ = static(call.Args[1])
	}
	return dir, true
}

// cutBodies takes the bodies of here-documents out of a command, in order.
func cutBodies(command string) (script string, bodies []string) {
	for range heredocStart.FindAllString(command, -1) {
		bodies = append(bodies, "") // as many as there can be
	}
	script = heredocs(
		command,
		func(line string) string { return line },
		func(n int, line string) string {
			bodies[n] += line
			return ""
		},
	)
	return script, bodies
}

func stmtWrites(stmt *syntax.Stmt, body string, known bool) []Written {
	words := []string{":"} // "> file" alone empties it, as ": > file" does
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
		words = staticWords(call.Args)
	} else if stmt.Cmd != nil {
		return nil
	}
	var out []Written
	switch words[0] {
	case "tee":
		add := false
		for _, w := range words[1:] {
			switch {
			case w == "-a" || w == "--append":
				add = true
			case w != "" && !strings.HasPrefix(w, "-"):
				out = append(out, Written{w, add, body, known})
			}
		}
		return out
	case "cat":
		known = known && len(words) == 1
	case "echo", "printf":
		known = false
	case ":", "true":
		body, known = "", true
	default:
		return nil
	}
	if !known {
		body = ""
	}
	for _, r := range stmt.Redirs {
		to, ok := static(r.Word)
		if !ok || strings.HasPrefix(to, "/dev/") || r.N != nil && r.N.Value != "1" {
			continue
		}
		switch r.Op {
		case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
			out = append(out, Written{to, false, body, known})
		case syntax.AppOut, syntax.AppAll:
			out = append(out, Written{to, true, body, known})
		}
	}
	return out
}

// plainWord matches words that need no quotes.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+,=-]*$`)

// Quote writes a word so that a shell reads it as it is.
func Quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
