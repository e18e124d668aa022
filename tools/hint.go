package tools

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mm/safety"
)

// hint is advice for one kind of command that cannot work without a terminal
// or without input.
type hint struct {
	commands string                   // names, separated by blanks
	when     func(args []string) bool // nil: always
	advice   string
}

// hints are looked up when a command failed, was stopped or printed nothing.
var hints = []hint{
	{"vi vim nvim nano emacs pico ed", nil, "there is no screen: change files with edit_file or write_file"},
	{"less more most", nil, "there is no screen: use cat, head or sed -n"},
	{"top htop btop", nil, "there is no screen: use top -b -n 1, or ps"},
	{"watch", nil, "watch never ends: run the command itself"},
	{"tail journalctl", anyOf("-f", "-F", "--follow"), "following never ends: leave out -f and use -n"},
	{
		"python python3 node ruby php irb psql mysql sqlite3 bash sh lua", bare,
		"it reads its program from standard input, which is empty: give a file, or the program with -c or -e",
	},
	{"git", subcommand("commit", "-m", "-F", "--no-edit", "-C", "--fixup"), "there is no editor: use git commit -m 'message'"},
	{"git", subcommand("rebase", "--abort", "--continue", "--onto"), "git rebase -i needs an editor: use git reset --soft and commit again, or git rebase without -i"},
	{"git", subcommand("merge", "--no-edit", "-m", "--abort"), "there is no editor: add --no-edit"},
	{"git", subcommand("revert", "--no-edit", "-n"), "there is no editor: add --no-edit"},
	{"git", with("add", "-p", "-i", "--patch", "--interactive"), "git add -p asks questions: name the files"},
	{"npm yarn pnpm", subcommand("init", "-y", "--yes"), "it asks questions: use npm init -y"},
	{"npx", without("-y", "--yes"), "it may ask before installing: use npx -y"},
	{"apt apt-get dnf yum", without("-y", "--yes"), "it asks questions: add -y"},
	{"pip pip3", subcommand("uninstall", "-y", "--yes"), "it asks questions: add -y"},
	{"ssh-keygen", without("-N"), "it asks for a passphrase: add -N '' and -f FILE"},
	{"ssh scp sftp", nil, "it cannot ask for a password or a host key: set up keys, and use -o BatchMode=yes"},
	{"sudo su passwd", nil, "it cannot ask for a password: let the user run this"},
	{"read", anyOf("-p"), "standard input is empty, so read gets nothing: set the value in the command"},
}

// wantsInput is what programs say that ask and get no answer.
var wantsInput = regexp.MustCompile(`EOFError|EOF when reading|/dev/tty|(?i)not a (tty|terminal)|inappropriate ioctl for device|` +
	`no (tty|terminal) (present|available)|stdin is not`)

// toolCommands are tools that models call as if they were commands.
var toolCommands = []string{"read_file", "write_file", "edit_file", "read_skill", "fetch_content", "plan"}

// advise returns what to do in place of a command that cannot work here, or "".
func advise(command, output string, exitCode int) string {
	for _, words := range safety.Commands(command) {
		name, args := path.Base(words[0]), words[1:]
		if exitCode == notFound && slices.Contains(toolCommands, name) {
			return "[" + name + " is a tool, not a command: call the tool " + name + "]"
		}
		for _, h := range hints {
			if slices.Contains(strings.Fields(h.commands), name) && (h.when == nil || h.when(args)) {
				return "[" + name + ": " + h.advice + "]"
			}
		}
	}
	if wantsInput.MatchString(output) {
		return "[it asks for input, and there is none: use an option like -y, give the answer as an argument, or write printf 'answer\\n' | command]"
	}
	return ""
}

// bare holds when there is no argument that could be a program.
func bare(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") || a == "-c" || a == "-e" || a == "-m" || a == "--version"
	})
}

// has tells whether an option is there, by itself, with =value, or as a letter
// of a cluster such as -am.
func has(args, options []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return slices.ContainsFunc(options, func(o string) bool {
			if len(o) == 2 && !strings.HasPrefix(a, "--") && strings.HasPrefix(a, "-") {
				return strings.Contains(a, o[1:])
			}
			return name == o
		})
	})
}

func anyOf(options ...string) func([]string) bool {
	return func(args []string) bool { return has(args, options) }
}

func without(options ...string) func([]string) bool {
	return func(args []string) bool { return !has(args, options) }
}

// subcommand holds for a subcommand without any of these options.
func subcommand(name string, options ...string) func([]string) bool {
	return func(args []string) bool { return slices.Contains(args, name) && !has(args, options) }
}

// with holds for a subcommand with any of these options.
func with(name string, options ...string) func([]string) bool {
	return func(args []string) bool { return slices.Contains(args, name) && has(args, options) }
}
