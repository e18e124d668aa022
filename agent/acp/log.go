package acp

import (
	"fmt"
	"io"
	"sync"

	"mm/safety/clean"
)

// logger writes the lines for people. It may be used by several goroutines.
type logger struct {
	mu sync.Mutex
	w  io.Writer // nil drops everything
}

// printf writes one line, made harmless for a terminal.
func (l *logger) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l, "[acp] %s\n", clean.Linef(format, args...)) // nobody could be told
}

// Write takes whole lines, as log/slog writes them.
func (l *logger) Write(line []byte) (int, error) {
	if l.w == nil {
		return len(line), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line)
}
