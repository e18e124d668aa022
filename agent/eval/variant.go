package eval

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Settings that variants change, by their key in the configuration.
const (
	KeyPrompt          = "promptVariant" // full or short
	KeyPlanTool        = "planTool"
	KeySearchTools     = "searchTools"
	KeyMaxOutput       = "maxOutput"       // characters
	KeyLoopTemperature = "loopTemperature" // 0 turns it off
)

// Variant changes parts of the configuration for an evaluation: key of the
// configuration to value, as they would stand in a file. NewFunc applies it,
// and fails on a key that it does not know.
type Variant map[string]string

// String lists the settings, or says that there are none.
func (v Variant) String() string {
	if len(v) == 0 {
		return "as configured"
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, key+"="+v[key])
	}
	return strings.Join(parts, " ")
}

// Variants are the single changes that Tune tries. The values of maxOutput are
// the ends of its range and the middle; loopTemperature is tried off, at its
// default and well above.
func Variants() []Variant {
	return []Variant{
		{KeyPrompt: "short"},
		{KeyPrompt: "full"},
		{KeyPlanTool: "false"},
		{KeyPlanTool: "true"},
		{KeySearchTools: "true"},
		{KeySearchTools: "false"},
		{KeyMaxOutput: "2000"},
		{KeyMaxOutput: "6000"},
		{KeyMaxOutput: "16000"},
		{KeyLoopTemperature: "0"},
		{KeyLoopTemperature: "0.4"},
		{KeyLoopTemperature: "0.8"},
	}
}

// settings are the configuration of a report with its variant laid over it.
func (r Report) settings() map[string]string {
	out := map[string]string{}
	maps.Copy(out, r.Config)
	maps.Copy(out, r.Variant)
	return out
}

// changes tells whether a variant is anything else than what is configured.
func (v Variant) changes(config map[string]string) bool {
	for key, value := range v {
		if config[key] != value {
			return true
		}
	}
	return false
}

// profile writes a variant as lines of a configuration file.
func (v Variant) profile() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(v)) {
		fmt.Fprintf(&b, "%s: %s\n", key, v[key])
	}
	return b.String()
}
