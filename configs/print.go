package configs

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"go.yaml.in/yaml/v3"
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
	case map[string]LSP:
		return flow(v)
	case []Rule:
		return flow(v)
	}
	return fmt.Sprintf("%v", value)
}

// flow writes a value as YAML on one line.
func flow(value any) string {
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		return err.Error() // texts, lists and maps of them always encode
	}
	node.Style = yaml.FlowStyle
	for _, child := range node.Content {
		child.Style = yaml.FlowStyle
	}
	data, err := yaml.Marshal(&node)
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(string(data)), " ")
}
