package safety

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxNested is how deep commands inside of commands are looked at: sudo, env,
// xargs, find -exec, sh -c.
const maxNested = 5

// perils lists what in a line loses work, reaches far or cannot be taken back.
// It decides on the tree, not on the text: searching for "curl | sh" is none.
// It only adds warnings; a line without any is not thereby safe.
func perils(f *syntax.File) []string {
	p := &perilFinder{}
	syntax.Walk(f, p.node)
	return p.found
}

type perilFinder struct {
	found  []string
	depth  int
	looked int
}

func (p *perilFinder) add(reason string) {
	if !slices.Contains(p.found, reason) {
		p.found = append(p.found, reason)
	}
}

func (p *perilFinder) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		p.argv(staticWords(n.Args))
		if len(n.Args) > 1 && fetches(n) {
			if name, _ := static(n.Args[0]); isInterpreter(path.Base(name)) || name == "source" || name == "." {
				p.add("runs what it downloads")
			}
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			p.pipe(n)
		}
	case *syntax.Redirect:
		p.redirect(n)
	case *syntax.FuncDecl:
		if n.Name != nil && callsItself(n) {
			p.add("a function that starts itself again and again")
		}
	}
	return true
}

// staticWords gives the words of a command, "" for those that are not plain.
func staticWords(words []*syntax.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i], _ = static(w)
	}
	return out
}

// fetches tells whether an argument is the output of a download.
func fetches(c *syntax.CallExpr) bool {
	found := false
	for _, w := range c.Args[1:] {
		syntax.Walk(w, func(n syntax.Node) bool {
			if inner, ok := n.(*syntax.CallExpr); ok && len(inner.Args) > 0 {
				name, _ := static(inner.Args[0])
				found = found || isDownload(path.Base(name))
			}
			return true
		})
	}
	return found
}

func isDownload(name string) bool {
	return slices.Contains([]string{"curl", "wget", "fetch", "aria2c", "lynx", "nc", "ncat"}, name)
}

var interpreters = strings.Fields("sh bash zsh dash ksh fish python python2 python3 perl ruby node php deno bun osascript pwsh powershell")

func isInterpreter(name string) bool { return slices.Contains(interpreters, name) }

// pipe looks for a download that goes to an interpreter further on.
func (p *perilFinder) pipe(n *syntax.BinaryCmd) {
	if anyCall(n.X, func(words []string) bool { return isDownload(path.Base(words[0])) }) &&
		anyCall(n.Y, runsInput) {
		p.add("runs what it downloads")
	}
}

// anyCall tells whether a command in a tree, or one that a wrapper in it runs,
// has a property.
func anyCall(n syntax.Node, has func(words []string) bool) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			words := staticWords(c.Args)
			for range maxNested {
				if len(words) == 0 {
					break
				}
				found = found || has(words)
				if !slices.Contains(wrappers, path.Base(words[0])) {
					break
				}
				words = behindOptions(words[1:])
			}
		}
		return true
	})
	return found
}

// runsInput tells whether a command is an interpreter that runs its standard
// input: one that is given no program.
func runsInput(words []string) bool {
	if !isInterpreter(path.Base(words[0])) {
		return false
	}
	for _, a := range words[1:] {
		switch {
		case a == "-" || a == "-s" || a == "/dev/stdin":
			return true
		case !strings.HasPrefix(a, "-") || strings.HasSuffix(a, "c") || a == "-e" || a == "-m":
			return false
		}
	}
	return true
}

// callsItself finds a function that runs itself in a pipe or the background.
func callsItself(f *syntax.FuncDecl) bool {
	itself := func(words []string) bool { return words[0] == f.Name.Value }
	found := false
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			found = found || n.Op == syntax.Pipe && anyCall(n, itself)
		case *syntax.Stmt:
			found = found || n.Background && anyCall(n, itself)
		}
		return true
	})
	return found
}

// farPlaces matches files whose change reaches beyond the project: the system,
// what shells and sessions start, keys, and scheduled jobs.
var farPlaces = regexp.MustCompile(`^(/(etc|usr|bin|sbin|lib|lib64|boot|System|Library|var/spool/cron|var/lib|private/etc)(/|$)|` +
	`(~|\$HOME|\$\{HOME\}|/home/[^/]+|/Users/[^/]+|/root)/(\.(bash|zsh|sh)?(rc|profile|_profile|env|_login|login|zprofile)$|\.(bashrc|zshrc|zshenv|zprofile|profile|bash_profile|bash_login|inputrc|gitconfig)$|` +
	`\.ssh(/|$)|\.gnupg(/|$)|\.aws(/|$)|\.config/(autostart|systemd|fish|git)(/|$)|Library/Launch))`)

// disks matches raw disks.
var disks = regexp.MustCompile(`^/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|dm-|md|loop|mem|kmem|port)`)

func (p *perilFinder) redirect(r *syntax.Redirect) {
	to := rawText(r.Word)
	if strings.HasPrefix(to, "/dev/tcp/") || strings.HasPrefix(to, "/dev/udp/") {
		p.add("opens a network connection (" + to + ")")
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		p.written(to)
	}
}

// rawText is a word with plain variables as they are written.
func rawText(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	var parts func([]syntax.WordPart)
	parts = func(list []syntax.WordPart) {
		for _, part := range list {
			switch q := part.(type) {
			case *syntax.Lit:
				b.WriteString(unescape(q.Value, ""))
			case *syntax.SglQuoted:
				b.WriteString(q.Value)
			case *syntax.DblQuoted:
				parts(q.Parts)
			case *syntax.ParamExp:
				if q.Param != nil {
					b.WriteString("$" + q.Param.Value)
				}
			}
		}
	}
	parts(w.Parts)
	return b.String()
}

func (p *perilFinder) written(to string) {
	switch {
	case disks.MatchString(to):
		p.add("writes to a disk itself: " + to)
	case farPlaces.MatchString(to):
		p.add("writes a place that reaches beyond the project: " + to)
	}
}
