package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"mm/safety"
	"mm/tools/lspclient"
)

// maxSource bounds a file that is shown to a language server, in bytes.
const maxSource = 4 << 20

// LSPOptions configures the lsp tool.
type LSPOptions struct {
	Files   Files
	Servers []lspclient.Server // at least one; see lspclient.Find
	Env     []string           // the whole environment of the servers

	// NoRename leaves out what changes files.
	NoRename bool

	// Start starts a server. Nil is (*exec.Cmd).Start; a sandbox goes here,
	// since servers run what a project says.
	Start func(*exec.Cmd) error
}

// LSP asks language servers. They are started when they are first needed and
// live until Close.
type LSP struct {
	files   Files
	clients []*lspclient.Client
	kinds   []string // the extensions that are served
	actions []string
	doc     string
}

// NewLSP returns the lsp tool. Its method Check adds what the servers say of an
// edit to the edit's result.
func NewLSP(o LSPOptions) *LSP {
	t := &LSP{files: o.Files, actions: lspActions, doc: strings.TrimSpace(lspDoc)}
	if o.NoRename {
		t.actions = lspActions[:len(lspActions)-1]
		t.doc = strings.Replace(t.doc, lspRenameDoc, "", 1)
	}
	for _, server := range o.Servers {
		t.clients = append(t.clients, lspclient.New(lspclient.Options{
			Server: server, Dir: o.Files.Workspace.Dir(), Env: o.Env, Read: t.read, Start: o.Start,
		}))
		t.kinds = append(t.kinds, server.Extensions...)
	}
	return t
}

// Close ends the servers.
func (t *LSP) Close() {
	for _, c := range t.clients {
		c.Close()
	}
}

// read gives a server the text of a file that a call named.
func (t *LSP) read(path string) ([]byte, error) {
	p, err := t.files.Workspace.Resolve(path, safety.Read)
	if err != nil {
		return nil, err
	}
	f, err := t.files.Workspace.ReadFile(p, maxSource)
	switch {
	case err != nil:
		return nil, err
	case !f.Whole():
		return nil, fmt.Errorf("%s is larger than %d MiB", t.files.Workspace.Display(p.Real), maxSource>>20)
	}
	return f.Data, nil
}

// client finds the server of a file.
func (t *LSP) client(path string) *lspclient.Client {
	for _, c := range t.clients {
		if c.Serves(path) {
			return c
		}
	}
	return nil
}

// What can be asked.
const (
	askDefinition  = "definition"
	askReferences  = "references"
	askHover       = "hover"
	askSymbols     = "symbols"
	askDiagnostics = "diagnostics"
	askRename      = "rename"
)

// lspActions lists the actions, that which changes files last.
var lspActions = []string{askDefinition, askReferences, askHover, askSymbols, askDiagnostics, askRename}

//go:embed lsp.md
var lspDoc string

// lspRenameDoc is the sentence of the description on rename.
const lspRenameDoc = "rename: give it new_name everywhere. "

// Spec declares the tool.
func (t *LSP) Spec() Spec {
	fields := []Field{
		{Name: "action", Type: "string", Enum: t.actions},
		{Name: "path", Type: "string"},
		{Name: "symbol", Type: "string", Optional: true},
		{Name: "line", Type: "integer", Optional: true},
	}
	if slices.Contains(t.actions, askRename) {
		fields = append(fields, Field{Name: "new_name", Type: "string", Optional: true})
	}
	return Spec{
		Name:        "lsp",
		Description: t.doc,
		Kind:        KindSearch,
		Synonyms: map[string]string{
			"path":     fileNames,
			"action":   "command method operation request type kind query",
			"symbol":   "identifier symbol_name word function old_name",
			"line":     "line_number lineno row",
			"new_name": "newName new to rename_to",
		},
		Schema: Schema(fields...),
	}
}

// otherActions are names that models know from editors.
var otherActions = map[string]string{
	"gotodefinition": askDefinition, "godefinition": askDefinition, "finddefinition": askDefinition, "definitions": askDefinition, "def": askDefinition, "declaration": askDefinition, "implementation": askDefinition,
	"findreferences": askReferences, "reference": askReferences, "refs": askReferences, "usages": askReferences, "uses": askReferences, "callers": askReferences,
	"type": askHover, "info": askHover, "doc": askHover, "docs": askHover, "documentation": askHover, "signature": askHover,
	"documentsymbol": askSymbols, "documentsymbols": askSymbols, "outline": askSymbols, "symbol": askSymbols, "listsymbols": askSymbols,
	"diagnostic": askDiagnostics, "errors": askDiagnostics, "problems": askDiagnostics, "check": askDiagnostics, "lint": askDiagnostics,
	"renamesymbol": askRename,
}

// Normalize takes other names of the actions.
func (t *LSP) Normalize(args map[string]json.RawMessage) string {
	var action string
	if json.Unmarshal(args["action"], &action) != nil {
		return ""
	}
	name := strings.TrimPrefix(foldName(action), "textdocument")
	to := otherActions[name]
	if to == "" && slices.Contains(t.actions, name) && name != action {
		to = name
	}
	if to == "" {
		return ""
	}
	args["action"] = encode(to)
	return fmt.Sprintf("action %q was taken for %q", action, to)
}

