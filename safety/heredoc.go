package safety

import (
	"regexp"
	"strings"
)

// heredocStart finds << and <<- with the word behind them, but not <<<.
var heredocStart = regexp.MustCompile(`(?:^|[^<])<<(-?)[ \t]*(?:'([^']+)'|"([^"]+)"|\\?([A-Za-z_][\w.-]*))`)

// heredocs walks through a command line by line. text is called for each line
// outside of here-documents, body for each line of the nth one, counted from 0;
// both return what the line becomes. A line ends with its newline, the last one
// perhaps not. The line that ends a here-document counts as outside.
//
// The parser is not asked, since what is looked for here breaks parsing: line
// ends of Windows, and bodies too long to be given to it.
func heredocs(command string, text func(line string) string, body func(n int, line string) string) string {
	type open struct {
		word string
		tabs bool
	}
	var waiting []open
	done := 0
	var out strings.Builder
	for line := range strings.Lines(command) {
		if len(waiting) > 0 {
			bare := strings.TrimRight(line, "\r\n")
			if waiting[0].tabs {
				bare = strings.TrimLeft(bare, "\t")
			}
			if bare != waiting[0].word {
				out.WriteString(body(done, line))
				continue
			}
			waiting = waiting[1:]
			done++
			out.WriteString(text(line))
			continue
		}
		for _, m := range heredocStart.FindAllStringSubmatch(line, -1) {
			waiting = append(waiting, open{m[2] + m[3] + m[4], m[1] != ""})
		}
		out.WriteString(text(line))
	}
	return out.String()
}

// UnixLines turns the CRLF line ends of a command into LF. The bodies of
// here-documents stay as they are: they are the content of files.
func UnixLines(command string) string {
	if !strings.Contains(command, "\r\n") {
		return command
	}
	return heredocs(
		command,
		func(line string) string {
			if rest, ok := strings.CutSuffix(line, "\r\n"); ok {
				return rest + "\n"
			}
			return line
		},
		func(_ int, line string) string { return line },
	)
}
