package tools

import (
	"sync"

	"mm/safety"
)

// Seen remembers what the model was shown of files, by real path. It is shared
// by the tools of one session and may be used from several goroutines.
type Seen struct {
	mu     sync.Mutex
	digest map[string]string
}

// NewSeen returns an empty record.
func NewSeen() *Seen { return &Seen{digest: make(map[string]string)} }

// Knowledge says how a file's content relates to what the model was shown.
type Knowledge int

// What the model can know of a file.
const (
	Unread  Knowledge = iota // never shown
	Stale                    // shown, and another content since
	Current                  // shown as it is
)

// Record notes that the model knows the file with this content: it was shown,
// or the model wrote it.
func (s *Seen) Record(real string, content []byte) {
	digest := safety.Digest(content)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.digest[real] = digest
}

// Of compares a file's content with what was recorded. Times do not count: a
// file that was touched and not changed is Current.
func (s *Seen) Of(real string, content []byte) Knowledge {
	s.mu.Lock()
	was, ok := s.digest[real]
	s.mu.Unlock()
	switch {
	case !ok:
		return Unread
	case was != safety.Digest(content):
		return Stale
	}
	return Current
}

// Forget notes that the model does not know the file any more: another content
// was written that it was not shown.
func (s *Seen) Forget(real string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.digest, real)
}

// Reset forgets all, as for a new conversation.
func (s *Seen) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.digest)
}
