package safety

import (
	"regexp"
	"slices"
	"strings"
)

// specials judge the commands whose arguments are a language of their own.
var specials map[string]func(*judge, []word)

func init() {
	// Some of them judge other commands in turn, so that a literal would
	// refer to itself.
	specials = map[string]func(*judge, []word){
		"echo": (*judge).echo, "printf": (*judge).printf, "test": (*judge).test,
		"[": (*judge).bracket, ":": func(*judge, []word) {}, "cd": (*judge).cd,
		"command": (*judge).command, "find": (*judge).find, "sed": (*judge).sed,
		"awk": (*judge).awk, "gawk": (*judge).awk, "mawk": (*judge).awk,
		"xargs": (*judge).xargs, "git": (*judge).git, "gofmt": (*judge).gofmt,
	}
}

func (j *judge) echo([]word) {}

// countFormat matches the directive of printf that stores into a variable,
// whose subscript bash would evaluate.
var countFormat = regexp.MustCompile(`%[-+ #0-9.*'hlLjzt]*n`)

func (j *judge) printf(args []word) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	format := args[0]
	if format.glob || strings.HasPrefix(format.text, "-") ||
		countFormat.MatchString(strings.ReplaceAll(format.text, "%%", "")) {
		j.ask("printf that may set a variable")
	}
}

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// test allows tests of files and comparisons of texts and plain numbers. -v
// and arithmetic on anything else evaluate subscripts.
func (j *judge) test(args []word) {
	for _, w := range args {
		if w.glob {
			j.ask("test with a pattern")
			return
		}
	}
	if len(args) > 0 && args[0].text == "!" {
		args = args[1:]
	}
	switch len(args) {
	case 0, 1:
		return
	case 2:
		if op := args[0].text; slices.Contains(strings.Fields("-f -d -e -s -r -w -x -L -h -p -S"), op) {
			j.path(args[1], true)
			return
		} else if op == "-n" || op == "-z" {
			return
		}
	case 3:
		switch args[1].text {
		case "=", "==", "!=":
			return
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			if wholeNumber.MatchString(args[0].text) && wholeNumber.MatchString(args[2].text) {
				return
			}
		}
	}
	j.ask("a test that bash may evaluate")
}

func (j *judge) bracket(args []word) {
	if len(args) == 0 || args[len(args)-1].text != "]" {
		j.ask("[ without ]")
		return
	}
	j.test(args[:len(args)-1])
}

// cd is followed into a folder of the project.
func (j *judge) cd(args []word) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) != 1 || args[0].glob || strings.HasPrefix(args[0].text, "-") || args[0].text == "" {
		j.ask("a cd that is not plain")
		return
	}
	to := args[0].text
	if slices.Contains(strings.Split(to, "/"), "..") {
		// After a link, bash and the kernel disagree where that is.
		j.ask("a cd through ..")
		return
	}
	j.path(args[0], true)
	if !strings.HasPrefix(to, "/") && j.dir != "" {
		to = j.dir + "/" + to
	}
	j.dir = to
}

// command allows asking what a name is.
func (j *judge) command(args []word) {
	if len(args) < 2 || args[0].text != "-v" && args[0].text != "-V" {
		j.ask("runs another command: command")
	}
}

// gofmt reads unless it is told to write. Its flags are those of package flag:
// one dash or two.
func (j *judge) gofmt(args []word) {
	for i, w := range args {
		switch {
		case w.glob && w.lead:
			j.ask("gofmt with a pattern that may expand to an option")
		case !strings.HasPrefix(w.text, "-"):
			j.path(w, true)
		case w.text == "-" || !slices.Contains([]string{"d", "e", "l", "s"}, strings.TrimLeft(w.text, "-")):
			j.ask("the option %s of gofmt", args[i].text)
		}
	}
}

