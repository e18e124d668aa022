package uitest

import (
	"time"

	"mm/ui/highlight"
)

// The lexers bound their searches by a clock of their own, a goroutine that
// starts on use and ends a second after. Started inside of a synctest bubble
// it would tick by the bubble's time, for all others too, and outlive it. So
// it is kept running from outside.
func init() {
	highlight.Lines("x", "go")
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			highlight.Lines("x", "go")
		}
	}()
}
