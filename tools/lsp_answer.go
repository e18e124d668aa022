package tools

import (
	"context"
	"fmt"
	"strings"

	"mm/safety"
	"mm/tools/lspclient"
)

const (
	maxPlaces   = 100   // of references that are listed
	maxShown    = 3     // definitions whose lines are shown
	shownLines  = 12    // of one definition
	maxRows     = 200   // symbols or problems of a file that are listed
	maxHover    = 4_000 // characters
	maxNewFault = 5     // new problems that are told after an edit
)

// answer asks the server and writes what it says.
func (t *LSP) answer(ctx context.Context, c lspCall) (text string, cut bool, err error) {
	var places []lspclient.Place
	found := 0 // the line where the name is
	switch c.action {
	case askDefinition:
		places, found, err = c.client.Definition(ctx, c.path.Real, c.symbol, c.line)
		text, cut = t.definitions(c, places)
	case askReferences:
		places, found, err = c.client.References(ctx, c.path.Real, c.symbol, c.line)
		text, cut = t.references(c, places)
	case askHover:
		text, found, err = c.client.Hover(ctx, c.path.Real, c.symbol, c.line)
		text, cut = Limit(readable([]byte(text)), min(maxHover, t.files.maxOutput()))
		if text == "" {
			text = fmt.Sprintf("[%s knows nothing of %s]", c.client.Name(), shown(c.symbol))
		}
	case askSymbols:
		symbols, failed := c.client.Symbols(ctx, c.path.Real)
		text, cut = t.symbols(c, symbols)
		err = failed
	default:
		problems, failed := c.client.Diagnostics(ctx, c.path.Real)
		text, cut = t.problems(c, problems)
		err = failed
	}
	return joinNonEmpty([]string{t.moved(c, found), text}), cut, err
}

// moved says that a name was taken from another line than the model named.
func (t *LSP) moved(c lspCall, found int) string {
	if c.line <= 0 || found == 0 || found == c.line {
		return ""
	}
	return fmt.Sprintf("[%s is not in line %d; it was taken from line %d]", shown(c.symbol), c.line, found)
}

// definitions shows the lines of the first definitions.
func (t *LSP) definitions(c lspCall, places []lspclient.Place) (string, bool) {
	if len(places) == 0 {
		return fmt.Sprintf("[%s finds no definition of %s; try grep]", c.client.Name(), shown(c.symbol)), false
	}
	src := sources{files: t.files}
	var parts []string
	room := t.files.maxOutput() - maxNotes
	for _, p := range places[:min(len(places), maxShown)] {
		part := src.excerpt(p, room)
		room -= len(part)
		parts = append(parts, part)
	}
	cut := len(places) > maxShown
	if cut {
		parts = append(parts, fmt.Sprintf("[%d more definitions]", len(places)-maxShown))
	}
	return strings.Join(parts, "\n"), cut
}

func (t *LSP) references(c lspCall, places []lspclient.Place) (string, bool) {
	if len(places) == 0 {
		return fmt.Sprintf("[%s finds no use of %s]", c.client.Name(), shown(c.symbol)), false
	}
	src := sources{files: t.files}
	lines := make([]string, 0, len(places))
	paths := map[string]bool{}
	for _, p := range places {
		paths[p.Path] = true
		if len(lines) < maxPlaces {
			lines = append(lines, src.line(p))
		}
	}
	text, cut := bounded(lines, maxPlaces, t.files.maxOutput()-maxNotes)
	total := fmt.Sprintf("[%s in %s]", count(len(places), "place"), count(len(paths), "file"))
	if cut += len(places) - len(lines); cut > 0 {
		total = fmt.Sprintf("[%s in %s, %d not shown]", count(len(places), "place"), count(len(paths), "file"), cut)
	}
	return text + "\n" + total, cut > 0
}

