package acp

import (
	"net/url"
	"strings"
)

// promptParams are the parameters of session/prompt. Blocks are read by hand:
// the SDK refuses a prompt that holds a kind which it does not know.
type promptParams struct {
	SessionID string  `json:"sessionId"`
	Prompt    []block `json:"prompt"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
	URI  string `json:"uri"`
}

// text is the prompt as one text. Links become a line that names the file;
// images, sounds and embedded resources were never announced and are left out.
func (p promptParams) text() string {
	var b strings.Builder
	for _, block := range p.Prompt {
		switch block.Type {
		case "text":
			b.WriteString(block.Text)
		case "resource_link":
			b.WriteString("\n[attached file: " + linkPath(block.URI) + "]")
		}
	}
	return b.String()
}

// linkPath is the path of a file link, decoded and without what leads into
// the file: "file:///a%20b.rs?symbol=X#L10:20" is "/a b.rs". Other links stay
// as they are.
func linkPath(uri string) string {
	rest, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return uri
	}
	u, err := url.Parse(uri)
	if err != nil {
		return rest // not encoded, such as "/100%"
	}
	path := u.Path
	if u.Host != "localhost" {
		path = u.Host + path // "file://src/a.go", which some write
	}
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		return path[1:] // "/C:/src/a.go"
	}
	return path
}
