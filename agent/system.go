package agent

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.md"))

// Surroundings are what the built-in system prompt depends on. Nothing in it changes
// within a session, so that the prefix of the requests stays the same.
type Surroundings struct {
	Cwd    string
	System string // "linux/amd64"
	Shell  string // "bash"

	Bash, Edit, Skills bool // which tools are declared
}

// SystemPrompt fills in the built-in system prompt. variant is "full", or
// "short" for the smallest models.
func SystemPrompt(variant string, s Surroundings) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, variant+".md", s); err != nil {
		return "", fmt.Errorf("system prompt %q: %w", variant, err)
	}
	return strings.TrimSpace(b.String()), nil
}
