package configs

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Print writes each key with its value and origin. Keys of servers are not
// shown.
func (l *Loaded) Print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, k := range keys {
		origin := l.Origins[k.path]
		if origin == "" {
			origin = "default"
		}
		fmt.Fprintf(tw, "%s\t%s\t# %s\n", k.path, show(k.path, l.values.Get(k.path)), origin)
	}
	return tw.Flush()
}

// show writes the value of a key on one line.
func show(key string, value any) string {
	switch v := value.(type) {
	case nil:
		if key == "lsp" {
			return "{}"
		}
		return "(not sent)"
	case string:
		if key == "apiKey" && v != "" {
			return "(set, not shown)"
		}
		return fmt.Sprintf("%q", v)
	case time.Duration:
		return v.String()
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+": "+show(key, v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprintf("%v", value)
}
