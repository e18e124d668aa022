package safety

import (
	"regexp"
	"slices"
	"strings"
)

// rules is the read-only table: the commands that a line may be made of, with
// the options and operands that only read. Options that follow links on the way
// down are left out: the links may lead out of the project. Commands with a
// language of their own stand in specials.
var rules = map[string]rule{
	"ls": {
		flags: "aAbBcCdDfFgGhiklmnNopqQrRsStuUvxXZ1", values: "ITw", harmless: true,
		long: "all almost-all author escape block-size= ignore-backups color=? directory classify=? " +
			"file-type format= full-time group-directories-first no-group human-readable si inode " +
			"ignore= hide= literal numeric-uid-gid size sort= time= time-style= recursive reverse width= zero",
	},
	"cat":  {flags: "AbeEnstTuv", long: "number number-nonblank show-all show-ends show-tabs squeeze-blank", harmless: true},
	"tac":  {flags: "br", values: "s", harmless: true},
	"head": {flags: "qvz", values: "nc", long: "lines= bytes= quiet verbose", numbers: true, harmless: true},
	"tail": {flags: "qvz", values: "nc", long: "lines= bytes= quiet verbose", numbers: true, harmless: true},
	"wc":   {flags: "clmwL", long: "bytes chars lines words max-line-length", harmless: true},
	"nl":   {flags: "p", values: "bdfhilnsvw", harmless: true},
	"cut": {
		flags: "nsz", values: "bcdf", harmless: true,
		long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter=",
	},
	"tr":      {flags: "cCdst", operands: plainText, harmless: true},
	"paste":   {flags: "sz", values: "d", harmless: true},
	"join":    {flags: "iz", values: "12tjaveo", harmless: true},
	"comm":    {flags: "123z", harmless: true},
	"fold":    {flags: "bs", values: "w", harmless: true},
	"rev":     {harmless: true},
	"od":      {flags: "abcdfilosvx", values: "AjNtw", harmless: true},
	"hexdump": {flags: "bCcdovx", values: "ens"},
	"strings": {flags: "afow", values: "nte", harmless: true, check: noResponseFile},
	"column":  {flags: "tx", values: "sco", harmless: true},
	"stat":    {flags: "LftZ", values: "c", long: "format= printf= dereference file-system terse", harmless: true},
	"file":    {flags: "bhikLNr0", long: "brief mime mime-type mime-encoding"},
	"du": {
		flags: "0abchklmPsSx", values: "dBt", harmless: true,
		long: "all apparent-size bytes total human-readable max-depth= summarize one-file-system exclude= si threshold=",
	},
	"df":        {flags: "ahHiklPT", values: "Btx", long: "human-readable inodes si print-type total", harmless: true},
	"md5sum":    {flags: "btz"},
	"sha1sum":   {flags: "btz"},
	"sha224sum": {flags: "btz"},
	"sha256sum": {flags: "btz"},
	"sha384sum": {flags: "btz"},
	"sha512sum": {flags: "btz"},
	"cksum":     {},
	"shasum":    {flags: "b", values: "a"},
	"cmp":       {flags: "bls", values: "in"},
	"basename":  {flags: "az", values: "s", operands: plainText, harmless: true},
	"dirname":   {flags: "z", operands: plainText, harmless: true},
	"realpath":  {flags: "emLPqsz", harmless: true},
	"readlink":  {flags: "efmnqsvz", harmless: true},
	"seq":       {flags: "w", values: "fs", operands: plainText, check: noGlob},
	"pwd":       {flags: "LP", operands: nothing},
	"id":        {flags: "gGnruz", operands: plainText, harmless: true},
	"whoami":    {operands: nothing},
	"uname":     {flags: "asnrvmpio", operands: nothing},
	"nproc":     {long: "all", operands: nothing},
	"uptime":    {flags: "ps", operands: nothing},
	"free":      {flags: "bkmghtwl", operands: nothing},
	"ps":        {flags: "AaefFlLwuxHjMmNycT", values: "opCGgtUs", long: "forest sort= no-headers ppid= pid=", operands: plainText, harmless: true, check: psColumns},
	"pgrep":     {flags: "acflnovwx", values: "uUGgPst", operands: plainText, harmless: true},
	"which":     {flags: "a", operands: plainText, harmless: true},
	"type":      {flags: "aptPf", operands: plainText, harmless: true},
	"true":      {operands: plainText},
	"false":     {operands: plainText},
	"hostname":  {flags: "sI", operands: nothing},
	"arch":      {operands: nothing},
	"base64":    {flags: "di", values: "w", long: "decode wrap=", most: 1},
	"xxd":       {flags: "bEipuC", values: "clgs", most: 1},
	"date":      {flags: "uR", values: "d", glued: "I", long: "date= utc iso-8601=? rfc-3339= rfc-email", operands: nothing, plus: true},
	"diff": {
		flags: "abBcdeEiNnpqstTuwyZ", values: "CUWIxFL",
		long: "brief unified=? context=? side-by-side new-file ignore-case ignore-all-space " +
			"ignore-space-change ignore-blank-lines text color=? width= exclude= label= suppress-common-lines minimal",
	},
	"sort": {
		flags: "bdfghiMnRrVcCmsuz", values: "kt",
		long: "reverse numeric-sort human-numeric-sort version-sort general-numeric-sort unique key= " +
			"field-separator= check=? stable ignore-case ignore-leading-blanks zero-terminated",
	},
	"uniq": {flags: "cdDiuz", values: "fsw", long: "count repeated unique ignore-case", most: 1},
	"tree": {
		flags: "adfiCnNpugshDrtUvXF", values: "LPI",
		long: "dirsfirst noreport prune filelimit= matchdirs gitignore du si sort=",
	},
	"grep":  grepRule,
	"egrep": grepRule,
	"fgrep": grepRule,
	"rg": {
		flags: "aFHhiIlNnoPpqsSuUvVwxc0.", values: "ABCEegjMmrtTd", operands: pattern,
		patternBy: "e regexp files type-list",
		long: "hidden no-ignore no-ignore-vcs files files-with-matches files-without-match count " +
			"count-matches line-number no-line-number ignore-case smart-case case-sensitive fixed-strings " +
			"word-regexp line-regexp heading no-heading json vimgrep multiline multiline-dotall pcre2 stats " +
			"trim column only-matching invert-match with-filename no-filename text null sort= sortr= glob= " +
			"iglob= type= type-not= max-count= max-depth= context= after-context= before-context= regexp= " +
			"replace= max-columns= color= encoding= threads= max-filesize= type-list version help",
	},
	"fd": {
		flags: "HIuasgFip0", values: "dteEScj", operands: pattern,
		long: "hidden no-ignore case-sensitive ignore-case glob fixed-strings absolute-path full-path " +
			"max-depth= min-depth= exact-depth= exclude= type= extension= size= color= threads= " +
			"max-results= changed-within= changed-before=",
	},
	"jq": {
		flags: "cCMnrsSjae", operands: pattern, check: jqProgram,
		long: "compact-output raw-output slurp null-input sort-keys tab indent= exit-status join-output",
	},
}

