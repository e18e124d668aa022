package lspclient

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// The parts of the protocol in use. Positions are in the units that the
// session agreed on; see place.go.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`

	// The fields of a LocationLink.
	TargetURI   string `json:"targetUri"`
	TargetRange span   `json:"targetSelectionRange"`
}

type diagnostic struct {
	Range    span            `json:"range"`
	Severity int             `json:"severity"`
	Source   string          `json:"source"`
	Message  string          `json:"message"`
	Code     json.RawMessage `json:"code"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []struct {
		Kind         string `json:"kind"` // of an operation on files
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Edits []textEdit `json:"edits"`
	} `json:"documentChanges"`
}

type symbol struct {
	Name           string   `json:"name"`
	Kind           int      `json:"kind"`
	Range          span     `json:"range"`
	SelectionRange span     `json:"selectionRange"`
	Children       []symbol `json:"children"`

	// The field of a SymbolInformation, which has no ranges of its own.
	Location *location `json:"location"`
}

type textDocument struct {
	URI string `json:"uri"`
}

// uriOf writes a path as servers want it.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/a
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf reads the path out of a URI, "" when it is none of a file.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// kinds names the kinds of symbols, by the numbers of the protocol.
var kinds = []string{
	"", "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor",
	"enum", "interface", "function", "variable", "constant", "string", "number", "boolean", "array",
	"object", "key", "null", "enum member", "struct", "event", "operator", "type parameter",
}

func kindName(kind int) string {
	if kind <= 0 || kind >= len(kinds) {
		return "symbol"
	}
	return kinds[kind]
}
