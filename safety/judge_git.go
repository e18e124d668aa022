package safety

import (
	"slices"
	"strings"
)

// Options that many subcommands of git share. None runs another program by
// itself: --ext-diff, --textconv, --output, -O and --show-signature are not
// here.
const (
	gitDiffFlags = "abpswzuRD"
	gitDiffGlued = "BCM"
	gitDiffLong  = "patch no-patch stat=? numstat shortstat dirstat=? summary name-only name-status raw " +
		"unified= no-color color=? word-diff=? color-words=? diff-filter= find-renames=? find-copies=? " +
		"no-renames ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol " +
		"exit-code check minimal histogram patience relative=? full-index binary no-ext-diff no-textconv " +
		"compact-summary function-context inter-hunk-context= abbrev=? no-prefix text patch-with-stat quiet"
	gitLogLong = "oneline graph all decorate=? no-decorate abbrev-commit no-abbrev-commit merges no-merges " +
		"first-parent since= until= after= before= author= committer= grep= invert-grep regexp-ignore-case " +
		"extended-regexp max-count= skip= reverse date= pretty=? format= topo-order date-order left-right " +
		"follow branches=? tags=? remotes=? no-walk cherry cherry-pick cherry-mark boundary simplify-by-decoration " +
		"full-history ancestry-path count parents children show-pulls relative-date source"
)

// gitRules are the subcommands that only read. The first two groups run the
// user's own diff drivers at most; GitRisk looks for those of the project.
var gitRules = map[string]rule{
	"status": {
		flags: "sbvz", glued: "u", operands: plainText,
		long: "short branch porcelain=? long verbose untracked-files=? ignored=? show-stash no-renames ahead-behind no-ahead-behind column=?",
	},
	"log":      {flags: gitDiffFlags + "cigm", values: "nLSGU", glued: gitDiffGlued, numbers: true, long: gitLogLong + " " + gitDiffLong, operands: plainText},
	"show":     {flags: gitDiffFlags + "cm", values: "nLSGU", glued: gitDiffGlued, numbers: true, long: gitLogLong + " " + gitDiffLong, operands: plainText},
	"rev-list": {flags: "", values: "n", numbers: true, long: gitLogLong + " objects", operands: plainText},
	"shortlog": {flags: "nsec", long: "numbered summary email " + gitLogLong, operands: plainText},
	"diff": {
		flags: gitDiffFlags, values: "SGU", glued: gitDiffGlued, operands: plainText,
		long: "cached staged merge-base " + gitDiffLong,
	},
	"blame": {flags: "blstefnwcCM", values: "L", long: "line-porcelain porcelain show-email show-name show-number root date= reverse= abbrev=", operands: plainText},
	"ls-files": {
		flags: "cdmosuktvzi", values: "x", operands: plainText,
		long: "cached deleted modified others stage unmerged killed exclude-standard ignored full-name error-unmatch directory exclude= eol deduplicate",
	},
	"ls-tree":  {flags: "drtlz", long: "long name-only name-status full-name full-tree abbrev=? object-only", operands: plainText},
	"cat-file": {flags: "tspe", operands: plainText},
	"rev-parse": {
		flags: "q", operands: plainText,
		long: "verify quiet abbrev-ref=? short=? symbolic symbolic-full-name show-toplevel show-prefix show-cdup " +
			"is-inside-work-tree is-inside-git-dir is-bare-repository git-dir absolute-git-dir git-common-dir all branches=? tags=? remotes=?",
	},
	"describe": {long: "tags always all long abbrev= contains match= exclude= exact-match first-parent candidates=", operands: plainText},
	"merge-base": {
		flags: "a", long: "all octopus independent is-ancestor fork-point", operands: plainText,
	},
	"grep": {
		flags: "nilLchHwvEFGPIaopzq", values: "eABCm", numbers: true, operands: plainText,
		long: "line-number ignore-case files-with-matches files-without-match name-only count word-regexp " +
			"invert-match extended-regexp fixed-strings perl-regexp cached untracked heading break " +
			"function-context show-function and or not all-match max-depth= context= after-context= before-context= only-matching column color=? no-color quiet",
	},
	"branch": {
		flags: "arvl", operands: plainText, check: gitBranch,
		long: "list all remotes verbose show-current contains=? no-contains=? merged=? no-merged=? points-at= sort= format= column=? no-column color=? no-color abbrev= ignore-case",
	},
	"tag": {
		flags: "l", operands: plainText, check: gitTag,
		long: "list contains=? no-contains=? merged=? no-merged=? points-at= sort= format= column=? color=? ignore-case",
	},
	"remote": {flags: "v", long: "verbose", operands: plainText, check: gitRemote},
}