var grepRule = rule{
	flags: "abcEFGhHiIlLnNoPqrsTUvVwxyzZ", values: "ABCDdem", operands: pattern,
	patternBy: "e regexp", numbers: true, harmless: true,
	long: "extended-regexp fixed-strings basic-regexp perl-regexp regexp= ignore-case invert-match " +
		"word-regexp line-regexp count color=? colour=? files-with-matches files-without-match " +
		"max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename " +
		"line-number null after-context= before-context= context= text binary-files= exclude= " +
		"exclude-dir= include= recursive directories= devices= line-buffered",
}

// noResponseFile keeps an operand from naming a file of further arguments.
func noResponseFile(j *judge, c *command) {
	for _, w := range c.operands {
		if strings.HasPrefix(w.text, "@") || w.lead {
			j.ask("%s with %s, which holds further arguments", c.name, w.text)
		}
	}
}

func noGlob(j *judge, c *command) {
	for _, w := range c.operands {
		if w.glob {
			j.ask("%s with a pattern", c.name)
		}
	}
}

// psColumns keeps the environments of processes from being shown: the letter e
// of the BSD options, and columns of that name.
func psColumns(j *judge, c *command) {
	shows := slices.ContainsFunc(c.operands, func(w word) bool { return strings.ContainsAny(w.text, "eE*") })
	for _, o := range c.options {
		shows = shows || o.name == "o" && strings.Contains(o.value, "env")
	}
	if shows {
		j.ask("shows the environment: ps")
	}
}

// jqReaches finds what lets a program of jq see more than its input.
var jqReaches = regexp.MustCompile(`\b(env|import|include|input_filename|modulemeta|get_search_list)\b|\$ENV|\$__prog`)

func jqProgram(j *judge, c *command) {
	if len(c.operands) > 0 && jqReaches.MatchString(c.operands[0].text) {
		j.ask("a program of jq that reads more than its input")
	}
}

// reasons for well-known commands that the table does not hold.
var unlistedKinds = map[string]string{
	"runs a program in another language": "python python3 python2 node deno bun perl ruby php lua tclsh Rscript java osascript",
	"runs another shell":                 "sh bash zsh dash ksh fish csh tcsh busybox",
	"runs another command":               "env nohup timeout nice ionice stdbuf setsid watch parallel script strace time",
	"shows the environment":              "printenv set export declare",
	"network":                            "curl wget ssh scp sftp rsync nc ncat netcat telnet ftp ping dig nslookup host traceroute whois gh glab aws gcloud az kubectl helm http",
	"runs project code":                  "make cmake ninja go cargo rustc gcc cc g++ clang npm npx yarn pnpm pip pip3 uv poetry pytest tox mvn gradle dotnet swift bazel just rake bundle composer",
	"changes files":                      "cp mv rm mkdir rmdir touch ln install tee truncate patch unzip tar gzip gunzip zip 7z",
	"needs a screen":                     "vi vim nvim nano emacs less more top htop man",
	"controls containers":                "docker podman docker-compose",
}

func unlisted(name string) string {
	for why, names := range unlistedKinds {
		for n := range strings.FieldsSeq(names) {
			if n == name {
				return why + ": " + name
			}
		}
	}
	return "not known to only read: " + name
}
