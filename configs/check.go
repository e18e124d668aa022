package configs

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// choices are the keys whose values are names out of a list.
var choices = map[string][]string{
	"provider":         {"auto", "llamacpp", "dmr", "ollama", "lmstudio", "vllm", "openai", "demo"},
	"permissions.mode": {"read-only", "ask", "accept-edits", "yolo"},
	"sandbox":          {"auto", "off", "required"},
	"prompt":           {"full", "short"},
	"constrain":        {"auto", "off"},
}

// leastWindow is a window in which the first request and a short answer still
// fit, in tokens.
const leastWindow = 2048

// check refuses values that cannot work, with the origin of each.
func (l *Loaded) check() error {
	for path, names := range choices {
		if v := l.values.String(path); !slices.Contains(names, v) {
			return fmt.Errorf("%s: %s is %q; it is one of %s", l.Origins[path], path, v, strings.Join(names, ", "))
		}
	}
	for path, ok := range map[string]bool{
		"sampling.max_tokens":      l.Sampling.MaxTokens > 0,
		"sampling.temperature":     l.Sampling.Temperature >= 0 && l.Sampling.Temperature <= 2,
		"sampling.top_p":           l.Sampling.TopP > 0 && l.Sampling.TopP <= 1,
		"sampling.min_p":           l.Sampling.MinP == nil || *l.Sampling.MinP >= 0 && *l.Sampling.MinP <= 1,
		"loopTemperature":          l.LoopTemperature >= 0 && l.LoopTemperature <= 2,
		"maxTurns":                 l.MaxTurns > 0,
		"maxOutput":                l.MaxOutput >= 0,
		"contextWindow":            l.ContextWindow == 0 || l.ContextWindow >= leastWindow,
		"thinkingBudget":           l.ThinkingBudget >= 0,
		"salvageCalls":             l.SalvageCalls > 0,
		"previewLines":             l.PreviewLines >= 0,
		"firstTokenTimeout":        l.FirstTokenTimeout > 0,
		"watchdogTimeout":          l.WatchdogTimeout > 0,
		"bashTimeout":              l.BashTimeout > 0,
		"context.maskAt":           l.Context.MaskAt <= 1,
		"context.maskTo":           l.Context.MaskTo > 0 && l.Context.MaskTo < l.Context.MaskAt,
		"context.compactAt":        l.Context.CompactAt > l.Context.MaskTo && l.Context.CompactAt <= 1,
		"context.maskAfterTurns":   l.Context.MaskAfterTurns >= 0,
		"context.keepLastTurns":    l.Context.KeepLastTurns >= 0,
		"context.maxMessages":      l.Context.MaxMessages >= 0,
		"context.summaryMaxTokens": l.Context.SummaryMaxTokens > 0,
	} {
		if !ok {
			return fmt.Errorf("%s: %s cannot be %v", l.Origins[path], path, l.values.Get(path))
		}
	}
	if v := l.Config.Profile; v != autoProfile && v != noProfile && findProfile(v, "") == nil {
		return fmt.Errorf("%s: there is no profile %q; there are auto, none, %s", l.Origins["profile"], v, strings.Join(Profiles(), ", "))
	}
	if u, err := url.Parse(l.BaseURL); err == nil && u.Host != "" && u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%s: baseURL begins with %s://; it should look like http://localhost:8080/v1", l.Origins["baseURL"], u.Scheme)
	}
	if strings.ContainsFunc(l.APIKey, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%s: apiKey holds a blank or a control character; a header cannot carry it", l.Origins["apiKey"])
	}
	if l.Provider == "openai" && l.BaseURL == "" {
		return fmt.Errorf("%s: provider openai needs baseURL (http://HOST:PORT/v1)", l.Origins["provider"])
	}
	return nil
}
