package agent

import (
	"context"
	"os"
	"strings"

	"mm/tools"
)

// broken says which file a turn leaves in a state that does not parse, though
// it did before, and where; empty when there is none, or it cannot be told. The
// answer of the edit said so too: a small model often goes on all the same.
func (t *turn) broken(ctx context.Context) string {
	turns := t.opts.Session.Turns
	if t.opts.Check == nil || len(turns) == 0 || turns[len(turns)-1].Number != t.number {
		return ""
	}
	before := map[string][]byte{}
	for _, ch := range turns[len(turns)-1].Changes {
		if _, known := before[ch.Path]; !known {
			before[ch.Path] = ch.Before
		}
		now, err := os.ReadFile(ch.Path) // a command may have mended it
		if err != nil {
			continue
		}
		said := t.opts.Check(ctx, tools.Change{Path: ch.Path, Before: before[ch.Path], After: now})
		if said != "" {
			return strings.TrimSuffix(strings.TrimPrefix(said, "[warning: "), "]")
		}
	}
	return ""
}
