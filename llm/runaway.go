package llm

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// When a stream counts as runaway. Figures in bytes.
const (
	// MaxArgs bounds the arguments of one call.
	MaxArgs = 256 << 10

	// MaxAnswer bounds a whole answer for which no max_tokens was sent.
	MaxAnswer = 1 << 20

	// An answer is stopped at so many times max_tokens by our estimate, which
	// is too rough for a few tokens.
	overlong      = 2
	leastOverlong = 256 // tokens

	argsPeriod    = 64
	argsWindow    = 256     // of arguments that repeat
	contentWindow = 4 << 10 // of file content that repeats: a CSV of zeros is legitimate
	textPeriod    = 1 << 10 // a sentence or two
	textWindow    = 6 << 10 // of an answer that repeats: so are tables and lists

	argsStride    = 32 // between two checks
	contentStride = 256
	textStride    = 1 << 10
)

// TextGuard watches an answer or its reasoning for a pattern that repeats
// without end. The zero value is ready.
type TextGuard struct{ tail tail }

// Add takes new text and says in a few words what is wrong, or returns an
// empty string.
func (g *TextGuard) Add(s string) string {
	for s != "" {
		s = g.tail.fill(s, textStride, textWindow)
		if p := g.tail.period(textStride, textWindow, textPeriod); p != "" {
			return fmt.Sprintf("%s repeats over %d characters", p, textWindow)
		}
	}
	return ""
}

// LengthGuard watches the length of a whole answer: text, reasoning and
// arguments. It trips where a server does not keep to max_tokens.
type LengthGuard struct {
	MaxTokens int // as it was sent; 0 when it was not

	bytes, chars int
}

// Add counts what is new and says in a few words what is wrong, or returns an
// empty string.
func (g *LengthGuard) Add(s string) string {
	g.bytes += len(s)
	g.chars += utf8.RuneCountInString(s)
	bound := max(overlong*g.MaxTokens, leastOverlong)
	switch {
	case g.MaxTokens > 0 && float64(g.chars) > float64(bound)*charsPerToken:
		return fmt.Sprintf("it ignored max_tokens (%d) and was stopped after about %d tokens", g.MaxTokens, bound)
	case g.bytes > MaxAnswer:
		return fmt.Sprintf("it was stopped after %d MiB", MaxAnswer>>20)
	}
	return ""
}

// ArgsGuard watches the arguments of one call while they stream. It follows
// the JSON to know whether it is inside of file content, where more repetition
// is allowed. The zero value is ready.
type ArgsGuard struct {
	size int
	tail tail
	json keyScanner
}

// Add takes a fragment and says in a few words what is wrong, or returns an
// empty string.
func (g *ArgsGuard) Add(s string) string {
	g.size += len(s)
	if g.size > MaxArgs {
		return fmt.Sprintf("more than %d KiB of arguments", MaxArgs>>10)
	}
	for s != "" {
		inside := g.json.inContent()
		n := g.json.run(s)
		if why := g.watch(s[:n], inside); why != "" {
			return why
		}
		if g.json.inContent() != inside {
			g.tail.reset()
		}
		s = s[n:]
	}
	return ""
}

func (g *ArgsGuard) watch(s string, inside bool) string {
	window, stride := argsWindow, argsStride
	if inside {
		window, stride = contentWindow, contentStride
	}
	for s != "" {
		s = g.tail.fill(s, stride, window)
		if p := g.tail.period(stride, window, argsPeriod); p != "" {
			return fmt.Sprintf("%s repeats over %d characters of the arguments", p, window)
		}
	}
	return ""
}

// tail keeps the last bytes of a stream. It is checked each time that a
// stride is full, counted from the start and not by fragments, so that the
// verdict does not depend on how the stream was cut.
type tail struct {
	bytes  []byte
	since  int // bytes since the last check
	border []int32
}

func (t *tail) reset() { t.bytes, t.since = t.bytes[:0], 0 }

// fill takes as much of s as fits the stride and returns the rest.
func (t *tail) fill(s string, stride, keep int) string {
	n := min(len(s), stride-t.since)
	if len(t.bytes)+n > 2*keep {
		t.bytes = append(t.bytes[:0], t.bytes[len(t.bytes)-keep:]...)
	}
	t.bytes = append(t.bytes, s[:n]...)
	t.since += n
	return s[n:]
}

// period returns the shortest pattern that fills the last window bytes,
// quoted, or an empty string.
func (t *tail) period(stride, window, longest int) string {
	if t.since < stride {
		return ""
	}
	t.since = 0
	if len(t.bytes) < window {
		return ""
	}
	w := t.bytes[len(t.bytes)-window:]
	p := t.shortestPeriod(w)
	if p > longest {
		return ""
	}
	return strconv.Quote(shorten(string(w[window-p:])))
}

// shortestPeriod returns the least p with w[i] == w[i-p] throughout. It is the
// length without the longest border, found in linear time (Knuth, Morris and
// Pratt), whatever a hostile server sends.
func (t *tail) shortestPeriod(w []byte) int {
	if len(t.border) < len(w) {
		t.border = make([]int32, len(w))
	}
	border, k := t.border, 0
	for i := 1; i < len(w); i++ {
		for k > 0 && w[i] != w[k] {
			k = int(border[k-1])
		}
		if w[i] == w[k] {
			k++
		}
		border[i] = int32(k)
	}
	return len(w) - k
}

// shorten keeps the start of a pattern for a message.
func shorten(s string) string {
	const keep = 40
	if len(s) <= keep {
		return s
	}
	return s[:keep] + "…"
}

// keyScanner follows streamed JSON just enough to know whose value is being
// written.
type keyScanner struct {
	inString, escaped bool
	value             bool   // the string being read follows a colon
	key               string // the last key
	word              []byte // the start of the string being read
	last              byte   // the last byte outside of strings and blanks
}

// maxKey is how much of a key is kept; longer ones are of no interest.
const maxKey = 16

// inContent reports whether the scanner is inside the content of a file.
func (k *keyScanner) inContent() bool {
	return k.inString && k.value && (k.key == "content" || k.key == "new")
}

// run reads s up to where inContent changes, and returns how much it read.
func (k *keyScanner) run(s string) int {
	was := k.inContent()
	for i := range len(s) {
		k.step(s[i])
		if k.inContent() != was {
			return i + 1
		}
	}
	return len(s)
}

func (k *keyScanner) step(c byte) {
	switch {
	case k.inString && k.escaped:
		k.escaped = false
	case k.inString && c == '\\':
		k.escaped = true
	case k.inString && c == '"':
		k.inString, k.last = false, c
	case k.inString:
		if len(k.word) < maxKey {
			k.word = append(k.word, c)
		}
	case c == '"':
		k.inString, k.value = true, k.last == ':'
		k.word = k.word[:0]
	case c == ':':
		k.key, k.last = string(k.word), c
	case c != ' ' && c != '\n' && c != '\t' && c != '\r':
		k.last = c
	}
}
