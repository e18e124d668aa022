package tools

import (
	"context"
	"path/filepath"

	"mm/safety"
)

// ListFiles lists the files of a project, as paths relative to it, in the
// order of names and at most so many. What .gitignore names and what holds
// credentials is left out.
func ListFiles(ctx context.Context, ws *safety.Workspace, most int) ([]string, error) {
	root, err := ws.Resolve(".", safety.Read)
	if err != nil {
		return nil, err
	}
	w := &walker{ws: ws}
	var files []string
	w.walk(ctx, root, func(e entryFound) bool {
		if e.kind.IsRegular() {
			files = append(files, filepath.FromSlash(e.name))
		}
		return len(files) < most
	})
	return files, ctx.Err()
}
