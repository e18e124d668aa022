package configs_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mm/configs"
)

// TestShippedFilesLoad loads each file that is shipped to begin with.
func TestShippedFilesLoad(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern       string
		files         int
		maxTokens     int
		watchdog      time.Duration
		summaryTokens int
	}{
		{"agent.*.yaml", 3, 4096, 30 * time.Second, 600},
		{"samples/*.yaml", 5, 32768, 300 * time.Second, 1200},
	} {
		names, err := filepath.Glob(tc.pattern)
		if err != nil || len(names) != tc.files {
			t.Fatalf("%s: %q, %v; want %d files", tc.pattern, names, err, tc.files)
		}
		for _, name := range names {
			l, err := configs.Load(configs.Sources{File: name})
			if err != nil {
				t.Error(err)
				continue
			}
			if len(l.Warnings) != 0 {
				t.Errorf("%s: %q", name, l.Warnings)
			}
			if l.Sampling.MaxTokens != tc.maxTokens || l.WatchdogTimeout != tc.watchdog || l.Context.SummaryMaxTokens != tc.summaryTokens {
				t.Errorf("%s: max_tokens %d, watchdog %v, summary %d", name, l.Sampling.MaxTokens, l.WatchdogTimeout, l.Context.SummaryMaxTokens)
			}
			// The name tells the server: agent.dmr.yaml, gpt-oss-20b.dmr.yaml.
			if parts := strings.Split(name, "."); l.Provider != parts[len(parts)-2] {
				t.Errorf("%s: provider %s", name, l.Provider)
			}
			// A sample sets itself what the profile would set, so that the
			// file can be read alone.
			if tc.files == 5 {
				for _, key := range configs.Keys() {
					if strings.HasPrefix(l.Origins[key], "profile") {
						t.Errorf("%s: %s comes from the %s", name, key, l.Origins[key])
					}
				}
			}
		}
	}
}
