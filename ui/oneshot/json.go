package oneshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode"

	"mm/agent"
)

// Line encodes an event as one line of JSON: its kind under "event", and its
// fields in lower camel case. Durations are whole milliseconds under the
// field's name with "Ms" added.
func Line(e agent.Event) ([]byte, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Kind(), err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Kind(), err)
	}
	out := renamed(fields).(map[string]any)
	out["event"] = e.Kind()
	line, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Kind(), err)
	}
	return append(line, '\n'), nil
}

// renamed puts the keys of all objects into lower camel case.
func renamed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v)+1)
		for key, value := range v {
			if n, ok := value.(json.Number); ok && key == "Elapsed" {
				ns, _ := n.Int64() // a duration is a whole number
				out["elapsedMs"] = time.Duration(ns).Milliseconds()
				continue
			}
			out[lowerFirst(key)] = renamed(value)
		}
		return out
	case []any:
		for i := range v {
			v[i] = renamed(v[i])
		}
	}
	return v
}

// lowerFirst lowers the first word of a Go name: ID → id, ExitCode → exitCode,
// BaseURL → baseURL.
func lowerFirst(name string) string {
	runes := []rune(name)
	for i := range runes {
		if i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		if !unicode.IsUpper(runes[i]) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}
