package safety

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrappers run the command that follows them.
var wrappers = strings.Fields("sudo doas env command exec builtin nohup time timeout nice ionice stdbuf setsid " +
	"xargs watch parallel busybox unbuffer caffeinate chronic")

// perilousNames are perilous whatever their arguments.
var perilousNames = map[string]string{
	"sudo": "with the rights of root", "doas": "with the rights of root", "su": "as another user",
	"pkexec": "with the rights of root", "dd": "copies raw data", "shred": "destroys data",
	"wipefs": "destroys data", "fdisk": "changes a disk", "sfdisk": "changes a disk",
	"parted": "changes a disk", "sgdisk": "changes a disk", "mkswap": "changes a disk",
	"eval": "runs text that is not known", "crontab": "changes scheduled jobs", "at": "changes scheduled jobs",
	"shutdown": "stops the machine", "reboot": "stops the machine", "halt": "stops the machine",
	"poweroff": "stops the machine", "killall5": "ends all processes", "visudo": "changes who is root",
	"useradd": "changes users", "userdel": "changes users", "usermod": "changes users", "passwd": "changes users",
	"iptables": "changes the firewall", "nft": "changes the firewall", "ufw": "changes the firewall",
	"insmod": "changes the kernel", "modprobe": "changes the kernel", "rmmod": "changes the kernel",
	"chattr": "changes file attributes", "dropdb": "destroys a database",
}

// perilousVerbs are words behind a command that publish or destroy.
var perilousVerbs = []struct{ command, verbs string }{
	{"npm", "publish unpublish deprecate"},
	{"yarn", "publish"},
	{"pnpm", "publish"},
	{"cargo", "publish yank"},
	{"gem", "push yank"},
	{"twine", "upload"},
	{"poetry", "publish"},
	{"uv", "publish"},
	{"docker", "push prune"},
	{"podman", "push prune"},
	{"redis-cli", "FLUSHALL FLUSHDB flushall flushdb"},
	{"rsync", "--delete --delete-before --delete-after --delete-excluded --remove-source-files"},
	{"nc", "-e -c"},
	{"ncat", "-e -c --exec --sh-exec"},
	{"mvn", "deploy"},
	{"gradle", "publish"},
	{"terraform", "destroy apply"},
	{"tofu", "destroy apply"},
	{"pulumi", "destroy up"},
	{"vagrant", "destroy"},
	{"kubectl", "delete drain"},
	{"oc", "delete"},
	{"helm", "uninstall delete"},
	{"heroku", "apps:destroy pg:reset"},
	{"aws", "rm rb delete-bucket terminate-instances delete-stack"},
	{"gsutil", "rm rb"},
	{"gcloud", "delete"},
	{"az", "delete"},
	{"gh", "delete merge"},
	{"glab", "delete"},
	{"fly", "destroy"},
	{"vercel", "remove"},
	{"systemctl", "stop disable mask poweroff reboot"},
	{"launchctl", "load bootstrap"},
	{"diskutil", "eraseDisk eraseVolume"},
}

// dropsTables matches statements of SQL that cannot be taken back.
var dropsTables = regexp.MustCompile(`(?i)\b(drop|truncate)\s+(table|database|schema)\b`)

// setsUser matches modes that let a program run with another's rights.
var setsUser = regexp.MustCompile(`^([2467][0-7]{3}|[ugoa]*\+[rwx]*s[rwxst]*)$`)

// argv looks at one command and at those inside of it.
func (p *perilFinder) argv(words []string) {
	if len(words) == 0 || p.depth >= maxNested {
		return
	}
	if p.looked++; p.looked > 2*maxCommands {
		p.add(fmt.Sprintf("more than %d commands", maxCommands))
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	name, args := path.Base(words[0]), words[1:]
	if why, ok := perilousNames[name]; ok {
		p.add(name + ": " + why)
	}
	if strings.HasPrefix(name, "mkfs") || strings.HasPrefix(name, "newfs") {
		p.add(name + ": makes a file system on a disk")
	}
	for _, v := range perilousVerbs {
		for _, verb := range strings.Fields(v.verbs) {
			if v.command == name && slices.Contains(args, verb) {
				p.add(name + " " + verb + ": publishes or destroys")
			}
		}
	}
	p.named(name, args)
	commands, scripts := inner(words)
	for _, c := range commands {
		if slices.Contains([]string{"find", "fd", "xargs"}, name) && len(c) > 0 && path.Base(c[0]) == "rm" {
			p.add(name + " removes all that it finds")
		}
		p.argv(c)
	}
	for _, s := range scripts {
		if f, err := parse(s); err == nil {
			syntax.Walk(f, p.node)
		}
	}
}

// findRuns are the options of find and fd behind which a command stands.
var findRuns = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}

var shells = []string{"sh", "bash", "zsh", "dash", "ksh"}

