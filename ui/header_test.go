package ui_test

import (
	"strings"
	"testing"

	"mm/agent"
	"mm/ui/uitest"
)

// The end of the directory stands before its branch, whatever else the header
// says; the server gives way first.
func TestHeaderKeepsTheDirectory(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		w          int
		mode       agent.Mode
		unconfined bool
		want       []string
	}{
		{120, "yolo", true, []string{"qwen3.5-4b @ llamacpp", "~/src/app (main)", "YOLO: nothing is asked", "no sandbox"}},
		{80, "yolo", false, []string{"qwen3.5-4b", "src/app (main)", "YOLO"}},
		{80, "yolo", true, []string{"qwen3.5-4b", "src/app (main)", "YOLO", "no sandbox"}},
		{80, "ask", false, []string{"qwen3.5-4b @ llamacpp", "~/src/app (main)", "ask"}},
		{60, "accept-edits", false, []string{"qwen3.5-4b", "src/app (main)", "accept-edits"}},
		{40, "ask", false, []string{"qwen3.5-4b", "app (main)", "ask"}},
	} {
		with(t, uitest.Owner(), tc.w, 24, func(t *testing.T, s *uitest.Screen) {
			s.Events(agent.SessionReady{Mode: tc.mode, Unconfined: tc.unconfined, Model: agent.ModelInfo{ID: "qwen3.5-4b", Provider: "llamacpp"}})
			head, _, _ := strings.Cut(s.Frame(), "\n")
			for _, text := range tc.want {
				if !strings.Contains(head, text) {
					t.Errorf("%d cells, %s: %q lacks %q", tc.w, tc.mode, head, text)
				}
			}
		})
	}
}