func (t *LSP) symbols(c lspCall, symbols []lspclient.Symbol) (string, bool) {
	name := t.files.Workspace.Display(c.path.Real)
	if len(symbols) == 0 {
		return fmt.Sprintf("[%s declares nothing, says %s]", name, c.client.Name()), false
	}
	lines := make([]string, len(symbols))
	for i, s := range symbols {
		lines[i] = fmt.Sprintf("%s%d: %s %s", strings.Repeat("  ", s.Depth), s.Line, s.Kind, shortFault(s.Name))
	}
	text, cut := bounded(lines, maxRows, t.files.maxOutput()-maxNotes)
	text = name + " declares (by line):\n" + text
	if cut > 0 {
		text += fmt.Sprintf("\n[%d more]", cut)
	}
	return text, cut > 0
}

func (t *LSP) problems(c lspCall, problems []lspclient.Problem) (string, bool) {
	name := t.files.Workspace.Display(c.path.Real)
	if len(problems) == 0 {
		return fmt.Sprintf("[%s finds no problem in %s]", c.client.Name(), name), false
	}
	text, cut := bounded(problemLines(problems), maxRows, t.files.maxOutput()-maxNotes)
	text = fmt.Sprintf("%s in %s:\n%s", count(len(problems), "problem"), name, text)
	if cut > 0 {
		text += fmt.Sprintf("\n[%d more; mend these first]", cut)
	}
	return text, cut > 0
}

func problemLines(problems []lspclient.Problem) []string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = shortFault(p.String())
	}
	return lines
}

// Check is a Check that tells the new errors and warnings of a file after an
// edit. A server that is slow or gone says nothing.
func (t *LSP) Check(ctx context.Context, name string, change Change) string {
	c := t.client(change.Path)
	if c == nil || len(change.After) > maxSource {
		return ""
	}
	fresh, err := c.NewProblems(ctx, change.Path, change.Before, change.After)
	if err != nil {
		return ""
	}
	var worth []lspclient.Problem
	for _, p := range fresh {
		if p.Severity <= lspclient.Warning {
			worth = append(worth, p)
		}
	}
	if len(worth) == 0 {
		return ""
	}
	lines := problemLines(worth[:min(len(worth), maxNewFault)])
	if more := len(worth) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("[warning: %s finds new problems in %s:\n%s]", c.Name(), name, strings.Join(lines, "\n"))
}

// sources shows lines of the files that a server named. Its word alone opens
// no file outside of the project.
type sources struct {
	files Files
	cache map[string]*safety.File
}

func (s *sources) file(path string) *safety.File {
	if f, ok := s.cache[path]; ok {
		return f
	}
	var f *safety.File
	p, err := s.files.Workspace.Resolve(path, safety.Read)
	if err == nil && p.Class == safety.Inside {
		f, err = s.files.Workspace.ReadFile(p, maxSource)
	}
	if err != nil {
		f = nil // then the place alone is told
	}
	if s.cache == nil {
		s.cache = map[string]*safety.File{}
	}
	s.cache[path] = f
	return f
}

// line writes a place with its line: main.go:3: func main() {
func (s *sources) line(p lspclient.Place) string {
	at := fmt.Sprintf("%s:%d", oneLine(s.files.Workspace.Display(p.Path)), p.Line)
	f := s.file(p.Path)
	if f == nil {
		return at
	}
	lines := fileLines(f.Data)
	if p.Line > len(lines) {
		return at
	}
	return at + ": " + around([]byte(lines[p.Line-1]), 0)
}

// excerpt shows a place with the lines that follow.
func (s *sources) excerpt(p lspclient.Place, room int) string {
	f := s.file(p.Path)
	if f == nil {
		return s.line(p) + " (not a file of the project)"
	}
	l := listing{
		name: oneLine(s.files.Workspace.Display(p.Path)), file: f, room: room,
		args: readArgs{Start: p.Line, End: p.Line + shownLines - 1},
	}
	text, _, err := l.text()
	if err != nil { // the file is shorter by now
		return s.line(p)
	}
	return text
}
