package llmtest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// Script is a parsed scenario: what the server says of itself, and one section
// for each expected request.
type Script struct {
	Server   ServerInfo
	Sections []Section
}

// ServerInfo is what the server says of itself.
type ServerInfo struct {
	Model   string // name in /v1/models and in answers
	Window  int    // n_ctx in /props
	Key     string // when set, requests need "Authorization: Bearer KEY"
	NoTools bool   // the chat template drops tools
}

// Section is the answer to one request, or to Times requests.
type Section struct {
	Name  string // as in the archive: "llm/1"
	Times int

	wants []want
	steps []step
}

// step is one line of a section that produces output.
type step struct {
	verb string
	name string // tool of a call, finish reason
	text string // text, arguments, raw bytes, body
	nums []int  // progress, usage, status
	wait time.Duration
	n    int // repetitions, at least 1
}

const (
	defaultModel  = "scripted"
	defaultWindow = 8192
)

// Parse reads a scenario in txtar form. Files whose name is not "server" or
// "llm/N" are ignored, so that a scenario can hold project files too.
func Parse(script string) (*Script, error) {
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(script)).Files {
		if _, twice := files[f.Name]; twice {
			return nil, fmt.Errorf("section %s appears twice", f.Name)
		}
		files[f.Name] = string(f.Data)
	}
	return parseFiles(files)
}

// ParseFS reads a scenario whose sections are the files server and llm/N of
// fsys, as testscript unpacks them.
func ParseFS(fsys fs.FS) (*Script, error) {
	names, err := fs.Glob(fsys, "llm/*")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range append(names, "server") {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			if name == "server" {
				continue
			}
			return nil, err
		}
		files[name] = string(data)
	}
	return parseFiles(files)
}

// parseFiles orders the sections by their number.
func parseFiles(files map[string]string) (*Script, error) {
	s := &Script{Server: ServerInfo{Model: defaultModel, Window: defaultWindow}}
	if err := parseServer(files["server"], &s.Server); err != nil {
		return nil, err
	}
	var numbers []int
	for name := range files {
		dir, base := path.Split(name)
		if dir != "llm/" {
			continue
		}
		n, err := strconv.Atoi(base)
		if err != nil {
			return nil, fmt.Errorf("section %s: want llm/NUMBER", name)
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		name := fmt.Sprintf("llm/%d", n)
		section, err := ParseSection(name, files[name])
		if err != nil {
			return nil, err
		}
		s.Sections = append(s.Sections, section)
	}
	return s, nil
}

func parseServer(text string, info *ServerInfo) error {
	for _, line := range lines(text) {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "model":
			info.Model = rest
		case "key":
			info.Key = rest
		case "no-tools":
			info.NoTools = true
		case "window":
			n, err := strconv.Atoi(rest)
			if err != nil {
				return fmt.Errorf("server: window %q: want a number of tokens", rest)
			}
			info.Window = n
		default:
			return fmt.Errorf("server: unknown line %q", line)
		}
	}
	return nil
}

// ParseSection reads the lines of one section. The package comment has the
// list of verbs.
func ParseSection(name, text string) (Section, error) {
	s := Section{Name: name, Times: 1}
	for _, line := range lines(text) {
		if err := s.parseLine(line); err != nil {
			return Section{}, fmt.Errorf("%s: %q: %w", name, line, err)
		}
	}
	return s, nil
}

func (s *Section) parseLine(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "times":
		n, err := strconv.Atoi(rest)
		s.Times = n
		return err
	case "want":
		w, err := parseWant(rest)
		s.wants = append(s.wants, w)
		return err
	}
	st, err := parseStep(line)
	s.steps = append(s.steps, st)
	return err
}

func parseStep(line string) (step, error) {
	verb, rest, _ := strings.Cut(line, " ")
	st := step{verb: verb, n: 1}
	var err error
	switch verb {
	case "repeat":
		count, inner, _ := strings.Cut(rest, " ")
		if st, err = parseStep(inner); err == nil {
			st.n, err = strconv.Atoi(count)
		}
	case "say", "think", "error", "raw":
		st.text, err = unquote(rest)
		if verb == "raw" && !strings.HasPrefix(rest, `"`) {
			st.text += "\n\n"
		}
	case "call":
		st.name, st.text, _ = strings.Cut(rest, " ")
	case "finish":
		st.name = rest
	case "progress":
		st.nums = make([]int, 3)
		_, err = fmt.Sscanf(rest+" cached 0", "%d/%d cached %d", &st.nums[0], &st.nums[1], &st.nums[2])
	case "usage":
		st.nums = make([]int, 3)
		_, err = fmt.Sscanf(rest+" 0", "%d %d %d", &st.nums[0], &st.nums[1], &st.nums[2])
	case "status":
		code, body, _ := strings.Cut(rest, " ")
		st.nums = make([]int, 1)
		st.text = body
		st.nums[0], err = strconv.Atoi(code)
	case "slow", "wait":
		st.wait, err = time.ParseDuration(rest)
	case "ping", "cut", "hang":
	default:
		err = fmt.Errorf("unknown verb %s", verb)
	}
	return st, err
}

// lines returns the lines of text that are neither empty nor comments.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// unquote reads 'text' literally, "text" with Go's escapes, and anything else
// as it stands.
func unquote(s string) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, `"`):
		return strconv.Unquote(s)
	case len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'':
		return s[1 : len(s)-1], nil
	default:
		return s, nil
	}
}
