package uitest

import (
	"time"

	"github.com/dlclark/regexp2"
)

// The lexers bound their searches by a clock of regexp2's, a goroutine that
// starts on use and ends a second after the last deadline. Started inside of a
// synctest bubble it would tick by the bubble's time, for all others too, and
// outlive it. So one search with a deadline beyond any test's end starts it
// outside, once, and nothing here runs beside the tests: a goroutine that kept
// it alive by colouring raced with them for the lexers' own tables.
func init() {
	re := regexp2.MustCompile("x", regexp2.None)
	re.MatchTimeout = 24 * time.Hour
	_, _ = re.MatchString("x")
}