// lspCall is a question that was planned.
type lspCall struct {
	action  string
	client  *lspclient.Client
	path    safety.Path
	symbol  string
	line    int
	renamed *renaming
}

// Plan finds the server. A rename asks it for the changes, to show them.
func (t *LSP) Plan(ctx context.Context, args json.RawMessage) (Plan, error) {
	var a struct {
		Action, Path, Symbol string
		Line                 int
		NewName              string `json:"new_name"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return Plan{}, fmt.Errorf("[error: lsp: %w]", err)
	}
	p, err := t.files.resolve(a.Path, safety.Read)
	if err != nil {
		return Plan{}, err
	}
	call := lspCall{action: a.Action, client: t.client(p.Real), path: p, symbol: strings.TrimSpace(a.Symbol), line: a.Line}
	if err := t.judge(call, a.NewName); err != nil {
		return Plan{}, err
	}
	name := t.files.Workspace.Display(p.Real)
	plan := Plan{
		Title:     strings.Join(strings.Fields(fmt.Sprint(a.Action, " ", call.symbol, " in ", name)), " "),
		Action:    safety.Action{Tool: "lsp", Op: safety.Read, Path: p},
		Locations: []Location{{Path: p.Real, Line: max(a.Line, 0)}},
	}
	if a.Action == askRename {
		if call.renamed, err = t.rename(ctx, call, a.NewName); err != nil {
			return Plan{}, err
		}
		call.renamed.describe(&plan)
	}
	plan.State = call
	return plan, nil
}

// judge says what is missing in a call.
func (t *LSP) judge(c lspCall, fresh string) error {
	name := t.files.Workspace.Display(c.path.Real)
	switch {
	case c.client == nil:
		return fmt.Errorf("[error: lsp: no language server knows %s; there is one for files %s. Use grep and read_file]", name, strings.Join(t.kinds, ", "))
	case c.action == askSymbols, c.action == askDiagnostics:
	case c.symbol == "":
		return fmt.Errorf("[error: lsp: %s needs symbol: a name as it is written in %s%s]", c.action, name, t.namesIn(c))
	case c.action == askRename && strings.TrimSpace(fresh) == "":
		return errors.New("[error: lsp: rename needs new_name]")
	case c.action == askRename && c.path.Class != safety.Inside:
		return fmt.Errorf("[error: lsp: %s is not an ordinary file of the project (%s); nothing is renamed in it]", name, c.path.Reason)
	}
	return nil
}

// namesIn lists the names in the line of a call that gives no name. Of a file
// outside of the project nothing is told before permission.
func (t *LSP) namesIn(c lspCall) string {
	if c.path.Class != safety.Inside || c.line < 1 {
		return ""
	}
	data, err := t.read(c.path.Real)
	if err != nil {
		return ""
	}
	lines := fileLines(data)
	if c.line > len(lines) {
		return ""
	}
	return inLine(c.line, lspclient.Names(lines[c.line-1]))
}

func inLine(line int, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("; in line %d are: %s", line, strings.Join(names[:min(len(names), 2*maxNames)], ", "))
}

// Run asks the server, or makes the changes of a rename.
func (t *LSP) Run(ctx context.Context, p Plan, _ Sink) Result {
	c := p.State.(lspCall)
	if c.renamed != nil {
		return t.apply(ctx, c)
	}
	text, cut, err := t.answer(ctx, c)
	switch {
	case ctx.Err() != nil:
		return Result{Text: "[lsp was stopped]", Status: Stopped}
	case err != nil:
		return Result{Text: t.fault(c, err).Error(), Status: Failed}
	}
	return Result{Text: text, Status: OK, Truncated: cut}
}

// fault says why there is no answer and what to do.
func (t *LSP) fault(c lspCall, err error) error {
	name, server := t.files.Workspace.Display(c.path.Real), c.client.Name()
	if dead, ok := errors.AsType[*lspclient.DeadError](err); ok {
		return fmt.Errorf("[lsp: %s; use grep and read_file instead]", shortFault(dead.Error()))
	}
	if no, ok := errors.AsType[*lspclient.NameError](err); ok {
		return fmt.Errorf("[lsp: %s is not in %s%s; give symbol as it is written there, or use grep]", shown(no.Name), name, inLine(no.Line, no.Names))
	}
	if no, ok := errors.AsType[*lspclient.RefusedError](err); ok {
		return fmt.Errorf("[lsp: %s says: %s]", server, shortFault(no.Message))
	}
	switch {
	case errors.Is(err, lspclient.ErrTime):
		return fmt.Errorf("[lsp: %s did not answer in time; it may still be reading the project: go on with grep and read_file, and call again later]", server)
	case errors.Is(err, fs.ErrNotExist):
		return t.files.missing(c.path, "List a folder with read_file to see what there is")
	}
	return fmt.Errorf("[lsp: %s; use grep and read_file instead]", shortFault(err.Error()))
}
