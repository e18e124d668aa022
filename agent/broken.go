package agent

import (
	"context"
	"os"
	"time"

	"mm/tools"
)

// Bounds of the look at the files of a turn.
const (
	brokenFiles = 20 // the last ones
	brokenTime  = 3 * time.Second
)

// broken says which file a turn leaves in a state that does not parse, though
// it did before, and where; empty when there is none, or it cannot be told. The
// answer of the edit said so too: a small model often goes on all the same.
func (t *turn) broken(ctx context.Context) string {
	turns := t.opts.Session.Turns
	if t.opts.Check == nil || t.hindered() || len(turns) == 0 || turns[len(turns)-1].Number != t.number {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, brokenTime)
	defer stop()
	before := map[string][]byte{}
	var paths []string
	for _, ch := range turns[len(turns)-1].Changes {
		if _, known := before[ch.Path]; !known {
			before[ch.Path] = ch.Before
			paths = append(paths, ch.Path)
		}
	}
	for _, path := range paths[max(0, len(paths)-brokenFiles):] {
		now, err := os.ReadFile(path) // a command may have mended it
		if err != nil || before[path] == nil || ctx.Err() != nil {
			continue // a new file may be meant to be as it is
		}
		if said := t.opts.Check(ctx, tools.Change{Path: path, Before: before[path], After: now}); said != "" {
			return said
		}
	}
	return ""
}
