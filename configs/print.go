package configs

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Print writes each key with its value and origin. Keys of servers are not
// shown.
func (l *Loaded) Print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, k := range keys {
		value, set := l.values.Get(k.path), l.values.Exists(k.path)
		text := fmt.Sprintf("%v", value)
		switch v := value.(type) {
		case string:
			text = fmt.Sprintf("%q", v)
		case time.Duration:
			text = v.String()
		case []string:
			text = "[" + strings.Join(v, ", ") + "]"
		case map[string]any:
			if len(v) == 0 {
				text = "{}"
			}
		}
		switch {
		case !set && k.path == "lsp":
			text = "{}"
		case !set:
			text = "(not sent)"
		case k.path == "apiKey" && value != "":
			text = "(set, not shown)"
		}
		origin := l.Origins[k.path]
		if origin == "" {
			origin = "default"
		}
		fmt.Fprintf(tw, "%s\t%s\t# %s\n", k.path, text, origin)
	}
	return tw.Flush()
}