func (j *judge) git(args []word) {
	if len(args) > 0 && args[0].text == "--no-pager" {
		args = args[1:]
	}
	if len(args) == 0 {
		return // the list of commands
	}
	sub := args[0].text
	if args[0].glob || strings.HasPrefix(sub, "-") && sub != "--version" {
		j.ask("the option %s of git", sub)
		return
	}
	if risk := j.env.GitRisk(); risk != "" {
		j.ask("git in this project may run other programs: %s", risk)
	}
	if j.dir != "" || j.lost {
		j.ask("git after a cd, where another repository may be")
	}
	switch sub {
	case "--version", "version":
		return
	case "stash", "worktree", "config":
		j.gitListing(sub, args[1:])
		return
	}
	r, ok := gitRules[sub]
	if !ok {
		j.ask("git %s is not known to only read", sub)
		return
	}
	c, ok := j.take("git "+sub, r, args[1:])
	if !ok {
		return
	}
	j.gitOperands(c)
	if r.check != nil {
		r.check(j, c)
	}
}

// gitOperands keeps operands from being files outside of the project, which
// git diff and git grep read too, and formats from checking signatures, which
// runs another program.
func (j *judge) gitOperands(c *command) {
	for _, w := range c.operands {
		outside := strings.HasPrefix(w.text, "/") || slices.Contains(strings.Split(w.text, "/"), "..")
		if outside || w.glob {
			j.path(w, true)
		}
		if _, file, _ := strings.Cut(w.text, ":"); secretName(w.text) != "" || secretName(file) != "" {
			j.ask("shows %s, which usually holds credentials", w.text)
		}
	}
	for _, o := range c.options {
		if slices.Contains([]string{"format", "pretty", "sort"}, o.name) && (strings.Contains(o.value, "%G") || strings.Contains(o.value, "signature")) {
			j.ask("git with a format that checks signatures")
		}
	}
}

func gitBranch(j *judge, c *command) {
	if len(c.operands) > 0 && !c.has("list", "contains", "merged", "no-merged") {
		j.ask("git branch with a name")
	}
}

func gitTag(j *judge, c *command) {
	if len(c.operands) > 0 && !c.has("list", "l", "contains") {
		j.ask("git tag with a name")
	}
}

func gitRemote(j *judge, c *command) {
	if n := len(c.operands); n > 0 && (n != 2 || c.operands[0].text != "get-url") {
		j.ask("git remote %s", c.operands[0].text)
	}
}

// gitListing allows the exact forms that list.
func (j *judge) gitListing(sub string, args []word) {
	var words []string
	for _, w := range args {
		words = append(words, w.text)
	}
	form := strings.Join(words, " ")
	switch {
	case sub == "stash" && form == "list":
	case sub == "worktree" && (form == "list" || form == "list --porcelain"):
	case sub == "config" && len(words) == 2 && words[0] == "--get" && plainKey(words[1]):
	default:
		j.ask("git %s %s is not known to only read", sub, form)
	}
}

// plainKey tells whether a setting of git cannot hold a credential.
func plainKey(key string) bool {
	section, _, _ := strings.Cut(strings.ToLower(key), ".")
	return slices.Contains([]string{"user", "core", "branch", "init", "pull", "push", "merge", "diff", "color"}, section)
}
