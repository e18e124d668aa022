package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEstimatorLearnsFromTheServer(t *testing.T) {
	req := Request{
		Messages: []Message{
			{Role: System, Text: strings.Repeat("a", 3500)},
			{Role: Assistant, Calls: []Call{{Name: "bash", Args: strings.Repeat("b", 346)}}},
		},
		Tools: []ToolSpec{{Name: "bash", Schema: json.RawMessage(strings.Repeat("c", 346))}},
	}
	var e Estimator
	// 3500 + 350 + 350 characters, and 16 for each of four parts.
	raw := e.Request(req)
	if raw < 1200 || raw > 1230 {
		t.Errorf("got %d, want about 4264 / 3.5", raw)
	}
	e.Learn(raw, raw*5/4)
	if got := e.Request(req); got < raw*5/4-2 || got > raw*5/4+2 {
		t.Errorf("got %d, want the server's %d", got, raw*5/4)
	}
	if got := e.Text(strings.Repeat("é", 700)); got < 249 || got > 252 {
		t.Errorf("got %d, want 200 and a quarter", got)
	}
	learnt := e.Request(req)
	e.Learn(learnt, learnt/10) // a cut prompt
	if got := e.Request(req); got != learnt {
		t.Errorf("got %d after a count that cannot be true, want %d", got, learnt)
	}
}

func TestSilentlyCut(t *testing.T) {
	for _, tc := range []struct {
		name        string
		now, before Prompt
		window      int
		want        bool
	}{
		{"all of it read", Prompt{3000, 3100}, Prompt{2500, 2600}, 4096, false},
		{"a poor estimate", Prompt{3000, 2300}, Prompt{}, 8192, false},
		{"far below", Prompt{9000, 4000}, Prompt{}, 0, true},
		{"window minus one", Prompt{6000, 4095}, Prompt{}, 4096, true},
		{"half the window", Prompt{3500, 2048}, Prompt{}, 4096, true},
		{"a full window that was estimated", Prompt{4200, 4095}, Prompt{}, 4096, false},
		{"falls while it grew", Prompt{4000, 2900}, Prompt{3900, 3800}, 0, true},
		{"falls after compaction", Prompt{2000, 1900}, Prompt{3900, 3800}, 0, false},
		{"only what is new is counted", Prompt{4000, 150}, Prompt{3900, 3800}, 0, false},
		{"only what is new is counted, a large result", Prompt{6000, 2300}, Prompt{3900, 3800}, 0, false},
		{"cut after a large result", Prompt{9000, 4000}, Prompt{3000, 3000}, 0, true},
		{"small", Prompt{500, 100}, Prompt{}, 4096, false},
		{"no count", Prompt{9000, 0}, Prompt{}, 4096, false},
	} {
		if got := SilentlyCut(tc.now, tc.before, tc.window); got != tc.want {
			t.Errorf("%s: got %v", tc.name, got)
		}
	}
}