// tests of find, by the number of words that follow.
const (
	findAlone = "-print -print0 -ls -prune -depth -mount -xdev -daystart -empty -readable -writable " +
		"-executable -nouser -nogroup -true -false -not ! ( ) -a -and -o -or , -quit -noleaf -ignore_readdir_race"
	findOne = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype " +
		"-size -mtime -atime -ctime -mmin -amin -cmin -user -group -uid -gid -perm -links -inum -maxdepth " +
		"-mindepth -lname -ilname -used -fstype -printf"
	findFile = "-newer -anewer -cnewer -samefile"
)

func (j *judge) find(args []word) {
	for _, w := range args {
		if w.glob {
			j.ask("find with a pattern that bash expands: %s", w.text)
			return
		}
	}
	for len(args) > 0 && (args[0].text == "-H" || args[0].text == "-P") {
		args = args[1:]
	}
	for len(args) > 0 && !isFindExpression(args[0].text) {
		j.path(args[0], true)
		args = args[1:]
	}
	for len(args) > 0 {
		w := args[0].text
		args = args[1:]
		switch {
		case slices.Contains(strings.Fields(findAlone), w):
		case slices.Contains(strings.Fields(findOne), w) && len(args) > 0:
			if strings.HasSuffix(w, "name") || strings.HasSuffix(w, "path") {
				if secretName(strings.Trim(args[0].text, "*?!")) != "" {
					j.ask("looks for credentials: %s", args[0].text)
				}
			}
			args = args[1:]
		case slices.Contains(strings.Fields(findFile), w) && len(args) > 0:
			j.path(args[0], true)
			args = args[1:]
		default:
			j.ask("%s of find", w)
			return
		}
	}
}

func isFindExpression(s string) bool {
	return strings.HasPrefix(s, "-") || s == "!" || s == "(" || s == ")" || s == ","
}

// xargsTargets are commands of which no option does harm, since names of files
// may look like options.
var xargsTargets = []string{"grep", "wc", "cat", "head", "tail", "ls", "stat", "du"}

func (j *judge) xargs(args []word) {
	if !j.namesOnly {
		j.ask("xargs on what is not a list of the project's files")
	}
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		switch w := args[0]; {
		case w.glob:
			j.ask("xargs with a pattern")
			return
		case w.text == "-0" || w.text == "-r" || w.text == "-0r" || w.text == "-r0":
			args = args[1:]
		case (w.text == "-n" || w.text == "-L") && len(args) > 1 && digits.MatchString(args[1].text):
			args = args[2:]
		default:
			j.ask("the option %s of xargs", w.text)
			return
		}
	}
	if len(args) == 0 {
		return // echo
	}
	name := args[0].text
	if args[0].glob || !slices.Contains(xargsTargets, name) {
		j.ask("xargs runs %s", name)
		return
	}
	if j.commandName(args[0]) != "" {
		j.simple(name, args[1:])
	}
}

// awkReaches finds what lets a program of awk run commands, write files, or
// read files that are not its operands.
var awkReaches = regexp.MustCompile(`system|getline|close|ENVIRON|PROCINFO|ARGV|ARGC|fflush|@|>|"/dev/|"/inet/`)

func (j *judge) awk(args []word) {
	r := rule{values: "Fv", operands: pattern}
	c, ok := j.take("awk", r, args)
	if !ok {
		return
	}
	if len(c.operands) == 0 {
		j.ask("awk without a program")
		return
	}
	// In front of the first brace no statement stands, and so > compares.
	head, actions, _ := strings.Cut(c.operands[0].text, "{")
	program := strings.NewReplacer("||", "", ">=", "").Replace(strings.ReplaceAll(head, ">", "") + "{" + actions)
	if c.operands[0].glob || awkReaches.MatchString(program) || strings.Contains(program, "|") {
		j.ask("a program of awk that may do more than read")
	}
	for _, w := range c.operands[1:] {
		if strings.Contains(w.text, "=") {
			j.ask("awk with the assignment %s", w.text)
		}
	}
	j.operandRules(r, c)
}