// inner lists the commands that a command runs, and the texts that it has a
// shell run, as far as its words tell.
func inner(words []string) (commands [][]string, scripts []string) {
	name, args := path.Base(words[0]), words[1:]
	switch {
	case slices.Contains(wrappers, name):
		commands = append(commands, behindOptions(args))
	case name == "find" || name == "fd":
		for i, a := range args {
			if slices.Contains(findRuns, a) {
				commands = append(commands, args[i+1:])
			}
		}
	case name == "eval":
		scripts = append(scripts, strings.Join(args, " "))
	case name == "ssh":
		if behind := behindOptions(args); len(behind) > 1 {
			scripts = append(scripts, strings.Join(behind[1:], " "))
		}
	case slices.Contains(shells, name):
		i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.HasSuffix(a, "c") })
		if i >= 0 && i+1 < len(args) {
			scripts = append(scripts, args[i+1])
		}
	}
	return commands, scripts
}

// named looks at commands by their arguments.
func (p *perilFinder) named(name string, args []string) {
	switch name {
	case "rm":
		if hasLetter(args, "rR") || slices.Contains(args, "--recursive") {
			p.add("removes folders with all that is in them")
		}
		p.targets(args)
	case "find":
		if slices.Contains(args, "-delete") {
			p.add("find removes all that it finds")
		}
	case "psql", "mysql", "mariadb", "sqlite3":
		if slices.ContainsFunc(args, dropsTables.MatchString) {
			p.add(name + ": destroys tables")
		}
	case "chmod", "chown", "chgrp", "setfacl":
		if hasLetter(args, "R") || slices.Contains(args, "--recursive") {
			p.add(name + " on folders with all that is in them")
		}
		if slices.ContainsFunc(args, setsUser.MatchString) {
			p.add(name + ": lets a program run with another's rights")
		}
		p.targets(args)
	case "kill":
		if slices.Contains(args, "-1") && (len(args) == 1 || args[len(args)-1] == "-1") {
			p.add("ends all processes of the user")
		}
	case "tee", "touch", "truncate", "mkdir", "rmdir":
		p.targets(args)
	case "cp", "mv", "install", "ln", "rsync", "scp":
		if len(args) > 0 {
			p.written(args[len(args)-1])
		}
	case "docker", "podman", "nerdctl":
		if slices.Contains(args, "--privileged") {
			p.add(name + " --privileged: the container can reach the whole machine")
		}
	case "git":
		p.git(args)
	}
}

// targets are operands that are written.
func (p *perilFinder) targets(args []string) {
	for _, a := range args {
		p.written(a)
	}
}

// gitSubcommand skips the options in front of the subcommand, some with a
// value.
func gitSubcommand(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		n := 1
		if args[0] == "-C" || args[0] == "-c" || args[0] == "--git-dir" || args[0] == "--work-tree" {
			n = 2
		}
		args = args[min(n, len(args)):]
	}
	return args
}

func (p *perilFinder) git(args []string) {
	args = gitSubcommand(args)
	if len(args) == 0 {
		return
	}
	sub, args := args[0], args[1:]
	any := func(options ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			name, _, _ := strings.Cut(a, "=")
			return slices.Contains(options, name)
		})
	}
	switch {
	case sub == "push":
		p.push(args, any("--force", "--force-with-lease", "--mirror", "--prune") || hasLetter(args, "f"), any("--delete") || hasLetter(args, "d"))
	case sub == "reset" && any("--hard", "--merge", "--keep"):
		p.add("git reset: throws work away")
	case sub == "clean" && !any("--dry-run") && !hasLetter(args, "n"):
		p.add("git clean: removes files that git does not know")
	case sub == "filter-branch", sub == "filter-repo":
		p.add("git " + sub + ": rewrites the history")
	case sub == "reflog" && any("expire", "delete"), sub == "update-ref" && (any("--stdin") || hasLetter(args, "d")):
		p.add("git " + sub + ": drops the way back")
	case sub == "gc" && any("--prune"), sub == "prune":
		p.add("git " + sub + ": drops the way back")
	case (sub == "checkout" || sub == "restore") && any(".", ":/"), sub == "stash" && any("drop", "clear"),
		(sub == "checkout" || sub == "switch") && (any("--force", "--discard-changes") || hasLetter(args, "f")),
		sub == "branch" && (hasLetter(args, "D") || (any("--delete") || hasLetter(args, "d")) && (any("--force") || hasLetter(args, "f"))),
		sub == "worktree" && any("remove") && (any("--force") || hasLetter(args, "f")),
		sub == "rm" && hasLetter(args, "r"):
		p.add("git " + sub + ": throws work away")
	}
}

func (p *perilFinder) push(args []string, force, remove bool) {
	for _, a := range args {
		force = force || strings.HasPrefix(a, "+")
		remove = remove || strings.HasPrefix(a, ":")
	}
	if force {
		p.add("git push --force: overwrites what others may have")
	}
	if remove {
		p.add("git push: removes a branch or tag at the other side")
	}
}

// hasLetter tells whether a one-letter option is in a cluster.
func hasLetter(args []string, letters string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, letters)
	})
}

// behindOptions skips what a wrapper takes for itself: options, their values
// as far as they look like ones, and assignments.
func behindOptions(args []string) []string {
	for len(args) > 0 {
		a := args[0]
		switch {
		case strings.HasPrefix(a, "-"), strings.Contains(a, "=") && !strings.Contains(a, "/"):
		case a != "" && strings.Trim(a, "0123456789.smhd") == "" && strings.ContainsAny(a, "0123456789"):
		default:
			return args
		}
		args = args[1:]
	}
	return nil
}
