package composer

import (
	"slices"
	"strings"
)

// maxHistory is the number of prompts kept.
const maxHistory = 1000

// history holds earlier prompts, oldest first.
type history struct {
	entries []string
	at      int // index while walking; len(entries) is the draft
	draft   []rune
}

// Prompts returns the history, newest first and without repeats.
func (c *Composer) Prompts() []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range slices.Backward(c.history.entries) {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// LoadHistory puts older prompts before those of this session.
func (c *Composer) LoadHistory(older []string) {
	h := &c.history
	h.entries = append(slices.Clone(older), h.entries...)
	if n := len(h.entries); n > maxHistory {
		h.entries = h.entries[n-maxHistory:]
	}
	h.at = len(h.entries)
}

func (h *history) add(s string) {
	if strings.TrimSpace(s) != "" && (len(h.entries) == 0 || h.entries[len(h.entries)-1] != s) {
		h.entries = append(h.entries, s)
	}
	if len(h.entries) > maxHistory {
		h.entries = h.entries[1:]
	}
	h.at = len(h.entries)
}

// walk steps through the history, n < 0 to older ones. current is what stands
// in the input; it is kept as the draft when the walk begins.
func (h *history) walk(n int, current []rune) bool {
	to := h.at + n
	if to < 0 || to > len(h.entries) {
		return false
	}
	if h.at == len(h.entries) {
		h.draft = slices.Clone(current)
	}
	h.at = to
	return true
}

// entry is the prompt that the walk is at; false is the draft.
func (h *history) entry() (string, bool) {
	if h.at == len(h.entries) {
		return "", false
	}
	return h.entries[h.at], true
}
